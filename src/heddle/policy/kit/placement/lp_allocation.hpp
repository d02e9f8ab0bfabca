#pragma once

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/options.hpp"
#include "heddle/policy/kit/placement/allocated_lists.hpp"

namespace heddle::policy {

/// Scheduling in two steps, offline: a solution of the linear program behind the iterative bound, on the estimates, is
/// rounded to a class for each task; then lists. If rounding makes no share more than q times as large as it was, path
/// and work per worker of every class become at most q times the program's minimum, and list scheduling needs at most
/// their sum: on q classes q (q + 1) times the optimum, with positive durations and free transfers.
///
/// The program has many optima, and the makespan depends on which one the solver returns (fractional_allocation).
class LpAllocation : public AllocatedLists {
 public:
  enum class Order : std::uint8_t {
    ols,  ///< by descending bottom level on the classes that were allocated
    est,  ///< as they become ready
  };
  /// The class of a task, one that can run it, from the shares of all.
  using Round = ClassId (*)(const Instance& instance, const bounds::Shares& shares, TaskId task);

  LpAllocation(Round round, Order order) : round_(round), order_(order) {}

  void start(const View& view);

 private:
  Round round_;
  Order order_;
};

/// The option for LpAllocation::Order, and what it chose.
[[nodiscard]] Option list_option();
[[nodiscard]] LpAllocation::Order chosen_list(const Options& options);

}  // namespace heddle::policy
