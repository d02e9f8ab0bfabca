#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/model/validate.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {

/// Expects what the runtime did to be a valid schedule.
inline void expect_valid(const Runtime& runtime, const std::string& what = "") {
  const Trace trace = runtime.trace();
  const std::vector<std::string> violations = validate(trace.instance, trace.schedule, Durations::free);
  EXPECT_TRUE(violations.empty()) << what << ": " << violations.front();
}

}  // namespace heddle::runtime
