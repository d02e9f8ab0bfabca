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
  // Nobody knows how long what was aborted would have taken.
  const auto durations = trace.schedule.aborted_attempts() > 0 ? Durations::free : Durations::exact;
  const std::vector<std::string> violations = validate(trace.instance, trace.schedule, durations);
  EXPECT_TRUE(violations.empty()) << what << ": " << violations.front();
}

}  // namespace heddle::runtime
