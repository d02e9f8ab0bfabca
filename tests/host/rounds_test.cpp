#include "heddle/host/rounds.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle::host {
namespace {

using policy::Action;

constexpr WorkerId kFirst{0};
constexpr WorkerId kSecond{1};

/// Gives the tasks to any worker in the order of their numbers, even if others are ready before.
struct InOrder {
  std::deque<TaskId> left{};
  Table<TaskId, bool> is_ready{};

  void start(const policy::View& view) {
    is_ready.assign(view.graph().task_count(), false);
    for (const TaskId task : view.graph().tasks()) left.push_back(task);
  }
  void started(const policy::View&, TaskId task, WorkerId) { std::erase(left, task); }
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) is_ready[task] = true;
  }
  [[nodiscard]] Action next(const policy::View& view) {
    if (left.empty() || !is_ready[left.front()]) return policy::wait();
    return policy::run(left.front(), view.first_idle(ClassId{0}));
  }
};

/// Restarts whatever runs as soon as a worker is idle, again and again.
struct Restless {
  std::deque<TaskId> waiting{};
  std::optional<TaskId> given{};
  int* refusals;

  void ready(const policy::View&, std::span<const TaskId> tasks) {
    waiting.insert(waiting.end(), tasks.begin(), tasks.end());
  }
  void finished(const policy::View&, std::span<const policy::Completion>) { given.reset(); }
  void refused(const policy::View&, Action) { ++*refusals; }
  [[nodiscard]] Action next(const policy::View& view) {
    Action action = policy::wait();
    view.visit_idle([&](WorkerId worker) {
      if (given) {
        action = policy::restart(*given, worker);
      } else if (!waiting.empty()) {
        given = waiting.front();
        waiting.pop_front();
        action = policy::run(*given, worker);
      }
      return true;
    });
    return action;
  }
};

Rounds two_workers(Rounds::MakePolicy make) {
  Rounds rounds(Platform({{.name = "cpu", .workers = 2}}), [](TypeId, ClassId) { return Time{5}; }, std::move(make));
  rounds.add_type("work");
  return rounds;
}

Rounds in_order() {
  return two_workers([](const Instance&) { return InOrder(); });
}

TEST(Rounds, OneServesAllThatIsKnown) {
  Rounds rounds = in_order();
  const TaskNumber first = rounds.submit({});
  const TaskNumber second = rounds.submit({});
  const TaskNumber third = rounds.submit({.after = {first}});
  rounds.push(first);
  rounds.push(second);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  // It was decided at once what the other one gets.
  EXPECT_EQ(rounds.take_called(), std::vector{kSecond});
  EXPECT_EQ(rounds.pop(kSecond, 1), second);
  EXPECT_EQ(rounds.pop(kSecond, 1), std::nullopt) << "it has a task";
  rounds.finished(kFirst, 5);
  rounds.push(third);
  EXPECT_EQ(rounds.pop(kFirst, 5), third);
  rounds.finished(kSecond, 6);
  rounds.finished(kFirst, 10);
  EXPECT_EQ(rounds.pop(kFirst, 10), std::nullopt);
  EXPECT_EQ(rounds.unfinished(), 0U);
  EXPECT_EQ(rounds.count(), 1U);
}

TEST(Rounds, AnotherBeginsWhereWorkersAreIdleAndTasksAreNew) {
  Rounds rounds = in_order();
  const TaskNumber first = rounds.submit({});
  rounds.push(first);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  const TaskNumber second = rounds.submit({});
  rounds.push(second);
  // It knows that the first task runs.
  EXPECT_EQ(rounds.pop(kSecond, 1), second);
  EXPECT_EQ(rounds.count(), 2U);
  const TaskNumber third = rounds.submit({.after = {first, second}});
  rounds.finished(kFirst, 5);
  rounds.finished(kSecond, 6);
  rounds.push(third);
  EXPECT_EQ(rounds.pop(kFirst, 6), third);
  EXPECT_EQ(rounds.count(), 3U);
}

TEST(Rounds, WhatWaitsForWhatIsNotShownIsLeftOut) {
  Rounds rounds = in_order();
  const TaskNumber hidden = rounds.submit({});  // is never pushed: it waits for a message
  rounds.submit({.after = {hidden}});
  const TaskNumber free = rounds.submit({});
  rounds.push(free);
  EXPECT_EQ(rounds.pop(kFirst, 0), free) << "it comes behind, and the policy keeps an order";
  rounds.finished(kFirst, 5);
  EXPECT_EQ(rounds.pop(kFirst, 5), std::nullopt);
  rounds.push(hidden);
  EXPECT_EQ(rounds.pop(kFirst, 6), hidden);
}

// Of two tasks, both behind one that has ended, the first waits for something else as well.
TEST(Rounds, APolicyThatWaitsForWhatIsNotShownBeginsAnewOnWhatIsReady) {
  Rounds rounds = in_order();
  const TaskNumber first = rounds.submit({});
  const TaskNumber hidden = rounds.submit({.after = {first}});
  const TaskNumber free = rounds.submit({.after = {first}});
  rounds.push(first);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  rounds.finished(kFirst, 5);
  rounds.push(free);
  EXPECT_EQ(rounds.pop(kFirst, 5), free);
  EXPECT_EQ(rounds.count(), 2U);
  rounds.push(hidden);
  EXPECT_EQ(rounds.pop(kSecond, 6), hidden);
}

TEST(Rounds, APolicyThatGivesNothingIsReported) {
  struct Idle {
    void ready(const policy::View&, std::span<const TaskId>) const {}
    [[nodiscard]] Action next(const policy::View&) const { return policy::wait(); }
  };
  Rounds rounds = two_workers([](const Instance&) { return Idle(); });
  rounds.push(rounds.submit({}));
  EXPECT_THROW(static_cast<void>(rounds.pop(kFirst, 0)), InternalError);
}

TEST(Rounds, NothingIsTakenBack) {
  int refusals = 0;
  Rounds rounds = two_workers([&](const Instance&) { return Restless{.refusals = &refusals}; });
  const TaskNumber first = rounds.submit({});
  const TaskNumber second = rounds.submit({});
  rounds.push(first);
  rounds.push(second);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  EXPECT_EQ(refusals, 1) << "the worker for which it was refused is not idle for the policy";
  EXPECT_EQ(rounds.pop(kSecond, 1), std::nullopt);
  EXPECT_EQ(refusals, 2);
  rounds.finished(kFirst, 5);
  EXPECT_EQ(rounds.pop(kSecond, 5), std::nullopt);
  EXPECT_EQ(rounds.pop(kFirst, 5), second);
}

TEST(Rounds, WhatAWorkerWasGivenThatLeavesIsReadyAgain) {
  Rounds rounds = in_order();
  const TaskNumber first = rounds.submit({});
  const TaskNumber second = rounds.submit({});
  rounds.push(first);
  rounds.push(second);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  rounds.set_available(kSecond, false);
  EXPECT_EQ(rounds.pop(kSecond, 1), std::nullopt) << "it has left";
  rounds.finished(kFirst, 5);
  EXPECT_EQ(rounds.pop(kFirst, 5), second);
  rounds.push(rounds.submit({}));
  rounds.set_available(kSecond, true);
  EXPECT_TRUE(rounds.pop(kSecond, 6).has_value()) << "it has come back";
}

TEST(Rounds, AnOccupiedWorkerIsGivenNothing) {
  Rounds rounds = in_order();
  rounds.set_occupied(kFirst, true);
  const TaskNumber first = rounds.submit({});
  const TaskNumber second = rounds.submit({});
  rounds.push(first);
  rounds.push(second);
  EXPECT_EQ(rounds.pop(kSecond, 0), first) << "InOrder prefers the first idle worker";
  EXPECT_TRUE(rounds.take_called().empty());
  rounds.set_occupied(kFirst, false);
  EXPECT_EQ(rounds.pop(kFirst, 1), second);
}

/// Counts tasks that have ended in all rounds.
struct Counting : InOrder {
  std::vector<int>* starts;
  int ended = 0;

  explicit Counting(std::vector<int>& counts) : starts(&counts) {}
  void recall(const Counting& before) { ended = before.ended; }
  void start(const policy::View& view) {
    InOrder::start(view);
    starts->push_back(ended);
  }
  void finished(const policy::View&, std::span<const policy::Completion> completions) {
    ended += static_cast<int>(completions.size());
  }
};

TEST(Rounds, EachRecallsTheOneBefore) {
  std::vector<int> starts;
  Rounds rounds = two_workers([&](const Instance&) { return Counting(starts); });
  const auto submit = [&] { rounds.push(rounds.submit({})); };
  submit();
  EXPECT_TRUE(rounds.pop(kFirst, 0));
  submit();
  EXPECT_TRUE(rounds.pop(kSecond, 1)) << "while the first one runs";
  rounds.finished(kFirst, 5);
  rounds.finished(kSecond, 6);
  EXPECT_FALSE(rounds.pop(kFirst, 6));
  EXPECT_FALSE(rounds.pop(kSecond, 7)) << "nothing is left";
  submit();
  EXPECT_TRUE(rounds.pop(kFirst, 8));
  rounds.finished(kFirst, 9);
  submit();
  EXPECT_TRUE(rounds.pop(kFirst, 10));
  EXPECT_EQ(starts, (std::vector{0, 0, 2, 3}));
}

TEST(Rounds, EachBeginsWithTheDurationsThatAreBelievedThen) {
  Time believed = 5;
  std::vector<Time> seen;
  const auto make = [&](const Instance& instance) {
    seen.push_back(instance.costs.estimate(TaskId{0}, ClassId{0}));
    return InOrder();
  };
  Rounds rounds(Platform({{.name = "cpu", .workers = 1}}), [&](TypeId, ClassId) { return believed; }, make);
  rounds.add_type("work");
  for (const Time time : {0, 10}) {
    rounds.push(rounds.submit({}));
    EXPECT_TRUE(rounds.pop(kFirst, time).has_value());
    rounds.finished(kFirst, time + 5);
    believed = 7;
  }
  EXPECT_EQ(seen, (std::vector<Time>{5, 7}));
}

}  // namespace
}  // namespace heddle::host
