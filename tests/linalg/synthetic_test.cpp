#include "heddle/linalg/synthetic.hpp"

#include <gtest/gtest.h>

namespace heddle::linalg::test {
namespace {

TEST(Synthetic, EveryResultIsThatOfASequentialRun) {
  for (const char* policy : {"dmdas", "heteroprio-dep", "lws"}) {
    runtime::Runtime runtime({.workers = "cpu=3", .policy = policy});
    Synthetic tasks(runtime, 400, 7);
    EXPECT_GT(tasks.wrong_data(), 0U) << "nothing was computed yet";
    tasks.submit();
    runtime.wait();
    EXPECT_EQ(tasks.wrong_data(), 0U) << policy;
    EXPECT_GT(tasks.operations(), 400.0);
  }
}

TEST(IndependentTasks, DoNotDependOnEachOtherAndAreRight) {
  runtime::Runtime runtime({.workers = "cpu=2", .trace = true});
  IndependentTasks tasks(runtime, 30, 16, 7);
  EXPECT_EQ(tasks.wrong_data(), 30U) << "nothing was computed yet";
  runtime.run(runtime.record([&] { tasks.submit(); }));
  runtime.wait();
  EXPECT_EQ(tasks.wrong_data(), 0U);
  EXPECT_EQ(runtime.trace().instance.graph.edge_count(), 0U);
  tasks.submit();
  runtime.wait();
  EXPECT_EQ(tasks.wrong_data(), 30U) << "each was done twice";
}

TEST(Synthetic, NoticesATaskTooMany) {
  runtime::Runtime runtime({.workers = "cpu=1"});
  Synthetic tasks(runtime, 1, 7);
  tasks.submit();
  runtime.wait();
  EXPECT_EQ(tasks.wrong_data(), 0U);
  tasks.submit();
  runtime.wait();
  EXPECT_EQ(tasks.wrong_data(), 1U);
}

}  // namespace
}  // namespace heddle::linalg::test
