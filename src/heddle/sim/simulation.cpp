#include "heddle/sim/simulation.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/sim/lookahead.hpp"

namespace heddle::sim {

/// What its policy looks ahead with.
class Simulation::AheadOfThis final : public Ahead {
 public:
  explicit AheadOfThis(Simulation& present) : Ahead(present.events_), present_(present) {}

 private:
  [[nodiscard]] Simulation& present() const override { return present_; }

  Simulation& present_;
};

Simulation::Simulation(const Instance& instance, policy::Policy policy, const Config& config)
    : instance_(&instance),
      policy_(std::move(policy)),
      durations_(std::make_shared<const Noise::Durations>(config.noise.durations(instance, config.seed))),
      believed_(std::make_shared<const Noise::Durations>(Noise::Durations::estimated(instance))),
      view_(instance),
      ends_(instance.platform.worker_count()),
      locks_(instance.graph),
      ahead_(config.ahead),
      ram_(instance.platform.find_memory("ram").value()),
      tasks_(instance.graph.task_count()),
      start_(instance.platform.worker_count(), 0) {
  for (const TaskId task : instance.graph.tasks()) {
    tasks_[task].predecessors_left = static_cast<std::uint32_t>(instance.graph.predecessors(task).size());
  }
  attempts_.reserve(instance.graph.task_count());
  if (view_.moves_data()) data_.emplace(instance);
}

Simulation::Simulation(const Instance& instance, policy::Policy policy, const Present& present, const Config& config)
    : Simulation(instance, std::move(policy), config) {
  started_ = present.started;
  workers_return_ = present.workers_return;
  locks_at_start_ = present.keeps_order && !locks_.trivial();
  view_.set_now(present.now);
  resume_tasks(present);
  if (data_ && !present.copies.empty()) data_->resume(view_, present.copies, transfers_);
  resume_work(present);
  resume_locks();
  begin_supplied();
  waits_on_workers_ = data_ || locks_at_start_ || !given_.empty();
}

void Simulation::resume_tasks(const Present& present) {
  for (const TaskId task : instance_->graph.tasks()) {
    tasks_[task].status = present.status[task];
    if (started_ && present.status[task] == Status::ready) ++ready_;
    if (present.status[task] != Status::done) continue;
    ++completed_;
    if (data_) data_->skip(task);
    for (const TaskId successor : instance_->graph.successors(task)) --tasks_[successor].predecessors_left;
  }
  for (const TaskId task : instance_->graph.tasks()) {
    const Task& waits = tasks_[task];
    if (started_ && waits.status == Status::waiting && waits.predecessors_left == 0) released_.push_back(task);
  }
}

/// What runs goes on; what does not yet waits for its turn.
void Simulation::resume_work(const Present& present) {
  assigned_.resize(instance_->platform.worker_count());
  std::size_t longest = 0;
  for (const WorkerId worker : instance_->platform.workers()) {
    const Present::Work& work = present.work[worker];
    assigned_[worker] = work.tasks;
    if (!started_ && work.tasks.size() > 1) take_back_ahead(worker);
    longest = std::max(longest, assigned_[worker].size());
    for (const TaskId task : assigned_[worker]) tasks_[task].worker = worker;
    if (!work.since) continue;
    const TaskId task = work.tasks.front();
    if (data_) data_->hold(task, view_.memory_of(worker));
    begin(task, worker);
    ends_.set(worker, std::max(view_.now(), ends_.end(worker) - view_.now() + *work.since));
    start_[worker] = *work.since;
  }
  for (std::size_t place = 0; place < longest; ++place) {
    for (const WorkerId worker : assigned_.ids()) {
      if (place >= assigned_[worker].size() || (place == 0 && computes(worker))) continue;
      given_.push_back({assigned_[worker][place], worker});
    }
  }
  for (const WorkerId worker : assigned_.ids()) expect(worker);
}

/// The worker keeps one task.
void Simulation::take_back_ahead(WorkerId worker) {
  std::vector<TaskId>& tasks = assigned_[worker];
  for (std::size_t i = 1; i < tasks.size(); ++i) tasks_[tasks[i]].status = Status::ready;
  tasks.resize(1);
}

/// What computes has what it commutes on, and so has what will.
void Simulation::resume_locks() {
  const auto acquire = [this](TaskId task) { static_cast<void>(locks_.acquire(instance_->graph, task)); };
  for (const WorkerId worker : assigned_.ids()) {
    if (computes(worker)) acquire(assigned_[worker].front());
  }
  if (!started_) return;
  lock_given();
  for (const TaskId task : tasks_.ids()) {
    if (tasks_[task].status == Status::ready && !locks_at_start_) acquire(task);
  }
}

/// Tasks that were given before the run was in these hands.
void Simulation::lock_given() {
  for (Given& given : given_) given.holds = !locks_at_start_ && locks_.acquire(instance_->graph, given.task);
}

Simulation Simulation::look_ahead(policy::Policy policy, std::uint64_t& events) {
  // The past is long, and of no use ahead: it is put aside while the present is copied.
  std::vector<Attempt> attempts = std::exchange(attempts_, {});
  std::vector<Transfer> transfers = std::exchange(transfers_, {});
  Simulation future = *this;
  attempts_ = std::move(attempts);
  transfers_ = std::move(transfers);
  future.policy_ = std::move(policy);
  future.recording_ = false;
  future.events_ = &events;
  future.durations_ = believed_;
  for (const WorkerId worker : instance_->platform.workers()) {
    if (!computes(worker)) continue;
    const Time estimate = view_.estimate(view_.running(worker), instance_->platform.class_of(worker));
    future.ends_.set(worker, std::max(view_.now(), start_[worker] + estimate));
  }
  if (view_.asks_ahead()) future.end_asking_ahead();
  if (std::exchange(future.workers_return_, false)) future.policy_.workers_changed(future.view_);
  return future;
}

bool Simulation::step() {
  if (!started_) {
    start();
  } else {
    const Time next = std::min(ends_.next(), data_ ? data_->next() : kMaxTime);
    if (next == kMaxTime) report_stuck();
    view_.set_now(next);
    if (ends_.next() == next) complete_attempts();
    if (data_) {
      if (next > kMaxTime / 4) throw InputError("the schedule passes 26 days while data is being moved");
      data_->advance(view_, transfers_);
    }
    if (waits_on_workers_) begin_supplied();
  }
  act();
  if (data_) data_->write_back(view_);
  return !finished();
}

void Simulation::start() {
  const AheadOfThis ahead(*this);
  view_.set_lookahead(&ahead);
  policy_.start(view_);
  view_.set_lookahead(nullptr);
  for (const WorkerId worker : instance_->platform.workers()) {
    if (view_.running(worker) != kNone<TaskId>) policy_.started(view_, view_.running(worker), worker);
  }
  started_ = true;
  locks_at_start_ = policy_.keeps_order() && !locks_.trivial();
  lock_given();
  waits_on_workers_ = data_ || locks_at_start_ || !given_.empty();
  if (waits_on_workers_) assigned_.resize(instance_->platform.worker_count());
  for (const TaskId task : tasks_.ids()) {
    if (tasks_[task].predecessors_left == 0 && tasks_[task].status < Status::running) released_.push_back(task);
  }
  tell_ready();
}

void Simulation::complete_attempts() {
  completions_.clear();
  done_.clear();
  while (ends_.next() == view_.now()) {
    const WorkerId worker = ends_.worker();
    const TaskId task = view_.running(worker);
    ends_.clear(worker);
    record(task, worker, Outcome::completed);
    leave_worker(task, worker, true);
    tasks_[task].status = Status::done;
    ++completed_;
    completions_.push_back({task, worker});
    done_.push_back(task);
    release_successors(task);
  }
  policy_.finished(view_, completions_);
  tell_ready();
}

void Simulation::release_successors(TaskId task) {
  for (const TaskId successor : instance_->graph.successors(task)) {
    if (--tasks_[successor].predecessors_left == 0) released_.push_back(successor);
  }
}

void Simulation::tell_ready() {
  if (!locks_.trivial() && !locks_at_start_) {
    locks_.settle(instance_->graph, done_, released_);
  } else if (released_.size() > 1) {
    std::ranges::sort(released_);
  }
  if (released_.empty()) return;
  for (const TaskId task : released_) tasks_[task].status = Status::ready;
  ready_ += released_.size();
  policy_.ready(view_, released_);
  released_.clear();
}

void Simulation::act() {
  const AheadOfThis ahead(*this);
  view_.set_lookahead(&ahead);
  const bool at_once = data_ && ahead_ > 0 && policy_.polls();
  if (!at_once) act_until_wait();
  if (data_ && ahead_ > 0 && ready_ > 0) {
    begin_asking_ahead(at_once);
    act_until_wait();
    end_asking_ahead();
  }
  view_.set_lookahead(nullptr);
}

void Simulation::act_until_wait() {
  // A policy that aborts without end within one instant is caught; sound ones abort each worker a few times at most.
  const std::size_t limit = attempts_.size() + 64 * (instance_->platform.worker_count() + 64) + 2 * tasks_.size();
  std::size_t actions = 0;
  for (policy::Action action = policy_.next(view_); action.kind != policy::Action::Kind::wait;
       action = policy_.next(view_)) {
    check(++actions <= limit, action, "it does not stop acting within one instant");
    carry_out(action);
  }
}

/// `with_idle`: the workers that have nothing ask along.
void Simulation::begin_asking_ahead(bool with_idle) {
  view_.set_asks_ahead(true);
  for (const WorkerId worker : assigned_.ids()) {
    view_.mark_idle(worker, assigned_[worker].empty() ? with_idle : has_room_ahead(worker));
  }
}

/// While the data of one task comes, a worker asks for no other: that one's data would only come in between.
bool Simulation::has_room_ahead(WorkerId worker) const {
  const std::vector<TaskId>& tasks = assigned_[worker];
  if (tasks.size() > ahead_ || view_.memory_of(worker) == ram_ || !computes(worker)) return false;
  return tasks.size() == 1 || std::ranges::find(given_, tasks.back(), &Given::task)->supplied;
}

void Simulation::end_asking_ahead() {
  view_.set_asks_ahead(false);
  for (const WorkerId worker : assigned_.ids()) view_.mark_idle(worker, assigned_[worker].empty());
}

void Simulation::carry_out(policy::Action action) {
  using Kind = policy::Action::Kind;
  check(index(action.task) < tasks_.size(), action, "there is no such task");
  const Status status = tasks_[action.task].status;
  if (action.kind == Kind::preempt) {
    check(status == Status::running, action, "the task is not running");
    abort(action.task);
    tasks_[action.task].status = Status::ready;
    ++ready_;
    policy_.ready(view_, std::span(&action.task, 1));
    return;
  }
  check(index(action.worker) < instance_->platform.worker_count(), action, "there is no such worker");
  if (action.kind == Kind::prefetch) {
    check(status == Status::ready, action, "the task is not ready");
    if (data_) data_->prefetch(view_, action.task, view_.memory_of(action.worker));
    return;
  }
  check(view_.is_idle(action.worker), action, "the worker is not idle");
  check(view_.can_run(action.task, instance_->platform.class_of(action.worker)), action,
        "the worker's class cannot run the task");
  if (action.kind == Kind::restart) {
    check(status == Status::running, action, "the task is not running");
    check(!view_.asks_ahead(), action, "workers that ask ahead are busy");
    abort(action.task);
  } else {
    check(status == Status::ready, action, "the task is not ready");
    --ready_;
  }
  give(action.task, action.worker);
}

void Simulation::give(TaskId task, WorkerId worker) {
  tasks_[task].status = Status::running;
  tasks_[task].worker = worker;
  if (!waits_on_workers_) {
    begin(task, worker);
    view_.begin(worker, task, view_.estimate(task, instance_->platform.class_of(worker)));
    policy_.started(view_, task, worker);
    return;
  }
  assigned_[worker].push_back(task);
  given_.push_back({.task = task, .worker = worker, .holds = !locks_at_start_});
  expect(worker);
  policy_.started(view_, task, worker);
  begin_supplied();
}

/// Tells the view what a worker is up to and when it is expected to be free.
void Simulation::expect(WorkerId worker) {
  const std::vector<TaskId>& tasks = assigned_[worker];
  const ClassId c = instance_->platform.class_of(worker);
  if (tasks.empty()) {
    view_.end(worker);
    return;
  }
  const Time fetching =
      computes(worker) ? start_[worker] - view_.now() : view_.transfer_estimate(tasks.front(), view_.memory_of(worker));
  const bool idle = view_.asks_ahead() && has_room_ahead(worker);
  view_.begin(worker, tasks.front(), fetching + view_.estimate(tasks.front(), c));
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    view_.set_expected_end(worker, view_.expected_end(worker) + view_.estimate(tasks[i], c));
  }
  view_.mark_idle(worker, idle);
}

/// The worker no longer has the task, which held its data and locks.
void Simulation::leave_worker(TaskId task, WorkerId worker, bool completed) {
  if (!waits_on_workers_) {
    view_.end(worker);
    return;
  }
  if (data_) data_->release(view_, task, view_.memory_of(worker), completed);
  if (locks_at_start_) locks_.release(instance_->graph, task);
  std::erase(assigned_[worker], task);
  expect(worker);
}

/// Goes through the tasks that wait on their workers: gives them room, in the order in which they were given, and
/// begins those that have all their data.
void Simulation::begin_supplied() {
  full_.assign(instance_->platform.memories().size(), false);
  const auto begins = [&](Given& given) {
    if (data_ && !is_supplied(given)) return false;
    if (assigned_[given.worker].front() != given.task || computes(given.worker)) return false;
    if (!given.holds && !locks_.acquire(instance_->graph, given.task)) return false;
    begin(given.task, given.worker);
    expect(given.worker);
    return true;
  };
  given_.erase(std::remove_if(given_.begin(), given_.end(), begins), given_.end());
}

bool Simulation::is_supplied(Given& given) {
  const MemoryId memory = view_.memory_of(given.worker);
  if (given.staged && given.news == data_->news(memory)) return given.supplied;
  if (!given.staged) given.staged = !full_[memory] && data_->stage(view_, given.task, memory);
  if (!given.staged) {
    full_[memory] = true;
    return false;
  }
  given.supplied = data_->supplied(view_, given.task, memory);
  given.news = data_->news(memory);
  return given.supplied;
}

/// The one place where attempts start.
void Simulation::begin(TaskId task, WorkerId worker) {
  const Time duration = (*durations_)(task, instance_->platform.class_of(worker), tasks_[task].attempts++);
  if (duration > kMaxTime - 1 - view_.now()) {
    throw InputError("the schedule passes 64 bits of picoseconds (106 days) at task '" +
                     std::string(instance_->graph.name(task)) + "'");
  }
  start_[worker] = view_.now();
  ends_.set(worker, view_.now() + duration);
}

void Simulation::abort(TaskId task) {
  const WorkerId worker = tasks_[task].worker;
  const auto given = std::ranges::find(given_, task, &Given::task);
  if (given == given_.end()) {
    ends_.clear(worker);
    record(task, worker, Outcome::aborted);
    leave_worker(task, worker, false);
  } else {
    if (given->staged) data_->release(view_, task, view_.memory_of(worker), false);
    given_.erase(given);
    std::erase(assigned_[worker], task);
    expect(worker);
  }
  policy_.aborted(view_, task, worker);
  if (waits_on_workers_) begin_supplied();
}

void Simulation::record(TaskId task, WorkerId worker, Outcome outcome) {
  if (events_ != nullptr) ++*events_;
  if (recording_) attempts_.push_back({task, worker, start_[worker], view_.now(), outcome});
}

void Simulation::report_illegal(policy::Action action, const char* reason) const {
  const bool known = index(action.task) < tasks_.size();
  const bool placed = index(action.worker) < instance_->platform.worker_count();
  throw InternalError("the policy asked for what cannot be done with task '" +
                      std::string(known ? instance_->graph.name(action.task) : "?") + "' on worker '" +
                      (placed ? instance_->platform.worker_name(action.worker) : "?") + "' at " +
                      format_seconds(view_.now()) + " s: " + reason);
}

void Simulation::report_stuck() const {
  throw InternalError("the policy waits for ever at " + format_seconds(view_.now()) +
                      " s: " + std::to_string(tasks_.size() - completed_) + " tasks are left and nothing runs");
}

Schedule make_schedule(const Simulation& simulation, const std::string& policy, const Config& config) {
  Schedule schedule;
  schedule.instance = simulation.instance().name;
  schedule.policy = policy;
  schedule.seed = config.seed;
  schedule.noise = config.noise.text();
  schedule.attempts = simulation.attempts();
  schedule.transfers = simulation.transfers();
  return schedule;
}

Schedule simulate(const Instance& instance, const policy::Spec& spec, const Config& config, const Schedule* plan) {
  const std::string objection = spec.objection(instance);
  if (!objection.empty()) throw InputError(objection);
  return simulate(instance, spec.make(config.seed, plan), spec.text(), config);
}

Schedule simulate(const Instance& instance, policy::Policy policy, const std::string& name, const Config& config) {
  Simulation simulation(instance, std::move(policy), config);
  while (!simulation.finished()) simulation.step();
  return make_schedule(simulation, name, config);
}

}  // namespace heddle::sim
