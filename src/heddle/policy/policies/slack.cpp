#include <cstdint>
#include <vector>

#include "heddle/policy/kit/placement/completion_time.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

enum class Use : std::uint8_t { both, placement, order };

/// As dmdas, but what can wait does: for the class where it costs the machine least, and for tasks whose data is near.
class SlackAware : public CompletionTime {
 public:
  SlackAware(const Rules& rules, Priority priority) : CompletionTime(rules), priority_(priority) {}
  void start(const View& view) { CompletionTime::start(view, priorities(view, priority_)); }
  void started(const View& view, TaskId task, WorkerId) { note_running(view, task); }

 private:
  Priority priority_;
};

std::vector<Option> options_of_slack() {
  std::vector<Option> options = transfer_options(false, "0.25");
  options.insert(options.begin(), priority_option());
  options.push_back(
      choice("use", "both", {"both", "placement", "order"},
             "what the time is used for that a task can wait: half of it to complete on the class where it costs the "
             "machine least (placement), all of it to let tasks of its queue pass whose data is nearer (order), or "
             "both"));
  return options;
}

CompletionTime::Rules chosen_rules(const Options& options) {
  CompletionTime::Rules rules =
      with_transfers({.queues = CompletionTime::Queues::priority, .nearest_first = true}, options);
  const auto use = static_cast<Use>(options.choice("use"));
  rules.cheapest_class = use != Use::order;
  rules.lets_pass = use != Use::placement;
  return rules;
}

}  // namespace

Entry slack() {
  return {.name = "slack",
          .summary =
              "As dmdas, but a task that can wait completes where it costs the machine least, and lets tasks "
              "pass whose data is near",
          .publication = "this project; StarPU's dmdas: Augonnet et al. 2011, doi:10.1002/cpe.1631",
          .complexity =
              "as dmdas, and once the area bound; with links, a worker that takes a task looks at its whole "
              "queue",
          .options = options_of_slack(),
          .needs = [](const Options&) { return Needs{}; },
          .make =
              [](const Setup& setup) {
                return Policy(SlackAware(chosen_rules(setup.options), chosen_priority(setup.options)));
              }};
}

}  // namespace heddle::policy
