#include "heddle/policy/kit/placement/allocated_lists.hpp"

#include <algorithm>
#include <utility>

namespace heddle::policy {

void AllocatedLists::start(const View& view, Table<TaskId, ClassId> allocation, Table<TaskId, std::int64_t> urgency) {
  tables_ =
      std::make_shared<const TaskTables>(TaskTables{std::move(allocation), std::move(urgency), Kinds(view.instance())});
  lists_.assign(view.platform().class_count(), TaskQueue(tables_->kinds));
  deserted_.assign(view.platform().class_count(), 0);
}

void AllocatedLists::ready(const View& view, std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) {
    const std::int64_t key = tables_->urgency.empty() ? arrivals_++ : ~tables_->urgency[task];
    lists_[tables_->allocation[task]].push(tables_->kinds.of(view.instance().costs.row(task)), task, key);
  }
}

void AllocatedLists::refused(const View& view, Action action) {
  if (action.kind == Action::Kind::run) ready(view, std::span(&action.task, 1));
}

void AllocatedLists::workers_changed(const View& view) {
  for (const ClassId c : deserted_.ids()) {
    const auto workers = view.platform().workers(c);
    deserted_[c] = std::ranges::none_of(workers, [&](WorkerId worker) { return view.is_available(worker); }) ? 1 : 0;
  }
}

Action AllocatedLists::next(const View& view) {
  for (std::size_t i = lists_.size(); i-- > 0;) {
    const ClassId c = make_id<ClassId>(i);
    const WorkerId worker = view.first_idle(c);
    if (worker == kNone<WorkerId>) continue;
    const TaskId task = take(c);
    if (task != kNone<TaskId>) return run(task, worker);
  }
  return wait();
}

TaskId AllocatedLists::take(ClassId c) {
  TaskId task = lists_[c].pop(tables_->kinds, c);
  for (const ClassId other : lists_.ids()) {
    if (task == kNone<TaskId> && deserted_[other] != 0) task = lists_[other].pop(tables_->kinds, c);
  }
  return task;
}

}  // namespace heddle::policy
