#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "heddle/analysis/recording.hpp"
#include "heddle/judge/diagnosis.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::judge {

struct WhatIfOptions {
  /// Ends before the next simulation once so many attempts have been simulated: the same in every run.
  std::uint64_t attempts = std::uint64_t{1} << 62;
  /// Asked often; when it says so, the present simulation and all that follow are not reached. May throw.
  std::function<bool()> stop{};
};

/// The largest model error with which gains are claimed: of simulated schedules, and of runs that really happened.
inline constexpr double kMaxModelError = 0.03;
inline constexpr double kMaxModelErrorOfRun = 0.1;

/// Simulates the run, and then changes of it. Its decisions are replayed: each task on its worker, each worker's tasks
/// in their order. Where that is further from the run than kMaxModelError, and simulating the policy that the schedule
/// names comes closer, that policy decides instead. In a run that really happened, overhead is part of a task's
/// duration: what it lost, and on other classes the mean of the tasks that ran there. With transfers, links are as fast
/// as these were. Policies know the mean durations of types. In place of the run's own, their makespan is the median
/// over durations drawn from those of the run (with_drawn_durations).
[[nodiscard]] WhatIf what_if(const Instance& instance, const Schedule& schedule, const Diagnosis& diagnosis,
                             const analysis::Recording& recording = {}, const WhatIfOptions& options = {});

}  // namespace heddle::judge
