#include "heddle/policy/kit/placement/completion_time.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Deque model: first come first served, blind to transfers.
class Dm : public CompletionTime {
 public:
  Dm() : CompletionTime({}) {}
  void start(const View& view) {
    CompletionTime::start(view, Table<TaskId, std::int64_t>(view.graph().task_count(), 0));
  }
};

}  // namespace

Entry dm() {
  return {.name = "dm",
          .summary = "Each ready task goes to the worker expected to complete it first, without counting transfers",
          .publication = "StarPU's dm: Augonnet et al. 2011, doi:10.1002/cpe.1631",
          .complexity = "O(n (w + log n))",
          .options = {},
          .needs = [](const Options&) { return Needs{}; },
          .make = [](const Setup&) { return Policy(Dm()); }};
}

}  // namespace heddle::policy
