#include "heddle/policy/kit/placement/completion_time.hpp"
#include "heddle/policy/kit/ranks/acceleration.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// HEFT within XKaapi: a batch of ready tasks by decreasing speedup on the GPU, each to the worker that is expected to
/// complete it first, transfers of what it reads predicted as in dmda; queues are first-in first-out. Equal speedups by
/// number.
class HeftXkaapi : public CompletionTime {
 public:
  HeftXkaapi() : CompletionTime({.data_aware = true}) {}

  void start(const View& view) {
    const AccelerationRanks speedup(view.instance());
    Table<TaskId, std::int64_t> urgency(view.graph().task_count());
    for (const TaskId task : urgency.ids()) {
      urgency[task] = -static_cast<std::int64_t>(speedup.rank(view.instance().costs.row(task)));
    }
    CompletionTime::start(view, std::move(urgency));
  }
};

}  // namespace

Entry heft_xkaapi() {
  return {
      .name = "heft-xkaapi",
      .summary = "Ready tasks in order of decreasing speedup; each goes to the worker expected to complete it first",
      .publication = "Bleuse et al. 2014, doi:10.1007/978-3-319-09873-9_47, algorithm 1",
      .complexity = "O(n (w + log n) + e)",
      .options = {},
      .needs = [](const Options&) { return Needs{.two_classes = true}; },
      .make = [](const Setup&) { return Policy(HeftXkaapi()); }};
}

}  // namespace heddle::policy
