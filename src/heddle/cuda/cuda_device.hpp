#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/cuda/lane.hpp"
#include "heddle/runtime/device.hpp"

namespace heddle::cuda {

/// A CUDA device, with a stream for each direction of copies and several for kernels: while one runs that cannot use
/// the whole device, as those that factorize a tile, others fill it. Memory of the program may be pageable or pinned
/// (pin(), cudaMallocHost). Pinned memory is copied at the speed of the link; pageable memory is taken through a pinned
/// buffer of the driver, which is why there is none here.
class CudaDevice final : public runtime::Device {
 public:
  /// Throws std::runtime_error.
  explicit CudaDevice(int number);

  [[nodiscard]] std::uint64_t memory_bytes() const override { return memory_bytes_; }
  [[nodiscard]] bool runs(const runtime::Implementation& implementation) const override;

  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void release(void* memory) override;
  [[nodiscard]] bool connect(const runtime::Device& other) override;

  [[nodiscard]] bool pin(void* memory, std::size_t bytes) override;
  void unpin(void* memory) override;

  void copy_in(const runtime::Shape& shape, const runtime::Piece& from, void* to, Done done) override;
  void copy_out(const runtime::Shape& shape, void* from, const runtime::Piece& to, Done done) override;
  void copy_from(const runtime::Device& other, std::size_t bytes, void* from, void* to, Done done) override;
  void copy_within(std::size_t bytes, void* from, void* to) override;
  void run(const runtime::Implementation& implementation, const runtime::Job& job, Done done) override;

 private:
  struct Copy {
    std::size_t bytes;
    void* from;
    void* to;
  };
  struct Lanes {
    explicit Lanes(int device) : in(device), out(device), kernels{Lane(device), Lane(device), Lane(device)} {}

    Lane in;
    Lane out;
    std::array<Lane, 3> kernels;  ///< for what the runtime starts at most: a task, and two ahead
  };

  const int number_;
  std::uint64_t memory_bytes_ = 0;
  std::unique_ptr<Lanes> lanes_;
  std::vector<Copy> copies_within_;  ///< asked for since the last run
};

}  // namespace heddle::cuda
