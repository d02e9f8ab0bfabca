#pragma once

#include <cstdint>

#include "heddle/runtime/device.hpp"

namespace heddle::runtime {

/// What a loadable module and the library that opens it have to agree on: device.hpp and all that it includes. Code
/// that changes the layout or the meaning of any of it counts on, so that a module of another build is refused.
inline constexpr std::uint32_t kModuleInterface = 6;

/// What a module exports as `heddle_backend`, with C linkage: makes a backend, which the caller deletes; null when the
/// module was built for another interface than `module_interface`.
using MakeBackend = Backend*(std::uint32_t module_interface);

}  // namespace heddle::runtime
