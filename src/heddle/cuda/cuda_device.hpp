#pragma once

#include <cstdint>
#include <vector>

#include "heddle/cuda/lane.hpp"
#include "heddle/runtime/device.hpp"

namespace heddle::cuda {

/// A CUDA device: three streams, one for each direction of copies and one for kernels. Memory of the program may be
/// pageable or pinned (pin(), cudaMallocHost). Pinned memory is copied at the speed of the link; pageable
/// memory is taken through a pinned buffer of the driver, which is why there is none here.
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
    explicit Lanes(int device) : in(device), out(device), kernels(device) {}

    Lane in;
    Lane out;
    Lane kernels;
  };

  const int number_;
  std::uint64_t memory_bytes_ = 0;
  std::unique_ptr<Lanes> lanes_;
  std::vector<Copy> copies_within_;  ///< asked for since the last run
};

}  // namespace heddle::cuda
