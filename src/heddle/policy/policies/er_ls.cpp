#include "heddle/policy/kit/placement/online_allocation.hpp"
#include "heddle/policy/kit/placement/quick_allocation.hpp"
#include "heddle/policy/kit/ranks/acceleration.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Enhanced Rules - List Scheduling. Rule 1: a task whose duration on a CPU exceeds its earliest completion on a GPU
/// goes to the GPUs. Rule 2: any other goes where it takes least of the machine (quick_allocation). With m CPUs and k
/// <= m GPUs at most 4 sqrt(m/k) times the optimum, under the same conditions as qa.
///
/// Rule 1 as printed compares a duration with a date, so that late in a run it never fires; `relative` compares the
/// duration with the time from now to that date.
class EnhancedRules {
 public:
  explicit EnhancedRules(bool relative) : relative_(relative) {}

  ClassId operator()(const View& view, const WorkerQueues& queues, TaskId task) const {
    return completes_sooner_on_gpu(view, queues, task) ? kGpu : quick_allocation(view, task);
  }

 private:
  [[nodiscard]] bool completes_sooner_on_gpu(const View& view, const WorkerQueues& queues, TaskId task) const {
    const WorkerId gpu = queues.earliest_free(view, kGpu);
    if (gpu == kNone<WorkerId> || !view.can_run(task, kCpu) || !view.can_run(task, kGpu)) return false;
    const Time completion = queues.expected_free(view, gpu) + view.estimate(task, kGpu);
    return view.estimate(task, kCpu) > completion - (relative_ ? view.now() : 0);
  }

  bool relative_;
};

}  // namespace

Entry er_ls() {
  return {
      .name = "er-ls",
      .summary =
          "Each ready task goes to the GPUs if a GPU completes it before a CPU could; otherwise Quick Allocation "
          "decides",
      .publication =
          "Amaris, Lucarelli, Mommessin and Trystram 2018, doi:10.1002/cpe.4647; Eyraud-Dubois and Kumar "
          "2020, section VI.C",
      .complexity = "O(e + n w)",
      .options = {flag("relative", false,
                       "compare the duration on a CPU with the time from now until a GPU would complete the task, "
                       "instead of with the date of its completion")},
      .needs = [](const Options&) { return Needs{.two_classes = true}; },
      .make =
          [](const Setup& setup) { return Policy(OnlineAllocation(EnhancedRules(setup.options.flag("relative")))); }};
}

}  // namespace heddle::policy
