// Policies that follow a plan, which is made when the tasks are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {
namespace {

constexpr int kPlannedTasks = 40;
const Kernel kCountUp("count up", on_cpu([](int& x) { ++x; }));

/// Every third task on the second worker, one after the other in the order of submission, which the names tell.
Schedule every_third(const Instance& instance) {
  Schedule plan;
  Time now = 0;
  for (const TaskId task : instance.graph.tasks()) {
    const int number = std::stoi(std::string(instance.graph.name(task)).substr(1));
    const WorkerId worker = make_id<WorkerId>(number % 3 == 0 ? 1 : 0);
    plan.attempts.push_back({task, worker, now, now + 1, Outcome::completed});
    ++now;
  }
  return plan;
}

/// Whether every task ran where the plan has it.
bool runs_where_planned() {
  std::vector<int> values(4, 0);
  std::vector<std::size_t> planned;  // tasks, each time
  Runtime runtime({.workers = "cpu=2",
                   .policy = "static:file=ours",
                   .plan =
                       [&](const Instance& instance) {
                         planned.push_back(instance.graph.task_count());
                         return every_third(instance);
                       },
                   .trace = true,
                   .history = ""});
  {
    std::vector<Data<int&>> data;
    for (int& value : values) data.push_back(runtime.data(value));
    const Graph graph = runtime.record([&] {
      for (int i = 0; i < kPlannedTasks; ++i) runtime.submit(kCountUp, rw(data[i % 4]), named("t" + std::to_string(i)));
    });
    runtime.run(graph);
    runtime.wait();
  }
  EXPECT_EQ(values, std::vector<int>(4, kPlannedTasks / 4));
  EXPECT_EQ(planned.empty() ? 0 : planned.front(), std::size_t{kPlannedTasks});
  const Trace trace = runtime.trace();
  EXPECT_EQ(validate(trace.instance, trace.schedule, Durations::free), std::vector<std::string>());
  EXPECT_EQ(trace.schedule.attempts.size(), std::size_t{kPlannedTasks});
  return std::ranges::all_of(trace.schedule.attempts, [&](const Attempt& attempt) {
    const int number = std::stoi(std::string(trace.instance.graph.name(attempt.task)).substr(1));
    return index(attempt.worker) == (number % 3 == 0 ? 1U : 0U);
  });
}

// On a busy machine, a worker may be paused for so long that it loses tasks to the other. One round without that is
// enough.
TEST(Plan, IsFollowedToTheLetter) {
  constexpr int kMostRounds = 100;
  int rounds = 1;
  while (!runs_where_planned() && !HasFailure()) ASSERT_LT(++rounds, kMostRounds);
}

TEST(Plan, IsMadeAgainForTasksThatArrive) {
  int value = 0;
  std::set<std::string> seen;
  Runtime runtime({.workers = "cpu=2",
                   .policy = "static:file=ours",
                   .plan =
                       [&](const Instance& instance) {
                         for (const TaskId task : instance.graph.tasks()) seen.emplace(instance.graph.name(task));
                         return every_third(instance);
                       },
                   .history = ""});
  {
    const auto data = runtime.data(value);
    for (int i = 0; i < kPlannedTasks; ++i) {
      runtime.submit(kCountUp, rw(data), named("t" + std::to_string(i)));
      if (i % 10 == 9) runtime.wait();
    }
    runtime.wait();
  }
  EXPECT_EQ(value, kPlannedTasks);
  EXPECT_EQ(seen.size(), std::size_t{kPlannedTasks});
}

TEST(Plan, ThatFailsEndsTheRun) {
  int value = 0;
  Runtime runtime({.workers = "cpu=1",
                   .policy = "static:file=ours",
                   .plan = [](const Instance&) -> Schedule { throw InputError("no plan today"); },
                   .history = ""});
  const auto data = runtime.data(value);
  runtime.submit(kCountUp, rw(data));
  try {
    runtime.wait();
    FAIL() << "it has not thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "no plan today");
  }
}

/// What came before the first task, such as to make a matrix, is no part of what a policy promises.
TEST(Plan, IsPromisedFromTheMomentOnInWhichItIsMade) {
  const Kernel<> nothing("nothing", on_cpu([] {}));
  Runtime runtime({.workers = "cpu=2", .policy = "auto", .trace = true, .history = ""});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  for (int i = 0; i < 4; ++i) runtime.submit(nothing);
  runtime.wait();
  const std::string note = runtime.trace().note;
  ASSERT_NE(note.find(" ("), std::string::npos) << note;
  EXPECT_LT(std::stod(note.substr(note.find(" (") + 2)), 0.1) << note;
}

}  // namespace
}  // namespace heddle::runtime
