// What workers were given, from then until it has ended.
#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/scheduling/scheduler.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::runtime {

/// Whether others go on without it: where all tasks are short, those of other contexts at least, which it keeps from
/// the lock. Where data moves, the driver of a device is always about to wait.
bool Scheduler::may_back_off(const Worker& worker) const {
  return worker.given.empty() && idle_ == 1 && backed_off_ + away_ + 1 < workers_.size() && !copies_.are_many() &&
         !stale_ && (has_busy_companions(worker) || epoch_->is_short());
}

/// Whether in each context of the worker another one works; without contexts, some other does.
bool Scheduler::has_busy_companions(const Worker& worker) const {
  if (contexts_.now().empty()) return true;
  const WorkerId id = worker.executions.front().worker;
  return std::ranges::all_of(contexts_.now().all(), [&](const Context& context) {
    const auto works = [&](WorkerId other) { return other != id && !workers_[index(other)]->given.empty(); };
    return !std::ranges::binary_search(context.workers, id) || std::ranges::any_of(context.workers, works);
  });
}

void Scheduler::begin_back_off(WorkerId id) {
  Worker& worker = *workers_[index(id)];
  // Where no other worker can take its tasks, these wait: not for long.
  worker.back_off = has_busy_companions(worker) ? worker.next_back_off : Worker::kBackOff;
  worker.next_back_off = std::min(2 * worker.back_off, Worker::kMostBackOff);
  ++backed_off_, --idle_;
  expect(id);
}

/// `missed`: it shall not back off so soon again.
void Scheduler::end_back_off(WorkerId id, bool missed) {
  Worker& worker = *workers_[index(id)];
  worker.patience =
      missed ? std::min(2 * worker.patience, Worker::kMostPatience) : std::max(worker.patience - 1, Worker::kPatience);
  worker.back_off = 0;
  --backed_off_, ++idle_;
  policy::HostView& view = epoch_->view();
  const bool returns = !view.is_available(id);
  if (returns) view.set_available(id, true);
  expect(id);
  if (returns) epoch_->session().tell_workers_changed();
}

/// Marks one backed-off worker unavailable so that others take its queued tasks, if all tasks are short and the policy
/// keeps no order of its own. Whether there was one.
bool Scheduler::send_one_away() {
  if (keeps_order_ || !epoch_->is_short()) return false;
  policy::HostView& view = epoch_->view();
  const auto stays = [&](WorkerId id) {
    const Worker& worker = *workers_[index(id)];
    return worker.back_off > 0 && view.is_available(id) && some_idle_beside(worker);
  };
  const auto all = platform_.workers();
  const auto one = std::ranges::find_if(all, stays);
  if (one == all.end()) return false;
  epoch_->session().set_available(*one, false);
  return true;
}

/// If a worker is idle although there are tasks, these may be for one that backs off: if they are short, others take
/// them over, otherwise its back-off ends. It also ends if no worker is idle and the one that has the lock will be busy
/// for longer: another one has to look at what comes. Whether there was one that backs off.
bool Scheduler::end_one_back_off() {
  if (backed_off_ == 0 || (idle_ > 0 ? ready_count() == 0 : acting_->work < Worker::kBackOff)) return false;
  if (idle_ > 0 && send_one_away()) return true;
  const auto one = std::ranges::find_if(workers_, [](const auto& worker) { return worker->back_off > 0; });
  end_back_off(make_id<WorkerId>(static_cast<std::size_t>(one - workers_.begin())), idle_ > 0);
  (*one)->next_back_off = Worker::kBackOff;
  (*one)->bell.ring();
  return true;
}

/// Hands a transfer to the thread of the device.
void Scheduler::request(Transfer& transfer) {
  for (const WorkerId worker : platform_.workers()) {
    if (place_of(worker) == transfer.device()) workers_[index(worker)]->driver->request(transfer);
  }
}

/// Finds room for the data of an execution and asks for what is missing.
void Scheduler::stage(Execution& execution) {
  // One that is served before those that were given first could hold what they wait for.
  const auto& given = workers_[index(execution.worker)]->given;
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
    if (execution->has_room) advance(*workers_[index(execution->worker)]);
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
  Worker& worker = *workers_[index(execution.worker)];
  Node& node = *execution.node;
  data_.drop(execution);
  if (keeps_order_) turns_.let_go(node);
  node.type->variants[index(execution.resource_class)].put_back(execution.implementation);
  worker.work -= execution.estimate;
  execution.node = nullptr;
  std::erase(starved_, &execution);
  take_from(worker, execution);
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
    if (!type.can_run()) validity_.lose(type, task_failure(name_of(node), why));
  }
  advance(*workers_[index(execution.worker)]);
}

/// The execution of a task counts no more. If it has started, its worker is free when the kernel returns; until then
/// its buffers stay as they are.
void Scheduler::take_back(TaskId task) {
  Node& node = *epoch_->node(task);
  const WorkerId id = node.worker;
  Worker& worker = *workers_[index(id)];
  Execution& execution = **std::ranges::find(worker.given, &node, &Execution::node);
  policy::HostView& view = epoch_->view();
  const bool withdrawn = worker.offered != kMaxTime && worker.batch.withdraw(1) == 1;
  if (withdrawn) {
    forget_offer(worker);
    --worker.started;
  }
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
    if (recorder_ && ran)
      recorder_->attempted(node, before(node), execution, execution.given, view.now(), Outcome::aborted);
    expect(id);
  }
  epoch_->session().aborted(task, id);
  stage_again();
  advance(worker);
  if (some_wait_) call_waiting();
}

bool Scheduler::has_partners(WorkerId worker) const {
  const auto is_partner = [&](WorkerId other) { return other != worker && contexts_.now().join(worker, other); };
  return std::ranges::any_of(platform_.workers(), is_partner);
}

bool Scheduler::partners_work(WorkerId worker) const {
  return std::ranges::any_of(platform_.workers(), [&](WorkerId other) {
    const Worker& one = *workers_[index(other)];
    return other != worker && contexts_.now().join(worker, other) && !one.given.empty() && one.waiting_for_room == 0;
  });
}

}  // namespace heddle::runtime
