#include "heddle/sim/simulation.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/sim/lookahead.hpp"

namespace heddle::sim {

using host::Status;

/// What its policy looks ahead with.
class Simulation::AheadOfThis final : public Ahead {
 public:
  explicit AheadOfThis(Simulation& present) : Ahead(present.events_), present_(present) {}

 private:
  [[nodiscard]] Simulation& present() const override { return present_; }

  Simulation& present_;
};

/// What its session has it do.
class Simulation::Acts {
 public:
  explicit Acts(Simulation& simulation) : simulation_(simulation), ahead_(simulation) {}

  [[nodiscard]] static bool asks() { return true; }
  [[nodiscard]] const policy::Lookahead* lookahead() const { return &ahead_; }
  [[nodiscard]] static bool refuses(const policy::Action&) { return false; }
  [[nodiscard]] std::optional<Time> abort_of(const policy::Policy& policy, TaskId task, WorkerId worker) const {
    return ahead_.abort_of(policy, task, worker);
  }
  void give(TaskId task, WorkerId worker) { simulation_.give(task, worker); }
  void take_back(TaskId task) { simulation_.take_back(task); }
  void prefetch(TaskId task, WorkerId worker) {
    policy::HostView& view = simulation_.view();
    if (simulation_.data_) simulation_.data_->prefetch(view, task, view.memory_of(worker));
  }
  [[nodiscard]] bool has_room_ahead(WorkerId worker) const { return simulation_.has_room_ahead(worker); }

 private:
  Simulation& simulation_;
  AheadOfThis ahead_;
};

Simulation::Simulation(const Instance& instance, policy::Policy policy, const Config& config)
    : instance_(&instance),
      session_(instance, std::move(policy), config.aborts),
      believed_(std::make_shared<const Noise::Durations>(Noise::Durations::estimated(instance))),
      durations_(config.noise.none() && !instance.costs.estimates_differ()
                     ? believed_
                     : std::make_shared<const Noise::Durations>(config.noise.durations(instance, config.seed))),
      ends_(instance.platform.worker_count()),
      waiting_(instance.graph),
      ahead_(config.ahead),
      ram_(instance.platform.find_memory("ram").value()),
      tasks_(instance.graph.task_count()),
      start_(instance.platform.worker_count(), 0) {
  reserve_attempts();
  if (view().moves_data()) data_.emplace(instance);
}

Simulation::Simulation(const Instance& instance, policy::Policy policy, const host::Present& present,
                       const Config& config)
    : Simulation(instance, std::move(policy), config) {
  started_ = present.started;
  steps_singly_ = true;
  may_use_threads_ = false;
  workers_return_ = present.workers_return;
  waiting_.take_turns_at_start(present.keeps_order);
  view().set_now(present.now);
  resume_tasks(present);
  if (data_ && !present.copies.empty()) data_->resume(view(), present.copies, transfers_);
  resume_work(present);
  resume_turns();
  begin_supplied();
  waits_on_workers_ = data_ || waiting_.turns_at_start() || !given_.empty();
}

void Simulation::resume_tasks(const host::Present& present) {
  Table<TaskId, Status> status = present.status;
  for (const TaskId task : status.ids()) {
    if (status[task] == Status::done) {
      waiting_.skip(instance_->graph, task);
      if (data_) data_->skip(task);
    }
    if (!started_ && status[task] == Status::ready) status[task] = Status::waiting;  // the policy was not told
  }
  for (const host::Present::Work& work : present.work) {
    for (std::size_t i = 1; !started_ && i < work.tasks.size(); ++i) status[work.tasks[i]] = Status::waiting;
  }
  for (const TaskId task : status.ids()) {
    if (!started_) continue;
    if (status[task] != Status::waiting && waiting_.unmet(task) > 0) waiting_.detach(task);
    if (status[task] == Status::waiting && waiting_.unmet(task) == 0) waiting_.release(task);
  }
  session_.resume(std::move(status));
}

/// What runs goes on; what does not yet waits for its turn.
void Simulation::resume_work(const host::Present& present) {
  assigned_.resize(instance_->platform.worker_count());
  std::size_t longest = 0;
  for (const WorkerId worker : instance_->platform.workers()) {
    const host::Present::Work& work = present.work[worker];
    assigned_[worker] = work.tasks;
    if (!started_ && work.tasks.size() > 1) assigned_[worker].resize(1);
    longest = std::max(longest, assigned_[worker].size());
    for (const TaskId task : assigned_[worker]) tasks_[task].worker = worker;
    for (std::size_t i = 0; i < work.committed; ++i) view().set_committed(work.tasks[i], true);
    if (!work.since) continue;
    const TaskId task = work.tasks.front();
    if (data_) data_->hold(task, view().memory_of(worker));
    begin(task, worker);
    ends_.set(worker, std::max(now(), ends_.end(worker) - now() + *work.since));
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

/// What computes has what it commutes on, and so has what will.
void Simulation::resume_turns() {
  const auto acquire = [this](TaskId task) { static_cast<void>(waiting_.commuting().acquire(instance_->graph, task)); };
  for (const WorkerId worker : assigned_.ids()) {
    if (computes(worker)) acquire(assigned_[worker].front());
  }
  if (!started_) return;
  take_turns_of_given();
  for (const TaskId task : tasks_.ids()) {
    if (session_.status(task) == Status::ready && !waiting_.turns_at_start()) acquire(task);
  }
}

/// Of tasks that were given before the run was in these hands.
void Simulation::take_turns_of_given() {
  for (Given& given : given_) {
    given.holds = !waiting_.turns_at_start() && waiting_.commuting().acquire(instance_->graph, given.task);
  }
}

Simulation Simulation::look_ahead(policy::Policy policy, std::uint64_t& events) {
  // The past is long, and of no use ahead: it is put aside while the present is copied.
  std::vector<Attempt> attempts = std::exchange(attempts_, {});
  std::vector<Transfer> transfers = std::exchange(transfers_, {});
  std::vector<std::size_t> repeats = std::exchange(repeats_, {});
  Simulation future = *this;
  attempts_ = std::move(attempts);
  transfers_ = std::move(transfers);
  repeats_ = std::move(repeats);
  future.session_.replace_policy(std::move(policy));
  future.recording_ = false;
  future.events_ = &events;
  future.weight_ = 1;
  future.steps_singly_ = false;
  future.foreseen_.reset();
  future.durations_ = believed_;
  for (const WorkerId worker : instance_->platform.workers()) {
    if (!computes(worker)) continue;
    const Time estimate = view().estimate(view().running(worker), instance_->platform.class_of(worker));
    future.ends_.set(worker, std::max(now(), start_[worker] + estimate));
  }
  if (view().asks_ahead()) future.session_.end_asking_ahead();
  for (const host::Session::Held& held : future.session_.stop_holding_back()) future.believe(held.task, held.worker);
  if (std::exchange(future.workers_return_, false)) future.session_.tell_workers_changed();
  return future;
}

/// What was held back runs, as the policy believes. Where data moves, it begins to come now.
void Simulation::believe(TaskId task, WorkerId worker) {
  tasks_[task].worker = worker;
  if (waits_on_workers_) {
    assigned_[worker].push_back(task);
    given_.push_back({.task = task, .worker = worker, .holds = !waiting_.turns_at_start()});
    expect(worker);
    begin_supplied();
  } else {
    start_[worker] = now();
    ends_.set(worker, view().expected_end(worker));
  }
}

bool Simulation::step() {
  if (follows_) {
    follow();
    return !finished();
  }
  if (!started_) {
    start();
  } else {
    Time next = next_event();
    if (next == kMaxTime) {
      Acts acts(*this);
      if (!session_.start_held(acts)) session_.report_stuck();
      next = next_event();
    }
    if (recording_ && next == now()) repeats_.push_back(attempts_.size());
    view().set_now(next);
    if (ends_.next() == next) complete_attempts();
    if (data_) {
      if (next > kMaxTime / 4) throw InputError("the schedule passes 26 days while data is being moved");
      data_->advance(view(), transfers_);
    }
    if (waits_on_workers_) begin_supplied();
  }
  act();
  if (data_) data_->write_back(view());
  return !finished();
}

void Simulation::start() {
  const AheadOfThis ahead(*this);
  session_.start(&ahead);
  for (const WorkerId worker : instance_->platform.workers()) {
    if (view().running(worker) != kNone<TaskId>) session_.started(view().running(worker), worker);
  }
  started_ = true;
  waiting_.take_turns_at_start(session_.policy().keeps_order());
  take_turns_of_given();
  waits_on_workers_ = data_ || waiting_.turns_at_start() || !given_.empty();
  if (waits_on_workers_) assigned_.resize(instance_->platform.worker_count());
  for (const TaskId task : tasks_.ids()) {
    if (waiting_.unmet(task) == 0 && session_.status(task) == Status::waiting) waiting_.release(task);
  }
  tell_ready();
}

void Simulation::complete_attempts() {
  completions_.clear();
  while (ends_.next() == now()) {
    const WorkerId worker = ends_.worker();
    const TaskId task = view().running(worker);
    ends_.clear(worker);
    record(task, worker, Outcome::completed);
    leave_worker(task, worker, true);
    completions_.push_back({task, worker});
    waiting_.complete(instance_->graph, task);
  }
  session_.finished(completions_);
  tell_ready();
}

void Simulation::tell_ready() {
  const std::span<const TaskId> batch = waiting_.next_batch(instance_->graph);
  if (!batch.empty()) session_.ready(batch);
}

void Simulation::act() {
  Acts acts(*this);
  const bool asks_ahead = data_ && ahead_ > 0;
  const bool at_once = asks_ahead && session_.policy().polls();
  if (!at_once) session_.ask(acts);
  if (asks_ahead && session_.ready_count() > 0) session_.ask_ahead(acts, at_once);
  if (!foreseen_) return;
  follows_ = session_.policy().follows_best();
  if (!follows_) foreseen_.reset();
}

bool Simulation::may_follow() const {
  return durations_ == believed_ && !data_ && !steps_singly_ && session_.aborts() != host::Aborts::hold_back;
}

void Simulation::foresee(Foreseen foreseen) {
  foreseen_ = std::make_shared<const Foreseen>(std::move(foreseen));
  next_foreseen_ = 0;
}

/// Whether the attempt, which ends in the instant in which the policy asked, is the next that it foresaw.
bool Simulation::is_foreseen(const Attempt& attempt) {
  const std::size_t next = next_foreseen_++;
  return next < foreseen_->attempts.size() && foreseen_->attempts[next] == attempt;
}

/// Goes on to the next instant as is foreseen. Nothing but the time and the attempts is kept up to date.
void Simulation::follow() {
  const auto& [attempts, repeats] = *foreseen_;
  view().set_now(attempts[next_foreseen_].end);
  do {
    const Attempt& attempt = attempts[next_foreseen_++];
    if (attempt.outcome == Outcome::completed) ++followed_;
    add(attempt);
  } while (next_foreseen_ < attempts.size() && attempts[next_foreseen_].end == now() &&
           !std::ranges::binary_search(repeats, next_foreseen_));
}

void Simulation::Foreseen::replace_end(std::size_t attempts_kept, std::size_t repeats_kept, const Foreseen& end) {
  attempts.resize(attempts_kept);
  attempts.insert(attempts.end(), end.attempts.begin(), end.attempts.end());
  repeats.resize(repeats_kept);
  for (const std::size_t repeat : end.repeats) repeats.push_back(attempts_kept + repeat);
}

/// While the data of one task comes, a worker asks for no other: that one's data would only come in between.
bool Simulation::has_room_ahead(WorkerId worker) const {
  const std::vector<TaskId>& tasks = assigned_[worker];
  if (tasks.size() > ahead_ || view().memory_of(worker) == ram_ || !computes(worker)) return false;
  return tasks.size() == 1 || std::ranges::find(given_, tasks.back(), &Given::task)->supplied;
}

void Simulation::give(TaskId task, WorkerId worker) {
  tasks_[task].worker = worker;
  if (!waits_on_workers_) {
    begin(task, worker);
    view().begin(worker, task, view().estimate(task, instance_->platform.class_of(worker)));
    session_.started(task, worker);
    return;
  }
  assigned_[worker].push_back(task);
  given_.push_back({.task = task, .worker = worker, .holds = !waiting_.turns_at_start()});
  expect(worker);
  session_.started(task, worker);
  begin_supplied();
}

/// Tells the view what a worker is up to and when it is expected to be free.
void Simulation::expect(WorkerId worker) {
  const std::vector<TaskId>& tasks = assigned_[worker];
  const ClassId c = instance_->platform.class_of(worker);
  if (tasks.empty()) {
    view().end(worker);
    return;
  }
  const Time fetching = computes(worker) ? start_[worker] - view().now()
                                         : view().transfer_estimate(tasks.front(), view().memory_of(worker));
  const bool idle = view().asks_ahead() && has_room_ahead(worker);
  view().begin(worker, tasks.front(), fetching + view().estimate(tasks.front(), c));
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    view().set_expected_end(worker, view().expected_end(worker) + view().estimate(tasks[i], c));
  }
  view().mark_idle(worker, idle);
}

/// The worker no longer has the task, which held its data and locks.
void Simulation::leave_worker(TaskId task, WorkerId worker, bool completed) {
  if (!waits_on_workers_) {
    view().end(worker);
    return;
  }
  if (data_) data_->release(view(), task, view().memory_of(worker), completed);
  if (waiting_.turns_at_start()) waiting_.commuting().release(instance_->graph, task);
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
    if (!given.holds && !waiting_.commuting().acquire(instance_->graph, given.task)) return false;
    begin(given.task, given.worker);
    expect(given.worker);
    return true;
  };
  given_.erase(std::remove_if(given_.begin(), given_.end(), begins), given_.end());
}

bool Simulation::is_supplied(Given& given) {
  const MemoryId memory = view().memory_of(given.worker);
  if (given.staged && given.news == data_->news(memory)) return given.supplied;
  if (!given.staged) given.staged = !full_[memory] && data_->stage(view(), given.task, memory);
  if (!given.staged) {
    full_[memory] = true;
    return false;
  }
  given.supplied = data_->supplied(view(), given.task, memory);
  given.news = data_->news(memory);
  return given.supplied;
}

/// The one place where attempts start.
void Simulation::begin(TaskId task, WorkerId worker) {
  const Time duration = (*durations_)(task, instance_->platform.class_of(worker), tasks_[task].attempts++);
  if (duration > kMaxTime - 1 - view().now()) {
    throw InputError("the schedule passes 64 bits of picoseconds (106 days) at task '" +
                     std::string(instance_->graph.name(task)) + "'");
  }
  start_[worker] = view().now();
  ends_.set(worker, view().now() + duration);
}

void Simulation::take_back(TaskId task) {
  if (task == watched_) watched_ = kNone<TaskId>;
  const WorkerId worker = tasks_[task].worker;
  const auto given = std::ranges::find(given_, task, &Given::task);
  if (given == given_.end()) {
    ends_.clear(worker);
    record(task, worker, Outcome::aborted);
    leave_worker(task, worker, false);
  } else {
    if (given->staged) data_->release(view(), task, view().memory_of(worker), false);
    given_.erase(given);
    std::erase(assigned_[worker], task);
    expect(worker);
  }
  session_.aborted(task, worker);
  if (waits_on_workers_) begin_supplied();
}

void Simulation::record(TaskId task, WorkerId worker, Outcome outcome) {
  const Attempt attempt{task, worker, start_[worker], view().now(), outcome};
  if (foreseen_ && !is_foreseen(attempt)) foreseen_.reset();
  add(attempt);
}

/// For those that are left. Some are aborted, too; what is not used costs no memory.
void Simulation::reserve_attempts() {
  const std::size_t left = tasks_.size() - completed_tasks();
  attempts_.reserve(attempts_.size() + left + left / 8);
}

void Simulation::add(const Attempt& attempt) {
  if (events_ != nullptr) *events_ += weight_;
  if (recording_) attempts_.push_back(attempt);
}

Schedule make_schedule(const Simulation& simulation, const std::string& policy, const Config& config) {
  Schedule schedule;
  schedule.instance = simulation.instance().name;
  schedule.policy = policy;
  schedule.seed = config.seed;
  schedule.noise = config.noise.text();
  schedule.attempts = simulation.attempts();
  schedule.transfers = simulation.transfers();
  schedule.moves = simulation.moves();
  return schedule;
}

Schedule simulate(const Instance& instance, const policy::Spec& spec, const Config& config, const Schedule* plan) {
  const std::string objection = spec.objection(instance);
  if (!objection.empty()) throw InputError(objection);
  Schedule schedule = simulate(instance, spec.make(config.seed, plan), spec.text(), config);
  if (spec.needs().contexts) schedule.contexts = instance.contexts;
  return schedule;
}

Schedule simulate(const Instance& instance, policy::Policy policy, const std::string& name, const Config& config) {
  Simulation simulation(instance, std::move(policy), config);
  while (!simulation.finished()) simulation.step();
  return make_schedule(simulation, name, config);
}

}  // namespace heddle::sim
