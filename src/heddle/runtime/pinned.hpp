#pragma once

#include <memory>

#include "heddle/runtime/device.hpp"

namespace heddle::runtime {

struct Unpin {
  Device* device = nullptr;
  void operator()(void* memory) const noexcept { device->unpin(memory); }
};

/// Memory that is pinned (Runtime::pin) until this is destroyed; empty where no device has a use for that.
using Pinned = std::unique_ptr<void, Unpin>;

}  // namespace heddle::runtime
