#pragma once

#include <span>

#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {

/// Increments a vector, on either kind of processor.
struct Increment {
  Kernel<std::span<int>> kernel{"increment", on_cpu(add_one), on_opencl_native(add_one)};
  static void add_one(std::span<int> x) {
    for (int& one : x) ++one;
  }
};

}  // namespace heddle::runtime
