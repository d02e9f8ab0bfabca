#include "heddle/opencl/opencl_device.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/opencl/errors.hpp"
#include "heddle/opencl/operation.hpp"

namespace heddle::opencl {

using runtime::Argument;
using runtime::Implementation;
using runtime::Job;
using runtime::Piece;
using runtime::Shape;

namespace {

constexpr bool kRetain = true;

cl::Buffer buffer(void* memory) {
  return cl::Buffer(static_cast<cl_mem>(memory), kRetain);
}

bool is_packed(const Shape& shape, const Piece& piece) {
  return piece.leading == shape.rows || shape.columns == 1;
}

using Corner = std::array<cl::size_type, 3>;
constexpr Corner kOrigin{0, 0, 0};

Corner region(const Shape& shape) {
  return {shape.column_bytes(), shape.columns, 1};
}

cl::NDRange range(const std::array<std::size_t, 3>& items) {
  return {items[0], items[1], items[2]};
}

/// What the device calls; `block` is a copy of the one that enqueue_native makes, with the addresses filled in.
void CL_CALLBACK call_native(void* block) {
  void* const* const slots = static_cast<void**>(block);
  Operation& operation = *static_cast<Operation*>(slots[0]);
  try {
    operation.native(slots + 1);
  } catch (...) {
    operation.failure = current_failure();
  }
}

}  // namespace

bool Room::take(std::uint64_t bytes) {
  std::uint64_t free = free_.load();
  while (free >= bytes) {
    if (free_.compare_exchange_weak(free, free - bytes)) return true;
  }
  return false;
}

OpenClDevice::OpenClDevice(const cl::Device& device, std::shared_ptr<const cl::Context> context)
    : memory_bytes_(device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>()),
      largest_bytes_(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>()),
      has_compiler_(device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>() != CL_FALSE),
      has_double_(device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_khr_fp64") != std::string::npos),
      runs_native_((device.getInfo<CL_DEVICE_EXECUTION_CAPABILITIES>() & CL_EXEC_NATIVE_KERNEL) != 0),
      room_(memory_bytes_),
      context_(std::move(context)),
      copies_in_(*context_, device),
      copies_out_(*context_, device),
      kernels_queue_(*context_, device),
      kernels_(*context_, device) {}

bool OpenClDevice::runs(const Implementation& implementation) const {
  using Form = Implementation::Form;
  if (implementation.processor != runtime::Processor::opencl) return false;
  switch (implementation.form) {
    case Form::source:
      return has_compiler_ && (has_double_ || !implementation.source->needs_double);
    case Form::native:
      return runs_native_;
    case Form::enqueues:
      return true;
    case Form::computes:
      return false;
  }
  return false;
}

void* OpenClDevice::allocate(std::size_t bytes) {
  if (bytes > largest_bytes_ || !room_.take(bytes)) return nullptr;
  const cl_mem memory = clCreateBuffer((*context_)(), CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
  if (memory == nullptr) {
    room_.give_back(bytes);
    return nullptr;
  }
  const runtime::Lock lock(mutex_);
  numbers_.emplace(memory, next_number_++);
  return memory;
}

void OpenClDevice::release(void* memory) {
  const cl::Buffer last(static_cast<cl_mem>(memory));
  {
    const runtime::Lock lock(mutex_);
    numbers_.erase(memory);
  }
  room_.give_back(last.getInfo<CL_MEM_SIZE>());
}

bool OpenClDevice::connect(const Device& other) {
  const auto* peer = dynamic_cast<const OpenClDevice*>(&other);
  return peer != nullptr && peer != this && peer->context_ == context_;
}

void OpenClDevice::copy_in(const Shape& shape, const Piece& from, void* to, Done done) {
  start(copies_in_, std::move(done), [&](Operation& copy) {
    if (is_packed(shape, from)) {
      copies_in_.enqueueWriteBuffer(buffer(to), CL_FALSE, 0, shape.bytes(), from.address, nullptr, &copy.end);
    } else {
      copies_in_.enqueueWriteBufferRect(buffer(to), CL_FALSE, kOrigin, kOrigin, region(shape), shape.column_bytes(), 0,
                                        from.leading * shape.element, 0, from.address, nullptr, &copy.end);
    }
  });
}

void OpenClDevice::copy_out(const Shape& shape, void* from, const Piece& to, Done done) {
  start(copies_out_, std::move(done), [&](Operation& copy) {
    if (is_packed(shape, to)) {
      copies_out_.enqueueReadBuffer(buffer(from), CL_FALSE, 0, shape.bytes(), to.address, nullptr, &copy.end);
    } else {
      copies_out_.enqueueReadBufferRect(buffer(from), CL_FALSE, kOrigin, kOrigin, region(shape), shape.column_bytes(),
                                        0, to.leading * shape.element, 0, to.address, nullptr, &copy.end);
    }
  });
}

void OpenClDevice::copy_from(const Device& /*other*/, std::size_t bytes, void* from, void* to, Done done) {
  start(copies_in_, std::move(done), [&](Operation& copy) {
    copies_in_.enqueueCopyBuffer(buffer(from), buffer(to), 0, 0, bytes, nullptr, &copy.end);
  });
}

void OpenClDevice::copy_within(std::size_t bytes, void* from, void* to) {
  try {
    cl::Event end;
    kernels_queue_.enqueueCopyBuffer(buffer(from), buffer(to), 0, 0, bytes, nullptr, &end);
    copies_within_.push_back(end);
    kernels_queue_.flush();
  } catch (...) {
    copy_failure_ = current_failure();
  }
}

void OpenClDevice::prepare(const Implementation& implementation) {
  if (implementation.form == Implementation::Form::source) kernels_.compile(implementation.source);
}

void OpenClDevice::run(const Implementation& implementation, const Job& job, Done done) {
  using Form = Implementation::Form;
  start(kernels_queue_, std::move(done), [&](Operation& operation) {
    const Events after = std::exchange(copies_within_, {});
    if (!after.empty()) operation.end = after.back();  // under way even if the kernel cannot begin
    if (const std::exception_ptr failure = std::exchange(copy_failure_, nullptr)) std::rethrow_exception(failure);
    switch (implementation.form) {
      case Form::source:
        return enqueue_source(implementation, job, after, operation);
      case Form::enqueues:
        return enqueue_function(implementation, job, after, operation);
      case Form::native:
        return enqueue_native(implementation, job, after, operation);
      case Form::computes:
        throw InternalError("an OpenCL device was given a function for CPU cores");
    }
  });
}

void OpenClDevice::enqueue_source(const Implementation& implementation, const Job& job, const Events& after,
                                  Operation& operation) {
  const cl::Kernel& kernel = kernels_.prepare(implementation.source, job);
  const runtime::WorkItems work = implementation.source->items(job);
  if (std::ranges::find(work.items, 0U) != work.items.end()) {
    kernels_queue_.enqueueMarkerWithWaitList(&after, &operation.end);
    return;
  }
  kernels_queue_.enqueueNDRangeKernel(kernel, cl::NullRange, range(work.items),
                                      work.group ? range(*work.group) : cl::NullRange, &after, &operation.end);
}

void OpenClDevice::enqueue_function(const Implementation& implementation, const Job& job, const Events& after,
                                    Operation& operation) {
  operation.before = after;
  try {
    implementation.run(job.on(kernels_queue_()));
  } catch (...) {
    operation.failure = current_failure();  // done when what it had asked for before has ended
  }
  kernels_queue_.enqueueMarkerWithWaitList(nullptr, &operation.end);
}

void OpenClDevice::enqueue_native(const Implementation& implementation, const Job& job, const Events& after,
                                  Operation& operation) {
  const std::vector<void*> memories = distinct_memories(job);
  std::vector<std::size_t> position;  // of each argument's memory
  for (const Argument& argument : job.arguments()) {
    const auto at = std::ranges::find(memories, argument.piece.address);
    position.push_back(static_cast<std::size_t>(at - memories.begin()));
  }
  operation.native = [&implementation, job, position = std::move(position)](void* const* addresses) {
    std::vector<Argument> arguments(job.arguments().begin(), job.arguments().end());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      arguments[i].piece = {addresses[position[i]], arguments[i].shape.rows};
    }
    implementation.run(job.with(pointers_to(arguments)));
  };
  std::vector<void*> block(1 + memories.size());
  block[0] = &operation;
  std::vector<cl::Memory> list;
  std::vector<const void*> slots;
  for (void* memory : memories) {
    list.push_back(buffer(memory));
    slots.push_back(static_cast<const void*>(&block[list.size()]));
  }
  kernels_queue_.enqueueNativeKernel(call_native, {block.data(), block.size() * sizeof(void*)}, &list, &slots, &after,
                                     &operation.end);
}

/// Each memory once, in the order in which they were allocated: PoCL sorts them so, but not the places where it is to
/// put their addresses (seen in 3.1).
std::vector<void*> OpenClDevice::distinct_memories(const Job& job) {
  std::vector<std::pair<std::uint64_t, void*>> numbered;
  {
    const runtime::Lock lock(mutex_);
    for (const Argument& argument : job.arguments()) {
      numbered.emplace_back(numbers_.at(argument.piece.address), argument.piece.address);
    }
  }
  std::ranges::sort(numbered);
  const auto repeated = std::ranges::unique(numbered);
  numbered.erase(repeated.begin(), repeated.end());
  std::vector<void*> memories;
  for (const auto& [number, memory] : numbered) memories.push_back(memory);
  return memories;
}

}  // namespace heddle::opencl
