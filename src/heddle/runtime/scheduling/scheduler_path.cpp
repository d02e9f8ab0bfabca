// The way of a task, from the policy's decision to its end: what every task pays for. What is rare is marked
// [[unlikely]], here and in what is called: so that a task goes straight on, where a jump costs about a cycle.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "heddle/runtime/scheduling/scheduler.hpp"

namespace heddle::runtime {
namespace {

/// The beginnings of epochs get at most this part of the time, other than where there is nothing else to do.
constexpr Time kEpochShare = 8;

}  // namespace

/// The scheduler as the engine of a session (host::Engine).
class Scheduler::Acts {
 public:
  explicit Acts(Scheduler& scheduler) : scheduler_(scheduler) {}

  /// Whether some worker wants a task: a policy without a worker to serve has nothing to say.
  [[nodiscard]] bool asks() const { return !scheduler_.stale_ && scheduler_.workers_.some_idle(); }
  [[nodiscard]] const policy::Lookahead* lookahead() const {
    if (scheduler_.foresight_) [[unlikely]]
      scheduler_.foresight_->renew();
    return scheduler_.foresight_.get();
  }
  [[nodiscard]] bool refuses(const policy::Action& action) {
    return action.kind == policy::Action::Kind::run && scheduler_.refuses(action.task);
  }
  /// Nothing is held back.
  [[nodiscard]] static std::optional<Time> abort_of(const policy::Policy&, TaskId, WorkerId) { return std::nullopt; }
  [[gnu::always_inline]] void give(TaskId task, WorkerId worker) { scheduler_.give(task, worker); }
  void take_back(TaskId task) { scheduler_.take_back(task); }
  void prefetch(TaskId task, WorkerId worker) {
    scheduler_.data_.prefetch(*scheduler_.epoch_->node(task), scheduler_.place_of(worker));
  }
  [[nodiscard]] bool has_room_ahead(WorkerId worker) const { return scheduler_.workers_[worker].asks_ahead(); }

 protected:
  Scheduler& scheduler_;
};

/// The same while workers ask ahead.
class Scheduler::ActsAhead : public Acts {
 public:
  using Acts::Acts;

  [[nodiscard]] bool asks() const {
    if (scheduler_.stale_) return false;
    if (!scheduler_.copies_.are_many()) return scheduler_.wants_more(*scheduler_.acting_);
    return std::ranges::any_of(scheduler_.workers_, [](const auto& one) { return one->asks_ahead(); });
  }
  [[gnu::noinline]] void give(TaskId task, WorkerId worker) { Acts::give(task, worker); }
};

Time Scheduler::executions_ended(WorkerId id, Time began, Time ended, Time waited) {
  Worker& worker = workers_[id];
  if (worker.offered != kMaxTime) [[unlikely]]
    offers_.forget(worker);
  report(worker, worker.begun());
  if (worker.back_off.is_due(ended - began, waited) && may_back_off(worker)) [[unlikely]] {
    workers_.begin_back_off(worker);
    expect(id);
  }
  act(worker, ended);
  return worker.back_off.duration();
}

void Scheduler::execution_ended(Execution& execution) {
  const Time ended = execution.ended;
  Worker& worker = workers_[execution.worker];
  end(execution);
  act(worker, ended);
  worker.looks_again = 0;
}

void Scheduler::look_around(WorkerId id) {
  Worker& worker = workers_[id];
  if (worker.back_off.duration() > 0) end_back_off(worker, false);
  if (worker.away) come_back(worker);
  act(worker, clock_.now());
  const bool waits = !workers_.some_idle() && worker.next == nullptr && !worker.given.empty();
  worker.looks_again = waits ? clock_.now() + kPeek : 0;
}

/// The worker has ended so many executions, some of which may have been reported before.
void Scheduler::report(Worker& worker, std::uint32_t executed) {
  for (; static_cast<std::int32_t>(executed - worker.reported) > 0; ++worker.reported) end(*worker.given.front());
}

void Scheduler::act(Worker& worker, Time time) {
  acting_ = &worker;
  if (time >= progress_.withdraw_at.load(std::memory_order_relaxed)) [[unlikely]] {
    offers_.withdraw_late(time, acting_, keeps_order_, [&](Worker& late) { leave(late, time); });
  }
  do decide(time);
  while ((workers_.some_idle() && empty_batches()) || (workers_.some_back_off() && end_one_back_off()));
  // This one will be busy for longer than offers to others have.
  if (workers_.some_idle() && worker.work > Offers::kPatience && offers_.some_left()) deferred_.add().wakes = true;
  acting_ = nullptr;
  const bool some_wait = workers_.some_idle() && ready_count() > 0;
  if (some_wait || overruns_.are_watched()) [[unlikely]] {
    if (overruns_.watch(some_wait && !is_outdated(), epoch_->view().now())) outdate();
  }
  if (progress_.some_left.load(std::memory_order_relaxed) == nothing_left()) [[unlikely]]
    progress_.some_left = !nothing_left();
}

/// Begins an epoch, if it is time, and lets the policy decide.
inline void Scheduler::decide(Time time) {
  for (bool asked = false;; asked = true) {
    if (wants_epoch(time, asked)) [[unlikely]] {
      const Time before = clock_.now();
      if (nothing_left() && submission_.recording_is_next()) {
        begin_recorded();
      } else {
        begin_epoch();
      }
      time = clock_.now();
      // Tasks that wait for room submit no more until others, which were held back, have ended.
      const Time share = waiters_.some_want_room() && submission_.holds_back() ? 1 : kEpochShare;
      progress_.look_again.store(time + share * (time - before), std::memory_order_relaxed);
    }
    if (nothing_left()) [[unlikely]]
      return;
    epoch_->view().set_now(std::max(epoch_->view().now(), time));
    ask_policy();
    if (new_policy_.failures() != nullptr) [[unlikely]]
      note_contexts();
    // The policy may wait for tasks that are gone.
    if (is_outdated()) [[unlikely]] {
      if (workers_.none_busy() && !nothing_left()) stale_ = true;
    }
    if (!stale_ && !(workers_.some_idle() && wants_take_up(time, true))) [[likely]]
      return;
  }
}

inline void Scheduler::ask_policy() {
  Acts acts(*this);
  if (workers_.some_idle()) epoch_->session().ask(acts);
  if (stale_ || epoch_->session().ready_count() == 0) return;
  if (copies_.are_many()) {
    ask_ahead();
  } else {
    fill_batch();
  }
}

/// Tasks that will never run are given to no worker: what has become of them, the next epoch tells.
inline bool Scheduler::refuses(TaskId task) {
  if (!poison_of(*epoch_->node(task))) [[likely]]
    return false;
  stale_ = true;
  return true;
}

/// Whether the worker asks for a task now.
bool Scheduler::asks(const Worker& worker) const {
  if (!epoch_->view().asks_ahead()) return worker.given.empty();
  return copies_.are_many() ? worker.asks_ahead() : worker.takes_several && wants_more(worker);
}

/// Whether the worker, whose thread has the lock, is given more while others have what they need.
bool Scheduler::wants_more(const Worker& worker) const {
  if (waiters_.some_want_news() || ready_count() == 0 || worker.given.size() == Worker::kMostInBatch) return false;
  if (workers_.some_idle_beside(worker)) return false;
  if (worker.next == nullptr || worker.started < worker.given.size()) return false;
  const policy::HostView& view = epoch_->view();
  return view.expected_end(worker.given.front()->worker) - view.now() < Epoch::kShort;
}

/// Where data has to be moved, workers are given a task ahead, whose data is fetched meanwhile.
void Scheduler::ask_ahead() {
  ActsAhead acts(*this);
  epoch_->session().ask_ahead(acts);
  if (zombies_ == 0) return;
  for (const WorkerId worker : platform_.workers()) expect(worker);  // some are busy with what the policy does not see
}

/// Gives several short tasks at once: the lock, and the state that it guards, change hands less often.
void Scheduler::fill_batch() {
  if (workers_.size() == 1 || !wants_more(*acting_)) return;
  some_batched_ = true;
  acting_->takes_several = true;
  ActsAhead acts(*this);
  epoch_->session().ask_ahead_for(acting_->given.front()->worker, acts);
  acting_->takes_several = false;
}

inline void Scheduler::give(TaskId task, WorkerId id) {
  Node& node = *epoch_->node(task);
  epoch_->prefetch_ready(task, node.recorded ? Node::kHotBytes : sizeof(Node));
  Worker& worker = workers_[id];
  policy::HostView& view = epoch_->view();
  Execution& execution = workers_.give(worker);
  node.worker = id;
  execution.node = &node;
  execution.given = view.now();
  execution.estimate = view.estimate(node.task, execution.resource_class);
  execution.overran = false;
  worker.work += execution.estimate;
  if (execution.refused) [[unlikely]]
    execution.refused = nullptr;
  execution.has_room = !copies_.are_many();
  execution.may_abort = new_policy_.may_abort(*node.type);
  note_committed(execution);
  const Variant& variant = node.type->variants[index(execution.resource_class)].next();
  execution.implementation = variant.implementation;
  execution.durations = variant.durations;
  if (!execution.has_room && !waits_for_turn(execution)) stage(execution);
  if (execution.node == nullptr) [[unlikely]]
    return epoch_->session().refused(task, id);
  if (worker.given.size() == 1 && !view.asks_ahead()) [[likely]] {
    view.begin(id, node.task, execution.estimate + view.transfer_estimate(node.task, platform_.memory_of(id)));
  } else {
    expect(id);
  }
  epoch_->session().started(task, id);
  advance(worker);
  if (worker.takes_several) [[unlikely]]
    view.mark_idle(id, true);
}

void Scheduler::expect(const Worker& worker, WorkerId id) {
  policy::HostView& view = epoch_->view();
  const auto first = std::ranges::find_if(worker.given, [](const Execution* one) { return one->node != nullptr; });
  if (first == worker.given.end()) {
    view.end(id);
    const Time back_off = worker.back_off.duration();
    if (back_off > 0) view.set_expected_end(id, view.now() + back_off);
    view.mark_idle(id, asks(worker) && back_off == 0);
    return;
  }
  const Execution& execution = **first;
  const TaskId task = execution.node->task;
  const bool runs = first < worker.given.begin() + static_cast<std::ptrdiff_t>(worker.started);
  const Time more = runs ? execution.given - view.now() : view.transfer_estimate(task, platform_.memory_of(id));
  view.begin(id, task, std::max<Time>(execution.estimate + more, 0) + worker.work - execution.estimate);
  if (view.asks_ahead()) view.mark_idle(id, asks(worker));
}

inline bool Scheduler::can_start(Execution& execution) {
  // Since it was given ahead, it may have been cancelled.
  if (const std::exception_ptr failure = poison_of(*execution.node)) [[unlikely]] {
    refuse(execution, failure);
    return false;
  }
  if (waits_for_turn(execution)) [[unlikely]] {
    if (!take_turn(execution)) {
      some_wait_ = true;
      return false;
    }
    if (!execution.has_room) stage(execution);
  }
  if (!execution.has_data()) return false;
  if (execution.memory == kHost || data_.is_complete(execution, *execution.node)) return true;
  data_.leave(execution);
  stage(execution);
  // Those behind it may have the room that it needs now.
  if (execution.node != nullptr && !execution.has_room && workers_[execution.worker].given.back() != &execution)
    stale_ = true;
  return execution.has_data();
}

void Scheduler::advance(Worker& worker) {
  while (worker.may_start() && can_start(*worker.given[worker.started])) start(worker, *worker.given[worker.started]);
}

/// Hands the task to the thread of the worker that it was given to.
inline void Scheduler::start(Worker& worker, Execution& execution) {
  const Node& node = *execution.node;
  ++worker.started;
  execution.given = epoch_->view().now();
  const std::span<const std::byte> values = node.values();
  execution.values = values.data();
  if (execution.may_abort) {
    execution.kept_values.assign(values.begin(), values.end());
    execution.values = execution.kept_values.data();
  }
  if (node.extras || execution.until.stop_possible()) [[unlikely]] {
    execution.until = node.extras ? node.extras->stop : std::stop_token();
    execution.may_have_stopped = false;
  }
  // Of an aborted execution not only when a stop was requested: that comes after the lock was free, maybe when the next
  // execution runs. Of one that was not, the program may have asked for it (until).
  if (std::exchange(execution.was_aborted, false) || (execution.may_abort && execution.stop.stop_requested()))
      [[unlikely]]
    execution.stop = std::stop_source();
  try {
    data_.prepare(execution, node);
  } catch (...) {
    execution.refused = std::current_exception();
  }
  epoch_->prefetch_successors(node.task);
  if (overruns_.are_watched()) [[unlikely]] {
    if (worker.started == 1) overruns_.expect(execution);
  }
  if (worker.driver) {
    worker.driver->request(execution);
    return;
  }
  execution.started = execution.given;  // at the earliest
  if (&worker == acting_ && worker.next == nullptr && worker.batch.empty()) [[likely]] {
    ++worker.begun_at_once;
    worker.next = &execution;
    return;
  }
  worker.batch.offer(execution);
  if (&worker == acting_) return;
  worker.bell.call();
  offers_.note(worker, epoch_->view().now(), keeps_order_);
}

inline void Scheduler::end(Execution& execution) {
  const WorkerId id = execution.worker;
  const Time ended = execution.ended;
  std::exception_ptr failure;
  if (execution.failure) [[unlikely]]
    failure = std::exchange(execution.failure, nullptr);
  Worker& worker = workers_[id];
  policy::HostView& view = epoch_->view();
  view.set_now(std::max(view.now(), ended));
  workers_.take_from(worker, execution);
  --worker.started;
  if (worker.started > 0) {
    worker.given.front()->given = view.now();  // which begins only now
    if (overruns_.are_watched()) overruns_.expect(*worker.given.front());
  }
  if (execution.node == nullptr) [[unlikely]] {
    data_.returned(execution);
    if (recorder_) recorder_->returned(id, ended);
    expect(id);
    stage_again();
    advance(worker);
    if (--zombies_ == 0 || waiters_.some_want_news()) waiters_.ended().notify_all();
    return;
  }
  Node& node = *execution.node;
  if (failure) [[unlikely]]
    failure = task_failure(runs_.name_of(node), failure);
  worker.work -= execution.estimate;
  if (!failure && execution.until.stop_requested() && execution.may_have_stopped) [[unlikely]]
    failure = validity_.cancelled();
  if (!failure) [[likely]] {
    learn(execution, node);
    data_.commit(execution, node);
  } else {
    data_.drop(execution);
  }
  if (recorder_) [[unlikely]]
    recorder_->attempted(node, runs_.before(node), execution, execution.started, ended,
                         failure ? Outcome::failed : Outcome::completed);
  expect(id);
  const policy::Completion completion{node.task, id};
  epoch_->session().finished(std::span(&completion, 1));
  if (node.extras) [[unlikely]] {
    if (!failure) defer_call(node);
  }
  leave(node, failure);
  settle();
  stage_again();
  if (worker.may_start()) advance(worker);
}

/// What the program asked to be called once the task has ended well.
void Scheduler::defer_call(const Node& node) {
  std::function<void()>& call = node.extras->on_done;
  if (!call) return;
  deferred_.add().calls.push_back({node.recorded ? call : std::exchange(call, nullptr), node.type->kernel,
                                   node.extras->name, runs_.number_of(node)});
}

/// Notes how long a task took. One that is far from what was believed may be an accident; what the next are believed to
/// take is not.
inline void Scheduler::learn(const Execution& execution, const Node& node) {
  const Time believed =
      execution.overran ? epoch_->view().estimate(node.task, execution.resource_class) : execution.estimate;
  const auto far_off = [&](Time time) {
    return std::abs(time - believed) > std::max(std::min(time, believed), kMicrosecond);
  };
  const Time duration = execution.ended - execution.started;
  execution.durations->add(duration);
  if (execution.durations->count() == 1)
    node.type->model->note_measured(node.type->shapes, index(execution.resource_class));
  if (!far_off(duration) || is_outdated()) [[likely]]
    return;
  if (far_off(node.type->variants[index(execution.resource_class)].known()->mean())) outdate();
}

/// A task of the epoch is over: its successors learn of it.
inline void Scheduler::leave(Node& node, const std::exception_ptr& failure) {
  epoch_->waiting().complete(epoch_->instance().graph, node.task);
  epoch_->forget(node.task);
  close(node, failure);
}

/// A task is over, and its node is free.
void Scheduler::close(Node& node, const std::exception_ptr& failure) {
  turns_.let_go(node);
  validity_.ended(node, failure, data_);
  if (copies_.are_many()) data_.note_ended(node, !is_final());
  if (failure) [[unlikely]]
    validity_.failed(runs_.number_of(node), failure, [&] { return runs_.name_of(node); });
  if (node.recorded) {
    node.status = host::Status::waiting;
    ++node.ends;
  } else {
    node.sequence.store(0, std::memory_order_release);
    if (node.extras && node.extras->on_done) deferred_.add().gone.emplace_back(std::move(node.extras));
    node.extras.reset();
    node.overflow.reset();
    freed_.push_back(node.number);
  }
  progress_.ended.store(progress_.ended.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  const bool all = nothing_left() && progress_.unfinished() == 0;
  if (node.watched || all || waiters_.have_room(progress_)) [[unlikely]]
    waiters_.ended().notify_all();
}

/// Decides what becomes of a task whose predecessors have all ended: it is cancelled, waits for a datum that it
/// commutes on, or is ready. A policy that keeps to an order of its own could wait for ever for one that was not its
/// turn: its tasks are ready together, and wait on their workers.
inline bool Scheduler::becomes_ready(Node& node) {
  if (const std::exception_ptr failure = poison_of(node)) {
    outdate();
    leave(node, failure);
    return false;
  }
  return !node.commutes || keeps_order_ || !turns_.stands_in_line(node);
}

/// Workers whose tasks wait for a datum that they commute on try again.
void Scheduler::call_waiting() {
  some_wait_ = false;
  for (const auto& worker : workers_) advance(*worker);
}

/// Tells the policy of the tasks that have become ready.
void Scheduler::settle() {
  host::ReadyTracker& waiting = epoch_->waiting();
  if (!epoch_->is_plain() || validity_.some_poisoned() || turns_.some_free() || some_wait_) [[unlikely]]
    return settle_all();
  // Their nodes, which may be in no cache, do not matter.
  if (!waiting.empty()) epoch_->session().ready(waiting.next_batch(epoch_->instance().graph));
}

/// The same where some may be cancelled, and release others, or wait for data that others let go of.
void Scheduler::settle_all() {
  host::ReadyTracker& waiting = epoch_->waiting();
  told_.clear();
  while (!waiting.empty() || turns_.some_free()) {
    for (const TaskId task : waiting.next_batch(epoch_->instance().graph)) {
      if (becomes_ready(*epoch_->node(task))) told_.push_back(task);
    }
    if (const std::optional<TaskId> next = turns_.next()) waiting.release(*next);
  }
  std::ranges::sort(told_);
  if (some_wait_) call_waiting();
  if (!told_.empty()) epoch_->session().ready(told_);
}

}  // namespace heddle::runtime
