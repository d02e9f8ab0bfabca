// What workers were given, from then until it has ended.
#include <algorithm>
#include <utility>

#include "heddle/runtime/errors.hpp"
#include "heddle/runtime/scheduler.hpp"

namespace heddle::runtime {

/// Hands a transfer to the thread of the device.
void Scheduler::request(Transfer& transfer) {
  for (const WorkerId worker : platform_.workers()) {
    if (place_of(worker) == transfer.device()) workers_[index(worker)]->driver->request(transfer);
  }
}

void Scheduler::give(Node& node, WorkerId id) {
  Worker& worker = *workers_[index(id)];
  policy::HostView& view = epoch_->view();
  Attempt& attempt = worker.free_attempt();
  if (worker.given.empty()) --idle_;
  worker.given.push_back(&attempt);
  attempt.is_given = true;
  node.state = State::running;
  node.worker = id;
  attempt.node = &node;
  attempt.worker = id;
  attempt.memory = place_of(id);
  attempt.given = view.now();
  attempt.estimate = view.estimate(node.task, platform_.class_of(id));
  attempt.refused = nullptr;
  attempt.has_room = !copies_.are_many();
  attempt.may_abort = aborts_ && (decider_ || node.type->has_choice);
  const Variant variant = node.type->variants[index(platform_.class_of(id))].next();
  attempt.implementation = variant.implementation;
  attempt.durations = variant.durations;
  if (!attempt.has_room && !waits_for_turn(attempt)) stage(attempt);
  if (attempt.node == nullptr) return;  // refused
  expect(id);
  epoch_->policy().started(view, node.task, id);
  advance(worker);
}

/// Finds room for the data of an attempt and asks for what is missing.
void Scheduler::stage(Attempt& attempt) {
  // One that is served before those that were given first could hold what they wait for.
  const std::vector<Attempt*>& given = workers_[index(attempt.worker)]->given;
  const auto lacks_room = [](const Attempt* one) { return one->node != nullptr && !one->has_room; };
  if (*std::ranges::find_if(given, lacks_room) != &attempt) return starved_.push_back(&attempt);
  // While it waited, its data may have been lost.
  if (const std::exception_ptr failure = doom(*attempt.node)) {
    return refuse(attempt, failure);
  }
  // What was preempted may come back to a class that runs nothing of its type any more.
  const bool never = attempt.implementation == nullptr;
  const DataStore::Room room = never ? DataStore::Room::never : data_.stage(attempt, *attempt.node);
  if (room == DataStore::Room::later) starved_.push_back(&attempt);
  if (room == DataStore::Room::never) refuse(attempt, std::make_exception_ptr(out_of_memory(attempt)));
}

/// What to tell when nobody has room for the data of a task.
OutOfMemory Scheduler::out_of_memory(const Attempt& attempt) const {
  const TaskType& type = *attempt.node->type;
  return OutOfMemory("a task of kernel '" + type.kernel->name + "' has " + std::to_string(type.bytes()) +
                     " bytes of data, which do not fit into the memory of " + platform_.worker_name(attempt.worker));
}

void Scheduler::stage_starved() {
  for (Attempt* attempt : std::exchange(starved_, {})) {
    stage(*attempt);
    if (attempt->has_room) advance(*workers_[index(attempt->worker)]);
  }
}

bool Scheduler::can_start(Attempt& attempt) {
  // Since it was given ahead, it may have been cancelled.
  if (const std::exception_ptr failure = doom(*attempt.node)) {
    refuse(attempt, failure);
    return false;
  }
  if (waits_for_turn(attempt)) {
    if (!take_turn(attempt)) {
      some_wait_ = true;
      return false;
    }
    if (!attempt.has_room) stage(attempt);
  }
  if (!attempt.has_data()) return false;
  if (attempt.memory == kHost || data_.is_complete(attempt, *attempt.node)) return true;
  data_.leave(attempt);
  stage(attempt);
  return attempt.has_data();
}

bool Scheduler::take_turn(Attempt& attempt) {
  Node& node = *attempt.node;
  if (reduces_on_device(attempt) && attempt.parts.empty()) {
    const auto is_taken = [](const BlockAccess& access) {
      return access.mode == AccessMode::reduce && access.block->taken;
    };
    if (std::ranges::any_of(node.uses(), is_taken)) return false;
    for (const BlockAccess& access : node.uses()) {
      if (access.mode == AccessMode::reduce) DataStore::take_value(attempt, *access.block);
    }
  }
  return !node.commutes || node.holds || acquire(node);
}

/// Hands the task to the thread of the worker that it was given to.
void Scheduler::start(Worker& worker, Attempt& attempt) {
  const Node& node = *attempt.node;
  ++worker.started;
  attempt.given = epoch_->view().now();
  attempt.values.assign(node.values, node.values + node.value_bytes);
  attempt.until = node.extras ? node.extras->stop : std::stop_token();
  // Of an aborted attempt not only when a stop was requested: that comes after the lock was free, maybe when the next
  // attempt runs. Of one that was not, the program may have asked for it (until).
  if (std::exchange(attempt.was_aborted, false) || (attempt.may_abort && attempt.stop.stop_requested()))
    attempt.stop = std::stop_source();
  try {
    data_.prepare(attempt, node);
  } catch (...) {
    attempt.refused = std::current_exception();
  }
  if (worker.driver) {
    worker.driver->request(attempt);
  } else if (&worker == acting_) {
    attempt.started = attempt.given;
    if (worker.next == nullptr && worker.in_hand.empty()) {
      worker.hand.add_begun();
      worker.next = &attempt;
    } else {
      worker.hand.add();
      worker.in_hand.push_back(&attempt);
    }
  } else {
    worker.hand.add_begun();
    worker.mailbox.put(&attempt);
  }
}

void Scheduler::take_from(Worker& worker, Attempt& attempt) {
  worker.given.erase(std::ranges::find(worker.given, &attempt));
  attempt.is_given = false;
  if (worker.given.empty()) ++idle_;
}

/// The worker has the attempt, which has not started, no longer: the task is ready again.
void Scheduler::take_back(Attempt& attempt) {
  Worker& worker = *workers_[index(attempt.worker)];
  Node& node = *attempt.node;
  data_.drop(attempt);
  if (keeps_order_) let_go(node);
  node.state = State::ready;
  node.type->variants[index(platform_.class_of(attempt.worker))].put_back(attempt.implementation);
  attempt.node = nullptr;
  std::erase(starved_, &attempt);
  take_from(worker, attempt);
  expect(attempt.worker);
}

/// A policy that begins is told what workers run, or fetch data for, not what they were given ahead or what waits for
/// its turn: that is ready again. Its data comes.
void Scheduler::take_back_ahead() {
  for (const auto& worker : workers_) {
    std::size_t kept = worker->started;
    if (kept == 0 && !worker->given.empty() && !waits_for_turn(*worker->given.front())) kept = 1;
    while (worker->given.size() > kept) take_back(*worker->given.back());
  }
}

/// The worker cannot get the data of the task, which the policy has to give to another one: of another class, unless
/// nobody can run it any more.
void Scheduler::refuse(Attempt& attempt, const std::exception_ptr& why) {
  Node& node = *attempt.node;
  take_back(attempt);
  stale_ = true;
  if (!doom(node)) {
    TaskType& type = *node.type;
    type.forbid(platform_.class_of(attempt.worker));
    if (!type.can_run()) type.lost = why, some_lost_ = true;
  }
  advance(*workers_[index(attempt.worker)]);
}

/// The attempt of a task counts no more. If it has started, its worker is free when the kernel returns; until then its
/// buffers stay as they are.
void Scheduler::abort(Node& node) {
  const WorkerId id = node.worker;
  Worker& worker = *workers_[index(id)];
  Attempt& attempt = **std::ranges::find(worker.given, &node, &Attempt::node);
  policy::HostView& view = epoch_->view();
  if (!worker.has_started(attempt)) {
    take_back(attempt);
  } else {
    attempt.node = nullptr;
    attempt.was_aborted = true;
    data_.abandon(attempt);
    ++stragglers_;
    afterwards_.stops.push_back(attempt.stop);
    const bool ran = &attempt == worker.given.front();  // not behind another one
    if (recorder_ && ran) recorder_->attempted(node, attempt, attempt.given, view.now(), Outcome::aborted);
    expect(id);
  }
  epoch_->policy().aborted(view, node.task, id);
  stage_again();
  advance(worker);
}

void Scheduler::expect(const Worker& worker, WorkerId id) {
  policy::HostView& view = epoch_->view();
  bool is_first = true;
  for (std::size_t i = 0; i < worker.given.size(); ++i) {
    const Attempt* attempt = worker.given[i];
    if (attempt->node == nullptr) continue;
    const TaskId task = attempt->node->task;
    if (!std::exchange(is_first, false)) {
      view.set_expected_end(id, view.expected_end(id) + attempt->estimate);
    } else if (i < worker.started) {
      view.begin(id, task, attempt->estimate - (view.now() - attempt->given));
    } else {
      view.begin(id, task, attempt->estimate + view.transfer_estimate(task, platform_.memory_of(id)));
    }
  }
  if (is_first) view.end(id);
  view.mark_idle(id, asks(worker));
}

}  // namespace heddle::runtime
