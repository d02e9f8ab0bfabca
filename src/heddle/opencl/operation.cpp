#include "heddle/opencl/operation.hpp"

#include <utility>

#include "heddle/opencl/errors.hpp"

namespace heddle::opencl {
namespace {

void finish(std::unique_ptr<Operation> operation) {
  const runtime::Device::Done done = std::move(operation->done);
  const std::exception_ptr failure = std::move(operation->failure);
  operation.reset();  // who is told may destroy the device, so nothing of it is held any more
  done(failure);
}

void CL_CALLBACK ended(cl_event /*end*/, cl_int status, void* data) {
  std::unique_ptr<Operation> operation(static_cast<Operation*>(data));
  if (!operation->failure) operation->failure = failure_of(status);
  for (const cl::Event& event : operation->before) {
    if (!operation->failure) operation->failure = failure_of(event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>());
  }
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
