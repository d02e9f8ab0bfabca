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
      reader_(context_, machine_, machine_.platform, true, *this),
      estimates_(machine_.platform.class_count()),
      last_end_(machine_.platform.worker_count()) {}

TypeId Watcher::add_type(const std::string& /*codelet*/, std::string name, const Table<ClassId, bool>& can_run) {
  const Lock lock(mutex_);
  estimates_.add_type(can_run);
  return recorder_.add_type(std::move(name));
}

DataId Watcher::add_datum(starpu_data_handle_t /*handle*/, std::int64_t bytes) {
  const Lock lock(mutex_);
  return recorder_.add_datum(bytes);
}

void Watcher::tell(TypeId type, ClassId c, Time duration) {
  const Lock lock(mutex_);
  estimates_.tell(type, c, duration);
}

void Watcher::submit(starpu_task* task) {
  if (task->cl == nullptr) return;
  reader_.read(task, [&](const Core::Job& job) {
    if (job.is_internal) return;
    const Lock lock(mutex_);
    const host::TaskNumber number = recorder_.add({names_(job.name), job.type, job.accesses, job.priority});
    known_[task] = {.number = number, .type = job.type};
  });
}

void Watcher::began(starpu_task* task) {
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
    }
    return true;
  };
  if (note()) return;
  // StarPU repeats a task without submitting it again.
  submit(task);
  note();
}

void Watcher::ended(starpu_task* task) {
  const Lock lock(mutex_);
  const auto found = known_.find(task);
  if (found == known_.end() || found->second.worker == kNone<WorkerId> || task->sched_ctx != context_) return;
  const Known known = found->second;
  known_.erase(found);
  const Time end = clock_.now();
  // A device may begin a task before it has said that it ended the one before.
  Time& last_end = last_end_[known.worker];
  const Time start = std::max(known.start, last_end);
  last_end = end;
  estimates_.measure(known.type, machine_.platform.class_of(known.worker), end - start);
  recorder_.ran(known.number, known.worker, start, end);
}

void Watcher::report() {
  if (!wants_record(settings_)) return;
  starpu::report(recorder_.finish(machine_.platform, estimates_, settings_.policy), settings_, context_, std::nullopt);
}

}  // namespace heddle::starpu
