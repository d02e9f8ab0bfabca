#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/policy/registry.hpp"

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

/// A policy's name as that of a test.
inline std::string test_name(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace heddle::runtime
