#include "heddle/policy/kit/plans/list_planner.hpp"

#include <algorithm>

#include "heddle/model/error.hpp"

namespace heddle::policy {
namespace {

std::ptrdiff_t position(std::size_t i) {
  return static_cast<std::ptrdiff_t>(i);
}

bool has_empty_work(const Costs& costs) {
  for (std::uint32_t row = 0; row < costs.row_count(); ++row) {
    if (std::ranges::find(costs.estimate_row(row), Time{0}) != costs.estimate_row(row).end()) return true;
  }
  return false;
}

}  // namespace

void Timeline::occupy(Slot slot, Time duration) {
  const Gap gap = gaps_[slot.gap];
  const Gap before{gap.start, slot.start};
  const Gap after{slot.start + duration, gap.end};
  if (keep_empty_gaps_ || before.start < before.end) {
    gaps_[slot.gap] = before;
    if (keep_empty_gaps_ || after.start < after.end) gaps_.insert(gaps_.begin() + position(slot.gap + 1), after);
  } else if (after.start < after.end) {
    gaps_[slot.gap] = after;
  } else {
    gaps_.erase(gaps_.begin() + position(slot.gap));
  }
}

ListPlanner::ListPlanner(const Instance& instance, const Communication& communication)
    : instance_(instance),
      communication_(communication),
      ready_time_(instance.graph.task_count(), 0),
      waiting_(instance.graph.task_count(), 0),
      timelines_(instance.platform.worker_count(), Timeline(has_empty_work(instance.costs))) {
  if (communication.free()) return;
  placed_.resize(instance.graph.task_count());
  arrival_.resize(instance.platform.memories().size());
}

void ListPlanner::push_entries() {
  for (const TaskId task : instance_.graph.tasks()) {
    waiting_[task] = static_cast<std::uint32_t>(instance_.graph.predecessors(task).size());
    if (waiting_[task] == 0) push(task);
  }
}

void ListPlanner::collect_arrivals(TaskId task) {
  arrival_.assign(arrival_.size(), ready_time_[task]);
  for (const Communication::Inflow& flow : communication_.inflows(task)) {
    const bool first_read = flow.producer == kNone<TaskId>;
    const Time sent = first_read ? 0 : placed_[flow.producer].end;
    const MemoryId from = first_read ? flow.home : instance_.platform.memory_of(placed_[flow.producer].worker);
    for (const MemoryId to : arrival_.ids()) {
      const Time arrival = sent + communication_.duration(from, to, flow.bytes);
      arrival_[to] = std::max(arrival_[to], arrival);
      if (arrival > kMaxTime / 4) throw InputError("the plan passes 26 days while data is being moved");
    }
  }
}

ListPlanner::Placement ListPlanner::on_worker(TaskId task, WorkerId worker) const {
  const Time duration = instance_.costs.estimate(task, instance_.platform.class_of(worker));
  const Timeline::Slot slot = timelines_[worker].earliest(ready_time(task, worker), duration);
  return {worker, slot, slot.start + duration};
}

void ListPlanner::occupy(TaskId task, const Placement& placement) {
  timelines_[placement.worker].occupy(placement.slot, placement.end - placement.slot.start);
  if (!communication_.free()) placed_[task] = placement;
  attempts_.push_back({task, placement.worker, placement.slot.start, placement.end, Outcome::completed});
  for (const TaskId successor : instance_.graph.successors(task)) {
    ready_time_[successor] = std::max(ready_time_[successor], placement.end);
    if (--waiting_[successor] == 0) push(successor);
  }
}

}  // namespace heddle::policy
