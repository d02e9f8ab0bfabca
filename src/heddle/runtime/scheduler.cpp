#include "heddle/runtime/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/errors.hpp"

namespace heddle::runtime {
namespace {

/// The beginnings of epochs get at most this part of the time, other than where there is nothing else to do.
constexpr Time kEpochShare = 4;

std::vector<Device*> devices_of(const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<Device*> devices;
  for (const auto& worker : workers) {
    if (worker->driver) devices.push_back(&worker->driver->device());
  }
  return devices;
}

}  // namespace

Scheduler::Scheduler(const Config& config, const Platform& platform, const RunClock& clock, Submission& submission,
                     std::vector<std::unique_ptr<Worker>>& workers, std::condition_variable_any& ended, Links& links,
                     std::optional<History> history)
    : platform_(platform),
      places_(platform),
      clock_(clock),
      submission_(submission),
      workers_(workers),
      ended_(ended),
      links_(links),
      spec_(config.policy),
      decider_(config.decider),
      looks_ahead_(decider_ || spec_.entry().needs(spec_.options()).lookahead),
      aborts_(decider_ || spec_.entry().needs(spec_.options()).abort),
      seed_(config.seed),
      facts_(config.facts.empty() ? nullptr : std::make_shared<facts::Log>(config.facts, decider_ ? "" : spec_.text())),
      warn_(config.warn),
      durations_(platform_, std::move(history), config.warn),
      idle_(platform_.worker_count()),
      copies_(places_, devices_of(workers), config.device_memory, links.all(),
              [this](Transfer& transfer) { request(transfer); }) {
  if (config.trace) recorder_.emplace();
  if (decider_) return;
  const std::string objection =
      spec_.objection({"the runtime", TaskGraph(), platform_, Costs(TaskGraph(), platform_.class_count())});
  if (!objection.empty()) throw InputError(objection);
  if (spec_.entry().needs(spec_.options()).plan) {
    throw InputError("policy '" + spec_.text() + "' follows a schedule, which a runtime is not given");
  }
}

void Scheduler::finish_facts() {
  if (!facts_) return;
  try {
    facts_->finish();
  } catch (const InputError& error) {
    if (warn_) warn_(error.what());
  }
}

void Scheduler::attempts_ended(WorkerId id, Time now) {
  Worker& worker = *workers_[index(id)];
  report(worker, worker.hand.begun());
  act(worker, now);
}

void Scheduler::attempt_ended(Attempt& attempt) {
  const Time ended = attempt.ended;
  Worker& worker = *workers_[index(attempt.worker)];
  end(attempt);
  act(worker, ended);
}

/// The worker has executed so many attempts, some of which may have been reported before.
void Scheduler::report(Worker& worker, std::uint32_t executed) {
  for (; static_cast<std::int32_t>(executed - worker.reported) > 0; ++worker.reported) end(*worker.given.front());
}

void Scheduler::transfer_ended(WorkerId worker, const Driver::Ended& ended) {
  const Transfer& transfer = *ended.transfer;
  Block& block = *transfer.block;
  const bool watched = block.watched;
  if (!ended.failure) {
    // Nothing takes no time, and tells nothing of a link.
    const std::size_t bytes = block.shape.bytes();
    if (bytes > 0) links_.observe(transfer.from, transfer.to, bytes, ended.ended - ended.began);
    if (recorder_) recorder_->transferred(transfer, places_, ended.began, ended.ended);
  }
  if (epoch_) epoch_->view().set_now(std::max(epoch_->view().now(), ended.ended));
  std::vector<Attempt*> waited;
  const bool lost = copies_.arrived(*ended.transfer, ended.failure, waited);
  if (block.void_of) void_.insert(&block);
  if (lost && !failure_) failure_ = ended.failure;
  for (Attempt* attempt : waited) {
    if (attempt->refused) {
      refuse(*attempt, attempt->refused);
    } else {
      advance(*workers_[index(attempt->worker)]);
    }
  }
  stage_again();
  if (copies_.under_way() == 0 || watched) ended_.notify_all();
  act(*workers_[index(worker)], ended.ended);
}

void Scheduler::look_around(WorkerId worker) {
  act(*workers_[index(worker)], clock_.now());
}

std::exception_ptr Scheduler::take_failure() {
  if (unfinished() == 0) {
    for (Block* block : std::exchange(void_, {})) block->void_of = nullptr;
    cancelling_ = false;
  }
  return std::exchange(failure_, nullptr);
}

void Scheduler::cancel() {
  if (unfinished() == 0) return;
  cancelling_ = true;
  cancelled_ = submission_.submitted();
  stale_ = !nothing_left();
}

void Scheduler::calls_returned(std::size_t count) {
  calls_under_way_ -= count;
  if (calls_under_way_ == 0) ended_.notify_all();
}

std::exception_ptr Scheduler::failure_of(std::uint64_t sequence) const {
  const auto failed = failed_.find(sequence);
  return failed == failed_.end() ? nullptr : failed->second;
}

Trace Scheduler::trace(Time begin) const {
  if (!recorder_) throw InputError("nothing was recorded: Config::trace was not set");
  Trace trace = recorder_->trace(platform_, types_, begin);
  trace.schedule.policy = decider_ ? "" : spec_.text();
  trace.schedule.instance = trace.instance.name;
  trace.schedule.seed = seed_;
  return trace;
}

void Scheduler::end(Attempt& attempt) {
  const WorkerId id = attempt.worker;
  const Time ended = attempt.ended;
  const std::exception_ptr failure = std::move(attempt.failure);
  Worker& worker = *workers_[index(id)];
  policy::HostView& view = epoch_->view();
  view.set_now(std::max(view.now(), ended));
  take_from(worker, attempt);
  --worker.started;
  if (worker.started > 0) worker.given.front()->given = view.now();  // which begins only now
  if (attempt.node == nullptr) {
    data_.returned(attempt);
    if (recorder_) recorder_->returned(id, ended);
    expect(id);
    stage_again();
    advance(worker);
    if (--stragglers_ == 0) ended_.notify_all();
    return;
  }
  Node& node = *attempt.node;
  if (!failure) {
    learn(attempt, node);
    data_.commit(attempt, node);
  } else {
    data_.drop(attempt);
  }
  if (recorder_)
    recorder_->attempted(node, attempt, attempt.started, ended, failure ? Outcome::failed : Outcome::completed);
  expect(id);
  const policy::Completion completion{node.task, id};
  epoch_->policy().finished(view, std::span(&completion, 1));
  if (node.extras && node.extras->on_done && !failure) {
    std::function<void()>& call = node.extras->on_done;
    afterwards_.calls.push_back(node.recorded ? call : std::exchange(call, nullptr));
  }
  leave(node, failure);
  settle();
  stage_again();
  advance(worker);
}

/// A task of the epoch is over: its successors learn of it.
void Scheduler::leave(Node& node, const std::exception_ptr& failure) {
  epoch_->release_successors(node.task, [this](TaskId task) { released_.push_back(task); });
  epoch_->forget(node.task);
  close(node, failure);
}

/// A task is over: its data learn of it, and its node is free.
void Scheduler::close(Node& node, const std::exception_ptr& failure) {
  node.state = State::done;
  let_go(node);
  bool watched = node.watched;
  for (const BlockAccess& access : node.uses()) {
    Block& block = *access.block;
    ++block.ended;
    watched = watched || block.watched;
    if (access.mode == AccessMode::read) continue;
    // Of those that reduce into a datum together, one that fails is enough.
    if (failure || (block.void_of && access.mode != AccessMode::reduce)) block.void_of = failure;
    if (!failure) continue;
    data_.forget_parts(block);
    void_.insert(&block);
  }
  if (failure) {
    if (!failure_) failure_ = failure;
    failed_.emplace(node.sequence.load(std::memory_order_relaxed), failure);
  }
  node.sequence.store(0, std::memory_order_release);
  ended_count_.store(ended_count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (!node.recorded) {
    if (node.extras && node.extras->on_done) afterwards_.gone.emplace_back(std::move(node.extras));
    node.extras.reset();
    node.overflow.reset();
    node.next_free = std::exchange(freed_, &node);
  }
  const bool all = nothing_left() && unfinished() == 0;
  if (watched || all || (wanting_room_ > 0 && unfinished() <= room_)) ended_.notify_all();
}

/// Decides what becomes of the tasks whose predecessors have all ended: they are cancelled, wait for a datum that they
/// commute on, or are ready, which the policy is told. A policy that keeps to an order of its own could wait for ever
/// for one that was not its turn: its tasks are ready together, and wait on their workers.
void Scheduler::settle() {
  if (released_.empty() && contending_.empty() && !some_wait_) return;
  if (!contending_.empty()) {
    for (const Node* node : std::exchange(contending_, {})) released_.push_back(node->task);
  }
  if (released_.size() > 1) std::ranges::sort(released_);
  told_.clear();
  // Cancelled tasks release others, which are appended.
  for (std::size_t next = 0; next < released_.size();) {
    Node& node = *epoch_->node(released_[next++]);
    if (const std::exception_ptr failure = doom(node)) {
      outdate();
      leave(node, failure);
    } else if (node.commutes && !keeps_order_ && !acquire(node)) {
      contending_.push_back(&node);
    } else {
      node.state = State::ready;
      told_.push_back(node.task);
    }
  }
  released_.clear();
  if (std::exchange(some_wait_, false)) {
    for (const auto& worker : workers_) advance(*worker);
  }
  if (told_.empty()) return;
  if (told_.size() > 1) std::ranges::sort(told_);
  ready_ += told_.size();
  epoch_->policy().ready(epoch_->view(), told_);
}

std::exception_ptr Scheduler::find_doom(const Node& node) const {
  if (node.type->lost) return node.type->lost;
  for (const BlockAccess& access : node.uses()) {
    if (access.block->void_of && access.mode != AccessMode::write) return access.block->void_of;
  }
  if (node.extras) {
    for (const Ref& before : node.extras->after) {
      const auto failed = failed_.find(before.sequence);
      if (failed != failed_.end()) return failed->second;
    }
    if (node.extras->stop.stop_requested()) return std::make_exception_ptr(Cancelled());
  }
  const bool cancelled = cancelling_ && node.sequence.load(std::memory_order_relaxed) <= cancelled_;
  return cancelled ? std::make_exception_ptr(Cancelled()) : nullptr;
}

/// Takes all the data that the task commutes on, or nothing.
bool Scheduler::acquire(Node& node) {
  for (const BlockAccess& access : node.uses()) {
    if (access.mode == AccessMode::commute && access.block->taken) return false;
  }
  for (const BlockAccess& access : node.uses()) {
    if (access.mode == AccessMode::commute) access.block->taken = true;
  }
  return node.holds = true;
}

void Scheduler::let_go(Node& node) {
  if (!std::exchange(node.holds, false)) return;
  for (const BlockAccess& access : node.uses()) {
    if (access.mode == AccessMode::commute) access.block->taken = false;
  }
}

void Scheduler::act(Worker& worker, Time time) {
  acting_ = &worker;
  // What was taken back is none of its thread's any more.
  worker.in_hand.resize(worker.hand.handed() - worker.hand.begun());
  do decide(time);
  while (idle_ > 0 && empty_hands());
  acting_ = nullptr;
  if (some_left_.load(std::memory_order_relaxed) == nothing_left()) some_left_ = !nothing_left();
}

/// Begins an epoch, if it is time, and lets the policy decide.
void Scheduler::decide(Time time) {
  while (true) {
    if (wants_epoch(time)) {
      const Time before = clock_.now();
      if (nothing_left() && submission_.recording_is_next()) {
        begin_recorded();
      } else {
        begin_epoch();
      }
      time = clock_.now();
      look_again_.store(time + kEpochShare * (time - before), std::memory_order_relaxed);
    }
    if (nothing_left()) return;
    epoch_->view().set_now(std::max(epoch_->view().now(), time));
    ask_policy();
    // The policy may wait for tasks that are gone.
    if (is_outdated() && idle_ == workers_.size() && !nothing_left()) stale_ = true;
    if (!stale_ && !(idle_ > 0 && wants_take_up(time))) return;
  }
}

policy::Action Scheduler::next_action() {
  policy::HostView& view = epoch_->view();
  if (!looks_ahead_) return epoch_->policy().next(view);
  const sim::AheadOfOthers ahead(epoch_->instance(), [this] { return present(true); });
  view.set_lookahead(&ahead);
  const policy::Action action = epoch_->policy().next(view);
  view.set_lookahead(nullptr);
  return action;
}

void Scheduler::ask_policy() {
  // A policy with nobody to serve has nothing to say.
  while (idle_ > 0) {
    const policy::Action action = next_action();
    if (action.kind == policy::Action::Kind::wait) break;
    carry_out(action);
    if (stale_) return;
  }
  if (ready_ == 0) return;
  if (copies_.are_many()) {
    ask_ahead();
  } else {
    fill_hand();
  }
}

/// Where data has to be moved, workers are given a task ahead, whose data is fetched meanwhile.
void Scheduler::ask_ahead() {
  policy::HostView& view = epoch_->view();
  view.set_asks_ahead(true);
  for (const WorkerId worker : platform_.workers()) view.mark_idle(worker, workers_[index(worker)]->asks_ahead());
  const auto some_ask = [this] {
    return std::ranges::any_of(workers_, [](const auto& one) { return one->asks_ahead(); });
  };
  while (!stale_ && some_ask()) {
    const policy::Action action = next_action();
    if (action.kind == policy::Action::Kind::wait) break;
    carry_out(action);
  }
  view.set_asks_ahead(false);
  for (const WorkerId worker : platform_.workers()) view.mark_idle(worker, workers_[index(worker)]->given.empty());
}

/// Whether the worker asks for a task now.
bool Scheduler::asks(const Worker& worker) const {
  if (!epoch_->view().asks_ahead()) return worker.given.empty();
  return copies_.are_many() ? worker.asks_ahead() : worker.takes_handful && wants_more(worker);
}

/// Whether the worker, whose thread has the lock, is given more while others have what they need.
bool Scheduler::wants_more(const Worker& worker) const {
  if (idle_ > 0 || wanting_news_ > 0 || ready_ == 0 || worker.given.size() == Worker::kHandful) return false;
  if (worker.next == nullptr || worker.started < worker.given.size()) return false;
  const policy::HostView& view = epoch_->view();
  return view.expected_end(worker.given.front()->worker) - view.now() < kShort;
}

/// Gives several short tasks at once: the lock, and the state that it guards, change hands less often.
void Scheduler::fill_hand() {
  if (workers_.size() == 1 || !wants_more(*acting_)) return;
  policy::HostView& view = epoch_->view();
  const WorkerId id = acting_->given.front()->worker;
  some_in_hand_ = true;
  acting_->takes_handful = true;
  view.set_asks_ahead(true);
  while (!stale_ && wants_more(*acting_)) {
    view.mark_idle(id, true);
    const policy::Action action = next_action();
    if (action.kind == policy::Action::Kind::wait) break;
    carry_out(action);
  }
  acting_->takes_handful = false;
  view.set_asks_ahead(false);
  view.mark_idle(id, false);
}

/// Somebody has nothing to do, or waits: what workers have executed counts, and what they have not begun is ready
/// again. Whether there was anything.
bool Scheduler::empty_hands() {
  if (!std::exchange(some_in_hand_, false)) return false;
  bool some = false;
  for (const auto& worker : workers_) some = empty_hand(*worker) || some;
  return some;
}

bool Scheduler::empty_hand(Worker& worker) {
  // An aborted attempt ends when its turn comes. What waits for its turn to commute is behind those in the hand.
  const auto rbegin = worker.given.rend() - static_cast<std::ptrdiff_t>(worker.started);
  const auto aborted = std::ranges::find(rbegin, worker.given.rend(), nullptr, &Attempt::node);
  const std::uint32_t taken = worker.hand.take_back(static_cast<std::uint32_t>(aborted - rbegin));
  const WorkerId id = worker.given.empty() ? kNone<WorkerId> : worker.given.front()->worker;
  std::vector<TaskId> again;
  for (std::uint32_t i = 0; i < taken; ++i) {
    Attempt& attempt = *worker.given[--worker.started];
    again.push_back(attempt.node->task);
    take_back(attempt);
    ++ready_;
    epoch_->policy().aborted(epoch_->view(), again.back(), id);
  }
  std::ranges::sort(again);
  if (!again.empty()) epoch_->policy().ready(epoch_->view(), again);
  const std::uint32_t reported = worker.reported;
  // It may be about to say that it has executed the last that it has begun.
  report(worker, worker.hand.begun() - 1);
  return taken > 0 || worker.reported != reported;
}

void Scheduler::carry_out(const policy::Action& action) {
  using Kind = policy::Action::Kind;
  Node& node = *epoch_->node(action.task);
  const bool gives = action.kind == Kind::run || action.kind == Kind::restart;
  if (gives && !epoch_->view().can_run(action.task, platform_.class_of(action.worker))) {
    throw InternalError("the policy gave a task of kernel '" + node.type->kernel->name + "' to worker '" +
                        platform_.worker_name(action.worker) + "', which cannot run it");
  }
  switch (action.kind) {
    case Kind::run:
      stale_ = doom(node) != nullptr;
      if (stale_) return;
      --ready_;
      give(node, action.worker);
      return;
    case Kind::restart:
      abort(node);
      give(node, action.worker);
      return;
    case Kind::preempt:
      abort(node);
      node.state = State::ready;
      ++ready_;
      epoch_->policy().ready(epoch_->view(), std::span(&action.task, 1));
      return;
    case Kind::prefetch:
      data_.prefetch(node, place_of(action.worker));
      return;
    case Kind::wait:
      return;
  }
}

}  // namespace heddle::runtime
