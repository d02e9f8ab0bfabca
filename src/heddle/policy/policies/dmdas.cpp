#include <vector>

#include "heddle/policy/kit/placement/completion_time.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Deque model data aware sorted: batch and queues by priority, with transfer estimates.
class Dmdas : public CompletionTime {
 public:
  Dmdas(const Rules& rules, Priority priority) : CompletionTime(rules), priority_(priority) {}
  void start(const View& view) { CompletionTime::start(view, priorities(view, priority_)); }

 private:
  Priority priority_;
};

std::vector<Option> options() {
  std::vector<Option> options = transfer_options();
  options.insert(options.begin(), priority_option());
  return options;
}

}  // namespace

Entry dmdas() {
  return {.name = "dmdas",
          .summary = "Each ready task goes to the worker expected to complete it first; queues are sorted by priority",
          .publication = "StarPU's dmdas: Augonnet et al. 2011, doi:10.1002/cpe.1631; Kumar 2017, section 2.4",
          .complexity = "O(e + n (w + log n)); with links as dmdar",
          .options = options(),
          .needs = [](const Options&) { return Needs{}; },
          .make =
              [](const Setup& setup) {
                const auto rules =
                    with_transfers({.queues = CompletionTime::Queues::priority, .nearest_first = true}, setup.options);
                return Policy(Dmdas(rules, chosen_priority(setup.options)));
              }};
}

}  // namespace heddle::policy
