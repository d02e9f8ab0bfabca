// Devices that copy from each other: data takes the shortest way, and comes another way when that fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "heddle/runtime/history.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/data_flow.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/random_spoliation.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime::direct_copies_test {
namespace {

using std::chrono::microseconds;
using Operation = FakeBackend::Operation;

/// Three of them, which copy from each other.
std::shared_ptr<FakeBackend> connected(FakeBackend::Options options = {}) {
  options.devices = 3;
  options.connected = true;
  return std::make_shared<FakeBackend>(std::move(options));
}

class DirectCopiesPolicies : public testing::TestWithParam<std::string> {};

TEST_P(DirectCopiesPolicies, RunRandomDataFlow) {
  for (const char* workers : {"cpu=1,fake=2", "fake=3"}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const DataFlow flow(seed, 1 + 60 * seed);
      Config config = with(connected({.delay = microseconds(20 * (seed % 2))}), workers, GetParam());
      config.seed = seed;
      Runtime runtime(config);
      ASSERT_EQ(flow.run(runtime), flow.expected()) << workers << ", seed " << seed;
      ASSERT_EQ(flow.run_recorded(runtime, 2), flow.expected(2)) << workers << ", seed " << seed;
      expect_valid(runtime);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DirectCopies, DirectCopiesPolicies, testing::ValuesIn(runtime_policies()), test::test_name);

/// Gives the tasks, in their order, to the workers in turn.
class InTurn {
 public:
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    if (ready_.empty()) return policy::wait();
    const auto task = std::ranges::min_element(ready_);
    const auto worker = make_id<WorkerId>(*turn_ % view.platform().worker_count());
    if (!view.is_idle(worker)) return policy::wait();
    ++*turn_;
    const TaskId taken = *task;
    ready_.erase(task);
    return policy::run(taken, worker);
  }

 private:
  std::shared_ptr<std::size_t> turn_ = std::make_shared<std::size_t>(0);  ///< goes on when it begins anew
  std::vector<TaskId> ready_;
};

Config in_turn(const std::shared_ptr<FakeBackend>& backend, const std::string& workers) {
  Config config = with(backend, workers, "eager");
  config.decider = policy::Policy(InTurn());
  return config;
}

const Kernel<std::span<int>> kIncrement("increment", on_opencl_native([](std::span<int> x) {
                                          for (int& one : x) ++one;
                                        }));
const Kernel<std::span<const int>> kLook("look", on_opencl_native([](std::span<const int>) {}));

/// How often data moved at once from one device to another.
std::ptrdiff_t direct_transfers(const Trace& trace) {
  const MemoryId ram = trace.instance.platform.find_memory("ram").value();
  return std::ranges::count_if(trace.schedule.transfers,
                               [&](const heddle::Transfer& one) { return one.from != ram && one.to != ram; });
}

/// A datum that is written on one device after the other; whether they are connected makes no difference to its value.
TEST(DirectCopies, SpareTheWayThroughTheProgramsMemory) {
  for (const bool direct : {true, false}) {
    const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{.devices = 2, .connected = direct});
    Runtime runtime(in_turn(backend, "fake=2"));
    EXPECT_EQ(runtime.platform().links().size(), direct ? 6U : 4U);
    const std::size_t measured = backend->counts().direct_copies;
    EXPECT_EQ(measured > 0, direct);
    std::vector<int> values(100);
    const auto data = runtime.data(values);
    const Graph graph = runtime.record([&] {
      for (int i = 0; i < 10; ++i) runtime.submit(kIncrement, rw(data));
    });
    runtime.run(graph);
    runtime.wait();
    EXPECT_EQ(values, std::vector<int>(100, 10));
    EXPECT_EQ(backend->counts().direct_copies - measured, direct ? 9U : 0U);
    const Trace trace = runtime.trace();
    EXPECT_EQ(direct_transfers(trace), direct ? 9 : 0);
    EXPECT_EQ(trace.schedule.transfers.size(), direct ? 11U : 20U);
    expect_valid(runtime);
  }
}

/// What is valid in the program's memory and in that of one device is fetched by another one from where it comes
/// sooner.
TEST(DirectCopies, AreMadeWhereTheyAreTheShortestWay) {
  for (const bool direct : {true, false}) {
    const test::Scratch scratch;
    const std::vector<std::string> names{"ram", "fake 0: a fake", "fake 1: a fake"};
    std::vector<MeasuredLink> links;
    for (const std::string& from : names) {
      for (const std::string& to : names) {
        const bool between = from != "ram" && to != "ram";
        const Time time = between == direct ? 10 * kMicrosecond : kMillisecond;
        const Estimate estimate(1, std::vector<Time>{time});
        if (from != to) links.push_back({from, to, estimate, estimate});
      }
    }
    History(scratch.path("h"), this_machine()).add_links(links);
    const auto backend = connected();
    Config config = in_turn(backend, "fake=2");
    config.history = scratch.path("h");
    Runtime runtime(config);
    EXPECT_EQ(backend->counts().direct_copies, 0U) << "nothing was measured";
    std::vector<int> values(100, 1);
    const auto data = runtime.data(values);
    const Graph graph = runtime.record([&] {
      const Task first = runtime.submit(kLook, read(data));
      runtime.submit(kLook, read(data), after({first}));
    });
    runtime.run(graph);
    runtime.wait();
    EXPECT_EQ(backend->counts().direct_copies, direct ? 1U : 0U);
  }
}

TEST(DirectCopies, ThatFailGoThroughTheProgramsMemory) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const DataFlow flow(seed, 150);
    const auto backend =
        connected({.delay = microseconds(10), .fails = [=](Operation operation, std::size_t number, std::size_t) {
                     return operation == Operation::copy_from && number % seed == 0;
                   }});
    Runtime runtime(with(backend, "cpu=1,fake=3", "ws"));
    const std::size_t measured = backend->counts().direct_copies;
    backend->start_failing();
    ASSERT_EQ(flow.run(runtime), flow.expected());
    EXPECT_GT(backend->counts().direct_copies, measured);
    expect_valid(runtime);
  }
}

/// Two devices have the value, and the program's memory has not: when one of them is gone, it comes from the other.
TEST(DirectCopies, AreOtherPlacesToFetchAValueFrom) {
  for (const std::size_t broken : {0U, 1U}) {
    const auto backend = connected({.fails = [=](Operation operation, std::size_t, std::size_t device) {
      return operation == Operation::copy_out && device == broken;
    }});
    Runtime runtime(in_turn(backend, "fake=2"));
    backend->start_failing();
    std::vector<int> values(100);
    const auto data = runtime.data(values);
    const Graph graph = runtime.record([&] {
      runtime.submit(kIncrement, rw(data));
      runtime.submit(kLook, read(data));
    });
    runtime.run(graph);
    runtime.wait();
    EXPECT_EQ(values, std::vector<int>(100, 1));
  }
}

/// Has a datum fetched into another memory, for a task that is ready, when one that commutes with it waits for its turn
/// where the datum is.
/// When the engine starts it anew, the first task has begun: it takes the others as they come.
class FetchesFromUnderAWriter {
 public:
  [[nodiscard]] static bool keeps_order() { return true; }
  void start(const policy::View& view) {
    begins_anew_ = view.graph().task_count() < 4 || view.running(WorkerId{0}) != kNone<TaskId>;
  }
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    const WorkerId first{0};
    if (begins_anew_) {
      if (ready_.empty() || !view.is_idle(first)) return policy::wait();
      const TaskId task = ready_.back();
      ready_.pop_back();
      return policy::run(task, first);
    }
    if (done_ == 0 && view.is_idle(first)) return ++done_, policy::run(TaskId{0}, first);
    if (done_ == 1 && is_done_ && view.is_idle(first)) return ++done_, policy::run(TaskId{1}, first);
    if (done_ == 2 && view.is_idle(first)) return ++done_, policy::run(TaskId{2}, first);
    if (done_ == 3) return ++done_, policy::prefetch(TaskId{3}, WorkerId{1});
    if (done_ == 4 && view.is_idle(first)) return ++done_, policy::run(TaskId{3}, first);
    return policy::wait();
  }
  void finished(const policy::View&, std::span<const policy::Completion>) { is_done_ = true; }

 private:
  std::vector<TaskId> ready_;
  int done_ = 0;
  bool begins_anew_ = false;
  bool is_done_ = false;
};

TEST(DirectCopies, MayBeginFromWhereATaskIsAboutToWrite) {
  for (int round = 0; round < 10; ++round) {
    Config config = in_turn(connected({.delay = microseconds(2000)}), "fake=2");
    config.decider = policy::Policy(FetchesFromUnderAWriter());
    std::vector<int> values(100);
    std::vector<int> other(100);
    Runtime runtime(config);
    const auto data = runtime.data(values);
    const auto apart = runtime.data(other);
    const Graph graph = runtime.record([&] {
      runtime.submit(kIncrement, rw(data));
      runtime.submit(kIncrement, rw(apart));
      runtime.submit(kIncrement, commute(data));
      runtime.submit(kIncrement, commute(data));
    });
    runtime.run(graph);
    runtime.wait();
    EXPECT_EQ(values, std::vector<int>(100, 3));
    EXPECT_EQ(other, std::vector<int>(100, 1));
    expect_valid(runtime);
  }
}

TEST(DirectCopies, StallNothingWhenADeviceVanishes) {
  // With sanitizers each moment is tried with one policy.
  constexpr const char* kPolicies[] = {"dmdas", "heteroprio-dep", "ws", "auto"};
  std::size_t moment = 0;
  for (std::size_t when : {0U, 1U, 5U, 20U, 60U, 200U}) {
    for (std::size_t i = 0; i < test::rounds(std::size(kPolicies)); ++i) {
      const char* const policy = kPolicies[(moment + i) % std::size(kPolicies)];
      const DataFlow flow(when + 1, 150);
      const auto backend =
          connected({.delay = microseconds(10), .fails = [=](Operation, std::size_t number, std::size_t device) {
                       return number >= when && device == 1;
                     }});
      Runtime runtime(with(backend, "cpu=1,fake=3", policy));
      backend->start_failing();
      try {
        EXPECT_EQ(flow.run(runtime), flow.expected());
      } catch (const std::runtime_error& error) {
        EXPECT_TRUE(std::string_view(error.what()).ends_with("the device is gone")) << error.what();
      }
    }
    ++moment;
  }
}

TEST(DirectCopies, SurviveSpoliationInFullMemories) {
  for (std::uint64_t seed = 1; seed <= (test::kSanitized ? 8 : 20); ++seed) {
    const DataFlow flow(seed, 200, microseconds(20 * (seed % 3)));
    const auto backend = connected({.memory_bytes = seed % 2 == 0 ? 200U : 1U << 20,
                                    .delay = microseconds(30),
                                    .fails = [=](Operation operation, std::size_t number, std::size_t) {
                                      return seed % 4 == 0 && operation == Operation::copy_from && number % 3 == 0;
                                    }});
    Config config = with(backend, "cpu=1,fake=3", "dmdas");
    config.decider = policy::Policy(RandomSpoliation(seed));
    Runtime runtime(config);
    backend->start_failing();
    ASSERT_EQ(flow.run(runtime), flow.expected()) << "seed " << seed;
    expect_valid(runtime);
  }
}

}  // namespace
}  // namespace heddle::runtime::direct_copies_test
