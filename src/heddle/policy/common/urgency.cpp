#include "heddle/policy/common/urgency.hpp"

namespace heddle::policy {

Option rank_option() {
  return choice(
      "rank", "min", {"min", "avg"},
      "a task's weight in its bottom level: its smallest duration, or the mean over the workers that can run it");
}

Option priority_option() {
  return choice("priority", "bottom-level", {"bottom-level", "hint"},
                "what makes a task urgent: its bottom level with min ranks, or the number the application gave it");
}

Rank chosen_rank(const Options& options) {
  return options.choice("rank") == 0 ? Rank::min : Rank::avg;
}

Priority chosen_priority(const Options& options) {
  return options.choice("priority") == 0 ? Priority::bottom_level : Priority::hint;
}

Table<TaskId, std::int64_t> priorities(const View& view, Priority priority) {
  if (priority == Priority::bottom_level) return bottom_levels(view.instance(), Rank::min);
  Table<TaskId, std::int64_t> hints(view.graph().task_count());
  for (const TaskId task : view.graph().tasks()) hints[task] = view.graph().priority(task);
  return hints;
}

}  // namespace heddle::policy
