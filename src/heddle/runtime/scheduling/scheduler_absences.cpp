// Workers that the policy is to do without for a while: those that back off, and those whose threads the operating
// system does not run.
#include <algorithm>
#include <vector>

#include "heddle/runtime/scheduling/scheduler.hpp"

namespace heddle::runtime {

/// Whether others go on without it: where all tasks are short, those of other contexts at least, which it keeps from
/// the lock. Where data moves, the driver of a device is always about to wait.
bool Scheduler::may_back_off(const Worker& worker) const {
  return workers_.is_alone_idle(worker) && !copies_.are_many() && !stale_ &&
         (workers_.has_busy_companions(worker) || epoch_->is_short());
}

void Scheduler::end_back_off(Worker& worker, bool missed) {
  workers_.end_back_off(worker, missed);
  policy::HostView& view = epoch_->view();
  const bool returns = !view.is_available(worker.id());
  if (returns) view.set_available(worker.id(), true);
  expect(worker.id());
  if (returns) epoch_->session().tell_workers_changed();
}

/// Marks one backed-off worker unavailable so that others take its queued tasks, if all tasks are short and the policy
/// keeps no order of its own. Whether there was one.
bool Scheduler::send_one_away() {
  if (keeps_order_ || !epoch_->is_short()) return false;
  const policy::HostView& view = epoch_->view();
  const auto stays = [&](const auto& worker) {
    return worker->back_off.duration() > 0 && view.is_available(worker->id()) && workers_.some_idle_beside(*worker);
  };
  const auto one = std::ranges::find_if(workers_, stays);
  if (one == workers_.end()) return false;
  epoch_->session().set_available((*one)->id(), false);
  return true;
}

/// If a worker is idle although there are tasks, these may be for one of those that back off: if they are short, others
/// take them over, otherwise its back-off ends. It also ends if no worker is idle and the one that has the lock will be
/// busy for longer: another one has to look at what comes. Whether something has changed.
bool Scheduler::end_one_back_off() {
  const bool some_idle = workers_.some_idle();
  if (some_idle ? ready_count() == 0 : acting_->work < BackOff::kFirst) return false;
  if (some_idle && send_one_away()) return true;
  Worker& one = **std::ranges::find_if(workers_, [](const auto& worker) { return worker->back_off.duration() > 0; });
  end_back_off(one, some_idle);
  one.back_off.start_over();
  one.bell.ring();
  return true;
}

/// The worker, which has not begun its offer, has left for all that the policy knows: all that it was given is ready
/// again.
void Scheduler::leave(Worker& worker, Time time) {
  policy::HostView& view = epoch_->view();
  view.set_now(std::max(view.now(), time));
  const std::vector<TaskId> again = take_back(worker, 0, worker.given.size());
  workers_.leave(worker);
  epoch_->session().set_available(worker.id(), false);
  epoch_->session().ready(again);
  stage_again();
  if (some_wait_) call_waiting();
}

/// The thread of a worker that was away has the lock.
void Scheduler::come_back(Worker& worker) {
  workers_.come_back(worker);
  if (!epoch_) return;
  epoch_->view().set_available(worker.id(), true);
  expect(worker.id());
  epoch_->session().tell_workers_changed();
}

/// Tells a policy that begins which workers are away.
void Scheduler::tell_away() {
  if (!workers_.some_away()) return;
  for (const auto& worker : workers_) {
    if (worker->away) epoch_->view().set_available(worker->id(), false);
  }
  epoch_->session().tell_workers_changed();
}

}  // namespace heddle::runtime
