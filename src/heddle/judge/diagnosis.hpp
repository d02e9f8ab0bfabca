#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heddle/analysis/chain.hpp"
#include "heddle/analysis/losses.hpp"
#include "heddle/analysis/memory_peaks.hpp"
#include "heddle/analysis/outliers.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/model/time.hpp"

namespace heddle::judge {

/// What lost time costs, in picoseconds of the makespan.
///
/// Let y_c be dual values of the area bound: the sum of workers_c y_c is 1, and the area bound is what the tasks cost
/// where they cost least, sum_t min_c y_c T_ct. All time of all workers is kernels or losses, so
///
///     makespan  =  area bound  +  sum_c y_c losses_c  +  sum_t (y_c(t) duration_t - min_c y_c T_ct).
///
/// The last sum is what kernels on unfavourable classes cost. All of it is exact but for rounding, for any schedule.
struct LossCosts {
  double area = 0;                        ///< what the dual values prove
  Table<ClassId, double> duals;           ///< y
  Table<ClassId, double> unfavourable{};  ///< by the class that ran the kernels

  /// What the class's time with this cause costs.
  [[nodiscard]] double of(const analysis::Losses& losses, ClassId c, analysis::Cause cause) const {
    return duals[c] * static_cast<double>(losses.by_class()[c][cause]);
  }
};

[[nodiscard]] LossCosts loss_costs(const Instance& instance, const Schedule& schedule);

/// A cause of loss and what it costs on all classes together.
struct CauseCost {
  std::optional<analysis::Cause> cause;  ///< nothing: kernels on unfavourable classes
  double cost;
};

/// A bound that knows links.
struct LinkedBound {
  Time value;
  const char* kind;  ///< "linked path" or "linked area"
};
/// The larger one of the two; nothing without links.
[[nodiscard]] std::optional<LinkedBound> linked_bound(const Instance& instance);

/// Where the time of a run went.
struct Diagnosis {
  analysis::Losses losses;
  std::vector<analysis::ChainLink> chain;
  LossCosts costs;
  std::vector<CauseCost> causes;  ///< that cost something, the dearest first
  std::string verdict;            ///< in sentences
  /// Of a recording without transfers: how much of data_or_overhead must at least have been for data, by class. Empty
  /// where that is not known: without links, or where the transfers are.
  Table<ClassId, TimeSum> least_data{};
  std::vector<analysis::Outliers> outliers{};
  Table<MemoryId, analysis::MemoryPeak> peaks{};  ///< empty where the transfers are not known
};

/// The schedule's attempts must be valid; the instance and the schedule must outlive the result. `bound`: the lower
/// bound that the verdict compares the makespan with.
[[nodiscard]] Diagnosis diagnose(const Instance& instance, const Schedule& schedule, std::optional<Time> bound,
                                 const analysis::Recording& recording = {});

}  // namespace heddle::judge
