#pragma once

#include <CL/opencl.hpp>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <unordered_map>
#include <vector>

#include "heddle/opencl/kernels.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/threads/mutex.hpp"

namespace heddle::opencl {

struct Operation;

/// What is left of a device's memory. Drivers find room when memory is first used, so that to ask them comes too late.
class Room {
 public:
  explicit Room(std::uint64_t bytes) : free_(bytes) {}

  /// False when there is not so much.
  [[nodiscard]] bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { free_ += bytes; }

 private:
  std::atomic<std::uint64_t> free_;
};

/// An OpenCL device: three queues that keep their order, one for each direction of copies and one for kernels. Memory
/// is a cl_mem. A text in OpenCL C is compiled when it is first run, before run() returns.
class OpenClDevice final : public runtime::Device {
 public:
  /// Devices of one context copy from each other. Throws cl::Error.
  OpenClDevice(const cl::Device& device, std::shared_ptr<const cl::Context> context);

  [[nodiscard]] std::uint64_t memory_bytes() const override { return memory_bytes_; }
  [[nodiscard]] bool runs(const runtime::Implementation& implementation) const override;

  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void release(void* memory) override;
  [[nodiscard]] bool connect(const runtime::Device& other) override;

  void copy_in(const runtime::Shape& shape, const runtime::Piece& from, void* to, Done done) override;
  void copy_out(const runtime::Shape& shape, void* from, const runtime::Piece& to, Done done) override;
  void copy_from(const runtime::Device& other, std::size_t bytes, void* from, void* to, Done done) override;
  void copy_within(std::size_t bytes, void* from, void* to) override;
  void prepare(const runtime::Implementation& implementation) override;
  void run(const runtime::Implementation& implementation, const runtime::Job& job, Done done) override;

 private:
  using Events = std::vector<cl::Event>;

  // These enqueue and set the operation's events; `after`: events whose failure is the operation's.
  void enqueue_source(const runtime::Implementation& implementation, const runtime::Job& job, const Events& after,
                      Operation& operation);
  void enqueue_function(const runtime::Implementation& implementation, const runtime::Job& job, const Events& after,
                        Operation& operation);
  void enqueue_native(const runtime::Implementation& implementation, const runtime::Job& job, const Events& after,
                      Operation& operation);

  [[nodiscard]] std::vector<void*> distinct_memories(const runtime::Job& job);

  const std::uint64_t memory_bytes_;
  const std::uint64_t largest_bytes_;  ///< of one buffer
  const bool has_compiler_;
  const bool has_double_;
  const bool runs_native_;
  Room room_;
  runtime::Mutex mutex_;
  /// Of memory, in the order of allocation.
  std::unordered_map<void*, std::uint64_t> numbers_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t next_number_ HEDDLE_GUARDED_BY(mutex_) = 0;

  const std::shared_ptr<const cl::Context> context_;
  const cl::CommandQueue copies_in_;
  const cl::CommandQueue copies_out_;
  const cl::CommandQueue kernels_queue_;
  Kernels kernels_;

  // Of what copy_within() did since the last run.
  Events copies_within_;
  std::exception_ptr copy_failure_;
};

}  // namespace heddle::opencl
