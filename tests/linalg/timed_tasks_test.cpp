#include "heddle/linalg/timed_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "heddle/io/instance_file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "tests/support/device_test.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::linalg::test {
namespace {

Instance two_classes() {
  return io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "two",
    "platform": {"classes": [{"name": "slow", "workers": 1}, {"name": "fast", "workers": 1}]},
    "types": [{"name": "BOTH", "seconds": {"slow": 0.008, "fast": 0.002}}, {"name": "ONE", "seconds": {"slow": 0.004}}],
    "data": [{"name": "A", "bytes": 100}, {"name": "B", "bytes": 8000}, {"name": "C", "bytes": 0}],
    "tasks": [{"name": "a", "type": "BOTH", "access": [["A", "w"]], "priority": 3},
              {"name": "b", "type": "ONE", "access": [["A", "r"], ["B", "rw"]]},
              {"name": "c", "type": "BOTH", "access": [["A", "r"], ["B", "commute"]]},
              {"name": "d", "type": "BOTH", "access": [["B", "commute"], ["C", "rw"]]},
              {"name": "e", "type": "ONE", "after": ["a"]}]})",
                           "two");
}

TEST(TimedTasks, TakeAsLongAsTheInstanceSays) {
  runtime::Runtime runtime({.workers = "cpu=2", .policy = "eager", .trace = true, .history = ""});
  TimedTasks tasks(runtime, two_classes());
  EXPECT_EQ(tasks.wrong_data(), 3U) << "nothing was computed yet";
  runtime.run(runtime.record([&] { tasks.submit(); }));
  runtime.wait();
  EXPECT_EQ(tasks.wrong_data(), 0U);
  const runtime::Trace trace = runtime.trace();
  const TaskGraph& graph = trace.instance.graph;
  ASSERT_EQ(graph.task_count(), 5U);
  EXPECT_EQ(validate(trace.instance, trace.schedule), std::vector<std::string>());
  const Instance instance = two_classes();
  for (const Attempt& attempt : trace.schedule.attempts) {
    EXPECT_EQ(graph.name(attempt.task), instance.graph.name(attempt.task));
    // Of tasks with other data, the name has a number.
    const std::string type(graph.type_name(graph.type(attempt.task)));
    EXPECT_EQ(type.substr(0, type.find('#')), instance.graph.type_name(instance.graph.type(attempt.task)));
    EXPECT_EQ(graph.priority(attempt.task), instance.graph.priority(attempt.task));
    EXPECT_GE(attempt.end - attempt.start, instance.costs.actual(attempt.task, make_id<ClassId>(0)));
    EXPECT_TRUE(std::ranges::equal(graph.predecessors(attempt.task), instance.graph.predecessors(attempt.task)));
  }
}

TEST(TimedTasks, DataHasTheValueOfASequentialRun) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    heddle::test::Random random(seed);
    heddle::test::RandomShape shape;
    shape.data = true;
    shape.limited = false;
    Instance instance = heddle::test::random_instance(random, shape);
    if (instance.platform.class_count() > 2) continue;
    // Short, and possible on cores.
    for (const TaskId task : instance.graph.tasks()) {
      instance.costs.set_actual(instance.costs.own_row(task), make_id<ClassId>(0), 20 * kMicrosecond);
    }
    runtime::Runtime runtime({.workers = "cpu=3", .policy = "lws", .history = ""});
    TimedTasks tasks(runtime, instance);
    tasks.submit();
    runtime.wait();
    EXPECT_EQ(tasks.wrong_data(), 0U);
  }
}

class TimedTasksOnDevices : public heddle::test::WithDevices {};

TEST_F(TimedTasksOnDevices, TakeAsLongAsOnTheSecondClass) {
  runtime::Runtime runtime({.workers = "cpu=1,opencl=1", .policy = "ect", .trace = true, .history = ""});
  const Instance instance = two_classes();
  TimedTasks tasks(runtime, instance);
  runtime.run(runtime.record([&] { tasks.submit(); }));
  runtime.wait();
  EXPECT_EQ(tasks.wrong_data(), 0U);
  const runtime::Trace trace = runtime.trace();
  for (const Attempt& attempt : trace.schedule.attempts) {
    const ClassId c = trace.instance.platform.class_of(attempt.worker);
    EXPECT_TRUE(instance.costs.can_run(attempt.task, c)) << "ONE has no duration on devices";
    EXPECT_GE(attempt.end - attempt.start, instance.costs.actual(attempt.task, c));
  }
}

TEST(TimedTasks, RefusesAThirdClass) {
  runtime::Runtime runtime({.workers = "cpu=1", .history = ""});
  const auto three = [] {
    return io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "three",
      "platform": {"classes": [{"name": "a", "workers": 1}, {"name": "b", "workers": 1}, {"name": "c", "workers": 1}]},
      "types": [{"name": "T", "seconds": {"a": 1}}], "tasks": [{"name": "t", "type": "T"}]})",
                             "three");
  };
  try {
    TimedTasks tasks(runtime, three());
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "timed tasks run on cores and OpenCL devices, and the instance 'three' has 3 classes");
  }
}

}  // namespace
}  // namespace heddle::linalg::test
