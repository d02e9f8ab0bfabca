#pragma once

#include <driver_types.h>

#include <cstddef>
#include <functional>

/// The part of CUDA that Heddle calls, on threads and memory of the host, so that Heddle's side of it is tested where
/// there is no GPU: two devices whose streams are threads, which check what they are asked for and can be broken.
namespace heddle::test::simulated {

/// Has the stream do something after all that it was asked for before; nothing any more when its device has failed.
void enqueue(cudaStream_t stream, std::function<void()> step);

/// From now on all that the device is asked for, and what it has begun, fails as after an address that is none.
__attribute__((visibility("default"))) void break_device(int number);
/// As good as new.
__attribute__((visibility("default"))) void repair_device(int number);

/// How many bytes so far were copied from or to memory of the host that was not pinned.
__attribute__((visibility("default"))) std::size_t pageable_bytes();

}  // namespace heddle::test::simulated
