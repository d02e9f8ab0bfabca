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
