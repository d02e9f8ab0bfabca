#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "heddle/model/schedule.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::test {

/// Every registered policy under each value of each of its choices and flags, as specs: new policies and options are
/// tested by being listed.
[[nodiscard]] std::vector<std::string> registered_specs();

/// Leaves each policy once, as it is without options.
void drop_variants(std::vector<std::string>& specs);

/// Letters, digits and underscores of a text, as names of tests have to be.
[[nodiscard]] std::string identifier(std::string text);
/// A specification as the name of a test.
[[nodiscard]] std::string test_name(const testing::TestParamInfo<std::string>& tested);

/// A plan for policies that follow one; made by another policy, in contexts where the instance has some.
[[nodiscard]] Schedule plan_for(const Instance& instance);

/// A policy that is ready to start, or nothing when it cannot take the instance.
[[nodiscard]] std::optional<policy::Policy> make_policy(const std::string& spec, const Instance& instance,
                                                        const policy::Host& host = {});

}  // namespace heddle::test
