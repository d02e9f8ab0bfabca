// Several implementations of a kernel for one class of workers.
#include "heddle/runtime/models/variants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/history.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime::variants_test {
namespace {

using test::Scratch;
using testing::Each;
using Vector = std::span<double>;

/// Implementations on a clock that the test sets: each takes as long as it says.
class Choosing : public testing::Test {
 protected:
  explicit Choosing(std::size_t count = 3) : implementations_(count), durations_(count) {
    std::vector<Variant> all;
    for (const Implementation& one : implementations_) all.push_back({&one});
    variants_ = Variants(std::move(all));
    attach();
  }
  /// As a runtime does that begins with what was measured before.
  void attach() {
    variants_.attach([this](const Implementation& one) -> Estimate& { return durations_[number(one)]; });
  }
  [[nodiscard]] std::size_t number(const Implementation& one) const {
    return static_cast<std::size_t>(&one - implementations_.data());
  }
  /// Runs so many tasks, one after the other; how many ran with each.
  std::vector<int> run(int tasks, const std::vector<Time>& takes) {
    std::vector<int> ran(takes.size());
    for (int i = 0; i < tasks; ++i) {
      const Variant chosen = variants_.next();
      chosen.durations->add(takes[number(*chosen.implementation)]);
      ++ran[number(*chosen.implementation)];
    }
    return ran;
  }

  std::vector<Implementation> implementations_;
  std::vector<Estimate> durations_;
  Variants variants_;
};

TEST_F(Choosing, TriesEachAFewTimesAndKeepsToTheQuickest) {
  EXPECT_EQ(run(12, {50, 10, 90}), (std::vector{4, 4, 4}));
  EXPECT_EQ(run(100, {50, 10, 90}), (std::vector{0, 100, 0}));
  EXPECT_EQ(variants_.known()->mean(), 10);
}

TEST_F(Choosing, OneThatWasSlowOnceIsNotTakenForSlow) {
  run(3, {50, 1'000'000, 90});
  EXPECT_EQ(run(109, {50, 10, 90}), (std::vector{3, 103, 3}));
}

TEST_F(Choosing, TriesMayRunAtOnce) {
  std::map<const Implementation*, int> given;
  for (int i = 0; i < 12; ++i) ++given[variants_.next().implementation];
  EXPECT_EQ(given.size(), 3U);
  for (const auto& [implementation, times] : given) EXPECT_EQ(times, 4);
}

TEST_F(Choosing, WhatWasPutBackWasNotTried) {
  for (int i = 0; i < 12; ++i) variants_.put_back(variants_.next().implementation);
  EXPECT_EQ(run(12, {50, 10, 90}), (std::vector{4, 4, 4}));
}

TEST_F(Choosing, FollowsWhatChangesForLong) {
  run(100, {50, 10, 90});
  EXPECT_EQ(run(100, {50, 70, 90})[2], 0);
  EXPECT_EQ(run(100, {50, 70, 90}), (std::vector{100, 0, 0}));
}

TEST_F(Choosing, MeasuresTheOthersAgainInASmallPartOfTheTime) {
  const std::vector<int> ran = run(100'000, {50, 10, 90});
  const double others = 50.0 * ran[0] + 90.0 * ran[2];
  EXPECT_GT(ran[0], 100);
  EXPECT_GT(ran[2], 100);
  EXPECT_LT(others, 10.0 * ran[1] * 2 / Variants::kShare * 1.01);
  EXPECT_EQ(run(10'000, {50, 100, 1})[2] > 9'000, true) << "notices that one has become quicker";
}

TEST_F(Choosing, GoesOnFromWhatIsKnown) {
  run(12, {50, 10, 90});
  attach();
  EXPECT_EQ(run(20, {50, 10, 90}), (std::vector{0, 20, 0}));
}

TEST_F(Choosing, WhatIsForbiddenDoesNotRun) {
  run(12, {50, 10, 90});
  variants_.forbid();
  EXPECT_TRUE(variants_.empty());
  EXPECT_EQ(variants_.next().implementation, nullptr);
  EXPECT_EQ(variants_.known()->mean(), 10) << "of those that run";
}

class OnlyOne : public Choosing {
 protected:
  OnlyOne() : Choosing(1) {}
};

TEST_F(OnlyOne, IsWhatRuns) {
  EXPECT_EQ(variants_.known(), nullptr);
  EXPECT_EQ(run(50, {10}), std::vector{50});
  EXPECT_EQ(variants_.known()->count(), 50U);
}

TEST(KernelInfo, ImplementationsWithoutNameAreNumberedByKindOfProcessor) {
  const auto f = [](Vector) {};
  const Kernel kernel("k", on_cpu(f), on_opencl_native(f), on_cpu(f).named("blocked"), on_cpu(f), on_opencl_native(f));
  std::vector<std::string> names;
  for (const Implementation& one : kernel.info()->implementations) names.push_back(one.name);
  EXPECT_THAT(names, testing::ElementsAre("", "", "blocked", "3", "2"));
  EXPECT_THROW(Kernel("k", on_cpu(f).named("a"), on_cpu(f).named("a")), InputError);
}

/// Longer than a thread waits for its turn on a busy machine, which the quicker implementation may have to.
constexpr std::chrono::milliseconds kLong(100);

/// Adds 1. The first implementation lingers on many elements, the second one on few.
const Kernel kIncrement("increment", on_cpu([](Vector x) {
                                       if (x.size() > 100) std::this_thread::sleep_for(kLong);
                                       for (double& one : x) one += 1;
                                     }).named("for few"),
                        on_cpu([](Vector x) {
                          if (x.size() <= 100) std::this_thread::sleep_for(kLong);
                          for (double& one : x) one += 1;
                        }).named("for many"));

constexpr int kTasks = 40;

/// Which implementations ran, in order, in a runtime of its own.
std::vector<std::string> increments(std::size_t size, const std::string& history, const std::string& workers) {
  std::vector<double> x(size);
  Runtime runtime({.workers = workers, .trace = true, .history = history});
  const auto a = runtime.data(x);
  for (int i = 0; i < kTasks; ++i) runtime.submit(kIncrement, rw(a));
  runtime.wait();
  EXPECT_THAT(x, Each(kTasks));
  expect_valid(runtime);
  return runtime.trace().variants;
}

TEST(SeveralVariants, TheOneThatIsQuickerForTheSizeIsFoundAndRemembered) {
  const Scratch scratch;
  for (const auto& [size, quick] : {std::pair(10U, "for few"), std::pair(1000U, "for many")}) {
    const std::vector<std::string> first = increments(size, scratch.path("h"), "cpu=1");
    ASSERT_EQ(first.size(), static_cast<std::size_t>(kTasks));
    EXPECT_EQ(std::ranges::count(first, quick), kTasks - static_cast<int>(Variants::kTries)) << size;
    EXPECT_THAT(increments(size, scratch.path("h"), "cpu=1"), Each(quick)) << size;
  }
  const std::vector<Measured> entries = History(scratch.path("h"), this_machine()).read();
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].variant, "for few");
  EXPECT_EQ(entries[0].duration.count(), 2U * kTasks - Variants::kTries);
  EXPECT_EQ(entries[1].variant, "for many");
  EXPECT_EQ(entries[1].duration.count(), Variants::kTries);
}

TEST(SeveralVariants, EachClassFindsItsOwn) {
  const Kernel where("where", on_cpu([](const Job& job, int& x) {
                                if (job.team().size() == 2) std::this_thread::sleep_for(kLong);
                                ++x;
                              }).named("for one"),
                     on_cpu([](const Job& job, int& x) {
                       if (job.team().size() == 1) std::this_thread::sleep_for(kLong);
                       ++x;
                     }).named("for two"));
  for (const auto& [workers, quick] : {std::pair("cpu=1", "for one"), std::pair("cpu2=1", "for two")}) {
    int x = 0;
    Runtime runtime({.workers = workers, .trace = true, .history = ""});
    const auto a = runtime.data(x);
    for (int i = 0; i < kTasks; ++i) runtime.submit(where, rw(a));
    runtime.wait();
    EXPECT_EQ(x, kTasks);
    EXPECT_EQ(std::ranges::count(runtime.trace().variants, quick), kTasks - static_cast<int>(Variants::kTries));
  }
}

TEST(SeveralVariants, OneThatIsMissingDoesNotRunAndIsToldOfOnce) {
  const auto increment = [](std::span<int> x) { ++x[0]; };
  const auto on_device = [&] { return on_opencl_native(increment).unless([] { return "no such library"; }); };
  const Kernel one("one", on_cpu(increment), on_device());
  const Kernel other("other", on_device(), on_cpu(increment).unless([] { return ""; }));
  const Kernel nowhere("nowhere", on_device());
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& sentence) { warnings.push_back(sentence); };
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options());
  std::vector<int> x(1);
  Runtime runtime({.workers = "cpu=1,fake=1", .backends = {backend}, .history = "", .warn = warn});
  const auto a = runtime.data(x);
  for (const auto& kernel : {one, other, one}) runtime.submit(kernel, rw(a));
  EXPECT_THROW(runtime.submit(nowhere, rw(a)), InputError);
  runtime.wait();
  EXPECT_EQ(x[0], 3);
  EXPECT_EQ(backend->counts().kernels, 0U);
  EXPECT_EQ(warnings, std::vector<std::string>{"no such library"});
}

TEST(SeveralVariants, AFailureIsTheTasks) {
  const Kernel kernel("half", on_cpu([](int& x) { ++x; }), on_cpu([](int&) { throw std::runtime_error("broken"); }));
  int x = 0;
  Runtime runtime({.workers = "cpu=1", .history = ""});
  const auto a = runtime.data(x);
  for (int i = 0; i < 2; ++i) runtime.submit(kernel, rw(a));
  EXPECT_THROW(runtime.wait(), std::runtime_error);
}

}  // namespace
}  // namespace heddle::runtime::variants_test
