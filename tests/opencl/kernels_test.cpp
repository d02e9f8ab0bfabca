// The three forms of implementations on OpenCL devices.

#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/kernel.hpp"
#include "tests/support/device_test.hpp"

namespace heddle::test {
namespace {

using runtime::Argument;
using runtime::Device;
using runtime::Job;
using runtime::Matrix;
using runtime::on_opencl;
using runtime::on_opencl_native;
using runtime::on_opencl_queue;
using runtime::WorkItems;

using Kernels = DeviceTest;

const auto kScale = on_opencl<std::span<std::int32_t>, std::int32_t>(
    "kernel void scale(global int* x, uint n, int a) { if (get_global_id(0) < n) x[get_global_id(0)] *= a; }", "scale");

TEST_F(Kernels, AreForgottenWithTheirSource) {
  for (Device* device : devices(kScale.implementation)) {
    const Memory vector = memory_of(*device, std::vector<std::int32_t>{1});
    std::vector<std::weak_ptr<const runtime::OpenClSource>> sources;
    for (int i = 0; i < 1000; ++i) {
      const auto made = on_opencl<std::span<std::int32_t>, std::int32_t>(kScale.implementation.source->text, "scale");
      Execution execution({argument(vector, {1, 1, 4})}, std::int32_t{i % 3 == 0 ? -1 : 1});
      ASSERT_EQ(run(*device, made.implementation, execution).message(), "");
      sources.emplace_back(made.implementation.source);
    }
    EXPECT_LT(std::ranges::count_if(sources, [](const auto& source) { return !source.expired(); }), 600);
    EXPECT_EQ(values_of<std::int32_t>(*device, vector, 1), std::vector<std::int32_t>{1}) << "334 changes of the sign";
  }
}

TEST_F(Kernels, AreGivenVectorsMatricesObjectsAndValues) {
  struct Pair {
    std::int32_t first;
    std::int32_t second;
  };
  const auto combine = on_opencl<std::span<const float>, double, Matrix<std::int32_t>, const Pair&, std::int16_t>(
      R"(typedef struct { int first; int second; } Pair;
         kernel void combine(global const float* v, uint n, double d, global int* m, uint rows, uint columns,
                         global const Pair* pair, short s) {
           const size_t row = get_global_id(0), column = get_global_id(1);
           m[row + column * rows] = (int)(100000 * n + 10000 * rows + 1000 * columns + 100 * row + 10 * column
                                          + v[n - 1] + d + pair->first - pair->second + s);
         })",
      "combine");
  for (Device* device : devices(combine.implementation)) {
    const Memory vector = memory_of(*device, std::vector<float>{1, 2, 7});
    const Memory matrix = memory_of(*device, std::vector<std::int32_t>(8));
    const Memory pair = memory_of(*device, std::vector<Pair>{{40, 30}});
    Execution execution({argument(vector, {3, 1, 4}), argument(matrix, {4, 2, 4}), argument(pair, {1, 1, 8})}, 2.5,
                        std::int16_t{-20});
    EXPECT_EQ(run(*device, combine.implementation, execution).message(), "");
    const std::vector<std::int32_t> found = values_of<std::int32_t>(*device, matrix, 8);
    for (std::int32_t column = 0; column < 2; ++column) {
      for (std::int32_t row = 0; row < 4; ++row) {
        const auto i = static_cast<std::size_t>(row + 4 * column);
        EXPECT_EQ(found[i], 300000 + 40000 + 2000 + 100 * row + 10 * column + 7 + 2 + 10 - 20);
      }
    }
  }
}

TEST_F(Kernels, HaveTheWorkItemsThatAreAskedFor) {
  const std::string text = R"(
      kernel void count(global int* total, global int* group) {
        atomic_inc(total);
        group[0] = get_local_size(0); group[1] = get_local_size(1); group[2] = get_local_size(2);
      })";
  const WorkItems asked[] = {{{1, 1, 1}, {}},          {{1000, 1, 1}, {}},
                             {{7, 11, 13}, {}},        {{64, 1, 1}, {{16, 1, 1}}},
                             {{8, 4, 2}, {{4, 2, 2}}}, {{12, 1, 1}, {{1, 1, 1}}}};
  for (const WorkItems& items : asked) {
    const auto count =
        on_opencl<std::int32_t&, std::array<std::int32_t, 3>&>(text, "count", [&](const Job&) { return items; });
    for (Device* device : devices(count.implementation)) {
      const Memory total = memory_of(*device, std::vector<std::int32_t>{0});
      const Memory group = memory_of(*device, std::vector<std::int32_t>(3));
      Execution execution({argument(total, {1, 1, 4}), argument(group, {1, 1, 12})});
      EXPECT_EQ(run(*device, count.implementation, execution).message(), "");
      const auto [x, y, z] = items.items;
      EXPECT_EQ(values_of<std::int32_t>(*device, total, 1).front(), static_cast<std::int32_t>(x * y * z));
      if (!items.group) continue;
      const std::vector<std::int32_t> sizes = values_of<std::int32_t>(*device, group, 3);
      EXPECT_TRUE(std::ranges::equal(sizes, *items.group, {}, [](std::int32_t n) { return std::size_t(n); }));
    }
  }
}

TEST_F(Kernels, KeepTheirOrderAndSeeWhatIsCopiedInside) {
  constexpr std::size_t kRounds = 100;
  const auto add = on_opencl<std::span<std::int32_t>, std::int32_t>(
      "kernel void add(global int* x, uint n, int a) { x[get_global_id(0)] = 3 * x[get_global_id(0)] + a; }", "add");
  for (Device* device : devices(add.implementation)) {
    std::vector<Memory> chain;
    chain.push_back(memory_of(*device, std::vector<std::int32_t>{1, 2, 3}));
    std::vector<std::uint32_t> expected{1, 2, 3};
    std::vector<std::unique_ptr<Execution>> executions;
    Operations operations;
    for (std::size_t round = 0; round < kRounds; ++round) {
      chain.emplace_back(*device, 12);
      device->copy_within(12, chain[round].get(), chain[round + 1].get());
      executions.push_back(std::make_unique<Execution>(std::vector{argument(chain.back(), {3, 1, 4})},
                                                       static_cast<std::int32_t>(round)));
      device->run(add.implementation, executions.back()->job(), operations.next());
      for (std::uint32_t& value : expected) value = 3 * value + static_cast<std::uint32_t>(round);
    }
    operations.expect_success();
    EXPECT_EQ(values_of<std::uint32_t>(*device, chain.back(), 3), expected);
    EXPECT_EQ(values_of<std::uint32_t>(*device, chain.front(), 3), (std::vector<std::uint32_t>{1, 2, 3}));
  }
}

TEST_F(Kernels, FailAfterACopyInsideThatFailed) {
  for (Device* device : devices(kScale.implementation)) {
    const Memory small(*device, 4);
    const Memory memory = memory_of(*device, std::vector<std::int32_t>{5, 6});
    Execution execution({argument(memory, {2, 1, 4})}, std::int32_t{10});
    device->copy_within(8, memory.get(), small.get());
    const std::string message = run(*device, kScale.implementation, execution).message();
    EXPECT_NE(message.find("clEnqueueCopyBuffer failed with CL_INVALID_VALUE"), std::string::npos) << message;
    EXPECT_EQ(values_of<std::int32_t>(*device, memory, 2), (std::vector{5, 6})) << "the kernel did not run";
    EXPECT_EQ(run(*device, kScale.implementation, execution).message(), "") << "only what runs next fails";
    EXPECT_EQ(values_of<std::int32_t>(*device, memory, 2), (std::vector{50, 60}));
  }
}

TEST_F(Kernels, ThatCannotBeMadeSayWhy) {
  const struct {
    runtime::TypedImplementation<std::span<std::int32_t>, std::int32_t> kernel;
    std::string expected;
  } mistakes[] = {
      {on_opencl<std::span<std::int32_t>, std::int32_t>("kernel void f(global int* x, uint n, int a) { x = nonsense; }",
                                                        "f"),
       "nonsense"},
      {on_opencl<std::span<std::int32_t>, std::int32_t>("kernel void f(global int* x, uint n, int a) {}", "g"),
       "no kernel function 'g'"},
      {on_opencl<std::span<std::int32_t>, std::int32_t>("kernel void f(global int* x, int a) {}", "f"),
       "'f' has 2 parameters, and the kernel's come to 3"},
  };
  for (const auto& [kernel, expected] : mistakes) {
    for (Device* device : devices(kernel.implementation)) {
      const Memory memory = memory_of(*device, std::vector<std::int32_t>{1, 2});
      Execution execution({argument(memory, {2, 1, 4})}, std::int32_t{3});
      for (int repeat = 0; repeat < 2; ++repeat) {
        const Outcome outcome = run(*device, kernel.implementation, execution);
        EXPECT_THROW(std::rethrow_exception(outcome.failure), InputError);
        EXPECT_NE(outcome.message().find(expected), std::string::npos) << outcome.message();
      }
      EXPECT_EQ(run(*device, kScale.implementation, execution).message(), "") << "the device goes on";
      EXPECT_EQ(values_of<std::int32_t>(*device, memory, 2), (std::vector{3, 6}));
    }
  }
}

TEST_F(Kernels, ThatThrowFromTheirWorkItemsFail) {
  const auto bad =
      on_opencl<std::span<std::int32_t>>("kernel void f(global int* x, uint n) {}", "f",
                                         [](const Job&) -> WorkItems { throw std::runtime_error("no idea how many"); });
  const auto uneven =
      on_opencl<std::span<std::int32_t>>("kernel void f(global int* x, uint n) {}", "f",
                                         [](const Job&) -> WorkItems { return {{8, 1, 1}, {{1'000'000'000, 1, 1}}}; });
  for (Device* device : devices(bad.implementation)) {
    const Memory memory(*device, 8);
    Execution execution({argument(memory, {2, 1, 4})});
    EXPECT_EQ(run(*device, bad.implementation, execution).message(), "no idea how many");
    const std::string message = run(*device, uneven.implementation, execution).message();
    EXPECT_NE(message.find("CL_INVALID_WORK_GROUP_SIZE"), std::string::npos) << message;
  }
}

TEST_F(Kernels, MayAskForTheirWorkOnTheQueue) {
  const auto fill = on_opencl_queue<std::span<std::int32_t>, std::int32_t>([](const Job& job) {
    const std::int32_t value = *reinterpret_cast<const std::int32_t*>(job.values());
    const Argument& data = job.argument(0);
    const cl_int error =
        clEnqueueFillBuffer(static_cast<cl_command_queue>(job.queue()), static_cast<cl_mem>(data.piece.address), &value,
                            sizeof(value), 0, data.shape.bytes(), 0, nullptr, nullptr);
    if (error != CL_SUCCESS) throw std::runtime_error("fill");
  });
  constexpr std::size_t kCount = 100'000;
  for (Device* device : devices(fill.implementation)) {
    const Memory memory(*device, kCount * 4);
    Execution filling({argument(memory, {kCount, 1, 4})}, std::int32_t{6});
    Execution scaling({argument(memory, {kCount, 1, 4})}, std::int32_t{7});
    Operations both;
    device->run(fill.implementation, filling.job(), both.next());
    device->run(kScale.implementation, scaling.job(), both.next());
    both.expect_success();
    EXPECT_EQ(values_of<std::int32_t>(*device, memory, kCount), std::vector<std::int32_t>(kCount, 42));
  }
}

TEST_F(Kernels, ThatThrowWhileTheyAskForWorkFail) {
  const auto bad = on_opencl_queue<std::span<std::int32_t>>([](const Job&) { throw InputError("not today"); });
  for (Device* device : devices(bad.implementation)) {
    const Memory memory(*device, 4);
    Execution execution({argument(memory, {1, 1, 4})});
    const Outcome outcome = run(*device, bad.implementation, execution);
    EXPECT_EQ(outcome.message(), "not today");
    EXPECT_THROW(std::rethrow_exception(outcome.failure), InputError);
  }
}

TEST_F(Kernels, MayBeFunctionsOfTheProgram) {
  const auto sum = on_opencl_native(
      [](const Job& job, Matrix<const double> a, std::span<double> columns, double& total, double factor) {
        EXPECT_EQ(a.leading, a.rows);
        EXPECT_EQ(job.arguments().size(), 3U);
        for (std::size_t j = 0; j < a.columns; ++j) {
          columns[j] = 0;
          for (std::size_t i = 0; i < a.rows; ++i) columns[j] += factor * a(i, j);
        }
        total = std::accumulate(columns.begin(), columns.end(), 0.0);
      });
  for (Device* device : devices(sum.implementation)) {
    const Memory a = memory_of(*device, std::vector<double>{1, 2, 3, 4, 5, 6});
    const Memory columns(*device, 2 * sizeof(double));  // written for the first time by the kernel
    const Memory total(*device, sizeof(double));
    Execution execution({argument(a, {3, 2, 8}), argument(columns, {2, 1, 8}), argument(total, {1, 1, 8})}, 0.5);
    EXPECT_EQ(run(*device, sum.implementation, execution).message(), "");
    EXPECT_EQ(values_of<double>(*device, columns, 2), (std::vector{3.0, 7.5}));
    EXPECT_EQ(values_of<double>(*device, total, 1), (std::vector{10.5}));
  }
}

/// The order of the arguments need not be that of their buffers, and a buffer may be several arguments (PoCL 3.1 sorts
/// the buffers of a native kernel, but not the places where their addresses go).
TEST_F(Kernels, OfTheProgramGetTheirDataInAnyOrder) {
  using Number = const std::int32_t;
  const auto digits =
      on_opencl_native([](Number& a, Number& b, Number& c, std::int32_t& sum) { sum = 100 * a + 10 * b + c; });
  const runtime::Shape one{1, 1, 4};
  for (Device* device : devices(digits.implementation)) {
    std::vector<Memory> memories;
    for (std::int32_t value = 0; value < 4; ++value) memories.push_back(memory_of(*device, std::vector{value}));
    std::array<std::int32_t, 4> order{0, 1, 2, 3};
    do {
      for (std::int32_t i = 0; i < 4; ++i) {
        std::vector<std::int32_t> value{i};
        Operations copy;
        device->copy_in(one, piece(value), memories[static_cast<std::size_t>(i)].get(), copy.next());
        copy.expect_success();
      }
      const auto at = [&](std::size_t i) { return argument(memories[static_cast<std::size_t>(order[i])], one); };
      const auto result = [&] {
        return values_of<std::int32_t>(*device, memories[static_cast<std::size_t>(order[3])], 1).front();
      };
      Execution apart({at(0), at(1), at(2), at(3)});
      EXPECT_EQ(run(*device, digits.implementation, apart).message(), "");
      EXPECT_EQ(result(), 100 * order[0] + 10 * order[1] + order[2]);
      Execution twice({at(0), at(1), at(0), at(3)});
      EXPECT_EQ(run(*device, digits.implementation, twice).message(), "");
      EXPECT_EQ(result(), 101 * order[0] + 10 * order[1]);
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST_F(Kernels, OfTheProgramMayThrow) {
  const auto bad = on_opencl_native([](std::int32_t& x) {
    x = 9;
    throw InputError("no more");
  });
  const auto none = on_opencl_native([] {});
  for (Device* device : devices(bad.implementation)) {
    const Memory memory = memory_of(*device, std::vector<std::int32_t>{1});
    Execution execution({argument(memory, {1, 1, 4})});
    const Outcome outcome = run(*device, bad.implementation, execution);
    EXPECT_EQ(outcome.message(), "no more");
    EXPECT_THROW(std::rethrow_exception(outcome.failure), InputError);
    Execution nothing({});
    EXPECT_EQ(run(*device, none.implementation, nothing).message(), "") << "without data, too";
    EXPECT_EQ(values_of<std::int32_t>(*device, memory, 1).front(), 9);
  }
}

TEST_F(Kernels, AreForOpenCl) {
  const auto cpu = runtime::on_cpu([](std::int32_t&) {});
  const auto cuda = runtime::on_cuda([](std::int32_t&) {});
  EXPECT_TRUE(devices(cpu.implementation).empty());
  EXPECT_TRUE(devices(cuda.implementation).empty());
  EXPECT_EQ(devices(on_opencl_queue<>([](const Job&) {}).implementation).size(), devices_.size());
}

TEST_F(Kernels, SayWhetherTheyNeedDoublePrecision) {
  const auto needs = []<class... P>(std::type_identity<std::tuple<P...>>) {
    return on_opencl<P...>("", "f", [](const Job&) { return WorkItems(); }).implementation.source->needs_double;
  };
  EXPECT_TRUE(needs(std::type_identity<std::tuple<std::span<const double>, float>>()));
  EXPECT_TRUE(needs(std::type_identity<std::tuple<Matrix<double>>>()));
  EXPECT_TRUE(needs(std::type_identity<std::tuple<float&, double>>()));
  EXPECT_TRUE(needs(std::type_identity<std::tuple<const double&>>()));
  EXPECT_FALSE(needs(std::type_identity<std::tuple<std::span<float>, std::int64_t, const float&>>()));
}

/// As the runtime does: what a kernel needs comes in while another runs, and goes out while the next does.
TEST_F(Kernels, RunWhileDataComesAndGoes) {
  constexpr std::size_t kTasks = 300;
  constexpr std::size_t kCount = 5000;
  for (Device* device : devices(kScale.implementation)) {
    struct Task {
      std::vector<std::int32_t> values = std::vector<std::int32_t>(kCount);
      std::unique_ptr<Memory> memory;
      std::unique_ptr<Execution> execution;
      int steps = 0;
    };
    std::vector<Task> tasks(kTasks);
    std::mutex mutex;
    std::condition_variable ended;
    std::vector<std::size_t> done;
    const auto tell = [&](std::size_t number) -> Device::Done {
      return [&, number](const std::exception_ptr& failure) {
        const std::lock_guard lock(mutex);
        EXPECT_FALSE(failure);
        done.push_back(number);
        ended.notify_one();
      };
    };
    for (std::size_t i = 0; i < kTasks; ++i) {
      Task& task = tasks[i];
      std::iota(task.values.begin(), task.values.end(), static_cast<std::int32_t>(i));
      task.memory = std::make_unique<Memory>(*device, kCount * 4);
      task.execution =
          std::make_unique<Execution>(std::vector{argument(*task.memory, {kCount, 1, 4})}, std::int32_t{3});
      device->copy_in(shape(task.values), piece(task.values), task.memory->get(), tell(i));
    }
    for (std::size_t left = 3 * kTasks; left > 0;) {
      std::unique_lock lock(mutex);
      ended.wait(lock, [&] { return !done.empty(); });
      const std::vector<std::size_t> now = std::exchange(done, {});
      lock.unlock();
      left -= now.size();
      for (const std::size_t i : now) {
        Task& task = tasks[i];
        ++task.steps;
        if (task.steps == 1) device->run(kScale.implementation, task.execution->job(), tell(i));
        if (task.steps == 2) device->copy_out(shape(task.values), task.memory->get(), piece(task.values), tell(i));
      }
    }
    for (std::size_t i = 0; i < kTasks; ++i) {
      EXPECT_EQ(tasks[i].steps, 3);
      for (std::size_t k = 0; k < kCount; ++k) ASSERT_EQ(tasks[i].values[k], static_cast<std::int32_t>(3 * (i + k)));
    }
  }
}

}  // namespace
}  // namespace heddle::test
