#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "heddle/search/completion_check.hpp"
#include "heddle/search/duals.hpp"
#include "heddle/search/exact_problem.hpp"
#include "heddle/search/partial_schedule.hpp"
#include "heddle/search/seen_states.hpp"
#include "heddle/search/time_windows.hpp"

namespace heddle::search {

/// Decides by depth-first branch and bound whether there is a schedule that ends by a deadline. A node is a partial
/// schedule; its children are the tasks that may start next, each on each class, in the order of their starts, equal
/// ones by a fixed rank. A child is left out when every completion of it that ends in time has a counterpart that also
/// does below a node that was searched before:
///  - *bound*: CompletionCheck finds none at all;
///  - *dominance*: a node with the same tasks and a front nowhere later (SeenStates) was searched;
///  - *active schedules* (Giffler and Thompson 1960): another child would be done before it starts;
///  - *left shift*: the task could have started at an earlier time on an idle worker of the class, and the rest would
///    not have noticed;
///  - *order*: it starts together with the task placed last, and the other way round their ranks would ascend;
///  - *twins*: a task before it in the order is the same in all but name.
/// The rules do not contradict each other because each points to nodes searched before, and because a node may be
/// completed by tasks that wait on purpose: a later front allows nothing that an earlier one does not.
class ChronologicalSearch {
 public:
  struct Callbacks {
    std::function<bool()> stop;  ///< asked at every node
    /// Told of every schedule that ends by the deadline and before those found before; its tasks by ascending start.
    std::function<void(const std::vector<Placement>&)> found;
  };

  /// `windows`: of this deadline or a later one.
  ChronologicalSearch(const ExactProblem& problem, const Duals& duals, const TimeWindows& windows, Time deadline,
                      std::size_t memory_bytes, Callbacks callbacks);

  /// False when it was stopped. Otherwise no schedule is shorter than the last that was found; if none was, none ends
  /// by the deadline.
  [[nodiscard]] bool run();

 private:
  using Task = ExactProblem::Task;
  using Class = ExactProblem::Class;

  struct Child {
    Placement placement;
    std::uint32_t rank;
    Time end;
  };

  void rank_placements();
  void visit();
  [[nodiscard]] std::vector<Child> children() const;
  [[nodiscard]] bool redundant(const Placement& placement) const;
  [[nodiscard]] std::uint32_t rank(const Placement& placement) const;
  [[nodiscard]] bool exchangeable(const Placement& first, const Placement& second) const;

  const ExactProblem* problem_;
  const TimeWindows* windows_;
  Time deadline_;  ///< the one given, or a picosecond before the best schedule found
  Callbacks callbacks_;
  bool stopped_ = false;
  PartialSchedule partial_;
  CompletionCheck check_;
  EarliestStarts any_time_;
  SeenStates seen_;
  std::vector<std::uint32_t> ranks_;
};

}  // namespace heddle::search
