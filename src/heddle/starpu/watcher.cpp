#include "heddle/starpu/watcher.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "heddle/starpu/report.hpp"

namespace heddle::starpu {

Watcher::Watcher(unsigned context, Settings settings)
    : context_(context),
      settings_(std::move(settings)),
      machine_(read_machine(settings_.splits_cpus)),
      copies_(watch_copies(settings_, machine_, clock_)),
      reader_(context_, machine_, machine_.platform, true, *this),
      estimates_(machine_.platform.class_count()),
      last_end_(machine_.platform.worker_count()),
      has_(machine_.platform.worker_count()),
      is_busy_(machine_.platform.worker_count(), 0) {}

TypeId Watcher::add_type(const std::string& /*codelet*/, std::string name, const Table<ClassId, bool>& can_run) {
  const Lock lock(mutex_);
  estimates_.add_type(can_run);
  return recorder_.add_type(std::move(name));
}

DataId Watcher::add_datum(starpu_data_handle_t handle, std::int64_t bytes) {
  const Lock lock(mutex_);
  const DataId data = recorder_.add_datum(bytes);
  if (copies_) copies_->add(handle, data);
  return data;
}

bool Watcher::is_gone(starpu_data_handle_t handle) const {
  return copies_ && !copies_->knows(handle);
}

void Watcher::tell(TypeId type, ClassId c, Time duration) {
  const Lock lock(mutex_);
  estimates_.tell(type, c, duration);
}

void Watcher::submit(starpu_task* task) {
  if (!runs_somewhere(task)) return;
  reader_.read(task, [&](const Core::Job& job) {
    if (job.is_internal) return;
    const Lock lock(mutex_);
    // Of another task that had the address, the end was not told.
    end(task, clock_.now());
    const host::TaskNumber number = recorder_.add({names_(job.name), job.type, job.accesses, job.priority});
    known_[task] = {.number = number, .type = job.type};
  });
}

void Watcher::began(starpu_task* task) {
  if (copies_) copies_->find_arrived();
  const std::optional<WorkerId> worker = machine_.this_worker();
  // Each context of the worker is told.
  if (!worker || task->sched_ctx != context_ || task->type == STARPU_TASK_TYPE_INTERNAL) return;
  const auto note = [&] {
    const Lock lock(mutex_);
    const auto found = known_.find(task);
    if (found == known_.end()) return false;
    // Several workers begin a parallel task: it counts as the first one's.
    if (found->second.worker == kNone<WorkerId>) {
      found->second.worker = *worker;
      found->second.start = clock_.now();
      has_[*worker].push_back(task);
      is_busy_[*worker] = 1;
    }
    return true;
  };
  if (note()) return;
  // StarPU repeats a task without submitting it again.
  submit(task);
  note();
}

void Watcher::ended(starpu_task* task) {
  if (copies_) copies_->look();
  if (task->sched_ctx != context_) return;
  const Lock lock(mutex_);
  end(task, clock_.now());
}

/// StarPU does not tell the end of tasks that it submits itself (copies of data). A core that asks has ended its own.
void Watcher::asked() {
  if (copies_) copies_->look();
  const std::optional<WorkerId> worker = machine_.this_worker();
  if (!worker || machine_.asks_early[*worker] || !std::exchange(is_busy_[*worker], 0)) return;
  const Lock lock(mutex_);
  while (!has_[*worker].empty()) end_first(*worker, clock_.now());
}

/// Of what the worker has: the first has ended by then. Now where there is no second.
Time Watcher::begin_of_second(WorkerId worker) const {
  return has_[worker].size() < 2 ? clock_.now() : known_.at(has_[worker][1]).start;
}

/// The task may be gone. What its worker began before has ended too.
void Watcher::end(const starpu_task* task, Time now) {
  const auto found = known_.find(task);
  if (found == known_.end() || found->second.worker == kNone<WorkerId>) return;
  const WorkerId worker = found->second.worker;
  while (has_[worker].front() != task) end_first(worker, begin_of_second(worker));
  end_first(worker, now);
}

/// The first of what the worker has ends.
void Watcher::end_first(WorkerId worker, Time end) {
  std::deque<const starpu_task*>& all = has_[worker];
  const Known known = known_.extract(all.front()).mapped();
  all.pop_front();
  // A device may begin a task before it has said that it ended the one before.
  Time& last_end = last_end_[worker];
  const Time start = std::max(known.start, last_end);
  last_end = std::max(start, end);
  estimates_.measure(known.type, machine_.platform.class_of(worker), last_end - start);
  recorder_.ran(known.number, worker, start, last_end);
}

void Watcher::report() {
  if (!wants_record(settings_)) return;
  for (const WorkerId worker : machine_.platform.workers()) {
    while (!has_[worker].empty()) end_first(worker, begin_of_second(worker));
  }
  std::vector<Copied> copies;
  if (copies_) copies = copies_->take();
  starpu::report(recorder_.finish(machine_.platform, estimates_, settings_.policy, std::move(copies)), settings_,
                 context_, std::nullopt);
}

}  // namespace heddle::starpu
