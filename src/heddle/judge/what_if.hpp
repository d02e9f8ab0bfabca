#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/analysis/recording.hpp"
#include "heddle/judge/diagnosis.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::judge {

/// A change, and the makespan with it in the simulator.
struct Change {
  std::string what;    ///< "policy heft", "one more gpu", "links twice as fast", "GEMM 10 % faster", "no overhead"
  std::string policy;  ///< that decided; empty: the run's own decisions were kept
  Time makespan = 0;
  /// The part of the simulated run's makespan that it saves, below 0 where it costs; absent where the simulator is too
  /// far from the run to tell.
  std::optional<double> gain;
};

/// Workers of a class that could leave: without them, the run takes at most 0.5 % longer.
struct Leaving {
  ClassId from;
  std::uint32_t workers;
};

/// What a run would have taken if something had been different.
struct WhatIf {
  std::string model;            ///< how the run was simulated: "replay" of its decisions, or its policy
  Time simulated = 0;           ///< the makespan of that
  double model_error = 0;       ///< how far that is from the run's, as a part of it
  bool trusted = false;         ///< the error is small enough for gains to be claimed
  std::vector<Change> changes;  ///< by gain, the largest first
  /// Of each class, while the others stay; "N fewer CLASS" among the changes tells what the run takes then.
  std::vector<Leaving> leaving{};
  std::vector<std::string> not_reached;  ///< changes for which the budget did not suffice
};

struct WhatIfOptions {
  /// Ends before the next simulation once so many attempts have been simulated: the same in every run.
  std::uint64_t attempts = std::uint64_t{1} << 62;
  /// Asked often; when it says so, the present simulation and all that follow are not reached. May throw.
  std::function<bool()> stop{};
};

/// The largest model error with which gains are claimed: of schedules with all transfers, and of recordings.
inline constexpr double kMaxModelError = 0.03;
inline constexpr double kMaxModelErrorOfRecording = 0.1;

/// Simulates the run, and then changes of it. Its decisions are replayed: each task on its worker, each worker's tasks
/// in their order. Where that is further from the run than kMaxModelError, and simulating the policy that the schedule
/// names comes closer, that policy decides instead. In a recording, what a task lost to data or overhead is part of its
/// duration; on other classes, the mean of that is.
[[nodiscard]] WhatIf what_if(const Instance& instance, const Schedule& schedule, const Diagnosis& diagnosis,
                             const analysis::Recording& recording = {}, const WhatIfOptions& options = {});

/// The best of it in a sentence: "Policy heft would gain 9 %."
[[nodiscard]] std::string advice(const WhatIf& what_if);

}  // namespace heddle::judge
