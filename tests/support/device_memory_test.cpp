// What all kinds of devices have in common: which there are, and their memory.

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "heddle/model/error.hpp"
#include "tests/support/device_test.hpp"

namespace heddle::test {
namespace {

using runtime::DeviceInfo;

using Devices = DeviceTest;

TEST_F(Devices, TellWhatTheyAre) {
  EXPECT_EQ(backend_->name(), HEDDLE_TEST_DEVICES);
  const std::vector<DeviceInfo> infos = backend_->devices();
  ASSERT_EQ(infos.size(), devices_.size());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    EXPECT_NE(infos[i].name, "");
    EXPECT_GE(infos[i].cores, 1U);
    EXPECT_GT(infos[i].memory_bytes, 1U << 20U);
    EXPECT_EQ(devices_[i]->memory_bytes(), infos[i].memory_bytes);
  }
  EXPECT_THROW(static_cast<void>(backend_->open(infos.size())), InputError);
}

TEST_F(Devices, RefuseMemoryThatTheyDoNotHave) {
  for (const auto& device : devices_) {
    EXPECT_EQ(device->allocate(device->memory_bytes() + 1), nullptr);
    EXPECT_EQ(device->allocate(std::numeric_limits<std::size_t>::max()), nullptr);
    const std::size_t part = device->memory_bytes() / 16;
    std::vector<void*> parts;
    while (void* memory = device->allocate(part)) {
      parts.push_back(memory);
      ASSERT_LE(parts.size(), 16U) << "more than there is";
    }
    EXPECT_GE(parts.size(), 8U);
    device->release(parts.back());
    parts.pop_back();
    parts.push_back(device->allocate(part));
    EXPECT_NE(parts.back(), nullptr) << "there is room again";
    EXPECT_EQ(device->allocate(part), nullptr);
    for (void* memory : parts) device->release(memory);
  }
}

TEST_F(Devices, AreAskedForMemoryBySeveralThreadsAtOnce) {
  for (const auto& device : devices_) {
    const std::size_t part = device->memory_bytes() / 16;
    std::atomic<int> held{0};
    std::atomic<int> refused{0};
    // A real device may take long to give so much.
    const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    const auto take_and_give = [&] {
      for (int i = 0; i < 200 && std::chrono::steady_clock::now() < enough; ++i) {
        std::vector<void*> mine;
        for (int k = 0; k < 6; ++k) {
          void* memory = device->allocate(part);
          if (memory == nullptr) {
            ++refused;
            continue;
          }
          EXPECT_LE(++held, 16);
          mine.push_back(memory);
        }
        for (void* memory : mine) {
          --held;
          device->release(memory);
        }
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) threads.emplace_back(take_and_give);
    }
    void* most = device->allocate(part);
    EXPECT_NE(most, nullptr);
    device->release(most);
  }
}

TEST_F(Devices, HaveMemoriesOfTheirOwn) {
  if (devices_.size() < 2) GTEST_SKIP() << "there is one device only";
  std::vector<Memory> memories;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    memories.push_back(memory_of(*devices_[i], std::vector<std::size_t>(1000, i)));
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    EXPECT_EQ(values_of<std::size_t>(*devices_[i], memories[i], 1000), std::vector<std::size_t>(1000, i));
  }
}

}  // namespace
}  // namespace heddle::test
