#include "heddle/sim/simulation.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/policy/lookahead.hpp"

namespace heddle::sim {

/// What a policy looks ahead with: a clone of the simulation in which the estimates are the truth.
class Simulation::Ahead final : public policy::Lookahead {
 public:
  explicit Ahead(const Simulation& present) : present_(present) {}

  [[nodiscard]] Time makespan(policy::Policy policy) const override {
    Simulation future = present_.look_ahead(std::move(policy));
    future.act();
    while (!future.finished()) future.step();
    return future.now();
  }

 private:
  const Simulation& present_;
};

Simulation::Simulation(const Instance& instance, policy::Policy policy, const Config& config)
    : instance_(&instance),
      policy_(std::move(policy)),
      durations_(config.noise.durations(instance, config.seed)),
      view_(instance),
      ends_(instance.platform.worker_count()),
      locks_(instance.graph),
      tasks_(instance.graph.task_count()),
      start_(instance.platform.worker_count(), 0) {
  for (const TaskId task : instance.graph.tasks()) {
    tasks_[task].predecessors_left = static_cast<std::uint32_t>(instance.graph.predecessors(task).size());
  }
  attempts_.reserve(instance.graph.task_count());
}

Simulation Simulation::look_ahead(policy::Policy policy) const {
  Simulation future = *this;
  future.policy_ = std::move(policy);
  future.recording_ = false;
  future.durations_ = Noise::Durations::estimated(*instance_);
  for (const WorkerId worker : instance_->platform.workers()) {
    if (view_.running(worker) != kNone<TaskId>) future.ends_.set(worker, view_.expected_end(worker));
  }
  return future;
}

bool Simulation::step() {
  if (!started_) {
    start();
  } else {
    if (ends_.next() == kMaxTime) report_stuck();
    view_.set_now(ends_.next());
    complete_attempts();
  }
  act();
  return !finished();
}

void Simulation::start() {
  started_ = true;
  policy_.start(view_);
  for (const TaskId task : tasks_.ids()) {
    if (tasks_[task].predecessors_left == 0) released_.push_back(task);
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
    view_.end(worker);
    record(task, worker, Outcome::completed);
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
  if (!locks_.trivial()) {
    locks_.settle(instance_->graph, done_, released_);
    done_.clear();
  } else if (released_.size() > 1) {
    std::ranges::sort(released_);
  }
  if (released_.empty()) return;
  for (const TaskId task : released_) tasks_[task].status = Status::ready;
  policy_.ready(view_, released_);
  released_.clear();
}

void Simulation::act() {
  const Ahead ahead(*this);
  view_.set_lookahead(&ahead);
  // A policy that aborts without end within one instant is caught; sound ones abort each worker a few times at most.
  const std::size_t limit = attempts_.size() + 64 * (instance_->platform.worker_count() + 64) + tasks_.size();
  std::size_t actions = 0;
  for (policy::Action action = policy_.next(view_); action.kind != policy::Action::Kind::wait;
       action = policy_.next(view_)) {
    check(++actions <= limit, action, "it does not stop acting within one instant");
    carry_out(action);
  }
  view_.set_lookahead(nullptr);
}

void Simulation::carry_out(policy::Action action) {
  using Kind = policy::Action::Kind;
  check(index(action.task) < tasks_.size(), action, "there is no such task");
  const Status status = tasks_[action.task].status;
  if (action.kind == Kind::preempt) {
    check(status == Status::running, action, "the task is not running");
    abort(action.task);
    tasks_[action.task].status = Status::ready;
    policy_.ready(view_, std::span(&action.task, 1));
    return;
  }
  check(index(action.worker) < instance_->platform.worker_count(), action, "there is no such worker");
  if (action.kind == Kind::prefetch) return;
  check(view_.is_idle(action.worker), action, "the worker is not idle");
  check(view_.can_run(action.task, instance_->platform.class_of(action.worker)), action,
        "the worker's class cannot run the task");
  if (action.kind == Kind::restart) {
    check(status == Status::running, action, "the task is not running");
    abort(action.task);
  } else {
    check(status == Status::ready, action, "the task is not ready");
  }
  begin(action.task, action.worker);
}

/// The one place where attempts start.
void Simulation::begin(TaskId task, WorkerId worker) {
  Task& state = tasks_[task];
  const ClassId c = instance_->platform.class_of(worker);
  const Time duration = durations_(task, c, state.attempts++);
  if (duration > kMaxTime - 1 - view_.now()) {
    throw InputError("the schedule passes 64 bits of picoseconds (106 days) at task '" +
                     std::string(instance_->graph.name(task)) + "'");
  }
  state.status = Status::running;
  state.worker = worker;
  start_[worker] = view_.now();
  ends_.set(worker, view_.now() + duration);
  view_.begin(worker, task, view_.estimate(task, c));
  policy_.started(view_, task, worker);
}

void Simulation::abort(TaskId task) {
  const WorkerId worker = tasks_[task].worker;
  ends_.clear(worker);
  view_.end(worker);
  record(task, worker, Outcome::aborted);
  policy_.aborted(view_, task, worker);
}

void Simulation::record(TaskId task, WorkerId worker, Outcome outcome) {
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

Schedule simulate(const Instance& instance, const policy::Spec& spec, const Config& config, const Schedule* plan) {
  const std::string objection = spec.objection(instance);
  if (!objection.empty()) throw InputError(objection);
  Simulation simulation(instance, spec.make(config.seed, plan), config);
  while (!simulation.finished()) simulation.step();
  Schedule schedule;
  schedule.instance = instance.name;
  schedule.policy = spec.text();
  schedule.seed = config.seed;
  schedule.noise = config.noise.text();
  schedule.attempts = simulation.attempts();
  return schedule;
}

}  // namespace heddle::sim
