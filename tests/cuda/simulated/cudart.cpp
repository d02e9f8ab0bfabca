#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "tests/cuda/simulated/simulated.hpp"

namespace {

constexpr std::size_t kMemory = std::size_t{64} << 20U;

struct SimulatedDevice {
  std::atomic<bool> broken{false};
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> allocations;  ///< sizes by address
  std::size_t used = 0;
  std::set<int> peers;  ///< whose memory it may access
};

std::array<SimulatedDevice, 2>& devices() {
  static std::array<SimulatedDevice, 2> all;
  return all;
}

/// Held by every step of any stream while it runs: none does when a device breaks.
std::shared_mutex& running() {
  static std::shared_mutex mutex;
  return mutex;
}

/// Of the host.
struct PinnedMemory {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> ranges;  ///< sizes by address
  std::atomic<std::size_t> pageable_bytes{0};
};

PinnedMemory& pinned_memory() {
  static PinnedMemory pinned;
  return pinned;
}

thread_local int t_current = 0;
thread_local cudaError_t t_last = cudaSuccess;

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) t_last = error;
  return error;
}

SimulatedDevice& current() {
  return devices()[static_cast<std::size_t>(t_current)];
}

/// What every call says when its device has failed.
cudaError_t health(const SimulatedDevice& device) {
  return result(device.broken ? cudaErrorIllegalAddress : cudaSuccess);
}

}  // namespace

struct CUstream_st {
  explicit CUstream_st(SimulatedDevice& of) : device(of), thread([this] { work(); }) {}
  ~CUstream_st() {
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    news.notify_all();
    thread.join();
  }
  void add(std::function<void()> step) {
    {
      const std::lock_guard lock(mutex);
      steps.push_back(std::move(step));
    }
    news.notify_all();
  }
  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      news.wait(lock, [this] { return over || !steps.empty(); });
      if (steps.empty()) return;
      const std::function<void()> step = std::move(steps.front());
      lock.unlock();
      step();
      lock.lock();
      steps.pop_front();
      news.notify_all();
    }
  }

  SimulatedDevice& device;
  std::mutex mutex;
  std::condition_variable news;
  std::deque<std::function<void()>> steps;
  bool over = false;
  std::thread thread;
};

struct CUevent_st {
  SimulatedDevice& device;
  std::mutex mutex{};
  std::condition_variable reached_changed{};
  int pending = 0;  ///< records that the stream has not come to
};

namespace heddle::test::simulated {

void enqueue(cudaStream_t stream, std::function<void()> step) {
  stream->add([&device = stream->device, step = std::move(step)] {
    const std::shared_lock runs(running());
    if (!device.broken) step();
  });
}

void break_device(int number) {
  const std::unique_lock none_runs(running());
  devices()[static_cast<std::size_t>(number)].broken = true;
}

void repair_device(int number) {
  devices()[static_cast<std::size_t>(number)].broken = false;
}

std::size_t pageable_bytes() {
  return pinned_memory().pageable_bytes;
}

}  // namespace heddle::test::simulated

namespace {

using heddle::test::simulated::enqueue;

/// Whether the bytes are in one of the ranges.
bool is_within(const std::map<std::uintptr_t, std::size_t>& ranges, const void* address, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto next = ranges.upper_bound(at);
  if (next == ranges.begin()) return false;
  --next;
  return at + bytes <= next->first + next->second;
}

bool is_allocated(SimulatedDevice& device, const void* address, std::size_t bytes) {
  const std::lock_guard lock(device.mutex);
  return is_within(device.allocations, address, bytes);
}

void count_if_pageable(const void* address, std::size_t bytes) {
  PinnedMemory& pinned = pinned_memory();
  const std::lock_guard lock(pinned.mutex);
  if (!is_within(pinned.ranges, address, bytes)) pinned.pageable_bytes += bytes;
}

bool is_right(SimulatedDevice& device, const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes,
              cudaMemcpyKind kind) {
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (!to_device) count_if_pageable(to, to_bytes);
  if (!from_device) count_if_pageable(from, from_bytes);
  return is_allocated(device, to, to_bytes) == to_device && is_allocated(device, from, from_bytes) == from_device;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(devices().size());
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
  *properties = {};
  std::strncpy(properties->name, number == 0 ? "simulated 0" : "simulated 1", sizeof(properties->name) - 1);
  properties->totalGlobalMem = kMemory;
  properties->multiProcessorCount = 1;
  properties->pciDomainID = 1;
  properties->pciBusID = 0xa0 + number;
  properties->pciDeviceID = 3;
  return health(devices().at(static_cast<std::size_t>(number)));
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    default:
      return "some other error";
  }
}

const char* cudaGetErrorName(cudaError_t /*error*/) {
  return "cudaErrorSimulated";
}

cudaError_t cudaGetLastError() {
  return std::exchange(t_last, cudaSuccess);
}

cudaError_t cudaSetDevice(int number) {
  if (number < 0 || number >= static_cast<int>(devices().size())) return result(cudaErrorInvalidDevice);
  t_current = number;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* number) {
  *number = t_current;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  SimulatedDevice& device = current();
  const std::lock_guard lock(device.mutex);
  *free = kMemory - device.used;
  *total = kMemory;
  return health(device);
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  SimulatedDevice& device = current();
  if (const cudaError_t error = health(device); error != cudaSuccess) return error;
  const std::lock_guard lock(device.mutex);
  if (bytes > kMemory - device.used) return result(cudaErrorMemoryAllocation);
  *memory = std::malloc(bytes);
  // Not a number, in every precision.
  std::memset(*memory, 0xff, std::min(bytes, std::size_t{1} << 16U));
  device.allocations.emplace(reinterpret_cast<std::uintptr_t>(*memory), bytes);
  device.used += bytes;
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  for (SimulatedDevice& device : devices()) {
    const std::lock_guard lock(device.mutex);
    const auto found = device.allocations.find(reinterpret_cast<std::uintptr_t>(memory));
    if (found == device.allocations.end()) continue;
    device.used -= found->second;
    device.allocations.erase(found);
    std::free(memory);
    return health(device);
  }
  return result(memory == nullptr ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned int /*flags*/) {
  if (const cudaError_t error = health(current()); error != cudaSuccess) return error;
  PinnedMemory& pinned = pinned_memory();
  const std::lock_guard lock(pinned.mutex);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto next = pinned.ranges.lower_bound(begin);
  const bool overlaps =
      is_within(pinned.ranges, memory, 1) || (next != pinned.ranges.end() && next->first < begin + bytes);
  if (overlaps) return result(cudaErrorHostMemoryAlreadyRegistered);
  pinned.ranges.emplace(begin, bytes);
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* memory) {
  PinnedMemory& pinned = pinned_memory();
  const std::lock_guard lock(pinned.mutex);
  const bool was_pinned = pinned.ranges.erase(reinterpret_cast<std::uintptr_t>(memory)) == 1;
  return was_pinned ? health(current()) : result(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int /*flags*/) {
  if (const cudaError_t error = health(current()); error != cudaSuccess) return error;
  *stream = new CUstream_st(current());
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  std::unique_lock lock(stream->mutex);
  stream->news.wait(lock, [stream] { return stream->steps.empty(); });
  return health(stream->device);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int /*flags*/) {
  if (const cudaError_t error = health(current()); error != cudaSuccess) return error;
  *event = new CUevent_st{.device = current()};
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  {
    std::unique_lock lock(event->mutex);  // lives on until it is reached
    event->reached_changed.wait(lock, [event] { return event->pending == 0; });
  }
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t error = health(stream->device); error != cudaSuccess) return error;
  if (&event->device != &stream->device) return result(cudaErrorInvalidResourceHandle);
  {
    const std::lock_guard lock(event->mutex);
    ++event->pending;
  }
  stream->add([event] {
    const std::lock_guard lock(event->mutex);
    --event->pending;
    event->reached_changed.notify_all();
  });
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  std::unique_lock lock(event->mutex);
  event->reached_changed.wait(lock, [event] { return event->pending == 0; });
  return health(event->device);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (const cudaError_t error = health(stream->device); error != cudaSuccess) return error;
  if (!is_right(stream->device, to, bytes, from, bytes, kind)) return result(cudaErrorInvalidValue);
  enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  if (const cudaError_t error = health(stream->device); error != cudaSuccess) return error;
  const auto extent = [&](std::size_t pitch) { return height == 0 ? 0 : (height - 1) * pitch + width; };
  if (width > to_pitch || width > from_pitch ||
      !is_right(stream->device, to, extent(to_pitch), from, extent(from_pitch), kind)) {
    return result(cudaErrorInvalidValue);
  }
  enqueue(stream, [=] {
    for (std::size_t row = 0; row < height; ++row) {
      std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
    }
  });
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int number, int peer) {
  *can = number != peer ? 1 : 0;
  return health(devices().at(static_cast<std::size_t>(number)));
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int /*flags*/) {
  SimulatedDevice& device = current();
  if (const cudaError_t error = health(device); error != cudaSuccess) return error;
  if (peer == t_current) return result(cudaErrorInvalidDevice);
  const std::lock_guard lock(device.mutex);
  return result(device.peers.insert(peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled);
}

/// Only as Heddle uses it: by the device that the data goes to, which may access the other one.
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  SimulatedDevice& here = devices().at(static_cast<std::size_t>(to_device));
  SimulatedDevice& there = devices().at(static_cast<std::size_t>(from_device));
  for (const SimulatedDevice* device : {&here, &there}) {
    if (const cudaError_t error = health(*device); error != cudaSuccess) return error;
  }
  {
    const std::lock_guard lock(here.mutex);
    if (&here != &stream->device || !here.peers.contains(from_device)) return result(cudaErrorInvalidValue);
  }
  if (!is_allocated(here, to, bytes) || !is_allocated(there, from, bytes)) return result(cudaErrorInvalidValue);
  enqueue(stream, [=, &there] {
    if (!there.broken) std::memcpy(to, from, bytes);
  });
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  if (const cudaError_t error = health(stream->device); error != cudaSuccess) return error;
  if (!is_allocated(stream->device, memory, bytes)) return result(cudaErrorInvalidValue);
  enqueue(stream, [=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}

}  // extern "C"
