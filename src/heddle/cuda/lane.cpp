#include "heddle/cuda/lane.hpp"

#include <exception>
#include <stdexcept>
#include <utility>

#include "heddle/cuda/errors.hpp"

namespace heddle::cuda {
namespace {

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
};
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;

/// One that lets the processor go while a thread waits for it.
Event make_event() {
  cudaEvent_t event = nullptr;
  check("cudaEventCreateWithFlags", cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming));
  return Event(event);
}

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  check("cudaStreamCreateWithFlags", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

/// Something that a device is asked to do, from the call to Device::Done.
struct Operation {
  Lane::Work work{};
  runtime::Device::Done done{};
  Event end{};
  std::exception_ptr failure{};
};

void ask(Operation& operation, cudaStream_t stream) {
  try {
    operation.end = make_event();
    operation.work(stream);
    check("what was launched", cudaGetLastError());
  } catch (...) {
    operation.failure = std::current_exception();
    static_cast<void>(cudaGetLastError());  // which may be the same: not what comes next's
  }
  // Whatever was asked for before something went wrong still uses its memory. When even this fails, the device has.
  if (operation.end) static_cast<void>(cudaEventRecord(operation.end.get(), stream));
}

void await_end(Operation& operation) {
  if (!operation.end) return;
  try {
    check("what a CUDA device was asked for", cudaEventSynchronize(operation.end.get()));
  } catch (...) {
    if (!operation.failure) operation.failure = std::current_exception();
  }
}

void tell(Operation& operation) {
  const runtime::Device::Done done = std::move(operation.done);
  std::exception_ptr failure = std::move(operation.failure);
  operation = {};  // who is told may destroy what the work knows of
  done(std::move(failure));
}

}  // namespace

Lane::Lane(int device) : stream_(make_stream()), waiting_(device), asking_(device) {}

void Lane::start(Work work, runtime::Device::Done done) {
  auto operation = std::make_shared<Operation>(Operation{std::move(work), std::move(done)});
  ++under_way_;
  asking_.add([this, operation = std::move(operation)] {
    ask(*operation, stream_.get());
    waiting_.add([this, operation] {
      await_end(*operation);
      --under_way_;  // first: once the engine is told, it may ask for more
      tell(*operation);
    });
  });
}

}  // namespace heddle::cuda
