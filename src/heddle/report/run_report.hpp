#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/analysis/losses.hpp"
#include "heddle/analysis/outliers.hpp"
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
  /// How much of each class's `data_or_overhead` must at least have been for data; empty if that is not known.
  Table<ClassId, TimeSum> least_data{};
  std::span<const analysis::Outliers> outliers{};  ///< shown in this order; must outlive the call that makes the page
  std::vector<std::string> remarks{};              ///< sentences below the table of losses

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
