#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/runtime/estimate.hpp"
#include "heddle/runtime/kernel.hpp"

namespace heddle::runtime {

class KernelModel;

/// Tasks that are alike to a policy: one kernel on data of the same shapes.
struct TaskType {
  TypeId id{};
  std::shared_ptr<const KernelInfo> kernel;
  std::vector<Shape> shapes;                          ///< of the data
  std::vector<const Implementation*> implementation;  ///< by class; null where the class has none. The engine's, once
                                                      ///< it knows the type
  bool has_choice = false;                            ///< several classes can run it, or could
  bool combines = false;                              ///< its tasks bring together what others reduced
  // Once the engine knows the type; guarded by its lock.
  std::span<Estimate> durations;       ///< by class, as measured
  const KernelModel* model = nullptr;  ///< of durations at other shapes

  [[nodiscard]] bool can_run() const { return choices() > 0; }
  /// No class runs it that is not to any more.
  void forbid(ClassId c) { implementation[index(c)] = nullptr; }
  [[nodiscard]] std::ptrdiff_t choices() const {
    return std::ranges::count_if(implementation, [](const Implementation* one) { return one != nullptr; });
  }
  /// Of the data of a task, all together.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const Shape& shape : shapes) bytes += shape.bytes();
    return bytes;
  }
};

}  // namespace heddle::runtime
