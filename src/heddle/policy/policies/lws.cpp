#include <algorithm>
#include <memory>

#include "heddle/policy/kit/queues/work_stealing.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Locality work stealing: as ws, but queues serve the most urgent task first and an idle worker steals from its
/// nearest neighbour that has a task for it. StarPU reads nearness off the machine's topology; here it is the distance
/// between the workers' numbers, those of the same class first, ties to the smaller number.
class Lws {
 public:
  explicit Lws(Priority priority) : priority_(priority) {}

  void start(const View& view) {
    queues_.start(view);
    urgency_ = std::make_shared<const Table<TaskId, std::int64_t>>(priorities(view, priority_));
  }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) queues_.push(view, task, queues_.releaser(view, task), ~(*urgency_)[task]);
  }

  void finished(const View&, std::span<const Completion> completions) { queues_.finished(completions); }

  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) ready(view, std::span(&action.task, 1));
  }

  void workers_changed(const View& view) { ready(view, queues_.take_unassigned(view)); }

  [[nodiscard]] Action next(const View& view) {
    return queues_.serve(view, [&](WorkerId thief) {
      const Platform& platform = view.platform();
      const WorkerId neighbour = nearest(view, thief, platform.workers(platform.class_of(thief)));
      return neighbour != kNone<WorkerId> ? neighbour : nearest(view, thief, platform.workers());
    });
  }

 private:
  /// The worker of a range nearest to a thief in it that has loot; kNone when there is none.
  [[nodiscard]] WorkerId nearest(const View& view, WorkerId thief, IdRange<WorkerId> range) const {
    const std::size_t first = index(*range.begin());
    const std::size_t own = index(thief) - first;
    const auto has_loot = [&](std::size_t number) {
      return queues_.loot(view, make_id<WorkerId>(first + number), thief) > 0;
    };
    for (std::size_t distance = 1; distance <= std::max(own, range.size() - 1 - own); ++distance) {
      if (distance <= own && has_loot(own - distance)) return make_id<WorkerId>(first + own - distance);
      if (own + distance < range.size() && has_loot(own + distance)) return make_id<WorkerId>(first + own + distance);
    }
    return kNone<WorkerId>;
  }

  Priority priority_;
  WorkStealing queues_;
  std::shared_ptr<const Table<TaskId, std::int64_t>> urgency_;
};

}  // namespace

Entry lws() {
  return {.name = "lws",
          .summary = "Work stealing by priority: idle workers steal from the nearest neighbour that has a task",
          .publication = "StarPU's lws: StarPU handbook, scheduling policies",
          .complexity = "O(n (w + log n) + e)",
          .options = {priority_option()},
          .needs = [](const Options&) { return Needs{}; },
          .make = [](const Setup& setup) { return Policy(Lws(chosen_priority(setup.options))); }};
}

}  // namespace heddle::policy
