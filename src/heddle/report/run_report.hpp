#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "heddle/analysis/losses.hpp"
#include "heddle/model/time.hpp"

namespace heddle::report {

/// What the page of a run tells beside its schedule: where the time went, and what would have changed it.
struct RunReport {
  const analysis::Losses* losses = nullptr;  ///< never null; must outlive the call that makes the page
  std::string verdict{};                     ///< in sentences; may be empty
  /// What each cause costs the makespan, in picoseconds; the entry of `kernel` is what kernels cost on unfavourable
  /// classes. Together they are the loss.
  std::array<double, analysis::kCauseCount> costs{};
  double loss = 0;  ///< the makespan above the area bound, in picoseconds

  struct Change {
    std::string what;
    Time makespan;
    std::optional<double> gain;  ///< a part of the makespan
  };
  std::string model{};                     ///< how well the simulator knows the run, in a sentence; may be empty
  std::vector<Change> changes{};           ///< that were simulated, the largest gain first
  std::vector<std::string> not_reached{};  ///< changes that were not
};

}  // namespace heddle::report
