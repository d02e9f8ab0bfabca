#include "heddle/policy/kit/placement/completion_time.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Deque model data aware ready: as dmda, and a worker takes the task of its queue whose data is nearest.
class Dmdar : public CompletionTime {
 public:
  explicit Dmdar(const Rules& rules) : CompletionTime(rules) {}
  void start(const View& view) {
    CompletionTime::start(view, Table<TaskId, std::int64_t>(view.graph().task_count(), 0));
  }
};

}  // namespace

Entry dmdar() {
  return {
      .name = "dmdar",
      .summary = "As dmda, but a worker first takes the task of its queue that misses the fewest bytes",
      .publication = "StarPU's dmdar: Augonnet et al. 2011, doi:10.1002/cpe.1631",
      .complexity = "as dmda; with links, a worker that takes a task looks at its whole queue",
      .options = transfer_options(),
      .needs = [](const Options&) { return Needs{}; },
      .make = [](const Setup& setup) { return Policy(Dmdar(with_transfers({.nearest_first = true}, setup.options))); }};
}

}  // namespace heddle::policy
