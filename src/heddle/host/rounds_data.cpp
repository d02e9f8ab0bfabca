// Rounds: where the data of their tasks is, as the view shows it.
#include <algorithm>
#include <optional>
#include <vector>

#include "heddle/host/rounds.hpp"

namespace heddle::host {

/// Asks the engine where the data of a task is that no worker has.
void Rounds::find_copies(TaskNumber task) {
  policy::HostView& view = round_->session.view();
  if (!view.moves_data()) return;
  visit_accesses(task, [&](DataId there, DataId data, AccessMode) {
    bool is_somewhere = false;
    for (const MemoryId memory : platform_.memories().ids()) {
      const auto copy = copies_(there, memory);
      view.set_copy(data, memory, copy);
      is_somewhere = is_somewhere || copy != policy::HostView::Copy::none;
    }
    // Nothing was written yet.
    const std::optional<MemoryId> home = platform_.find_memory(view.graph().datum(data).home);
    if (!is_somewhere && home) view.set_copy(data, *home, policy::HostView::Copy::valid);
  });
}

/// What the task reads comes to the memory.
void Rounds::fetch(TaskId here, MemoryId memory) {
  policy::HostView& view = round_->session.view();
  if (!view.moves_data()) return;
  const TaskNumber task = round_->tasks[index(here)];
  Time arrives = now_;
  visit_accesses(task, [&](DataId there, DataId data, AccessMode mode) {
    if (!reads(mode) || view.holds(data, memory)) return;
    arrives += view.transfer_estimate(data, memory, rivals());
    view.set_copy(data, memory, policy::HostView::Copy::coming);
    coming_.push_back({task, memory, there, data, arrives});
  });
}

/// How long it is believed to take from now on until the memory has all that the task reads.
Time Rounds::expected_fetch(TaskId here, MemoryId memory) const {
  const policy::HostView& view = round_->session.view();
  if (!view.moves_data()) return 0;
  Time arrives = now_;
  for (const Coming& one : coming_) {
    const auto reads_it = [&](Access access) { return access.data == one.here && reads(access.mode); };
    if (one.memory == memory && std::ranges::any_of(view.graph().accesses(here), reads_it))
      arrives = std::max(arrives, one.arrives);
  }
  return arrives - now_ + view.transfer_estimate(here, memory, rivals());
}

/// What was on its way to the memory of the worker, and is there now. The engine can tell for tasks that no worker has;
/// for others it is what is believed.
void Rounds::find_arrived(WorkerId asking) {
  const MemoryId memory = platform_.memory_of(asking);
  const Slot& slot = slots_[asking];
  std::erase_if(coming_, [&](const Coming& one) {
    if (is_done(one.task)) return true;
    if (one.memory != memory) return false;
    const bool is_first = slot.popped > 0 && slot.tasks.front() == one.task;
    const bool is_there = known(one.task).status == Status::ready
                              ? copies_(one.there, memory) == policy::HostView::Copy::valid
                              : is_first && slot.since + slot.fetch <= now_;
    if (is_there) round_->session.view().set_copy(one.here, memory, policy::HostView::Copy::valid);
    return is_there;
  });
}

/// The task, which a worker with this memory has, leaves its data there.
void Rounds::leave(TaskId here, MemoryId memory) {
  policy::HostView& view = round_->session.view();
  if (!view.moves_data()) return;
  for (const Access access : view.graph().accesses(here)) {
    if (access.mode != AccessMode::read) {
      for (const MemoryId other : platform_.memories().ids()) {
        view.set_copy(access.data, other, policy::HostView::Copy::none);
      }
    }
    view.set_copy(access.data, memory, policy::HostView::Copy::valid);
  }
}

}  // namespace heddle::host
