#include "heddle/runtime/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/errors.hpp"

namespace heddle::runtime {
namespace {

/// Take-ups because of idle workers get at most this part of the time.
constexpr Time kTakeUpShare = 4;

std::vector<Device*> devices_of(const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<Device*> devices;
  for (const auto& worker : workers) {
    if (worker->driver) devices.push_back(&worker->driver->device());
  }
  return devices;
}

}  // namespace

Scheduler::Scheduler(const Config& config, const Platform& platform, const RunClock& clock, Submission& submission,
                     std::vector<std::unique_ptr<Worker>>& workers, std::condition_variable_any& ended,
                     std::optional<History> history)
    : platform_(platform),
      clock_(clock),
      submission_(submission),
      workers_(workers),
      ended_(ended),
      spec_(config.policy),
      decider_(config.decider),
      looks_ahead_(decider_ || spec_.entry().needs(spec_.options()).lookahead),
      aborts_(decider_ || spec_.entry().needs(spec_.options()).abort),
      seed_(config.seed),
      durations_(platform_, std::move(history), config.warn),
      idle_(platform_.worker_count()),
      copies_(devices_of(workers), config.device_memory, [this](Transfer& transfer) { request(transfer); }) {
  if (config.trace) recorder_.emplace();
  if (decider_) return;
  const std::string objection =
      spec_.objection({"the runtime", TaskGraph(), platform_, Costs(TaskGraph(), platform_.class_count())});
  if (!objection.empty()) throw InputError(objection);
  if (spec_.entry().needs(spec_.options()).plan) {
    throw InputError("policy '" + spec_.text() + "' follows a schedule, which a runtime is not given");
  }
}

std::function<void()> Scheduler::attempt_ended(Attempt& attempt, Time ended, const std::exception_ptr& failure) {
  Worker& worker = *workers_[index(attempt.worker)];
  std::function<void()> on_done;
  end(attempt, ended, failure, on_done);
  act(worker, ended);
  return on_done;
}

void Scheduler::transfer_ended(WorkerId worker, const Driver::Ended& ended) {
  const Transfer& transfer = *ended.transfer;
  const bool watched = transfer.block->watched;
  if (ended.failure) {
    voids_ = true;
    if (transfer.to == kHost && transfer.is_current && !failure_) failure_ = ended.failure;
  } else if (recorder_) {
    recorder_->transferred(transfer, ended.began, ended.ended);
  }
  if (epoch_) epoch_->view().set_now(std::max(epoch_->view().now(), ended.ended));
  std::vector<Attempt*> waited;
  copies_.arrived(*ended.transfer, ended.failure, waited);
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
  cancelling_ = false;
  return std::exchange(failure_, nullptr);
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

void Scheduler::end(Attempt& attempt, Time ended, const std::exception_ptr& failure, std::function<void()>& on_done) {
  const WorkerId id = attempt.worker;
  Worker& worker = *workers_[index(id)];
  policy::HostView& view = epoch_->view();
  view.set_now(std::max(view.now(), ended));
  std::erase(worker.given, &attempt);
  --worker.started;
  if (worker.given.empty()) ++idle_;
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
    node.type->durations[index(platform_.class_of(id))].add(ended - attempt.started);
    data_.commit(attempt, node);
  } else {
    data_.drop(attempt);
  }
  if (recorder_) recorder_->attempted(node, id, attempt.started, ended, failure ? Outcome::failed : Outcome::completed);
  expect(id);
  const policy::Completion completion{node.task, id};
  epoch_->policy().finished(view, std::span(&completion, 1));
  if (node.extras && !failure) on_done = node.extras->on_done;
  leave(node, failure);
  settle();
  stage_again();
  advance(worker);
}

/// The task is over: its data and its successors learn of it, and its node is free.
void Scheduler::leave(Node& node, const std::exception_ptr& failure) {
  node.state = State::done;
  let_go(node);
  bool watched = node.watched;
  for (const BlockAccess& access : node.uses()) {
    Block& block = *access.block;
    ++block.ended;
    watched = watched || block.watched;
    if (access.mode != AccessMode::read) block.void_of = failure;
  }
  release_successors(node);
  if (failure) {
    voids_ = true;
    if (!failure_) failure_ = failure;
    failed_.emplace(node.sequence.load(std::memory_order_relaxed), failure);
  }
  epoch_->forget(node.task);
  node.sequence.store(0, std::memory_order_release);
  ended_count_.store(ended_count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (!node.recorded) {
    node.extras.reset();
    node.overflow.reset();
    node.next_free = std::exchange(freed_, &node);
  }
  const bool all = nothing_left() && unfinished() == 0;
  if (watched || all || (wanting_room_ > 0 && unfinished() <= room_)) ended_.notify_all();
}

void Scheduler::release_successors(Node& node) {
  for (const Link* link = node.successors; link != nullptr; link = link->next) {
    if (--link->node->unmet == 0) released_.push_back(link->node);
  }
}

/// Decides what becomes of the tasks whose predecessors have all ended: they are cancelled, wait for a datum that they
/// commute on, or are ready, which the policy is told. A policy that keeps to an order of its own could wait for ever
/// for one that was not its turn: its tasks are ready together, and wait on their workers.
void Scheduler::settle() {
  if (!contending_.empty()) {
    released_.insert(released_.end(), contending_.begin(), contending_.end());
    contending_.clear();
  }
  if (released_.size() > 1) {
    std::ranges::sort(released_, {}, [](const Node* node) { return node->sequence.load(std::memory_order_relaxed); });
  }
  told_.clear();
  // Cancelled tasks release others, which are appended.
  for (std::size_t next = 0; next < released_.size();) {
    Node& node = *released_[next++];
    if (const std::exception_ptr failure = may_be_doomed(node) ? doom(node) : nullptr) {
      stale_ = true;
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
  std::ranges::sort(told_);
  ready_ += told_.size();
  epoch_->policy().ready(epoch_->view(), told_);
}

/// Why the task, whose predecessors have ended, cannot run; null when it can.
std::exception_ptr Scheduler::doom(const Node& node) const {
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
  return cancelling_ ? std::make_exception_ptr(Cancelled()) : nullptr;
}

/// Takes all the data that the task commutes on, or nothing.
bool Scheduler::acquire(Node& node) {
  for (const BlockAccess& access : node.uses()) {
    if (is_grouped(access.mode) && access.block->taken) return false;
  }
  for (const BlockAccess& access : node.uses()) {
    if (is_grouped(access.mode)) access.block->taken = true;
  }
  return node.holds = true;
}

void Scheduler::let_go(Node& node) {
  if (!std::exchange(node.holds, false)) return;
  for (const BlockAccess& access : node.uses()) {
    if (is_grouped(access.mode)) access.block->taken = false;
  }
}

void Scheduler::act(Worker& worker, Time time) {
  acting_ = &worker;
  decide(time);
  acting_ = nullptr;
  if (some_left_.load(std::memory_order_relaxed) == nothing_left()) some_left_ = !nothing_left();
}

/// Takes up what is pending, if it is time, and lets the policy decide.
void Scheduler::decide(Time time) {
  while (true) {
    if (stale_ || wants_take_up(time)) {
      const Time before = clock_.now();
      if (nothing_left() && submission_.recording_is_next()) {
        begin_recorded();
      } else {
        begin_epoch();
      }
      time = clock_.now();
      look_again_.store(time + kTakeUpShare * (time - before), std::memory_order_relaxed);
    }
    if (nothing_left()) return;
    epoch_->view().set_now(std::max(epoch_->view().now(), time));
    ask_policy();
    if (!stale_ && !(idle_ > 0 && wants_take_up(time))) return;
  }
}

/// As many are new as are known; or somebody is idle, and it was not done just now.
bool Scheduler::wants_take_up(Time now) const {
  if (nothing_left()) return submission_.pending() > 0 || submission_.recording_is_next();
  const std::size_t pending = submission_.pending();
  if (pending == 0 || in_recording_) return false;
  if (pending >= epoch_->left()) return true;
  return idle_ > 0 && now >= look_again_.load(std::memory_order_relaxed);
}

/// One that knows nothing yet. Policies that draw lots draw others in each epoch.
policy::Policy Scheduler::new_policy() {
  return decider_ ? *decider_ : spec_.make(seed_ + policies_++);
}

void Scheduler::begin_epoch() {
  take_back_ahead();
  std::vector<Node*> nodes = epoch_ ? epoch_->release_nodes() : std::vector<Node*>();
  const std::size_t known = nodes.size();
  if (nodes.empty()) in_recording_ = false;
  submission_.give_back(std::exchange(freed_, nullptr));
  if (!in_recording_) submission_.take(nodes, types_);
  durations_.adopt(types_);
  for (std::size_t i = known; i < nodes.size(); ++i) link(*nodes[i]);
  stale_ = false;
  epoch_ = std::make_shared<Epoch>(++epochs_, std::move(nodes), types_, platform_, new_policy());
  observe();
  policy::HostView& view = epoch_->view();
  policy::Policy& policy = epoch_->policy();
  view.set_now(clock_.now());
  for (const WorkerId worker : platform_.workers()) expect(worker);
  start_policy();
  for (const WorkerId worker : platform_.workers()) {
    for (const Attempt* attempt : workers_[index(worker)]->given) {
      if (attempt->node != nullptr) policy.started(view, attempt->node->task, worker);
    }
  }
  told_.clear();
  for (const TaskId task : epoch_->instance().graph.tasks()) {
    Node& node = *epoch_->node(task);
    if (node.state == State::ready) {
      // The policy before may have kept an order of its own.
      if (node.commutes && !keeps_order_ && !node.holds && !acquire(node)) {
        contending_.push_back(&node);
      } else {
        told_.push_back(task);
      }
    }
    if (node.state == State::pending) {
      node.state = State::waiting;
      if (node.unmet == 0) released_.push_back(&node);
    }
  }
  ready_ = told_.size();
  if (!told_.empty()) policy.ready(view, told_);
  settle();
}

/// Goes through the epoch of recorded tasks, again if it was before; nothing runs and nothing else is left.
void Scheduler::begin_recorded() {
  const auto [recording, first] = submission_.take_recording(types_);
  durations_.adopt(types_);
  in_recording_ = true;
  stale_ = false;
  recording->reset(first, released_);
  std::vector<Node*> nodes = recording->nodes();
  if (recorder_) {
    for (const Node* node : nodes) recorder_->submitted(*node);
  }
  if (recording->epoch && recording->epoch->still_believed(types_)) {
    epoch_ = recording->epoch;
    epoch_->rewind(++epochs_, std::move(nodes), *recording->started);
    observe();
    keeps_order_ = epoch_->policy().keeps_order();
  } else {
    epoch_ = std::make_shared<Epoch>(++epochs_, std::move(nodes), types_, platform_, new_policy());
    observe();
    epoch_->view().set_now(clock_.now());
    start_policy();
    recording->epoch = epoch_;
    recording->started = epoch_->policy();
  }
  epoch_->view().set_now(clock_.now());
  for (const WorkerId worker : platform_.workers()) expect(worker);
  ready_ = 0;
  settle();
}

/// Keeps the view of the epoch informed of where data is.
void Scheduler::observe() {
  copies_.observe(epoch_->view(), epochs_);
  for (Block* block : epoch_->blocks()) copies_.describe(*block);
}

/// Puts a task that was taken up behind those of its predecessors that have not ended.
void Scheduler::link(Node& node) {
  node.state = State::pending;
  node.holds = false;
  node.successors = nullptr;
  node.unmet = 0;
  if (recorder_) recorder_->submitted(node);
  for (std::uint32_t i = 0; i < node.link_count; ++i) {
    Link& link = node.links[i];
    Node& predecessor = *link.node;
    if (predecessor.sequence.load(std::memory_order_relaxed) != link.sequence) continue;
    add_successor(predecessor, node, link);
    ++node.unmet;
  }
}

/// What a policy looks ahead from.
sim::Present Scheduler::present(bool started) const {
  using Status = sim::Present::Status;
  sim::Present present;
  present.now = epoch_->view().now();
  present.started = started;
  const Instance& instance = epoch_->instance();
  present.status.assign(instance.graph.task_count(), Status::done);
  present.keeps_order = keeps_order_;
  present.work.resize(platform_.worker_count());
  for (const TaskId task : instance.graph.tasks()) {
    const Node* node = epoch_->node(task);
    if (node == nullptr) continue;
    present.status[task] = node->state == State::running ? Status::running
                           : node->state == State::ready ? Status::ready
                                                         : Status::waiting;
  }
  for (const WorkerId worker : platform_.workers()) {
    const Worker& at = *workers_[index(worker)];
    sim::Present::Work& work = present.work[worker];
    for (const Attempt* attempt : at.given) {
      if (attempt->node != nullptr) work.tasks.push_back(attempt->node->task);
    }
    if (at.started > 0 && at.given.front()->node != nullptr)
      work.since = std::min(at.given.front()->given, present.now);
  }
  for (Block* block : epoch_->blocks()) {
    for (const MemoryId memory : platform_.memories().ids()) present.copies.push_back(copies_.present(*block, memory));
  }
  return present;
}

void Scheduler::start_policy() {
  const sim::AheadOfOthers ahead(epoch_->instance(), [this] { return present(false); });
  if (looks_ahead_) epoch_->view().set_lookahead(&ahead);
  epoch_->policy().start(epoch_->view());
  epoch_->view().set_lookahead(nullptr);
  keeps_order_ = epoch_->policy().keeps_order();
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
    if (action.kind == policy::Action::Kind::wait) return;
    carry_out(action);
    if (stale_) return;
  }
  if (copies_.are_many() && ready_ > 0) ask_ahead();
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

void Scheduler::carry_out(const policy::Action& action) {
  using Kind = policy::Action::Kind;
  Node& node = *epoch_->node(action.task);
  switch (action.kind) {
    case Kind::run:
      --ready_;
      if (const std::exception_ptr failure = may_be_doomed(node) ? doom(node) : nullptr) {
        stale_ = true;
        leave(node, failure);
        settle();
      } else {
        give(node, action.worker);
      }
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
      data_.prefetch(node, platform_.memory_of(action.worker));
      return;
    case Kind::wait:
      return;
  }
}

/// Hands a transfer to the thread of the device.
void Scheduler::request(Transfer& transfer) {
  for (const WorkerId worker : platform_.workers()) {
    if (platform_.memory_of(worker) == transfer.device()) workers_[index(worker)]->driver->request(transfer);
  }
}

void Scheduler::give(Node& node, WorkerId id) {
  Worker& worker = *workers_[index(id)];
  policy::HostView& view = epoch_->view();
  Attempt& attempt = worker.free_attempt();
  if (worker.given.empty()) --idle_;
  worker.given.push_back(&attempt);
  node.state = State::running;
  node.worker = id;
  attempt.node = &node;
  attempt.worker = id;
  attempt.memory = platform_.memory_of(id);
  attempt.given = view.now();
  attempt.refused = nullptr;
  attempt.may_abort = aborts_ && node.type->has_choice;
  attempt.implementation = node.type->implementation[index(platform_.class_of(id))];
  if (!waits_for_turn(node)) stage(attempt);
  if (attempt.node == nullptr) return;  // refused
  expect(id);
  epoch_->policy().started(view, node.task, id);
  advance(worker);
}

/// Finds room for the data of an attempt and asks for what is missing.
void Scheduler::stage(Attempt& attempt) {
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

/// Somebody may have left room.
void Scheduler::stage_again() {
  if (starved_.empty()) return;
  for (Attempt* attempt : std::exchange(starved_, {})) {
    stage(*attempt);
    if (attempt->has_room) advance(*workers_[index(attempt->worker)]);
  }
}

/// Starts what the worker has next, if nothing is missing any more.
void Scheduler::advance(Worker& worker) {
  while (worker.may_start() && can_start(*worker.given[worker.started])) {
    start(worker, *worker.given[worker.started]);
  }
}

bool Scheduler::can_start(Attempt& attempt) {
  if (waits_for_turn(*attempt.node)) {
    if (!acquire(*attempt.node)) {
      some_wait_ = true;
      return false;
    }
    stage(attempt);
  }
  return attempt.node != nullptr && attempt.has_room && attempt.awaits.empty() && !attempt.refused;
}

/// Hands the task to the thread of the worker that it was given to.
void Scheduler::start(Worker& worker, Attempt& attempt) {
  const Node& node = *attempt.node;
  ++worker.started;
  attempt.given = epoch_->view().now();
  attempt.values.assign(node.values, node.values + node.value_bytes);
  attempt.until = node.extras ? node.extras->stop : std::stop_token();
  // Not only when a stop was requested: that comes after the lock was free, maybe when the next attempt runs.
  if (std::exchange(attempt.was_aborted, false)) attempt.stop = std::stop_source();
  try {
    data_.prepare(attempt, node);
  } catch (...) {
    attempt.refused = std::current_exception();
  }
  if (worker.driver) {
    worker.driver->request(attempt);
  } else if (&worker == acting_) {
    attempt.started = attempt.given;
    worker.next = &attempt;
  } else {
    worker.mailbox.put(&attempt);
  }
}

/// The worker has the attempt, which has not started, no longer.
void Scheduler::take_back(Attempt& attempt) {
  Worker& worker = *workers_[index(attempt.worker)];
  data_.drop(attempt);
  if (keeps_order_) let_go(*attempt.node);
  attempt.node = nullptr;
  std::erase(starved_, &attempt);
  std::erase(worker.given, &attempt);
  if (worker.given.empty()) ++idle_;
  expect(attempt.worker);
}

/// A policy that begins is told what workers run, not what they were given ahead: that is ready again. Its data comes.
void Scheduler::take_back_ahead() {
  for (const auto& worker : workers_) {
    for (std::size_t i = worker->given.size(); i-- > std::max<std::size_t>(worker->started, 1);) {
      Node& node = *worker->given[i]->node;
      take_back(*worker->given[i]);
      node.state = State::ready;
    }
  }
}

/// The worker cannot get the data of the task, which the policy has to give to another one: of another class, unless
/// the data is lost and nobody can run it.
void Scheduler::refuse(Attempt& attempt, const std::exception_ptr& why) {
  Node& node = *attempt.node;
  take_back(attempt);
  stale_ = true;
  node.state = State::ready;
  if (!doom(node)) {
    node.type->forbid(platform_.class_of(attempt.worker));
    if (!node.type->can_run()) leave(node, why);
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
    stops_.push_back(attempt.stop);
    const bool ran = &attempt == worker.given.front();  // not behind another one
    if (recorder_ && ran) recorder_->attempted(node, id, attempt.given, view.now(), Outcome::aborted);
    expect(id);
  }
  epoch_->policy().aborted(view, node.task, id);
  advance(worker);
}

/// Tells the view what a worker has, and when it is expected to be free.
void Scheduler::expect(WorkerId id) {
  const Worker& worker = *workers_[index(id)];
  const ClassId c = platform_.class_of(id);
  policy::HostView& view = epoch_->view();
  bool is_first = true;
  for (const Attempt* attempt : worker.given) {
    if (attempt->node == nullptr) continue;
    const TaskId task = attempt->node->task;
    const Time estimate = view.estimate(task, c);
    if (!std::exchange(is_first, false)) {
      view.set_expected_end(id, view.expected_end(id) + estimate);
    } else if (worker.has_started(*attempt)) {
      view.begin(id, task, estimate - (view.now() - attempt->given));
    } else {
      view.begin(id, task, estimate + view.transfer_estimate(task, attempt->memory));
    }
  }
  if (is_first) view.end(id);
  const bool idle = view.asks_ahead() ? worker.asks_ahead() : worker.given.empty();
  if (idle != view.is_idle(id)) view.mark_idle(id, idle);
}

}  // namespace heddle::runtime
