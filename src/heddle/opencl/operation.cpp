#include "heddle/opencl/operation.hpp"

#include <utility>

#include "heddle/opencl/errors.hpp"

namespace heddle::opencl {
namespace {

constexpr Time kNanosecond = kMicrosecond / 1000;

/// On the device; nothing where it does not tell.
std::optional<Time> duration_of(const Operation& operation) {
  try {
    const cl_ulong begin = operation.begin() != nullptr ? operation.begin.getProfilingInfo<CL_PROFILING_COMMAND_END>()
                                                        : operation.end.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const cl_ulong end = operation.end.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    if (end < begin) return std::nullopt;
    return static_cast<Time>(end - begin) * kNanosecond;
  } catch (const cl::Error&) {
    return std::nullopt;
  }
}

cl_int status_of(const cl::Event& event) {
  return event() == nullptr ? CL_COMPLETE : event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
}

void finish(std::unique_ptr<Operation> operation) {
  const runtime::Device::Done done = std::move(operation->done);
  const std::exception_ptr failure = std::move(operation->failure);
  const std::optional<Time> duration = failure ? std::nullopt : duration_of(*operation);
  operation.reset();  // who is told may destroy the device, so nothing of it is held any more
  done(failure, duration);
}

void CL_CALLBACK ended(cl_event /*end*/, cl_int status, void* data) {
  std::unique_ptr<Operation> operation(static_cast<Operation*>(data));
  if (!operation->failure) operation->failure = failure_of(status);
  if (!operation->failure) operation->failure = failure_of(status_of(operation->begin));
  finish(std::move(operation));
}

/// What was asked for before something went wrong still uses its memory.
void await(const cl::Event& event) {
  try {
    if (event() != nullptr) event.wait();
  } catch (const cl::Error&) {
    return;  // ended, too
  }
}

}  // namespace

void start(const cl::CommandQueue& queue, runtime::Device::Done done, const std::function<void(Operation&)>& enqueue) {
  auto operation = std::make_unique<Operation>(Operation{.done = std::move(done)});
  try {
    enqueue(*operation);
    queue.flush();
    cl::Event end = operation->end;  // the operation may be gone before setCallback returns
    end.setCallback(CL_COMPLETE, ended, operation.get());
    [[maybe_unused]] const Operation* handed_over = operation.release();  // ended() deletes it
  } catch (...) {
    operation->failure = current_failure();
    await(operation->end);
    finish(std::move(operation));
  }
}

}  // namespace heddle::opencl
