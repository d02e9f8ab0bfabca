#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "heddle/judge/what_if.hpp"
#include "heddle/model/validate.hpp"

namespace heddle::judge {

/// What would have changed the makespan of a schedule, which has to be valid.
inline WhatIf changes_of(const Instance& instance, const Schedule& schedule, const analysis::Recording& recording = {},
                         const WhatIfOptions& options = {}) {
  EXPECT_EQ(validate_attempts(instance, schedule, Durations::free), std::vector<std::string>());
  return what_if(instance, schedule, diagnose(instance, schedule, std::nullopt, recording), recording, options);
}

}  // namespace heddle::judge
