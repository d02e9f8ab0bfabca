#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "heddle/cuda/sequence.hpp"
#include "heddle/runtime/device.hpp"

namespace heddle::cuda {

/// A stream, a thread that asks for the work on it and a thread that waits for its ends. Asking is not for the engine's
/// thread: copies of pageable memory are made before the call for them returns, and kernels that factorize wait for the
/// device. Waiting is for a thread too, since cudaLaunchHostFunc is not called when the device has failed.
class Lane {
 public:
  using Work = std::function<void(cudaStream_t)>;

  /// Of the current device. Throws std::runtime_error.
  explicit Lane(int device);

  /// Has `work` ask for something on the stream, after all that was asked for before, and sees to it that `done` is
  /// called once, when that has ended, with what `work` threw or what went wrong on the device.
  void start(Work work, runtime::Device::Done done);

  /// How much was asked for and has not ended.
  [[nodiscard]] std::size_t under_way() const { return under_way_.load(std::memory_order_relaxed); }

 private:
  struct DestroyStream {
    void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
  };

  std::unique_ptr<CUstream_st, DestroyStream> stream_;
  std::atomic<std::size_t> under_way_ = 0;
  Sequence waiting_;
  Sequence asking_;  ///< the first to end: it adds to `waiting_`
};

}  // namespace heddle::cuda
