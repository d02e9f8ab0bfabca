#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "tests/policy/registered.hpp"

namespace heddle::runtime {

/// Those that can decide in a runtime; the others, which follow a schedule, are refused with a sentence.
inline std::vector<std::string> runtime_policies() {
  std::vector<std::string> names;
  for (const policy::Entry& entry : policy::entries()) {
    const policy::Spec spec(entry.name);
    if (!entry.needs(spec.options()).plan) names.push_back(entry.name);
  }
  return names;
}

/// All of them under each value of each of their choices and flags.
inline std::vector<std::string> runtime_specs() {
  std::vector<std::string> specs = test::registered_specs();
  std::erase_if(specs, [](const std::string& text) {
    const policy::Spec spec(text);
    return spec.entry().needs(spec.options()).plan;
  });
  return specs;
}

/// A specification as the name of a test.
inline std::string test_name(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

}  // namespace heddle::runtime
