#include "tests/policy/fault_host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "heddle/model/validate.hpp"
#include "tests/policy/registered.hpp"

namespace heddle::test {

using host::Status;
using policy::Action;

std::optional<Time> FaultHost::Fickle::run(policy::Policy, const Observer& observer) const {
  if (observer) {
    for (const Attempt& attempt : plan_for(instance).attempts) {
      if (!observer(attempt)) return std::nullopt;
    }
  }
  return draw(random, 1, 9);
}

FaultHost::Epoch::Epoch(Projection left_over, const Make& make, std::uint64_t seed, host::Aborts aborts)
    : left(std::move(left_over)), session(left.instance, make(left.instance), aborts), lookahead(left.instance, seed) {
  lookahead.idle.assign(left.instance.platform.class_count(), false);
}

/// What the session has it do.
class FaultHost::Acts {
 public:
  explicit Acts(FaultHost& host) : host_(host) {}

  [[nodiscard]] bool asks() const {
    const auto asks = [&](WorkerId worker) { return host_.session().view().is_idle(worker); };
    return !host_.session().view().asks_ahead() || std::ranges::any_of(host_.instance_.platform.workers(), asks);
  }
  [[nodiscard]] const policy::Lookahead* lookahead() const { return &host_.epoch_->lookahead; }
  [[nodiscard]] bool refuses(const Action&) const { return !host_.calm_ && draw(host_.random_, 1, 100) <= 10; }
  /// Any guess will do, as futures come as they like.
  [[nodiscard]] std::optional<Time> abort_of(const policy::Policy&, TaskId, WorkerId) {
    return draw(host_.random_, 0, 1) == 0 ? std::nullopt : std::optional(host_.now_ + draw(host_.random_, 0, 30));
  }
  void give(TaskId here, WorkerId worker) {
    const TaskId task = host_.whole(here);
    host_.given_[worker].tasks.push_back(task);
    host_.status_[task] = Status::running;
    host_.worker_[task] = worker;
    host_.expect(worker);
    host_.session().started(here, worker);
    host_.advance();
  }
  void take_back(TaskId here) {
    const TaskId task = host_.whole(here);
    host_.tell_aborted(task, host_.worker_[task]);
    host_.status_[task] = Status::ready;
    host_.advance();
  }
  void prefetch(TaskId here, WorkerId worker) {
    for (const Access access : host_.instance_.graph.accesses(host_.whole(here))) {
      if (reads(access.mode)) host_.copies_.fetch(access.data, host_.instance_.platform.memory_of(worker));
    }
    host_.copies_.begin(host_.random_, host_.now_);
  }
  [[nodiscard]] bool has_room_ahead(WorkerId worker) const { return host_.given_[worker].tasks.size() == 1; }

 private:
  FaultHost& host_;
};

FaultHost::FaultHost(const Instance& instance, Make make, std::uint64_t seed, host::Aborts aborts)
    : instance_(instance),
      make_(std::move(make)),
      aborts_(aborts),
      random_(seed),
      copies_(instance),
      status_(instance.graph.task_count(), Status::waiting),
      waiting_(instance.graph.task_count(), 0),
      worker_(instance.graph.task_count(), kNone<WorkerId>),
      given_(instance.platform.worker_count()),
      holder_(instance.graph.data_count(), kNone<TaskId>) {
  for (const TaskId task : instance.graph.tasks()) {
    waiting_[task] = instance.graph.predecessors(task).size();
    if (waiting_[task] == 0) contending_.push_back(task);
  }
}

void FaultHost::run() {
  const std::size_t tasks = instance_.graph.task_count();
  begin_epoch();
  for (std::size_t turn = 0; completed_ < tasks; ++turn) {
    if (turn > 500 * tasks + 1000) {
      FAIL() << "the policy never completes all tasks";
    }
    calm_ = turn > 50 * tasks;
    ask();
    if (::testing::Test::HasFailure()) return;
    happen();
  }
  schedule_.transfers = copies_.transfers();
  const std::vector<std::string> violations = validate(instance_, schedule_, Durations::free);
  EXPECT_TRUE(violations.empty()) << violations.front();
}

/// A new policy is told of what is left, and of what runs. What was given ahead, or waits for its turn, is ready again.
void FaultHost::begin_epoch() {
  for (const WorkerId worker : instance_.platform.workers()) {
    Given& given = given_[worker];
    while (given.tasks.size() > (given.since ? 1U : 0U)) {
      const TaskId last = given.tasks.back();
      if (given.tasks.size() == 1 && take(last, true)) break;
      take_from(worker, last);
      status_[last] = Status::ready;
    }
  }
  std::vector<TaskId> left;
  std::vector<TaskId> ready = std::exchange(contending_, {});
  for (const TaskId task : instance_.graph.tasks()) {
    if (status_[task] == Status::done) continue;
    left.push_back(task);
    if (status_[task] != Status::ready) continue;
    let_go(task);
    status_[task] = Status::waiting;  // maybe for others that commute
    ready.push_back(task);
  }
  epoch_ = std::make_unique<Epoch>(project(instance_, std::move(left)), make_, random_(), aborts_);
  session().view().set_now(now_);
  copies_.observe(session().view());
  for (const WorkerId worker : instance_.platform.workers()) expect(worker);
  session().start(&epoch_->lookahead);
  epoch_->keeps_order = session().policy().keeps_order();
  for (const WorkerId worker : instance_.platform.workers()) {
    for (const TaskId task : given_[worker].tasks) session().started(here(task), worker);
  }
  release(std::move(ready));
  advance();
}

void FaultHost::tell_ready(std::vector<TaskId> tasks) {
  if (tasks.empty()) return;
  std::ranges::sort(tasks);
  for (TaskId& task : tasks) {
    status_[task] = Status::ready;
    task = here(task);
  }
  session().ready(tasks);
}

void FaultHost::ask() {
  Acts acts(*this);
  session().ask(acts);
  if (copies_.are_free()) return;
  session().ask_ahead(acts);
}

/// Tells the view what the worker has, and when it is believed to be free.
void FaultHost::expect(WorkerId worker) {
  policy::HostView& view = session().view();
  const Given& given = given_[worker];
  if (!view.is_available(worker)) return;
  if (given.tasks.empty()) {
    view.end(worker);
  } else {
    const TaskId first = here(given.tasks.front());
    Time more = given.since ? *given.since - now_ : view.transfer_estimate(first, instance_.platform.memory_of(worker));
    for (const TaskId task : given.tasks) more += view.estimate(here(task), instance_.platform.class_of(worker));
    view.begin(worker, first, std::max<Time>(more, 0));
  }
  view.mark_idle(worker, view.asks_ahead() ? given.tasks.size() == 1 : given.tasks.empty());
}

/// The predecessors of the tasks have ended. Those that commute on a datum are ready one after the other, unless the
/// policy keeps an order of its own: then they wait for their turn on their workers.
void FaultHost::release(std::vector<TaskId> tasks) {
  std::ranges::sort(tasks);
  std::vector<TaskId> ready;
  for (const TaskId task : tasks) (epoch_->keeps_order || take(task, false) ? ready : contending_).push_back(task);
  tell_ready(std::move(ready));
}

/// Takes all the data that the task commutes on, and those that it reduces into, or nothing.
bool FaultHost::take(TaskId task, bool reduces) {
  const auto wants = [&](Access access) {
    return access.mode == AccessMode::commute || (reduces && access.mode == AccessMode::reduce);
  };
  const auto accesses = instance_.graph.accesses(task);
  for (const Access access : accesses) {
    const TaskId holder = holder_[access.data];
    if (wants(access) && holder != kNone<TaskId> && holder != task) return false;
  }
  for (const Access access : accesses) {
    if (wants(access)) holder_[access.data] = task;
  }
  return true;
}

void FaultHost::let_go(TaskId task) {
  for (const Access access : instance_.graph.accesses(task)) {
    if (holder_[access.data] == task) holder_[access.data] = kNone<TaskId>;
  }
}

/// What it commutes on, a task that was ready keeps.
void FaultHost::take_from(WorkerId worker, TaskId task) {
  Given& given = given_[worker];
  if (given.since && given.tasks.front() == task) {
    schedule_.attempts.push_back({task, worker, *given.since, now_, Outcome::aborted});
    given.since.reset();
  }
  std::erase(given.tasks, task);
  let_go(task);
  if (!epoch_->keeps_order) static_cast<void>(take(task, false));
}

void FaultHost::tell_aborted(TaskId task, WorkerId worker) {
  take_from(worker, task);
  expect(worker);
  session().aborted(here(task), worker);
}

/// Starts what has all that it needs, and asks for what is missing.
void FaultHost::advance() {
  for (const WorkerId worker : instance_.platform.workers()) {
    Given& given = given_[worker];
    for (const TaskId task : given.tasks) {
      const bool is_first = task == given.tasks.front();
      if ((is_first && given.since) || !can_start(task, worker, is_first)) continue;
      given.since = now_;
      expect(worker);
    }
  }
  copies_.begin(random_, now_);
}

/// A task that was given ahead waits for its turn only when it is the first: others could wait for it.
bool FaultHost::can_start(TaskId task, WorkerId worker, bool is_first) {
  const MemoryId memory = instance_.platform.memory_of(worker);
  const auto accesses = instance_.graph.accesses(task);
  const auto is_in_line = [&](Access access) { return is_grouped(access.mode) && holder_[access.data] != task; };
  if (is_first ? !take(task, true) : std::ranges::any_of(accesses, is_in_line)) return false;
  bool is_there = is_first;
  for (const Access access : accesses) {
    if (access.mode == AccessMode::write || copies_.has(access.data, memory)) continue;
    copies_.fetch(access.data, memory);
    is_there = false;
  }
  return is_there;
}

std::vector<WorkerId> FaultHost::executing() const {
  std::vector<WorkerId> workers;
  for (const WorkerId worker : instance_.platform.workers()) {
    if (given_[worker].since) workers.push_back(worker);
  }
  return workers;
}

/// The next event: mostly the end of an attempt or a transfer, sometimes trouble.
void FaultHost::happen() {
  now_ += draw(random_, 0, 10);
  session().view().set_now(now_);
  const std::vector<WorkerId> workers = executing();
  const WorkerId any = make_id<WorkerId>(random_() % instance_.platform.worker_count());
  const std::int64_t dice = draw(random_, 1, 100);
  if (calm_ || workers.empty()) {
    for (const WorkerId worker : instance_.platform.workers()) come_back(worker);
  } else if (dice <= 5) {
    leave(any);
  } else if (dice <= 15) {
    come_back(any);
  } else if (dice <= 20) {
    return interrupt(workers[random_() % workers.size()]);
  } else if (dice <= 22) {
    return begin_epoch();
  }
  const std::vector<WorkerId> still = executing();
  if (copies_.is_under_way() && (still.empty() || draw(random_, 0, 1) == 0)) {
    copies_.end(now_);
    advance();
  } else if (!still.empty()) {
    finish(still[random_() % still.size()]);
  } else {
    Acts acts(*this);
    session().start_held(acts);
  }
}

void FaultHost::finish(WorkerId worker) {
  Given& given = given_[worker];
  const TaskId task = given.tasks.front();
  schedule_.attempts.push_back({task, worker, *given.since, now_, Outcome::completed});
  given.tasks.erase(given.tasks.begin());
  given.since.reset();
  status_[task] = Status::done;
  ++completed_;
  let_go(task);
  for (const Access access : instance_.graph.accesses(task)) {
    if (access.mode != AccessMode::read) copies_.written(access.data, instance_.platform.memory_of(worker));
  }
  expect(worker);
  const policy::Completion completion{here(task), worker};
  session().finished(std::span(&completion, 1));
  std::vector<TaskId> released = std::exchange(contending_, {});
  for (const TaskId successor : instance_.graph.successors(task)) {
    if (--waiting_[successor] == 0) released.push_back(successor);
  }
  release(std::move(released));
  advance();
}

void FaultHost::interrupt(WorkerId worker) {
  const TaskId task = given_[worker].tasks.front();
  tell_aborted(task, worker);
  tell_ready({task});
  advance();
}

void FaultHost::leave(WorkerId worker) {
  std::vector<TaskId> tasks;
  while (!given_[worker].tasks.empty()) {
    tasks.push_back(given_[worker].tasks.back());
    tell_aborted(tasks.back(), worker);
  }
  session().set_available(worker, false);
  tell_ready(std::move(tasks));
  advance();
}

void FaultHost::come_back(WorkerId worker) {
  if (!session().view().is_available(worker)) session().set_available(worker, true);
}

}  // namespace heddle::test
