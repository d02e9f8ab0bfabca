#include "tests/policy/fault_host.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/policy/registered.hpp"

namespace heddle::test {

using policy::Action;

std::optional<Time> FaultHost::Fickle::run(policy::Policy, const Observer& observer) const {
  if (observer) {
    for (const Attempt& attempt : plan_for(instance).attempts) {
      if (!observer(attempt)) return std::nullopt;
    }
  }
  return draw(random, 1, 9);
}

FaultHost::FaultHost(const Instance& instance, policy::Policy policy, std::uint64_t seed)
    : instance_(instance),
      policy_(std::move(policy)),
      random_(seed),
      view_(instance),
      lookahead_(instance, seed),
      status_(instance.graph.task_count(), Status::waiting),
      waiting_(instance.graph.task_count(), 0),
      worker_(instance.graph.task_count(), kNone<WorkerId>) {
  lookahead_.idle.assign(instance.platform.class_count(), false);
}

void FaultHost::run() {
  start();
  const std::size_t patience = 200 * instance_.graph.task_count() + 1000;
  for (std::size_t turn = 0; completed_ < instance_.graph.task_count(); ++turn) {
    if (turn > patience) {
      FAIL() << "the policy never completes all tasks";
    }
    calm_ = turn > 20 * instance_.graph.task_count();
    ask();
    if (::testing::Test::HasFailure()) return;
    happen();
  }
}

void FaultHost::start() {
  view_.set_lookahead(&lookahead_);
  policy_.start(view_);
  std::vector<TaskId> ready;
  for (const TaskId task : instance_.graph.tasks()) {
    waiting_[task] = instance_.graph.predecessors(task).size();
    if (waiting_[task] == 0) ready.push_back(task);
  }
  for (const TaskId task : ready) status_[task] = Status::ready;
  policy_.ready(view_, ready);
}

void FaultHost::ask() {
  for (std::size_t answers = 0;; ++answers) {
    const Action action = policy_.next(view_);
    if (action.kind == Action::Kind::wait) return;
    ASSERT_TRUE(is_legal(action)) << "kind " << static_cast<int>(action.kind) << " task " << index(action.task)
                                  << " worker " << index(action.worker);
    ASSERT_LT(answers, 10'000U) << "the policy does not stop acting";
    if (!calm_ && draw(random_, 1, 100) <= 10) {
      policy_.refused(view_, action);
    } else {
      carry_out(action);
    }
  }
}

bool FaultHost::is_legal(Action action) const {
  if (index(action.task) >= status_.size()) return false;
  if (action.kind == Action::Kind::preempt) return status_[action.task] == Status::running;
  if (index(action.worker) >= instance_.platform.worker_count() || !view_.is_idle(action.worker)) return false;
  if (!view_.can_run(action.task, instance_.platform.class_of(action.worker))) return false;
  if (action.kind == Action::Kind::prefetch) return status_[action.task] == Status::ready;
  const Status wanted = action.kind == Action::Kind::run ? Status::ready : Status::running;
  return status_[action.task] == wanted;
}

void FaultHost::carry_out(Action action) {
  if (action.kind != Action::Kind::run) {
    const WorkerId victim = worker_[action.task];
    view_.end(victim);
    policy_.aborted(view_, action.task, victim);
  }
  if (action.kind == Action::Kind::preempt) {
    status_[action.task] = Status::ready;
    policy_.ready(view_, std::span(&action.task, 1));
    return;
  }
  status_[action.task] = Status::running;
  worker_[action.task] = action.worker;
  view_.begin(action.worker, action.task, view_.estimate(action.task, instance_.platform.class_of(action.worker)));
  policy_.started(view_, action.task, action.worker);
}

std::vector<WorkerId> FaultHost::busy() const {
  std::vector<WorkerId> workers;
  for (const WorkerId worker : instance_.platform.workers()) {
    if (view_.running(worker) != kNone<TaskId>) workers.push_back(worker);
  }
  return workers;
}

/// The next event: mostly the end of an attempt, sometimes trouble.
void FaultHost::happen() {
  view_.set_now(view_.now() + draw(random_, 0, 10));
  const std::vector<WorkerId> workers = busy();
  const WorkerId any = make_id<WorkerId>(
      static_cast<std::size_t>(draw(random_, 0, static_cast<std::int64_t>(instance_.platform.worker_count()) - 1)));
  const std::int64_t dice = draw(random_, 1, 100);
  if (calm_ || workers.empty()) {
    for (const WorkerId worker : instance_.platform.workers()) come_back(worker);
  } else if (dice <= 5) {
    leave(any);
  } else if (dice <= 15) {
    come_back(any);
  } else if (dice <= 20) {
    interrupt(workers[static_cast<std::size_t>(dice) % workers.size()]);
    return;
  }
  const std::vector<WorkerId> still = busy();
  if (!still.empty()) {
    finish(still[static_cast<std::size_t>(draw(random_, 0, static_cast<std::int64_t>(still.size()) - 1))]);
  }
}

void FaultHost::finish(WorkerId worker) {
  const TaskId task = view_.running(worker);
  view_.end(worker);
  status_[task] = Status::done;
  ++completed_;
  std::vector<TaskId> ready;
  for (const TaskId successor : instance_.graph.successors(task)) {
    if (--waiting_[successor] == 0) ready.push_back(successor);
  }
  for (const TaskId next : ready) status_[next] = Status::ready;
  const policy::Completion completion{task, worker};
  policy_.finished(view_, std::span(&completion, 1));
  if (!ready.empty()) policy_.ready(view_, ready);
}

void FaultHost::interrupt(WorkerId worker) {
  const TaskId task = view_.running(worker);
  view_.end(worker);
  status_[task] = Status::ready;
  policy_.aborted(view_, task, worker);
  policy_.ready(view_, std::span(&task, 1));
}

void FaultHost::leave(WorkerId worker) {
  const TaskId task = view_.running(worker);
  const bool was_running = task != kNone<TaskId>;
  if (was_running) {
    view_.end(worker);
    status_[task] = Status::ready;
    policy_.aborted(view_, task, worker);
  }
  view_.set_available(worker, false);
  policy_.workers_changed(view_);
  if (was_running) policy_.ready(view_, std::span(&task, 1));
}

void FaultHost::come_back(WorkerId worker) {
  if (view_.is_available(worker)) return;
  view_.set_available(worker, true);
  policy_.workers_changed(view_);
}

}  // namespace heddle::test
