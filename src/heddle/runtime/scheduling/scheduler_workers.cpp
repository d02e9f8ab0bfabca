// What workers were given, from then until it has ended.
#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/scheduling/scheduler.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::runtime {

/// Hands a transfer to the thread of the device.
void Scheduler::request(Transfer& transfer) {
  for (const WorkerId worker : platform_.workers()) {
    if (place_of(worker) == transfer.device()) workers_[worker].driver->request(transfer);
  }
}

/// Finds room for the data of an execution and asks for what is missing.
void Scheduler::stage(Execution& execution) {
  // One that is served before those that were given first could hold what they wait for.
  const auto& given = workers_[execution.worker].given;
  const auto lacks_room = [](const Execution* one) { return one->node != nullptr && !one->has_room; };
  if (*std::ranges::find_if(given, lacks_room) != &execution) return starved_.push_back(&execution);
  // While it waited, its data may have been lost.
  if (const std::exception_ptr failure = poison_of(*execution.node)) {
    return refuse(execution, failure);
  }
  // What was preempted may come back to a class that runs nothing of its type any more.
  const bool never = execution.implementation == nullptr;
  const DataStore::Room room = never ? DataStore::Room::never : data_.stage(execution, *execution.node);
  if (room == DataStore::Room::later) starved_.push_back(&execution);
  if (room == DataStore::Room::never) refuse(execution, std::make_exception_ptr(out_of_memory(execution)));
}

/// What to tell when no worker has room for the data of a task.
OutOfMemory Scheduler::out_of_memory(const Execution& execution) const {
  const TaskType& type = *execution.node->type;
  return OutOfMemory("its " + std::to_string(type.bytes()) + " bytes of data do not fit into the memory of " +
                     platform_.worker_name(execution.worker));
}

void Scheduler::stage_starved() {
  for (Execution* execution : std::exchange(starved_, {})) {
    if (execution->node == nullptr) continue;  // refused with one before it
    stage(*execution);
    if (execution->has_room) advance(workers_[execution->worker]);
  }
}

bool Scheduler::take_turn(Execution& execution) {
  Node& node = *execution.node;
  if (reduces_on_device(execution) && execution.parts.empty()) {
    const auto is_taken = [](const BlockAccess& access) {
      return access.mode == AccessMode::reduce && access.block->taken;
    };
    if (std::ranges::any_of(node.uses(), is_taken)) return false;
    for (const BlockAccess& access : node.uses()) {
      if (access.mode == AccessMode::reduce) DataStore::take_value(execution, *access.block);
    }
  }
  return !node.commutes || node.holds || Turns::acquire(node) == nullptr;
}

/// The worker has the execution, which has not started, no longer. The policy is not told.
void Scheduler::withdraw(Execution& execution) {
  Worker& worker = workers_[execution.worker];
  Node& node = *execution.node;
  data_.drop(execution);
  if (keeps_order_) turns_.let_go(node);
  node.type->variants[index(execution.resource_class)].put_back(execution.implementation);
  worker.work -= execution.estimate;
  execution.node = nullptr;
  std::erase(starved_, &execution);
  workers_.take_from(worker, execution);
  expect(execution.worker);
}

/// The worker has no longer what it was given from `first` on, `count` tasks, which have not started: they are ready
/// again, which the policy is yet to be told.
std::vector<TaskId> Scheduler::take_back(Worker& worker, std::size_t first, std::size_t count) {
  std::vector<TaskId> again;
  for (std::size_t i = first + count; i-- > first;) {
    Execution& execution = *worker.given[i];
    const TaskId task = again.emplace_back(execution.node->task);
    withdraw(execution);
    epoch_->session().aborted(task, execution.worker);
  }
  std::ranges::sort(again);
  return again;
}

/// A policy that begins is told what workers run, or fetch data for, not what they were given ahead or what waits for
/// its turn: that is ready again. Its data comes.
void Scheduler::take_back_ahead() {
  for (const auto& worker : workers_) {
    std::size_t kept = worker->started;
    if (kept == 0 && !worker->given.empty() && !waits_for_turn(*worker->given.front())) kept = 1;
    if (worker->given.size() > kept) epoch_->session().ready(take_back(*worker, kept, worker->given.size() - kept));
  }
  stage_again();
}

/// The worker cannot get the data of the task, which the policy has to give to another one: of another class, unless
/// no worker can run it any more.
void Scheduler::refuse(Execution& execution, const std::exception_ptr& why) {
  Node& node = *execution.node;
  host::Session& session = epoch_->session();
  const bool was_told = session.status(node.task) == host::Status::running;
  withdraw(execution);
  if (was_told) {
    session.aborted(node.task, execution.worker);
    session.ready(std::span(&node.task, 1));
  }
  stale_ = true;
  if (!poison_of(node)) {
    TaskType& type = *node.type;
    type.forbid(execution.resource_class);
    if (!type.can_run()) validity_.lose(type, task_failure(runs_.name_of(node), why));
  }
  advance(workers_[execution.worker]);
}

/// The execution of a task counts no more. If it has started, its worker is free when the kernel returns; until then
/// its buffers stay as they are.
void Scheduler::take_back(TaskId task) {
  Node& node = *epoch_->node(task);
  const WorkerId id = node.worker;
  Worker& worker = workers_[id];
  Execution& execution = **std::ranges::find(worker.given, &node, &Execution::node);
  policy::HostView& view = epoch_->view();
  offers_.withdraw(worker);
  if (!worker.has_started(execution)) {
    withdraw(execution);
  } else {
    worker.work -= execution.estimate;
    execution.node = nullptr;
    execution.was_aborted = true;
    data_.abandon(execution, node);
    if (keeps_order_) turns_.let_go(node);
    ++zombies_;
    deferred_.add().stops.push_back(execution.stop);
    const bool ran = &execution == worker.given.front();  // not behind another one
    if (ran) worker.told = view.now();
    if (recorder_ && ran)
      recorder_->attempted(node, runs_.before(node), execution, execution.given, view.now(), Outcome::aborted);
    expect(id);
  }
  epoch_->session().aborted(task, id);
  stage_again();
  advance(worker);
  if (some_wait_) call_waiting();
}

/// What workers have executed counts, and what they have not begun is ready again. Whether there was anything.
template <class Select>
bool Scheduler::empty_batches(Select&& select) {
  if (!std::exchange(some_batched_, false)) return false;
  bool some = false;
  for (const auto& worker : workers_) {
    if (select(*worker)) {
      some = empty_batch(*worker) || some;
    } else {
      some_batched_ = true;
    }
  }
  return some;
}

void Scheduler::empty_all_batches() {
  empty_batches([](const Worker&) { return true; });
}

/// A worker has nothing to do: those that it could help.
bool Scheduler::empty_batches() {
  return empty_batches([&](const Worker& worker) { return workers_.some_idle_beside(worker); });
}

bool Scheduler::empty_batch(Worker& worker) {
  if (worker.offered != kMaxTime && !worker.batch.empty()) return false;  // which others withdraw when it is time
  // An aborted execution ends when its turn comes. What waits for its turn to commute is behind those in the batch.
  const auto rbegin = std::make_reverse_iterator(worker.given.begin() + static_cast<std::ptrdiff_t>(worker.started));
  const auto rend = std::make_reverse_iterator(worker.given.begin());
  const auto aborted = std::ranges::find(rbegin, rend, nullptr, &Execution::node);
  const std::uint32_t taken = worker.batch.withdraw(static_cast<std::uint32_t>(aborted - rbegin));
  worker.started -= taken;
  if (taken > 0) epoch_->session().ready(take_back(worker, worker.started, taken));
  const std::uint32_t reported = worker.reported;
  // It may be about to say that it has executed the last that it has begun.
  report(worker, worker.begun() - 1);
  return taken > 0 || worker.reported != reported;
}

}  // namespace heddle::runtime
