#include "heddle/runtime/devices/module.hpp"

// Whatever is asked for, it was built for something else.
extern "C" [[gnu::visibility("default")]] heddle::runtime::Backend* heddle_backend(std::uint32_t /*interface*/) {
  return nullptr;
}
