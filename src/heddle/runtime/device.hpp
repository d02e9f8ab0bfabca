#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/job.hpp"
#include "heddle/runtime/kernel.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

/// A processor with a memory of its own, behind queues: what it is asked to do ends later.
///
/// In its memory a datum lies packed: its columns follow each other. A `void*` names such memory; it is what
/// Argument::piece holds when an implementation runs here: an address (CUDA), a cl_mem (OpenCL).
class Device {
 public:
  /// Called once for each operation, by any thread, when it has ended: what went wrong, or null. Must be quick and must
  /// not throw.
  using Done = std::function<void(std::exception_ptr failure)>;

  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  /// Nothing is under way any more.
  virtual ~Device() = default;

  /// Of all its memory.
  [[nodiscard]] virtual std::uint64_t memory_bytes() const = 0;
  /// Whether it can run the implementation, which is for its kind of processor.
  [[nodiscard]] virtual bool runs(const Implementation& implementation) const = 0;

  /// Memory for so many bytes, more than 0; null when there is no room. These two may be called by any thread, also
  /// several at once.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  /// Prepares copy_from(); false when it cannot copy from that device. Before all copies, or not at all.
  [[nodiscard]] virtual bool connect(const Device& other);

  /// Sees to it that copies of this memory of the program go at the speed of the link, until unpin(). False when that
  /// changes nothing or cannot be. May take as long as to write the memory. These two may be called by any thread.
  [[nodiscard]] virtual bool pin(void* /*memory*/, std::size_t /*bytes*/) { return false; }
  virtual void unpin(void* /*memory*/) {}

  // What follows is called by one thread only and returns at once. Copies in, copies out and kernels may overlap.
  // Copies of one kind are carried out in the order in which they were asked for; kernels may run side by side and end
  // in any order. An operation that cannot even begin is done at once, with what went wrong.

  /// From the program's memory.
  virtual void copy_in(const Shape& shape, const Piece& from, void* to, Done done) = 0;
  /// Into the program's memory.
  virtual void copy_out(const Shape& shape, void* from, const Piece& to, Done done) = 0;
  /// From the memory of another device that it is connected with: one of the copies in.
  virtual void copy_from(const Device& other, std::size_t bytes, void* from, void* to, Done done);
  /// Inside the device, before what is run next. When it fails, what runs next does.
  virtual void copy_within(std::size_t bytes, void* from, void* to) = 0;
  /// Does what has to be done once before the implementation can run, such as to compile it. What goes wrong is told
  /// when it is run. May take its time.
  virtual void prepare(const Implementation& /*implementation*/) {}
  /// Runs the implementation. What it throws ends up in `done`. The implementation and the job's spans live until then.
  virtual void run(const Implementation& implementation, const Job& job, Done done) = 0;
};

inline bool Device::connect(const Device& /*other*/) {
  return false;
}
inline void Device::copy_from(const Device& /*other*/, std::size_t /*bytes*/, void* /*from*/, void* /*to*/, Done done) {
  const Done refuse = std::move(done);
  refuse(std::make_exception_ptr(InternalError("a device was asked for a copy from one that it does not reach")));
}

/// What is known of a device before it is used.
struct DeviceInfo {
  std::string name;                ///< what it calls itself
  std::size_t cores = 0;           ///< compute units, multiprocessors
  std::uint64_t memory_bytes = 0;  ///< 0: unknown
  bool is_accelerator = true;      ///< computes on something else than the cores of the CPU
  std::string pci_address{};       ///< "0000:06:00.0"; empty: unknown
};

/// A kind of devices: what a loadable module offers, or a program (Config::backends).
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// As Config::workers says: "opencl".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Which implementations are for its devices.
  [[nodiscard]] virtual Processor processor() const = 0;
  /// The devices of this machine. Throws InputError, in one sentence, when it cannot be used here.
  [[nodiscard]] virtual std::vector<DeviceInfo> devices() const = 0;
  /// Throws InputError when the device cannot be used. Devices do not outlive their backend.
  [[nodiscard]] virtual std::unique_ptr<Device> open(std::size_t number) = 0;
};

struct Unpin {
  Device* device = nullptr;
  void operator()(void* memory) const noexcept { device->unpin(memory); }
};

/// Memory that is pinned (Runtime::pin) until this is destroyed; empty where no device has a use for that.
using Pinned = std::unique_ptr<void, Unpin>;

/// The devices of one kind that this machine has, or why it has none.
struct DeviceKind {
  std::string name;                   ///< "cpu", "opencl", "cuda"
  std::vector<DeviceInfo> devices{};  ///< by number
  std::string missing{};              ///< why there are none
};

/// The cores of the CPU that the process may use.
[[nodiscard]] DeviceInfo cpu();

/// All kinds, the CPU first.
[[nodiscard]] std::vector<DeviceKind> devices();

}  // namespace heddle::runtime
