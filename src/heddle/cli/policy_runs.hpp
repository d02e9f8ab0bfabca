#pragma once

#include <functional>
#include <vector>

#include "heddle/cli/commands.hpp"
#include "heddle/files/files.hpp"
#include "heddle/judge/judge.hpp"

/// What `heddle schedule` and `heddle compare` compute, whatever the options say of inputs and outputs. `stop` is asked
/// often, by several threads; when it says so, Interrupted is thrown.
namespace heddle::cli {

/// `loaded` must outlive the result. `known`: bounds to judge the schedule with; null: those that the options ask for.
[[nodiscard]] judge::Judged run_policy(const files::LoadedInstance& loaded, const ScheduleOptions& options,
                                       const std::function<bool()>& stop, const bounds::Bounds* known = nullptr);

[[nodiscard]] judge::Comparison compare_policies(std::vector<files::LoadedInstance> instances,
                                                 const CompareOptions& options, const std::function<bool()>& stop);

}  // namespace heddle::cli
