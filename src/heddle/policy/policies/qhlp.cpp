#include "heddle/policy/kit/placement/lp_allocation.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// HLP on any number q of classes: a task goes to the class with the largest share of it, ties to the fastest one. At
/// most q (q + 1) times the optimum.
ClassId round_largest(const Instance& instance, const bounds::Shares& shares, TaskId task) {
  ClassId best{};
  for (const ClassId c : instance.platform.classes()) {
    const bool faster = instance.costs.estimate(task, c) < instance.costs.estimate(task, best);
    if (shares(task, c) > shares(task, best) || (shares(task, c) == shares(task, best) && faster)) best = c;
  }
  return best;
}

}  // namespace

Entry qhlp() {
  return {.name = "qhlp",
          .summary = "Offline: HLP on any number of classes",
          .publication = "Amaris, Lucarelli, Mommessin and Trystram 2018, doi:10.1002/cpe.4647",
          .complexity =
              "a linear program of up to n c variables and n + e rows, most of which are seldom needed; then O(e + n "
              "log n)",
          .options = {list_option()},
          .needs = [](const Options&) { return Needs{.whole_graph = true}; },
          .make = [](const Setup& setup) { return Policy(LpAllocation(round_largest, chosen_list(setup.options))); }};
}

}  // namespace heddle::policy
