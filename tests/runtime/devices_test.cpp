// Machines with several memories: what tasks compute does not depend on where they run, and whatever goes wrong with a
// device is survived, or told.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/runtime/device_first.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/data_flow.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/increment.hpp"
#include "tests/runtime/random_spoliation.hpp"
#include "tests/runtime/valid_trace.hpp"

namespace heddle::runtime {
namespace {

using std::chrono::microseconds;
using Operation = FakeBackend::Operation;

class DevicePolicies : public testing::TestWithParam<std::string> {};

TEST_P(DevicePolicies, RunRandomDataFlow) {
  // Of what is run with other options there is less.
  const bool is_plain = GetParam().find(':') == std::string::npos;
  const std::vector<const char*> machines{"cpu=1,fake=1", "fake=2", "cpu=2,fake=2", "cpu=1,cpu2=1,fake=1"};
  for (const char* workers : std::span(machines).first(is_plain ? 4 : 2)) {
    const bool three_classes = std::string_view(workers).find("cpu2") != std::string_view::npos;
    if (three_classes && policy::Spec(GetParam()).entry().needs(policy::Spec(GetParam()).options()).two_classes)
      continue;
    for (std::uint64_t seed = 1; seed <= (is_plain ? 2U : 1U); ++seed) {
      const DataFlow flow(seed, 1 + 50 * seed);
      const auto backend =
          fake({.devices = 2, .delay = microseconds(20 * (seed % 2)), .side_by_side = 1 + 2 * (seed % 2)});
      Config config = with(backend, workers, GetParam());
      config.seed = seed;
      Runtime runtime(config);
      ASSERT_EQ(flow.run(runtime), flow.expected()) << workers << ", seed " << seed;
      ASSERT_EQ(flow.run_recorded(runtime, 2), flow.expected(2)) << workers << ", seed " << seed;
      expect_valid(runtime);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, DevicePolicies, testing::ValuesIn(runtime_specs()), test::test_name);

TEST(Devices, AFullMemoryWritesBackWhatItDrops) {
  const Increment increment;
  const auto backend = fake({.memory_bytes = 10'000, .delay = microseconds(50)});
  std::vector<std::vector<int>> vectors(40, std::vector<int>(500));  // 2000 bytes each: five fit
  {
    Runtime runtime(device_first(backend));
    std::vector<Data<std::span<int>>> data;
    for (auto& one : vectors) data.push_back(runtime.data(one));
    for (int round = 0; round < 5; ++round) {
      for (const auto& one : data) runtime.submit(increment.kernel, rw(one));
    }
    runtime.wait();
    expect_valid(runtime);
  }
  for (const auto& one : vectors) EXPECT_EQ(one, std::vector<int>(500, 5));
  EXPECT_EQ(backend->counts().kernels, 200U);
  EXPECT_LE(backend->counts().most_bytes, 10'000U);
  EXPECT_EQ(backend->counts().bytes, 0U);
}

/// What is given ahead may find its data there while what comes before it waits for that to leave.
TEST(Devices, ATaskAheadTakesNoRoomFromTheOneBefore) {
  const Increment increment;
  const Kernel<std::span<const int>> look("look", on_opencl_native([](std::span<const int>) {}));
  std::vector<int> small(100);
  std::vector<int> large(1000);
  Runtime runtime(with(fake({.memory_bytes = 4000, .delay = microseconds(50)}), "fake=1", "eager"));
  const auto a = runtime.data(small);
  const auto b = runtime.data(large);
  const Graph graph = runtime.record([&] {
    runtime.submit(increment.kernel, rw(a));
    runtime.submit(increment.kernel, rw(b));
    runtime.submit(look, read(a));
  });
  runtime.run(graph);
  runtime.wait();
  EXPECT_EQ(large, std::vector<int>(1000, 1));
  expect_valid(runtime);
}

TEST(Devices, WhatDoesNotFitRunsElsewhere) {
  const Increment increment;
  const auto backend = fake({.memory_bytes = 1000});
  std::vector<int> small(100);
  std::vector<int> large(1000);
  Runtime runtime(device_first(backend));
  const auto a = runtime.data(small);
  const auto b = runtime.data(large);
  for (int i = 0; i < 3; ++i) {
    runtime.submit(increment.kernel, rw(a));
    runtime.submit(increment.kernel, rw(b));
  }
  runtime.wait();
  EXPECT_EQ(small, std::vector<int>(100, 3));
  EXPECT_EQ(large, std::vector<int>(1000, 3));
  EXPECT_EQ(backend->counts().kernels, 3U);
  expect_valid(runtime);
}

/// While one thread waits for all tasks, and a large datum is on its way home, another has a task run.
TEST(Devices, WhatIsWrittenWhileSomebodyWaitsComesHomeToo) {
  const Increment increment;
  std::latch copies{1};
  std::latch done{1};
  std::atomic<bool> is_first{true};
  const auto backend = fake({.before = [&](Operation operation) {
    if (operation != Operation::copy_out || !is_first.exchange(false)) return;
    copies.count_down();
    done.wait();
  }});
  std::vector<int> large(1000);
  std::vector<int> small(10);
  Runtime runtime(device_first(backend));
  const auto a = runtime.data(large);
  const auto b = runtime.data(small);
  backend->start_failing();
  runtime.submit(increment.kernel, rw(a));
  std::jthread other([&] {
    copies.wait();
    runtime.submit(increment.kernel, rw(b)).wait();
    done.count_down();
  });
  runtime.wait();
  other.join();
  runtime.wait();
  EXPECT_EQ(large, std::vector<int>(1000, 1));
  EXPECT_EQ(small, std::vector<int>(10, 1));
}

/// The thread that runs it is the device's.
TEST(Devices, AKernelMaySubmitAndMustNotWait) {
  const Increment increment;
  int x = 0;
  std::vector<int> y(10);
  std::atomic<int> refused{0};
  Config config = device_first(fake());
  config.most_waiting = 2;
  Runtime runtime(config);
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  const Kernel submits("submits", on_opencl_native([&](int&) {
                         for (int i = 0; i < 20; ++i) runtime.submit(increment.kernel, rw(b));
                         try {
                           runtime.wait();
                         } catch (const InputError&) {
                           ++refused;
                         }
                       }));
  runtime.submit(submits, rw(a));
  runtime.wait();
  EXPECT_EQ(y, std::vector<int>(10, 20));
  EXPECT_EQ(refused, 1);
}

/// Throws when something ends after it was told to.
class ThrowsWhenTold : public DeviceFirst {
 public:
  explicit ThrowsWhenTold(const std::atomic<bool>& told) : told_(&told) {}
  void finished(const policy::View&, std::span<const policy::Completion>) {
    if (*told_) throw std::logic_error("the policy is at its wits' end");
  }

 private:
  const std::atomic<bool>* told_;
};

/// The program may give memory back once its data is gone.
TEST(Devices, WritesNothingAfterAPolicyHasThrownAndDataHasGone) {
  const Increment increment;
  std::atomic<bool> copies{false};
  std::atomic<bool> copied{false};
  const auto backend = fake({.before = [&](Operation operation) {
    if (operation != Operation::copy_out) return;
    copies = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    copied = true;
  }});
  const Kernel<int&> await_copy("await", on_cpu([&](int& x) {
                                  while (!copies) std::this_thread::yield();
                                  ++x;
                                }));
  const Kernel<std::span<const int>, int&> look("look", on_cpu([](std::span<const int> from, int& x) { x = from[0]; }));
  std::vector<int> large(1000);
  int x = 0;
  int y = 0;
  Config config = device_first(backend);
  config.decider = policy::Policy(ThrowsWhenTold(copies));
  Runtime runtime(config);
  {
    const auto a = runtime.data(large);
    const auto b = runtime.data(x);
    const auto c = runtime.data(y);
    backend->start_failing();
    runtime.submit(increment.kernel, rw(a));
    runtime.submit(await_copy, rw(c));
    runtime.submit(look, read(a), write(b));
    EXPECT_THROW(runtime.wait(), std::logic_error);
  }
  EXPECT_EQ(copied, copies);
}

TEST(Devices, WhatFitsNowhereFailsAndSaysWhy) {
  const Kernel<std::span<int>> kernel("fill", on_opencl_native([](std::span<int> x) { std::ranges::fill(x, 7); }));
  std::vector<int> small(100);
  std::vector<int> large(1000);
  Runtime runtime(with(fake({.memory_bytes = 1000}), "cpu=1,fake=1", "dmdas"));
  const auto a = runtime.data(small);
  const auto b = runtime.data(large);
  runtime.submit(kernel, write(b));
  runtime.submit(kernel, write(a));
  try {
    runtime.wait();
    FAIL() << "nothing was thrown";
  } catch (const OutOfMemory& error) {
    EXPECT_STREQ(error.what(), "task 'fill#1': its 4000 bytes of data do not fit into the memory of fake0");
  }
  EXPECT_EQ(small, std::vector<int>(100, 7));
}

TEST(Devices, AllTasksFailThatFitNowhere) {
  const Kernel<std::span<int>> kernel("fill", on_opencl_native([](std::span<int> x) { std::ranges::fill(x, 7); }));
  for (const char* policy : {"dmdas", "eager", "heft", "heteroprio-dep"}) {
    std::vector<std::vector<int>> large(5, std::vector<int>(1000));
    Runtime runtime(with(fake({.memory_bytes = 1000}), "cpu=1,fake=1", policy));
    std::vector<Data<std::span<int>>> data;
    for (auto& one : large) data.push_back(runtime.data(one));
    // Also those that wait for others, and those that come when it is known.
    for (int round = 0; round < 2; ++round) {
      std::vector<Task> tasks;
      for (int i = 0; i < 2; ++i) {
        for (const auto& one : data) tasks.push_back(runtime.submit(kernel, rw(one)));
      }
      for (const Task& task : tasks) EXPECT_THROW(task.wait(), OutOfMemory) << policy;
      EXPECT_THROW(runtime.wait(), OutOfMemory) << policy;
    }
  }
}

TEST(Devices, MayReadADatumTwice) {
  const Kernel<std::span<const int>, std::span<const int>, std::span<const int>, int&> add(
      "add", on_opencl_native([](std::span<const int> x, std::span<const int> y, std::span<const int> z, int& sum) {
        sum = x.front() + 10 * y.back() + 100 * z.back() + 1000 * static_cast<int>(z.size());
      }));
  for (const char* policy : {"eager", "dmdas", "ws"}) {
    std::vector<int> small(2, 1);
    std::vector<int> large(5000, 2);
    int sum = 0;
    Config config = with(fake(), "fake=1", policy);
    config.device_memory = 2 * 4 + 5000 * 4 + 4;  // each once
    Runtime runtime(config);
    const auto a = runtime.data(small);
    const auto b = runtime.data(large);
    const auto c = runtime.data(sum);
    runtime.submit(add, read(a), read(a), read(b), write(c));
    runtime.wait();
    EXPECT_EQ(sum, 5'000'211) << policy;
    expect_valid(runtime);
  }
}

TEST(Devices, RunTasksOnEmptyData) {
  const Increment increment;
  std::vector<int> empty;
  int sum = 0;
  const Kernel<std::span<const int>, int&> add(
      "add", on_opencl_native([](std::span<const int> x, int& total) { total += 1 + static_cast<int>(x.size()); }));
  Runtime runtime(device_first(fake()));
  const auto a = runtime.data(empty);
  const auto b = runtime.data(sum);
  for (int i = 0; i < 3; ++i) {
    runtime.submit(increment.kernel, rw(a));
    runtime.submit(add, read(a), rw(b));
  }
  runtime.wait();
  EXPECT_EQ(sum, 3);
  expect_valid(runtime);
}

TEST(Devices, TheLimitOfTheConfigurationCounts) {
  const Increment increment;
  const auto backend = fake();
  std::vector<std::vector<int>> vectors(10, std::vector<int>(100));
  Config config = device_first(backend);
  config.device_memory = 1000;
  {
    Runtime runtime(config);
    std::vector<Data<std::span<int>>> data;
    for (auto& one : vectors) data.push_back(runtime.data(one));
    for (const auto& one : data) runtime.submit(increment.kernel, rw(one));
  }
  for (const auto& one : vectors) EXPECT_EQ(one, std::vector<int>(100, 1));
}

TEST(Devices, TheProgramMayChangeItsMemoryAfterWaiting) {
  const Increment increment;
  std::vector<int> x(10);
  Runtime runtime(device_first(fake()));
  const auto a = runtime.data(x);
  runtime.submit(increment.kernel, rw(a));
  runtime.wait();
  EXPECT_EQ(x, std::vector<int>(10, 1));
  std::ranges::fill(x, 100);
  runtime.submit(increment.kernel, rw(a));
  runtime.wait();
  EXPECT_EQ(x, std::vector<int>(10, 101));
}

TEST(Devices, DataComesHomeWhenItIsReleased) {
  const Increment increment;
  std::vector<int> x(10);
  Runtime runtime(device_first(fake({.delay = microseconds(200)})));
  {
    const auto a = runtime.data(x);
    for (int i = 0; i < 3; ++i) runtime.submit(increment.kernel, rw(a));
  }
  EXPECT_EQ(x, std::vector<int>(10, 3));
}

TEST(Devices, MemoryIsPinnedByOneOfThemAndForAWhile) {
  const auto backend = fake({.devices = 2});
  std::vector<int> x(100);
  Runtime runtime(with(backend, "cpu=1,fake=2", "eager"));
  {
    Pinned pinned = runtime.pin(std::as_writable_bytes(std::span(x)));
    EXPECT_EQ(backend->counts().pinned_bytes, 400U);
    const Pinned moved = std::move(pinned);
    EXPECT_EQ(runtime.pin({}), nullptr) << "there is nothing to pin";
    EXPECT_EQ(backend->counts().pinned_bytes, 400U);
  }
  EXPECT_EQ(backend->counts().pinned_bytes, 0U);
  EXPECT_EQ(Runtime({.workers = "cpu=1"}).pin(std::as_writable_bytes(std::span(x))), nullptr) << "nobody wants it";
}

TEST(Devices, AMatrixWithALeadingDimensionKeepsWhatIsBetweenItsColumns) {
  const Kernel<Matrix<double>> scale("scale", on_opencl_native([](Matrix<double> a) {
                                       for (std::size_t j = 0; j < a.columns; ++j) {
                                         for (std::size_t i = 0; i < a.rows; ++i) a(i, j) *= 2;
                                       }
                                     }));
  std::vector<double> memory(7 * 5, 1);
  Runtime runtime(with(fake(), "cpu=1,fake=1", "dmdas"));
  const auto a = runtime.data(Matrix<double>{memory.data(), 4, 5, 7});
  runtime.submit(scale, rw(a));
  runtime.wait();
  for (std::size_t i = 0; i < memory.size(); ++i) EXPECT_EQ(memory[i], i % 7 < 4 ? 2 : 1) << i;
}

TEST(Devices, AKernelThatThrowsFailsItsTaskOnly) {
  const Kernel<int, std::span<int>> checks("checks", on_opencl_native([](int bad, std::span<int> x) {
                                             if (bad != 0) throw std::runtime_error("on the device");
                                             x[0] = 5;
                                           }));
  std::vector<int> x(3);
  std::vector<int> y(3);
  Runtime runtime(with(fake(), "cpu=1,fake=1", "dmdas"));
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  runtime.submit(checks, 1, rw(a));
  runtime.submit(checks, 0, rw(a));
  runtime.submit(checks, 0, rw(b));
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_EQ(y[0], 5);
  EXPECT_EQ(x[0], 0);
}

TEST(Devices, WhenDataCannotBeSentThereOthersRunTheTasks) {
  const Increment increment;
  const auto backend =
      fake({.fails = [](Operation operation, std::size_t, std::size_t) { return operation == Operation::copy_in; }});
  std::vector<std::vector<int>> vectors(10, std::vector<int>(100));
  Runtime runtime(device_first(backend));
  backend->start_failing();
  {
    std::vector<Data<std::span<int>>> data;
    for (auto& one : vectors) data.push_back(runtime.data(one));
    for (const auto& one : data) runtime.submit(increment.kernel, rw(one));
    runtime.wait();
  }
  for (const auto& one : vectors) EXPECT_EQ(one, std::vector<int>(100, 1));
  EXPECT_EQ(backend->counts().kernels, 0U);
}

TEST(Devices, TasksThatWaitForTheSameDataFailTogether) {
  const Kernel<std::span<const int>, std::span<int>> kernel(
      "add", on_opencl_native([](std::span<const int>, std::span<int>) {}));
  for (const char* policy : {"dmdas", "eager", "heft", "heteroprio-dep"}) {
    const auto backend = fake({.delay = microseconds(2000), .fails = [](Operation operation, std::size_t, std::size_t) {
                                 return operation == Operation::copy_in;
                               }});
    std::vector<int> shared(10);
    std::vector<std::vector<int>> own(4, std::vector<int>(10));
    Runtime runtime(with(backend, "cpu=1,fake=1", policy));
    backend->start_failing();
    const auto read_by_all = runtime.data(shared);
    std::vector<Data<std::span<int>>> data;
    for (auto& one : own) data.push_back(runtime.data(one));
    const Graph graph = runtime.record([&] {
      for (const auto& one : data) runtime.submit(kernel, read(read_by_all), write(one));
    });
    runtime.run(graph);
    EXPECT_THROW(runtime.wait(), std::runtime_error) << policy;
  }
}

TEST(Devices, WhatRunsWhenNobodyElseCanIsLeftAlone) {
  const auto await = [](const std::atomic<bool>& flag) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!flag && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  };
  std::atomic<bool> open = false;    // both tasks were submitted: one policy decides on both at once
  std::atomic<bool> begun = false;   // one device runs its task
  std::atomic<bool> failed = false;  // the other one has failed
  const Kernel<int&> gate("gate", on_cpu([&](int&) { await(open); }));
  const Kernel<std::span<int>> kernel("slow", on_opencl_native([&](std::span<int> x) {
                                        begun = true;
                                        await(failed);
                                        std::this_thread::sleep_for(std::chrono::milliseconds(30));
                                        x[0] = 7;
                                      }));
  for (const char* policy : {"heteroprio-dep", "heteroprio-multi", "dmdas"}) {
    const auto backend = fake({.devices = 2, .fails = [&](Operation operation, std::size_t, std::size_t device) {
                                 if (operation != Operation::copy_in || device == 0) return false;
                                 await(begun);
                                 failed = true;
                                 return true;
                               }});
    std::vector<int> x(10);
    std::vector<int> y(10);
    std::vector<int> z(10);
    Runtime runtime(with(backend, "cpu=1,fake=2", policy));
    const auto c = runtime.data(z);
    failed = true;
    runtime.submit(kernel, rw(c));
    runtime.wait();  // the policy knows how long it takes, and believes that cores are faster
    open = begun = failed = false;
    backend->start_failing();
    int value = 0;
    const auto held = runtime.data(value);
    const Task before = runtime.submit(gate, rw(held));
    const auto a = runtime.data(x);
    const auto b = runtime.data(y);
    const Task tasks[]{runtime.submit(kernel, rw(a), after({before})), runtime.submit(kernel, rw(b), after({before}))};
    open = true;
    EXPECT_THROW(runtime.wait(), std::runtime_error) << policy;
    EXPECT_EQ(std::ranges::count_if(tasks,
                                    [](const Task& task) {
                                      try {
                                        task.wait();
                                        return false;
                                      } catch (const std::runtime_error&) {
                                        return true;
                                      }
                                    }),
              1)
        << policy;
    EXPECT_EQ(x[0] + y[0], 7) << policy;
  }
}

TEST(Devices, WhatCannotBeFetchedIsLostAndTheRestIsRight) {
  const Increment increment;
  const Kernel<std::span<int>> on_host("on host", on_cpu(Increment::add_one));
  const auto backend =
      fake({.fails = [](Operation operation, std::size_t, std::size_t) { return operation == Operation::copy_out; }});
  std::vector<int> x(10);
  std::vector<int> y(10);
  Runtime runtime(device_first(backend));
  backend->start_failing();
  const auto a = runtime.data(x);
  const auto b = runtime.data(y);
  runtime.submit(increment.kernel, rw(a));
  const Task last = runtime.submit(on_host, rw(a));
  runtime.submit(on_host, rw(b));
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_THROW(last.wait(), std::runtime_error);
  EXPECT_EQ(y, std::vector<int>(10, 1));
}

TEST(Devices, AllAcceleratorsTakePartWhenNobodySaysHowMany) {
  const Runtime runtime(with(fake({.devices = 3}), "auto", "dmdas"));
  const Platform& platform = runtime.platform();
  const std::optional<ClassId> devices = platform.find_class("fake");
  ASSERT_TRUE(devices);
  EXPECT_EQ(platform.worker_count(*devices), 3U);
  EXPECT_EQ(platform.class_name(ClassId{0}), "cpu");
  EXPECT_EQ(platform.worker_count(ClassId{0}),
            std::max<std::size_t>(4, Runtime({.history = ""}).platform().worker_count()) - 3);
}

TEST(Devices, ThereAreOnlySoMany) {
  EXPECT_THROW(Runtime(with(fake(), "cpu=1,fake=2", "dmdas")), InputError);
  EXPECT_THROW(Runtime(with(fake(), "cpu=1,nothing=2", "dmdas")), InputError);
}

TEST(Devices, SpoliationAcrossMemoriesLeavesNoTrace) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const DataFlow flow(seed, 200, microseconds(20 * (seed % 3)));
    const auto backend = fake({.devices = 2,
                               .memory_bytes = seed % 2 == 0 ? 200U : 1U << 20,
                               .delay = microseconds(30),
                               .side_by_side = 1 + seed % 3});
    Config config = with(backend, "cpu=2,fake=2", "dmdas");
    config.decider = policy::Policy(RandomSpoliation(seed));
    Runtime runtime(config);
    ASSERT_EQ(flow.run(runtime), flow.expected()) << "seed " << seed;
    expect_valid(runtime);
  }
}

}  // namespace
}  // namespace heddle::runtime
