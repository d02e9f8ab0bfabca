#include "heddle/io/execution.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace heddle::io {
namespace {

void end_by(Attempt& attempt, Time latest) {
  attempt.end = std::max(attempt.start, std::min(attempt.end, latest));
}

std::size_t count_confined(const Instance& instance) {
  std::size_t confined = 0;
  for (const TaskId task : instance.graph.tasks()) {
    const auto runs = [&](ClassId c) {
      return instance.platform.worker_count(c) == 0 || instance.costs.can_run(task, c);
    };
    if (!std::ranges::all_of(instance.platform.classes(), runs)) ++confined;
  }
  return confined;
}

}  // namespace

void end_before_successors(const TaskGraph& graph, std::vector<Attempt>& by_task) {
  for (const TaskId task : graph.tasks()) {
    for (const TaskId successor : graph.successors(task)) end_by(by_task[index(task)], by_task[index(successor)].start);
  }
}

void end_before_next(std::size_t workers, std::vector<Attempt>& by_task) {
  std::vector<Attempt*> by_start;
  for (Attempt& attempt : by_task) by_start.push_back(&attempt);
  std::ranges::stable_sort(by_start, {}, [](const Attempt* attempt) { return attempt->start; });
  Table<WorkerId, Attempt*> last(workers, nullptr);
  for (Attempt* attempt : by_start) {
    Attempt* before = std::exchange(last[attempt->worker], attempt);
    if (before != nullptr) end_by(*before, attempt->start);
  }
}

Costs seen_costs(const TaskGraph& graph, const Table<ClassId, std::size_t>& kinds, const Platform& platform,
                 const std::vector<Attempt>& by_task) {
  struct Sum {
    TimeSum time = 0;
    std::int64_t tasks = 0;
  };
  std::map<std::pair<TypeId, std::size_t>, Sum> sums;
  for (const Attempt& attempt : by_task) {
    Sum& sum = sums[{graph.type(attempt.task), kinds[platform.class_of(attempt.worker)]}];
    sum.time += attempt.end - attempt.start;
    ++sum.tasks;
  }
  return Costs(graph, platform.class_count(), [&](TypeId type, ClassId c) {
    const auto found = sums.find({type, kinds[c]});
    return found == sums.end() ? kCannotRun : static_cast<Time>(found->second.time / found->second.tasks);
  });
}

Costs seen_costs(const TaskGraph& graph, const Platform& platform, const std::vector<Attempt>& by_task) {
  Table<ClassId, std::size_t> kinds(platform.class_count());
  for (const ClassId c : platform.classes()) kinds[c] = index(c);
  return seen_costs(graph, kinds, platform, by_task);
}

void take_attempts(Execution& execution, std::vector<Attempt> by_task) {
  Instance& instance = execution.instance;
  for (const Attempt& attempt : by_task) {
    const ClassId c = instance.platform.class_of(attempt.worker);
    instance.costs.set_actual(instance.costs.own_row(attempt.task), c, attempt.end - attempt.start);
  }
  execution.confined = count_confined(instance);
  execution.schedule.instance = instance.name;
  execution.schedule.attempts = std::move(by_task);
  std::ranges::stable_sort(execution.schedule.attempts, {}, &Attempt::end);
}

}  // namespace heddle::io
