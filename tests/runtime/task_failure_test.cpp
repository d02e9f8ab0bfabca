// What programs are told of tasks that fail: which one, and why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {
namespace {

using testing::ThrowsMessage;

struct Custom : std::domain_error {
  using std::domain_error::domain_error;
};

/// What wait() throws when a kernel throws `thrown`.
template <class E>
std::exception_ptr thrown_by_wait(const E& thrown, const char* policy = "dmdas", const char* workers = "cpu=2") {
  int x = 0;
  Runtime runtime({.workers = workers, .policy = policy, .history = ""});
  const auto a = runtime.data(x);
  const Kernel fails("fails", on_cpu([&](int&) { throw E(thrown); }));
  const Kernel set("set", on_cpu([](int& value) { value = 1; }));
  runtime.submit(set, write(a));
  runtime.submit(fails, rw(a));
  runtime.submit(set, rw(a));
  try {
    runtime.wait();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

TEST(TaskFailure, NamesTheTaskAndKeepsWhatTheKernelThrew) {
  try {
    std::rethrow_exception(thrown_by_wait(Custom("too large")));
  } catch (const TaskFailure& failure) {
    EXPECT_STREQ(failure.what(), "task 'fails#2': too large");
    EXPECT_EQ(failure.task(), "fails#2");
    EXPECT_THROW(failure.rethrow_nested(), Custom);
    EXPECT_THROW(std::rethrow_if_nested(failure), Custom);
  }
}

TEST(TaskFailure, TakesAnythingThatKernelsThrow) {
  try {
    std::rethrow_exception(thrown_by_wait(42));
  } catch (const TaskFailure& failure) {
    EXPECT_STREQ(failure.what(), "task 'fails#2': it threw an object that is not a std::exception");
    EXPECT_THROW(failure.rethrow_nested(), int);
  }
}

TEST(TaskFailure, ErrorsOfInputAndOurOwnKeepTheirTypes) {
  EXPECT_THAT([] { std::rethrow_exception(thrown_by_wait(InputError("no such file"))); },
              ThrowsMessage<InputError>("task 'fails#2': no such file"));
  EXPECT_THAT([] { std::rethrow_exception(thrown_by_wait(InternalError("lost count"))); },
              ThrowsMessage<InternalError>("task 'fails#2': lost count"));
}

struct OfAProgram : TaskFailure {
  OfAProgram() : TaskFailure("of a program") {}
};

TEST(TaskFailure, WhatDerivesFromItKeepsItsType) {
  EXPECT_THAT([] { std::rethrow_exception(thrown_by_wait(OfAProgram())); },
              ThrowsMessage<OfAProgram>("task 'fails#2': of a program"));
  EXPECT_THAT([] { std::rethrow_exception(thrown_by_wait(OfAProgram(), "heteroprio-dep", "cpu=1,cpu2=1")); },
              ThrowsMessage<OfAProgram>("task 'fails#2': of a program"));
}

TEST(TaskFailure, IsThatOfAllThatFollow) {
  int x = 0;
  Runtime runtime({.workers = "cpu=2", .history = ""});
  const auto a = runtime.data(x);
  const Kernel fails("fails", on_cpu([](int&) { throw std::runtime_error("first"); }));
  const Kernel set("set", on_cpu([](int& value) { value = 1; }));
  runtime.submit(fails, rw(a), named("the culprit"));
  const Task victim = runtime.submit(set, rw(a), named("a victim"));
  EXPECT_THAT([&] { victim.wait(); }, ThrowsMessage<TaskFailure>("task 'the culprit': first"));
  EXPECT_THAT([&] { runtime.wait(); }, ThrowsMessage<TaskFailure>("task 'the culprit': first"));
}

TEST(TaskFailure, NamesTheTaskOfARunOfRecordedTasks) {
  int x = 0;
  Runtime runtime({.workers = "cpu=2", .history = ""});
  const auto a = runtime.data(x);
  const Kernel add("add", on_cpu([](int& value) {
                     if (++value == 5) throw std::runtime_error("five");
                   }));
  const Graph graph = runtime.record([&] {
    for (int i = 0; i < 3; ++i) runtime.submit(add, rw(a));
  });
  for (int i = 0; i < 2; ++i) runtime.run(graph);
  EXPECT_THAT([&] { runtime.wait(); }, ThrowsMessage<TaskFailure>("task 'add#5': five"));
}

TEST(TaskFailure, NamesTheFirstTaskThatWasCancelled) {
  int x = 0;
  std::atomic<bool> goes_on = false;
  Runtime runtime({.workers = "cpu=1", .history = ""});
  const auto a = runtime.data(x);
  const Kernel waits("waits", on_cpu([&](int&) {
                       while (!goes_on) std::this_thread::yield();
                     }));
  runtime.submit(waits, rw(a));
  runtime.submit(waits, rw(a), named("not begun"));
  runtime.submit(waits, rw(a));
  runtime.cancel();
  goes_on = true;
  // The first may have begun before, or not.
  EXPECT_THAT([&] { runtime.wait(); },
              testing::Throws<Cancelled>(testing::Property(&Cancelled::task, testing::AnyOf("waits#1", "not begun"))));
}

TEST(TaskFailure, WhatIsThrownAtTheEndOfATaskSurfacesAtTheWait) {
  for (const char* workers : {"cpu=1", "cpu=3"}) {
    int x = 0;
    std::atomic<int> called = 0;
    Runtime runtime({.workers = workers, .history = ""});
    const auto a = runtime.data(x);
    const Kernel add("add", on_cpu([](int& value) { ++value; }));
    const auto fail = [&] {
      ++called;
      throw Custom("enough");
    };
    const Task task = runtime.submit(add, rw(a), on_done(fail));
    runtime.submit(add, rw(a), on_done([&] { ++called; }));
    EXPECT_THAT([&] { runtime.wait(); }, ThrowsMessage<TaskFailure>("task 'add#1': enough"));
    EXPECT_EQ(x, 2) << "the task has completed, and its successor ran";
    EXPECT_EQ(called, 2);
    task.wait();
    const Graph graph = runtime.record([&] { runtime.submit(add, rw(a), on_done(fail), named("recorded")); });
    for (int i = 0; i < 2; ++i) {
      runtime.run(graph);
      EXPECT_THAT([&] { runtime.wait(); }, ThrowsMessage<TaskFailure>("task 'recorded': enough"));
    }
    runtime.wait();
    EXPECT_EQ(x, 4);
  }
}

}  // namespace
}  // namespace heddle::runtime
