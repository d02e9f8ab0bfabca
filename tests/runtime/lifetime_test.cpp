// What outlives what: data and runtimes, kernels and runtimes, runtimes and processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::runtime {
namespace {

const Kernel kAddOne("add", on_cpu([](int& value) { ++value; }));

TEST(Lifetime, DataThatOutlivesItsRuntimeEndsTheProgramWithASentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto outlive = [] {
    int x = 0;
    std::optional<Data<int&>> data;
    Runtime runtime({.workers = "cpu=1", .history = ""});
    data = runtime.data(x);
    runtime.submit(kAddOne, rw(*data));
    runtime = Runtime({.workers = "cpu=1", .history = ""});
  };
  EXPECT_DEATH(outlive(), "a runtime is destroyed while data registered with it is not");
}

/// What the function throws in a child of this process; empty: nothing. A child that hangs is ended after a while.
template <class F>
std::string thrown_in_child(F&& function) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::string what;
    try {
      function();
    } catch (const InputError& error) {
      what = error.what();
    }
    _exit(::write(ends[1], what.data(), what.size()) == static_cast<ssize_t>(what.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string what(1000, '\0');
  what.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(ends[0], what.data(), what.size()), 0)));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? what : "the child ended with status " + std::to_string(status);
}

TEST(Lifetime, AChildOfTheProcessIsToldThatItHasNoThreads) {
  int x = 0;
  auto runtime = std::make_unique<Runtime>(Config{.workers = "cpu=2", .history = ""});
  auto a = std::make_unique<Data<int&>>(runtime->data(x));
  const Graph graph = runtime->record([&] { runtime->submit(kAddOne, rw(*a)); });
  const Task task = runtime->submit(kAddOne, rw(*a));
  const std::vector<std::function<void()>> uses{
      [&] { runtime->submit(kAddOne, rw(*a)); },
      [&] { runtime->wait(); },
      [&] { runtime->wait([](std::uint64_t) {}); },
      [&] { runtime->run(graph); },
      [&] { static_cast<void>(runtime->record([] {})); },
      [&] { runtime->cancel(); },
      [&] { static_cast<void>(runtime->trace()); },
      [&] { static_cast<void>(runtime->data(x)); },
      [&] { static_cast<void>(runtime->pin(std::as_writable_bytes(std::span(&x, 1)))); },
      [&] { a->reduce_with(0, [](int& sum, const int& part) { sum += part; }); },
      [&] { task.wait(); },
  };
  for (std::size_t i = 0; i < uses.size(); ++i) {
    EXPECT_EQ(thrown_in_child(uses[i]),
              "a runtime cannot be used after fork() by the child, which has none of its threads")
        << i;
  }
  EXPECT_EQ(thrown_in_child([&] { a.reset(), runtime.reset(); }), "") << "it may leave it";
  runtime->wait();
  EXPECT_EQ(x, 1);
  EXPECT_EQ(thrown_in_child([] {
              int y = 0;
              Runtime own({.workers = "cpu=2", .history = ""});
              const auto b = own.data(y);
              own.submit(kAddOne, rw(b));
              own.wait();
              if (y != 1) throw InputError("it was not computed");
            }),
            "")
      << "it may have its own";
}

/// Runs a kernel that is made for each step, in which the program has a part; how many the runtime keeps at most.
template <class Make, class Run>
long most_kept(Make&& make, Run&& run) {
  const auto part = std::make_shared<int>(0);
  long most = 0;
  for (int i = 0; i < 3'000; ++i) {
    run(make(part));
    most = std::max(most, part.use_count());
  }
  return most;
}

constexpr long kFew = 2'000;  // twice the kernels that are worth forgetting, each of which may hold several copies

TEST(Lifetime, KernelsThatAreMadeForEachCallAreForgotten) {
  constexpr std::array kPolicies{"dmdas", "heteroprio-dep", "eager"};
  for (const char* policy : kPolicies | std::views::take(test::rounds(kPolicies.size()))) {
    int x = 0;
    Runtime runtime({.workers = "cpu=2", .policy = policy, .history = ""});
    const auto a = runtime.data(x);
    const auto make = [](const auto& part) { return Kernel("add", on_cpu([part](int& value) { ++value; })); };
    EXPECT_LT(most_kept(make, [&](const auto& kernel) { runtime.submit(kernel, rw(a)).wait(); }), kFew);
    EXPECT_LT(most_kept(make,
                        [&](const auto& kernel) {
                          const Graph graph = runtime.record([&] { runtime.submit(kernel, rw(a)); });
                          for (int i = 0; i < 2; ++i) runtime.run(graph);
                          runtime.wait();
                        }),
              kFew);
    runtime.wait();
    EXPECT_EQ(x, 9'000);
  }
}

TEST(Lifetime, KernelsOfDevicesAreForgotten) {
  int x = 0;
  Runtime runtime(
      {.workers = "cpu=1,fake=1", .backends = {std::make_shared<FakeBackend>(FakeBackend::Options{})}, .history = ""});
  const auto a = runtime.data(x);
  const auto make = [](const auto& part) { return Kernel("add", on_opencl_native([part](int& value) { ++value; })); };
  EXPECT_LT(most_kept(make, [&](const auto& kernel) { runtime.submit(kernel, rw(a)).wait(); }), kFew);
  runtime.wait();
  EXPECT_EQ(x, 3'000);
}

TEST(Lifetime, ThreadsMayLetGoOfKernelsWhileTheRuntimeForgetsSome) {
  constexpr int kThreads = 4;
  constexpr int kKernels = 2'000;
  std::vector<int> sums(kThreads);
  Runtime runtime({.workers = "cpu=2", .history = ""});
  {
    std::vector<std::jthread> threads;
    for (int& sum : sums) {
      threads.emplace_back([&] {
        const auto datum = runtime.data(sum);
        for (int i = 0; i < kKernels; ++i) {
          // Some handles go when their task may have ended, others long before.
          const Kernel kernel("add", on_cpu([one = std::make_shared<int>(1)](int& value) { value += *one; }));
          const Task task = runtime.submit(kernel, rw(datum));
          if (i % 3 == 0) task.wait();
        }
      });
    }
  }
  runtime.wait();
  EXPECT_EQ(sums, std::vector<int>(kThreads, kKernels));
}

TEST(Lifetime, KernelsAreKeptWhileTheirTasksAreRecordedOrWait) {
  int x = 0;
  Runtime runtime({.workers = "cpu=2", .history = ""});
  const auto a = runtime.data(x);
  const auto make = [part = std::make_shared<int>(2)] {
    return Kernel("add", on_cpu([part](int& value) { value += *part - 1; }));
  };
  const Graph graph = runtime.record([&] { runtime.submit(make(), rw(a)); });
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1'000; ++i) runtime.submit(make(), rw(a));
    runtime.run(graph);
    for (int i = 0; i < 1'000; ++i) runtime.submit(make(), rw(a));
    if (round != 1) runtime.wait();
  }
  EXPECT_EQ(x, 3 * 2'001);
}

}  // namespace
}  // namespace heddle::runtime
