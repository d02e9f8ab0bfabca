// Implementations for CUDA devices: functions that ask for their work on a stream.

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <stdexcept>

#include "heddle/model/error.hpp"
#include "heddle/runtime/kernel.hpp"
#include "tests/support/device_test.hpp"

namespace heddle::test {
namespace {

using runtime::Device;
using runtime::Job;
using runtime::on_cuda;

using Kernels = DeviceTest;
using Bytes = std::span<std::uint8_t>;

cudaStream_t stream(const Job& job) {
  return static_cast<cudaStream_t>(job.queue());
}

void expect_success(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

const auto kFill = on_cuda([](const Job& job, Bytes bytes, std::uint8_t value) {
  expect_success(cudaMemsetAsync(bytes.data(), value, bytes.size(), stream(job)));
});

/// b = value, a[0], a[1], ...
const auto kShift = on_cuda([](const Job& job, std::span<const std::uint8_t> a, Bytes b, std::uint8_t value) {
  expect_success(cudaMemcpyAsync(b.data() + 1, a.data(), a.size() - 1, cudaMemcpyDeviceToDevice, stream(job)));
  expect_success(cudaMemsetAsync(b.data(), value, 1, stream(job)));
});

TEST_F(Kernels, AskForTheirWorkOnTheStream) {
  constexpr std::size_t kCount = 1'000'000;
  for (Device* device : devices(kFill.implementation)) {
    const Memory memory(*device, kCount);
    Execution execution({argument(memory, {kCount, 1, 1})}, std::uint8_t{42});
    const Outcome outcome = run(*device, kFill.implementation, execution);
    EXPECT_EQ(outcome.message(), "");
    EXPECT_EQ(values_of<std::uint8_t>(*device, memory, kCount), std::vector<std::uint8_t>(kCount, 42));
  }
}

TEST_F(Kernels, SeeWhatWasCopiedInside) {
  constexpr std::uint8_t kRounds = 100;
  const runtime::Shape shape{8, 1, 1};
  for (Device* device : devices(kShift.implementation)) {
    std::vector<Memory> chain;
    chain.push_back(memory_of(*device, std::vector<std::uint8_t>(8, 0)));
    for (std::uint8_t round = 1; round <= kRounds; ++round) {
      const Memory& before = chain.back();
      Memory copy(*device, 8);
      Memory after(*device, 8);
      device->copy_within(8, before.get(), copy.get());
      Execution execution({argument(copy, shape), argument(after, shape)}, round);
      EXPECT_EQ(run(*device, kShift.implementation, execution).message(), "");
      chain.push_back(std::move(copy));
      chain.push_back(std::move(after));
    }
    EXPECT_EQ(values_of<std::uint8_t>(*device, chain.back(), 8),
              (std::vector<std::uint8_t>{100, 99, 98, 97, 96, 95, 94, 93}));
  }
}

TEST_F(Kernels, ThatThrowFail) {
  const auto bad = on_cuda([](Bytes) { throw InputError("not today"); });
  for (Device* device : devices(bad.implementation)) {
    const Memory memory(*device, 4);
    Execution execution({argument(memory, {4, 1, 1})});
    const Outcome outcome = run(*device, bad.implementation, execution);
    EXPECT_EQ(outcome.message(), "not today");
    EXPECT_THROW(std::rethrow_exception(outcome.failure), InputError);
  }
}

TEST_F(Kernels, ThatLeaveAnErrorBehindFail) {
  const auto careless = on_cuda([](Bytes) { static_cast<void>(cudaSetDevice(-1)); });
  for (Device* device : devices(careless.implementation)) {
    const Memory memory(*device, 4);
    Execution execution({argument(memory, {4, 1, 1})});
    const std::string message = run(*device, careless.implementation, execution).message();
    EXPECT_NE(message.find("invalid device ordinal"), std::string::npos) << message;
    Execution next({argument(memory, {4, 1, 1})}, std::uint8_t{7});
    EXPECT_EQ(run(*device, kFill.implementation, next).message(), "") << "only that one fails";
    EXPECT_EQ(values_of<std::uint8_t>(*device, memory, 4), std::vector<std::uint8_t>(4, 7));
  }
}

TEST_F(Kernels, FailAfterACopyInsideThatFailed) {
  for (Device* device : devices(kFill.implementation)) {
    const Memory memory = memory_of(*device, std::vector<std::uint8_t>(4, 1));
    Execution execution({argument(memory, {4, 1, 1})}, std::uint8_t{2});
    device->copy_within(std::size_t{1} << 50U, memory.get(), memory.get());
    EXPECT_NE(run(*device, kFill.implementation, execution).message(), "");
    EXPECT_EQ(values_of<std::uint8_t>(*device, memory, 4), std::vector<std::uint8_t>(4, 1)) << "the kernel did not run";
    EXPECT_EQ(run(*device, kFill.implementation, execution).message(), "") << "only what runs next fails";
    EXPECT_EQ(values_of<std::uint8_t>(*device, memory, 4), std::vector<std::uint8_t>(4, 2));
  }
}

TEST_F(Kernels, RunWhileDataComesAndGoes) {
  constexpr std::size_t kTasks = 200;
  constexpr std::size_t kCount = 5000;
  for (Device* device : devices(kFill.implementation)) {
    std::vector<std::vector<std::uint8_t>> in;
    std::vector<std::vector<std::uint8_t>> out(kTasks, std::vector<std::uint8_t>(kCount));
    std::vector<Memory> memories;
    std::vector<Memory> filled;
    std::vector<std::unique_ptr<Execution>> executions;
    for (std::size_t i = 0; i < kTasks; ++i) {
      in.emplace_back(kCount, static_cast<std::uint8_t>(i));
      memories.emplace_back(*device, kCount);
      filled.push_back(memory_of(*device, std::vector<std::uint8_t>(kCount, static_cast<std::uint8_t>(2 * i))));
    }
    std::vector<Memory> written;
    Operations operations;
    for (std::size_t i = 0; i < kTasks; ++i) {
      written.emplace_back(*device, kCount);
      executions.push_back(std::make_unique<Execution>(std::vector{argument(written.back(), {kCount, 1, 1})},
                                                       static_cast<std::uint8_t>(i)));
      device->copy_in(shape(in[i]), piece(in[i]), memories[i].get(), operations.next());
      device->run(kFill.implementation, executions.back()->job(), operations.next());
      device->copy_out(shape(out[i]), filled[i].get(), piece(out[i]), operations.next());
    }
    operations.expect_success();
    for (std::size_t i = 0; i < kTasks; ++i) {
      EXPECT_EQ(out[i], std::vector<std::uint8_t>(kCount, static_cast<std::uint8_t>(2 * i)));
      EXPECT_EQ(values_of<std::uint8_t>(*device, memories[i], kCount), in[i]);
      EXPECT_EQ(values_of<std::uint8_t>(*device, written[i], kCount), in[i]);
    }
  }
}

/// The first two end only when the third has begun, which is then the first to end.
TEST_F(Kernels, RunSideBySide) {
  static std::promise<void> third;
  static std::shared_future<void> has_begun;
  const auto wait = on_cuda([](Bytes) {
    if (has_begun.wait_for(std::chrono::seconds(60)) != std::future_status::ready) throw InputError("it does not come");
  });
  const auto begin = on_cuda([](Bytes) { third.set_value(); });
  for (Device* device : devices(wait.implementation)) {
    third = {};
    has_begun = third.get_future().share();
    const Memory memory(*device, 1);
    Execution execution({argument(memory, {1, 1, 1})});
    Operations operations;
    device->run(wait.implementation, execution.job(), operations.next());
    device->run(wait.implementation, execution.job(), operations.next());
    device->run(begin.implementation, execution.job(), operations.next());
    operations.expect_success();
  }
}

TEST_F(Kernels, AreForCuda) {
  EXPECT_TRUE(devices(runtime::on_cpu([](std::int32_t&) {}).implementation).empty());
  EXPECT_TRUE(devices(runtime::on_opencl_native([](std::int32_t&) {}).implementation).empty());
  EXPECT_EQ(devices(kFill.implementation).size(), devices_.size());
  EXPECT_EQ(backend_->processor(), runtime::Processor::cuda);
}

TEST_F(Kernels, DevicesLeaveTheProgramsCurrentOneAlone) {
  int before = -1;
  expect_success(cudaGetDevice(&before));
  for (const auto& device : devices_) {
    const Memory memory(*device, 1000);
    int after = -1;
    expect_success(cudaGetDevice(&after));
    EXPECT_EQ(after, before);
  }
}

}  // namespace
}  // namespace heddle::test
