#include "heddle/host/session.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/policy/lookahead.hpp"

namespace heddle::host {
namespace {

using policy::Action;
using policy::preempt;
using policy::prefetch;
using policy::restart;
using policy::run;
using policy::wait;

constexpr TaskId kX{0};
constexpr TaskId kY{1};
constexpr WorkerId kCpu{0};
constexpr WorkerId kGpu{1};

/// Tasks x and y on a CPU and a GPU; only the CPU can run y.
Instance pair() {
  TaskGraphBuilder builder;
  const TypeId x = builder.add_type("x");
  const TypeId y = builder.add_type("y");
  builder.add_task("x", x);
  builder.add_task("y", y);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(Costs::row(x), ClassId{0}, 7);
  costs.set_actual(Costs::row(x), ClassId{1}, 5);
  costs.set_actual(Costs::row(y), ClassId{0}, 5);
  return make_instance("pair", std::move(graph),
                       Platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}}), std::move(costs));
}

/// What a policy was told, and whether it could look ahead then.
struct Told {
  std::vector<std::string> facts;
  void add(const std::string& fact, const policy::View& view) {
    facts.push_back(view.lookahead() == nullptr ? fact : fact + " ahead");
  }
};

/// Answers what is written, and writes down what it is told.
struct Scripted {
  Told* told;
  std::deque<Action> script{};

  void start(const policy::View& view) { told->add("start", view); }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    told->add("ready " + std::to_string(tasks.size()), view);
  }
  void started(const policy::View& view, TaskId task, WorkerId worker) {
    EXPECT_EQ(view.running(worker), task);
    told->add("started", view);
  }
  void finished(const policy::View& view, std::span<const policy::Completion>) { told->add("finished", view); }
  void aborted(const policy::View& view, TaskId, WorkerId) { told->add("aborted", view); }
  void refused(const policy::View& view, Action) { told->add("refused", view); }
  void workers_changed(const policy::View& view) { told->add("workers changed", view); }
  [[nodiscard]] Action next(const policy::View& view) {
    told->add("next", view);
    if (script.empty()) return wait();
    const Action action = script.front();
    script.pop_front();
    return action;
  }
};

struct NoFuture final : policy::Lookahead {
  [[nodiscard]] std::optional<Time> run(policy::Policy, const Observer&) const override { return 0; }
  [[nodiscard]] std::uint64_t events() const override { return 0; }
  [[nodiscard]] Time makespan_on(const Instance&, policy::Policy) const override { return 0; }
  [[nodiscard]] Future until(policy::Policy, TaskId, std::span<const WorkerId>) const override { return {0, {}}; }
};

struct Given {
  TaskId task;
  WorkerId worker;
  bool operator==(const Given&) const = default;
};

/// Gives tasks to workers, and lets no time pass.
struct Still {
  Session& session;
  bool refusing = false;
  std::vector<TaskId> prefetched{};
  std::vector<Given> given{};
  NoFuture future{};
  std::optional<Time> abort{};  ///< of every attempt

  [[nodiscard]] static bool asks() { return true; }
  [[nodiscard]] const policy::Lookahead* lookahead() const { return &future; }
  [[nodiscard]] bool refuses(const Action&) const { return refusing; }
  [[nodiscard]] std::optional<Time> abort_of(const policy::Policy&, TaskId, WorkerId) const { return abort; }
  void give(TaskId task, WorkerId worker) {
    given.push_back({task, worker});
    session.view().begin(worker, task, 5);
    session.started(task, worker);
  }
  void take_back(TaskId task) {
    for (const WorkerId worker : session.instance().platform.workers()) {
      if (session.view().running(worker) != task) continue;
      session.view().end(worker);
      session.aborted(task, worker);
      return;
    }
  }
  void prefetch(TaskId task, WorkerId) { prefetched.push_back(task); }
  [[nodiscard]] static bool has_room_ahead(WorkerId) { return true; }
};

class Hosted : public testing::Test {
 protected:
  /// Both tasks are ready when the policy is asked for the first time.
  void begin(std::deque<Action> script, Aborts aborts = Aborts::allowed) {
    told_.facts.clear();
    session_.emplace(instance_, Scripted{&told_, std::move(script)}, aborts);
    engine_.emplace(*session_);
    session_->start(&engine_->future);
    session_->ready(std::vector{kX, kY});
  }
  [[nodiscard]] std::string error_of(std::deque<Action> script, Aborts aborts = Aborts::allowed) {
    begin(std::move(script), aborts);
    try {
      session_->ask(*engine_);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "";
  }

  [[nodiscard]] std::string error_ahead() {
    try {
      session_->ask_ahead(*engine_);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "";
  }

  const Instance instance_ = pair();
  Told told_;
  std::optional<Session> session_;
  std::optional<Still> engine_;
};

TEST_F(Hosted, TheProtocol) {
  begin({run(kX, kGpu), run(kY, kCpu)});
  session_->ask(*engine_);
  EXPECT_EQ(session_->status(kX), Status::running);
  EXPECT_EQ(session_->ready_count(), 0U);
  session_->view().end(kGpu);
  const policy::Completion done{kX, kGpu};
  session_->finished(std::span(&done, 1));
  EXPECT_EQ(session_->status(kX), Status::done);
  EXPECT_EQ(session_->done_count(), 1U);
  EXPECT_FALSE(session_->finished());
  session_->set_available(kGpu, false);
  EXPECT_FALSE(session_->view().is_available(kGpu));
  // It can look ahead when it is to decide, not when it is told facts.
  EXPECT_EQ(told_.facts, (std::vector<std::string>{"start ahead", "ready 2", "next ahead", "started", "next ahead",
                                                   "started", "next ahead", "finished", "workers changed"}));
}

TEST_F(Hosted, AWorkerThatHasLeftIsNotIdleWhateverEnds) {
  begin({});
  const ClassId gpus = session_->view().platform().class_of(kGpu);
  EXPECT_TRUE(session_->view().is_idle(kGpu));
  session_->set_available(kGpu, false);
  EXPECT_FALSE(session_->view().is_idle(kGpu));
  session_->view().end(kGpu);
  session_->view().mark_idle(kGpu, true);
  EXPECT_FALSE(session_->view().is_idle(kGpu));
  EXPECT_FALSE(session_->view().has_idle(gpus));
  session_->set_available(kGpu, true);
  EXPECT_TRUE(session_->view().is_idle(kGpu));
}

TEST_F(Hosted, RestartsAndPreempts) {
  begin({run(kX, kGpu), restart(kX, kCpu), preempt(kX), prefetch(kX, kGpu)});
  session_->ask(*engine_);
  EXPECT_EQ(session_->status(kX), Status::ready);
  EXPECT_EQ(session_->ready_count(), 2U);
  EXPECT_EQ(engine_->prefetched, std::vector{kX});
  EXPECT_EQ(told_.facts,
            (std::vector<std::string>{"start ahead", "ready 2", "next ahead", "started", "next ahead", "aborted",
                                      "started", "next ahead", "aborted", "ready 1", "next ahead", "next ahead"}));
}

TEST_F(Hosted, WhatIsRefusedIsStillReady) {
  begin({run(kX, kGpu), run(kY, kCpu)});
  engine_->refusing = true;
  session_->ask(*engine_);
  EXPECT_EQ(session_->status(kX), Status::ready);
  EXPECT_EQ(session_->ready_count(), 2U);
  EXPECT_EQ(told_.facts, (std::vector<std::string>{"start ahead", "ready 2", "next ahead", "refused", "next ahead",
                                                   "refused", "next ahead"}));
}

TEST_F(Hosted, BusyWorkersAskAhead) {
  begin({run(kX, kGpu), wait(), run(kY, kCpu)});
  session_->ask(*engine_);
  // The idle CPU does not ask ahead.
  EXPECT_NE(error_ahead().find("the worker is not idle"), std::string::npos);
  begin({run(kX, kGpu), wait(), wait()});
  session_->ask(*engine_);
  session_->ask_ahead(*engine_);
  EXPECT_FALSE(session_->view().asks_ahead());
  EXPECT_TRUE(session_->view().is_idle(kCpu));
  EXPECT_FALSE(session_->view().is_idle(kGpu));
}

TEST_F(Hosted, CatchesIllegalAnswers) {
  const auto expect_error = [&](std::deque<Action> script, const std::string& reason) {
    EXPECT_NE(error_of(std::move(script)).find(reason), std::string::npos) << reason;
  };
  expect_error({run(TaskId{2}, kCpu)}, "with task '?' on worker 'cpu0' at ");
  expect_error({run(TaskId{2}, kCpu)}, "there is no such task");
  expect_error({run(kX, WorkerId{2})}, "with task 'x' on worker '?' at ");
  expect_error({run(kX, WorkerId{2})}, "there is no such worker");
  expect_error({prefetch(kX, WorkerId{2})}, "there is no such worker");
  expect_error({run(kX, kCpu), run(kY, kCpu)}, "the worker is not idle");
  expect_error({run(kX, kCpu), run(kX, kGpu)}, "the task is not ready");
  expect_error({run(kX, kCpu), prefetch(kX, kGpu)}, "the task is not ready");
  expect_error({restart(kX, kCpu)}, "the task is not running");
  expect_error({preempt(kX)}, "the task is not running");
  expect_error({run(kY, kGpu)}, "the worker's class cannot run the task");
  expect_error({run(kY, kCpu), restart(kY, kGpu)}, "the worker's class cannot run the task");
  expect_error(std::deque(10'000, prefetch(kX, kCpu)), "it does not stop acting within one instant");
  EXPECT_EQ(error_of(std::deque(4000, prefetch(kX, kCpu))), "");
}

TEST_F(Hosted, NothingIsRestartedOnWorkersThatAskAhead) {
  begin({run(kX, kCpu), run(kY, kGpu)});
  EXPECT_THROW(session_->ask(*engine_), InternalError);  // the GPU cannot run y
  begin({run(kX, kGpu), run(kY, kCpu), wait(), restart(kX, kCpu)});
  session_->ask(*engine_);
  EXPECT_NE(error_ahead().find("workers that ask ahead are busy"), std::string::npos);
}

// Where nothing can be aborted, the policy does not see the worker for which it asks for a restart any more when it is
// asked again.
TEST_F(Hosted, WhatCannotBeAbortedIsRefused) {
  begin({run(kX, kCpu), restart(kX, kGpu), wait(), preempt(kX), run(kY, kGpu)}, Aborts::none);
  session_->ask(*engine_);
  EXPECT_FALSE(session_->view().may_abort(kCpu));
  // After a preemption that is refused, the policy is not asked again: what comes next would be illegal.
  session_->ask(*engine_);
  EXPECT_TRUE(session_->view().is_idle(kGpu));
  EXPECT_EQ(engine_->given, (std::vector<Given>{{kX, kCpu}}));
  EXPECT_EQ(told_.facts, (std::vector<std::string>{"start ahead", "ready 2", "next ahead", "started", "next ahead",
                                                   "refused", "next ahead", "next ahead", "refused"}));
  EXPECT_NE(error_of({run(kX, kCpu), restart(kX, kGpu), restart(kX, kGpu)}, Aborts::none).find("is not idle"),
            std::string::npos);
}

TEST_F(Hosted, WhatWouldBeAbortedIsHeldBack) {
  begin({run(kX, kCpu), wait(), restart(kX, kGpu)}, Aborts::hold_back);
  engine_->abort = 3;
  session_->ask(*engine_);
  ASSERT_EQ(session_->held().size(), 1U);
  EXPECT_EQ(session_->held().front().task, kX);
  EXPECT_EQ(session_->held().front().worker, kCpu);
  EXPECT_EQ(session_->held().front().abort, 3);
  EXPECT_TRUE(engine_->given.empty());
  EXPECT_EQ(session_->status(kX), Status::running);
  EXPECT_EQ(session_->view().running(kCpu), kX);
  EXPECT_EQ(session_->view().expected_end(kCpu), 7);
  EXPECT_FALSE(session_->view().is_idle(kCpu));
  EXPECT_TRUE(session_->view().may_abort(kCpu));
  session_->view().set_now(3);
  session_->ask(*engine_);
  EXPECT_TRUE(session_->held().empty());
  // No class is faster than the GPU, so there it starts, whatever the future is.
  EXPECT_EQ(engine_->given, (std::vector<Given>{{kX, kGpu}}));
  EXPECT_FALSE(session_->view().may_abort(kGpu));
  EXPECT_TRUE(session_->view().is_idle(kCpu));
  EXPECT_EQ(told_.facts, (std::vector<std::string>{"start ahead", "ready 2", "next ahead", "started", "next ahead",
                                                   "next ahead", "aborted", "started", "next ahead"}));
}

TEST_F(Hosted, WhatIsNotAbortedWhenExpectedIsDecidedAnew) {
  begin({run(kX, kCpu)}, Aborts::hold_back);
  engine_->abort = 3;
  session_->ask(*engine_);
  session_->view().set_now(2);
  session_->ask(*engine_);  // not yet
  engine_->abort = 9;
  session_->view().set_now(4);
  session_->ask(*engine_);
  ASSERT_EQ(session_->held().size(), 1U);  // again
  EXPECT_EQ(session_->held().front().abort, 9);
  EXPECT_EQ(session_->view().expected_end(kCpu), 4 + 7);
  engine_->abort = std::nullopt;
  session_->view().set_now(9);
  session_->ask(*engine_);
  EXPECT_TRUE(session_->held().empty());
  EXPECT_EQ(engine_->given, (std::vector<Given>{{kX, kCpu}}));  // late
  EXPECT_FALSE(session_->view().may_abort(kCpu));
  EXPECT_EQ(told_.facts, (std::vector<std::string>{"start ahead", "ready 2", "next ahead", "started", "next ahead",
                                                   "next ahead", "next ahead", "aborted", "started", "next ahead",
                                                   "next ahead", "aborted", "started", "next ahead"}));
}

// A future in which it is aborted at once is not asked for twice in an instant.
TEST_F(Hosted, DecidesOnceInAnInstant) {
  begin({run(kX, kCpu)}, Aborts::hold_back);
  engine_->abort = 0;
  session_->ask(*engine_);
  session_->ask(*engine_);
  EXPECT_EQ(session_->held().size(), 1U);
  EXPECT_TRUE(session_->start_held(*engine_));
  EXPECT_EQ(engine_->given, (std::vector<Given>{{kX, kCpu}}));
  EXPECT_FALSE(session_->start_held(*engine_));
}

TEST_F(Hosted, WhatIsHeldBackCanBePreempted) {
  begin({run(kX, kCpu), preempt(kX)}, Aborts::hold_back);
  engine_->abort = 3;
  session_->ask(*engine_);
  EXPECT_EQ(session_->status(kX), Status::ready);
  EXPECT_EQ(session_->ready_count(), 2U);
  EXPECT_TRUE(session_->view().is_idle(kCpu));
}

TEST_F(Hosted, WhatIsHeldBackForAWorkerThatLeavesIsReadyAgain) {
  begin({run(kX, kCpu)}, Aborts::hold_back);
  engine_->abort = 3;
  session_->ask(*engine_);
  session_->set_available(kCpu, false);
  EXPECT_TRUE(session_->held().empty());
  EXPECT_EQ(session_->status(kX), Status::ready);
  EXPECT_EQ(told_.facts, (std::vector<std::string>{"start ahead", "ready 2", "next ahead", "started", "next ahead",
                                                   "aborted", "workers changed", "ready 1"}));
}

// For a look at the future: what was held back is the engine's, and what begins can be aborted.
TEST_F(Hosted, ACopyStopsHoldingBack) {
  begin({run(kX, kCpu), wait(), run(kY, kCpu)}, Aborts::hold_back);
  engine_->abort = 3;
  session_->ask(*engine_);
  Session future = *session_;
  const std::vector<Session::Held> held = future.stop_holding_back();
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held.front().task, kX);
  EXPECT_TRUE(future.held().empty());
  EXPECT_EQ(future.aborts(), Aborts::allowed);
  EXPECT_EQ(session_->held().size(), 1U);
}

TEST_F(Hosted, BeginsInTheMiddleOfARun) {
  begin({});
  Table<TaskId, Status> status(2, Status::ready);
  status[kX] = Status::done;
  session_->resume(status);
  EXPECT_EQ(session_->done_count(), 1U);
  EXPECT_EQ(session_->ready_count(), 1U);
  EXPECT_THROW(session_->report_stuck(), InternalError);
}

}  // namespace
}  // namespace heddle::host
