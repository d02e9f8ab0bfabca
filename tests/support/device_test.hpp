#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "heddle/runtime/device.hpp"

namespace heddle::test {

/// What Device::Done was told.
struct Outcome {
  int times = 0;
  std::exception_ptr failure{};

  /// What the exception says; empty without one.
  [[nodiscard]] std::string message() const;
};

/// Operations that are under way. Must outlive them.
class Operations {
 public:
  /// For the next operation.
  [[nodiscard]] runtime::Device::Done next();
  /// Of all operations so far, when they have ended.
  [[nodiscard]] const std::vector<Outcome>& wait();
  /// Waits, and expects each operation to have ended well and once.
  void expect_success();

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t open_ = 0;
  std::vector<Outcome> outcomes_;
};

/// Memory of a device, for a while.
class Memory {
 public:
  Memory(runtime::Device& device, std::size_t bytes) : device_(&device), address_(device.allocate(bytes)) {}
  ~Memory() {
    if (address_ != nullptr) device_->release(address_);
  }
  Memory(Memory&& other) noexcept : device_(other.device_), address_(std::exchange(other.address_, nullptr)) {}
  Memory& operator=(Memory&&) = delete;

  [[nodiscard]] void* get() const { return address_; }

 private:
  runtime::Device* device_;
  void* address_;
};

/// One execution of an implementation. Must outlive it.
class Execution {
 public:
  template <class... Values>
  explicit Execution(std::vector<runtime::Argument> arguments, const Values&... values)
      : team_(1, [](std::size_t) {}), arguments_(std::move(arguments)), pointers_(runtime::pointers_to(arguments_)) {
    using Places = runtime::Layout<Values...>;
    [[maybe_unused]] std::size_t number = 0;
    (std::memcpy(values_ + Places::kPlaces[number++].number, &values, sizeof(values)), ...);
  }

  [[nodiscard]] runtime::Job job() { return {WorkerId{0}, team_, pointers_, values_, {}}; }

 private:
  runtime::Team team_;
  std::vector<runtime::Argument> arguments_;
  std::vector<const runtime::Argument*> pointers_;
  alignas(std::max_align_t) std::byte values_[64] = {};
};

/// What comes of it, when it has ended.
[[nodiscard]] Outcome run(runtime::Device& device, const runtime::Implementation& implementation, Execution& execution);

/// Skips where there is no device of the kind HEDDLE_TEST_DEVICES ("opencl").
class WithDevices : public ::testing::Test {
 protected:
  void SetUp() override;

  std::shared_ptr<runtime::Backend> backend_;
};

/// All devices of that kind, open.
class DeviceTest : public WithDevices {
 protected:
  void SetUp() override;

  /// A shape and a piece of packed elements.
  template <class T>
  [[nodiscard]] static runtime::Shape shape(const std::vector<T>& values) {
    return {values.size(), 1, sizeof(T)};
  }
  template <class T>
  [[nodiscard]] static runtime::Piece piece(std::vector<T>& values) {
    return {values.data(), values.size()};
  }
  /// The memory as an argument of a kernel.
  [[nodiscard]] static runtime::Argument argument(const Memory& memory, const runtime::Shape& shape) {
    return {{memory.get(), shape.rows}, shape};
  }
  /// New memory with these values, which are there when this returns.
  template <class T>
  [[nodiscard]] static Memory memory_of(runtime::Device& device, std::vector<T> values) {
    Memory memory(device, values.size() * sizeof(T));
    Operations copy;
    device.copy_in(shape(values), piece(values), memory.get(), copy.next());
    copy.expect_success();
    return memory;
  }
  /// What is in it.
  template <class T>
  [[nodiscard]] static std::vector<T> values_of(runtime::Device& device, const Memory& memory, std::size_t count) {
    std::vector<T> values(count);
    Operations copy;
    device.copy_out(shape(values), memory.get(), piece(values), copy.next());
    copy.expect_success();
    return values;
  }

  /// The devices that can run this.
  [[nodiscard]] std::vector<runtime::Device*> devices(const runtime::Implementation& implementation) const;

  std::vector<std::unique_ptr<runtime::Device>> devices_;
};

}  // namespace heddle::test
