#pragma once

#include <CL/opencl.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "heddle/runtime/device.hpp"

namespace heddle::opencl {

/// Something that a device is asked to do, from the call to Device::Done.
struct Operation {
  runtime::Device::Done done{};
  std::vector<cl::Event> before{};  ///< whose failure is its own, where the end does not tell
  cl::Event end{};
  std::exception_ptr failure{};  ///< of the implementation
  /// What a native kernel does; `addresses`: of the memories, in the order of its arguments.
  std::function<void(void* const* addresses)> native{};
};

/// Calls `enqueue`, which sets at least Operation::end, and sees to it that `done` is called once: when the work has
/// ended, or at once when it cannot begin.
void start(const cl::CommandQueue& queue, runtime::Device::Done done, const std::function<void(Operation&)>& enqueue);

}  // namespace heddle::opencl
