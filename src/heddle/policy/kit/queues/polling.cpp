#include "heddle/policy/kit/queues/polling.hpp"

#include <algorithm>

namespace heddle::policy {

void Polling::start(const View& view) {
  if (!view.moves_data()) return;
  constexpr Time kNever = -1;
  awake_.assign(view.platform().worker_count(), kNever);
  const TaskGraph& graph = view.graph();
  writes_last_.assign(graph.task_count(), false);
  Table<DataId, TaskId> last(graph.data_count(), kNone<TaskId>);
  for (const TaskId task : graph.tasks()) {
    for (const Access access : graph.accesses(task)) {
      if (writes(access.mode) && graph.datum(access.data).write_back) last[access.data] = task;
    }
  }
  for (const DataId data : last.ids()) {
    if (last[data] != kNone<TaskId>) writes_last_[last[data]] = true;
  }
}

// A run that began under another policy goes on without start() (Present::started).
void Polling::note_started(const View& view, WorkerId worker) {
  if (awake_.empty()) start(view);
  awake_[worker] = view.now();
}

void Polling::note_finished(const View& view, std::span<const Completion> completions) {
  if (awake_.empty()) start(view);
  completions_.clear();
  for (const Completion& completion : completions) {
    awake_[completion.worker] = view.now();
    completions_.push_back(completion);
  }
  visits_.clear();
  next_visit_ = 0;
  planned_ = false;
}

void Polling::note_ready(std::span<const TaskId> tasks) {
  if (next_push_ == pushes_.size()) {
    pushes_.clear();
  } else {
    pushes_.erase(pushes_.begin(), pushes_.begin() + static_cast<std::ptrdiff_t>(next_push_));
  }
  next_push_ = 0;
  for (const TaskId task : tasks) pushes_.push_back({task, 0});
  visits_.clear();
  next_visit_ = 0;
  planned_ = false;
}

void Polling::plan(const View& view) {
  planned_ = true;
  if (awake_.empty()) start(view);
  const auto new_pushes = std::span(pushes_).subspan(next_push_);
  // How many tasks each worker that ended one pushes; the last entry: those that the program does.
  std::vector<std::uint32_t> pushed(completions_.size() + 1, 0);
  for (Push& push : new_pushes) {
    const std::span<const TaskId> predecessors = view.graph().predecessors(push.task);
    std::size_t by = completions_.size();
    while (by > 0 && !std::ranges::binary_search(predecessors, completions_[by - 1].task)) --by;
    push.step = ++pushed[by == 0 ? completions_.size() : by - 1];
  }
  std::ranges::stable_sort(new_pushes, {}, &Push::step);

  const MemoryId ram = view.memory_of(*view.platform().workers().begin());
  const auto extra = [&](WorkerId worker) { return view.memory_of(worker) == ram ? 0U : 1U; };
  std::vector<WorkerId> sleepers;
  view.visit_idle([&](WorkerId worker) {
    if (awake_[worker] != view.now()) sleepers.push_back(worker);
    return false;
  });
  for (const Push& push : new_pushes) {
    const auto woken = std::ranges::find_if(
        sleepers, [&](WorkerId worker) { return view.can_run(push.task, view.platform().class_of(worker)); });
    if (woken == sleepers.end()) continue;
    visits_.push_back({*woken, push.step + 1 + extra(*woken)});
    sleepers.erase(woken);
    if (sleepers.empty()) break;
  }
  for (std::size_t by = 0; by < completions_.size(); ++by) {
    const auto [task, worker] = completions_[by];
    const std::uint32_t final_value = writes_last_[task] ? 2 : 0;
    visits_.push_back({worker, pushed[by] + 1 + 2 * extra(worker) + final_value});
  }
  std::ranges::stable_sort(visits_, {}, &Visit::step);
  completions_.clear();
}

}  // namespace heddle::policy
