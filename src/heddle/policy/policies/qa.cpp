#include "heddle/policy/kit/placement/online_allocation.hpp"
#include "heddle/policy/kit/placement/quick_allocation.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Quick Allocation: whatever the load, each task goes to the class where it takes least of the machine. With m CPUs
/// and k GPUs at most 2 sqrt(max(m/k, k/m)) + 1 times the optimum, for positive durations, both classes able to run
/// every task and free transfers; no online algorithm gets below sqrt(m/k). Why: with s = sqrt(m/k) >= 1 no task takes
/// more than s times what it takes on the optimum's class, so a path takes at most s times the optimum; and the work of
/// CPUs and GPUs, each per worker, adds up to at most s + 1 of it. List scheduling needs no longer than the two
/// together.
struct QuickAllocation {
  ClassId operator()(const View& view, const WorkerQueues&, TaskId task) const { return quick_allocation(view, task); }
};

}  // namespace

Entry qa() {
  return {.name = "qa",
          .summary = "Quick Allocation: each ready task goes to the class of which it uses the smallest share",
          .publication =
              "Canon, Marchal, Simon and Vivien 2018, doi:10.1007/978-3-319-96983-1_14, section 5; Eyraud-Dubois "
              "and Kumar 2020, section VI.C",
          .complexity = "O(e + n w)",
          .options = {},
          .needs = [](const Options&) { return Needs{.two_classes = true}; },
          .make = [](const Setup&) { return Policy(OnlineAllocation(QuickAllocation())); }};
}

}  // namespace heddle::policy
