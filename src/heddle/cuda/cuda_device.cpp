#include "heddle/cuda/cuda_device.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "heddle/cuda/errors.hpp"

namespace heddle::cuda {

using runtime::Implementation;
using runtime::Job;
using runtime::Piece;
using runtime::Shape;

namespace {

/// Of so much memory, what is left to libraries and to the code of kernels.
constexpr std::size_t reserve(std::size_t total) {
  return std::min(std::size_t{512} << 20U, total / 16);
}

/// Makes a device the current one of this thread, for a while: which it is otherwise is the program's affair.
class OnDevice {
 public:
  explicit OnDevice(int number) {
    check("cudaGetDevice", cudaGetDevice(&before_));
    check("cudaSetDevice", cudaSetDevice(number));
  }
  ~OnDevice() { static_cast<void>(cudaSetDevice(before_)); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

/// Columns in the memory of the device or of the program.
struct Columns {
  void* address;
  std::size_t pitch;  ///< bytes from the begin of one to that of the next
};

Columns packed(const Shape& shape, void* address) {
  return {address, shape.column_bytes()};
}
Columns columns(const Shape& shape, const Piece& piece) {
  return {piece.address, shape.columns == 1 ? shape.column_bytes() : piece.leading * shape.element};
}

Lane::Work copy(const Shape& shape, const Columns& from, const Columns& to, cudaMemcpyKind kind) {
  return [=](cudaStream_t stream) {
    if (from.pitch == to.pitch) {
      check("cudaMemcpyAsync", cudaMemcpyAsync(to.address, from.address, shape.bytes(), kind, stream));
    } else {
      check("cudaMemcpy2DAsync", cudaMemcpy2DAsync(to.address, to.pitch, from.address, from.pitch, shape.column_bytes(),
                                                   shape.columns, kind, stream));
    }
  };
}

}  // namespace

CudaDevice::CudaDevice(int number) : number_(number) {
  const OnDevice here(number);
  cudaDeviceProp properties{};
  check("cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, number));
  memory_bytes_ = properties.totalGlobalMem;
  lanes_ = std::make_unique<Lanes>(number);
}

bool CudaDevice::runs(const Implementation& implementation) const {
  return implementation.processor == runtime::Processor::cuda && implementation.form == Implementation::Form::enqueues;
}

void* CudaDevice::allocate(std::size_t bytes) {
  try {
    const OnDevice here(number_);
    std::size_t free = 0;
    std::size_t total = 0;
    check("cudaMemGetInfo", cudaMemGetInfo(&free, &total));
    if (free < reserve(total) || bytes > free - reserve(total)) return nullptr;
    void* memory = nullptr;
    check("cudaMalloc", cudaMalloc(&memory, bytes));
    return memory;
  } catch (const std::runtime_error&) {
    return nullptr;  // a device that has failed has no room, either
  }
}

void CudaDevice::release(void* memory) {
  // When the device has failed, so does this, and there is nothing to be done about it.
  if (cudaFree(memory) != cudaSuccess) static_cast<void>(cudaGetLastError());
}

bool CudaDevice::connect(const Device& other) {
  const auto* peer = dynamic_cast<const CudaDevice*>(&other);
  if (peer == nullptr) return false;
  try {
    const OnDevice here(number_);
    int can = 0;
    check("cudaDeviceCanAccessPeer", cudaDeviceCanAccessPeer(&can, number_, peer->number_));
    if (can == 0) return false;
    const cudaError_t error = cudaDeviceEnablePeerAccess(peer->number_, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
      static_cast<void>(cudaGetLastError());
    } else {
      check("cudaDeviceEnablePeerAccess", error);
    }
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

bool CudaDevice::pin(void* memory, std::size_t bytes) {
  try {
    const OnDevice here(number_);
    // The program may have done so, or another runtime, which then undoes it.
    if (cudaHostRegister(memory, bytes, cudaHostRegisterPortable) == cudaSuccess) return true;
    static_cast<void>(cudaGetLastError());
    return false;
  } catch (const std::runtime_error&) {
    return false;  // a device that has failed copies nothing, either
  }
}

void CudaDevice::unpin(void* memory) {
  if (cudaHostUnregister(memory) != cudaSuccess) static_cast<void>(cudaGetLastError());
}

// The shape's elements follow each other in the device's memory.

void CudaDevice::copy_in(const Shape& shape, const Piece& from, void* to, Done done) {
  lanes_->in.start(copy(shape, columns(shape, from), packed(shape, to), cudaMemcpyHostToDevice), std::move(done));
}

void CudaDevice::copy_out(const Shape& shape, void* from, const Piece& to, Done done) {
  lanes_->out.start(copy(shape, packed(shape, from), columns(shape, to), cudaMemcpyDeviceToHost), std::move(done));
}

void CudaDevice::copy_from(const Device& other, std::size_t bytes, void* from, void* to, Done done) {
  lanes_->in.start(
      [=, here = number_, there = dynamic_cast<const CudaDevice&>(other).number_](cudaStream_t stream) {
        check("cudaMemcpyPeerAsync", cudaMemcpyPeerAsync(to, here, from, there, bytes, stream));
      },
      std::move(done));
}

void CudaDevice::copy_within(std::size_t bytes, void* from, void* to) {
  copies_within_.push_back({bytes, from, to});
}

void CudaDevice::run(const Implementation& implementation, const Job& job, Done done) {
  Lane& lane = *std::ranges::min_element(lanes_->kernels, {}, &Lane::under_way);
  lane.start(
      [copies = std::exchange(copies_within_, {}), &implementation, job](cudaStream_t stream) {
        for (const auto& [bytes, from, to] : copies) {
          check("cudaMemcpyAsync", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
        }
        implementation.run(job.on(stream));
      },
      std::move(done));
}

}  // namespace heddle::cuda
