// Offers to workers whose threads the operating system does not run: other workers withdraw them (wake_up.hpp).
#include <algorithm>
#include <vector>

#include "heddle/runtime/scheduling/scheduler.hpp"

namespace heddle::runtime {

/// The worker was just called. A policy that keeps an order of its own pins tasks to workers: these stay.
void Scheduler::note_offer(Worker& worker) {
  worker.offered = epoch_->view().now();
  ++offers_;
  if (keeps_order_) return;
  progress_.withdraw_at = std::min(progress_.withdraw_at.load(), worker.offered + kOfferPatience);
}

/// The worker has no offer any more, or has begun it.
void Scheduler::forget_offer(Worker& worker) {
  worker.offered = kMaxTime;
  if (--offers_ == 0) progress_.withdraw_at = kMaxTime;
}

/// Withdraws the offers that were not begun within kOfferPatience. The worker whose thread has the lock is about to
/// begin its own.
void Scheduler::withdraw_offers(Time time) {
  progress_.withdraw_at = kMaxTime;
  if (keeps_order_) return;  // since the offers were made
  Time next = kMaxTime;
  for (const auto& worker : workers_) {
    if (worker->offered == kMaxTime) continue;
    const Time due = worker->offered + kOfferPatience;
    if (worker->batch.empty()) {
      forget_offer(*worker);
    } else if (due > time || worker.get() == acting_) {
      next = std::min(next, due > time ? due : time + kOfferPatience);
    } else if (worker->batch.withdraw(1) == 1) {
      withdraw(*worker, time);
    } else {
      forget_offer(*worker);
    }
  }
  progress_.withdraw_at = std::min(next, progress_.withdraw_at.load());  // others may have been made meanwhile
}

/// The worker that has the lock will be busy for longer than offers have: if some are left, an idle worker is to look.
void Scheduler::watch_offers() {
  for (const auto& worker : workers_) {
    if (worker->offered != kMaxTime && worker->batch.empty()) forget_offer(*worker);
  }
  if (progress_.withdraw_at != kMaxTime) deferred_.add().wakes = true;
}

/// The worker, which has not begun its offer, has left for all that the policy knows: all that it was given is ready
/// again.
void Scheduler::withdraw(Worker& worker, Time time) {
  forget_offer(worker);
  --worker.started;
  policy::HostView& view = epoch_->view();
  view.set_now(std::max(view.now(), time));
  const WorkerId id = worker.given.front()->worker;
  const std::vector<TaskId> again = take_back(worker, 0, worker.given.size());
  worker.away = true;
  ++away_, --idle_;
  epoch_->session().set_available(id, false);
  epoch_->session().ready(again);
  stage_again();
  if (some_wait_) call_waiting();
}

/// The thread of a worker that was away has the lock.
void Scheduler::come_back(Worker& worker) {
  const WorkerId id = worker.executions.front().worker;
  worker.away = false;
  --away_, ++idle_;
  if (!epoch_) return;
  epoch_->view().set_available(id, true);
  expect(id);
  epoch_->session().tell_workers_changed();
}

/// Tells a policy that begins which workers are away.
void Scheduler::tell_away() {
  if (away_ == 0) return;
  for (const WorkerId id : platform_.workers()) {
    if (workers_[index(id)]->away) epoch_->view().set_available(id, false);
  }
  epoch_->session().tell_workers_changed();
}

}  // namespace heddle::runtime
