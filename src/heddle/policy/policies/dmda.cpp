#include "heddle/policy/kit/placement/completion_time.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Deque model data aware: as dm, with transfer estimates.
class Dmda : public CompletionTime {
 public:
  explicit Dmda(const Rules& rules) : CompletionTime(rules) {}
  void start(const View& view) {
    CompletionTime::start(view, Table<TaskId, std::int64_t>(view.graph().task_count(), 0));
  }
};

}  // namespace

Entry dmda() {
  return {.name = "dmda",
          .summary = "Each ready task goes to the worker expected to complete it first, counting transfers",
          .publication = "StarPU's dmda: Augonnet et al. 2011, doi:10.1002/cpe.1631",
          .complexity =
              "O(n (w + log n)); with links, plus n times the data that a task reads times the square of the number of "
              "memories",
          .options = transfer_options(),
          .needs = [](const Options&) { return Needs{}; },
          .make = [](const Setup& setup) { return Policy(Dmda(with_transfers({}, setup.options))); }};
}

}  // namespace heddle::policy
