// What only a simulated GPU tells, and what only it does when it is told to: it fails.

#include "tests/cuda/simulated/simulated.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/model/error.hpp"
#include "heddle/runtime/device_first.hpp"
#include "heddle/runtime/devices/backends.hpp"
#include "heddle/runtime/kernel.hpp"
#include "tests/support/device_test.hpp"

namespace heddle::test {
namespace {

class OnTheWay : public WithDevices {};

TEST_F(OnTheWay, TiledMatricesAreCopiedFromAndToPinnedMemory) {
  linalg::Runtime runtime(
      {.workers = "cpu=1,cuda=2", .decider = policy::Policy(runtime::DeviceFirst()), .history = ""});
  const auto a = linalg::random_definite<double>(200, true, 1);
  const std::size_t before = simulated::pageable_bytes();
  linalg::TiledMatrix<double> tiled(runtime, a.view(), 32);
  cholesky(runtime, tiled);
  runtime.wait();
  // Of each POTRF what cuSOLVER says, and the last pivot.
  const std::size_t statuses = 7 * (sizeof(int) + sizeof(double));
  EXPECT_EQ(simulated::pageable_bytes(), before + statuses);
  std::vector<double> pageable(100);
  const auto datum = runtime.data(pageable);
  runtime.submit(runtime::Kernel("nothing", runtime::on_cuda([](std::span<double>) {})), rw(datum));
  runtime.wait();
  EXPECT_EQ(simulated::pageable_bytes(), before + statuses + 2 * 100 * sizeof(double)) << "this test can fail";
}

TEST(Addresses, AreWrittenAsTheSystemWritesThem) {
  const std::vector<runtime::DeviceInfo> devices = runtime::find_backend("cuda")->devices();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].pci_address, "0001:a0:03.0");
  EXPECT_EQ(devices[1].pci_address, "0001:a1:03.0");
}

class BrokenDevice : public DeviceTest {
 protected:
  void TearDown() override { simulated::repair_device(0); }
};

const auto kNothing = runtime::on_cuda([](std::span<std::uint8_t>) {});

TEST_F(BrokenDevice, EndsAllThatItIsAskedFor) {
  ASSERT_EQ(devices_.size(), 2U);
  runtime::Device& device = *devices_[0];
  std::vector<std::uint8_t> values(1000);
  const Memory memory(device, 1000);
  Execution execution({argument(memory, {1000, 1, 1})});
  simulated::break_device(0);
  for (int repeat = 0; repeat < 3; ++repeat) {
    Operations operations;
    device.copy_in(shape(values), piece(values), memory.get(), operations.next());
    device.copy_out(shape(values), memory.get(), piece(values), operations.next());
    device.copy_within(500, memory.get(), memory.get());
    device.run(kNothing.implementation, execution.job(), operations.next());
    for (const Outcome& outcome : operations.wait()) {
      EXPECT_EQ(outcome.times, 1);
      EXPECT_NE(outcome.message().find("an illegal memory access was encountered"), std::string::npos)
          << outcome.message();
    }
  }
  EXPECT_EQ(device.allocate(1), nullptr);
  Execution other({argument(memory, {0, 1, 1})});
  EXPECT_EQ(run(*devices_[1], kNothing.implementation, other).message(), "") << "the other one works";
}

TEST_F(BrokenDevice, EndsWhatItHasBegun) {
  runtime::Device& device = *devices_[0];
  std::vector<std::uint8_t> values(1 << 20);
  const Memory memory(device, values.size());
  Operations operations;
  for (int i = 0; i < 100; ++i) {
    device.copy_in(shape(values), piece(values), memory.get(), operations.next());
    if (i == 50) simulated::break_device(0);
  }
  EXPECT_NE(operations.wait().back().message(), "");
  for (const Outcome& outcome : operations.wait()) EXPECT_EQ(outcome.times, 1);
}

TEST_F(BrokenDevice, EndsCopiesToAndFromIt) {
  ASSERT_TRUE(devices_[0]->connect(*devices_[1]));
  ASSERT_TRUE(devices_[1]->connect(*devices_[0]));
  const Memory first(*devices_[0], 1000);
  const Memory second(*devices_[1], 1000);
  simulated::break_device(0);
  Operations operations;
  devices_[0]->copy_from(*devices_[1], 1000, second.get(), first.get(), operations.next());
  devices_[1]->copy_from(*devices_[0], 1000, first.get(), second.get(), operations.next());
  for (const Outcome& outcome : operations.wait()) {
    EXPECT_EQ(outcome.times, 1);
    EXPECT_NE(outcome.message().find("an illegal memory access was encountered"), std::string::npos)
        << outcome.message();
  }
  EXPECT_FALSE(devices_[0]->connect(*devices_[1]));
}

TEST_F(BrokenDevice, CannotBeOpened) {
  simulated::break_device(0);
  EXPECT_THROW(static_cast<void>(backend_->open(0)), InputError);
  EXPECT_NE(backend_->open(1), nullptr);
}

}  // namespace
}  // namespace heddle::test
