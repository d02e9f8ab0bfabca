#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/runtime/kernel.hpp"
#include "heddle/runtime/models/variants.hpp"

namespace heddle::runtime {

class KernelModel;

/// Tasks that are alike to a policy: one kernel on data of the same shapes.
struct TaskType {
  std::shared_ptr<const KernelInfo> kernel;
  std::vector<Shape> shapes;           ///< of the data
  std::vector<Variants> variants;      ///< by class. The engine's, once it knows the type
  std::deque<Implementation> wrapped;  ///< implementations of the kernel, as the engine calls them on devices
  bool has_choice = false;             ///< several classes can run it, or could
  bool combines = false;               ///< its tasks bring together what others reduced
  std::exception_ptr lost;             ///< why no class runs it any more; null while one does
  KernelModel* model = nullptr;        ///< of durations at other shapes; once the engine knows the type
  // Guarded by the engine's lock:
  std::uint64_t epoch = 0;        ///< the last one that was made and knows it
  TypeId number = kNone<TypeId>;  ///< in that epoch

  [[nodiscard]] bool can_run() const { return choices() > 0; }
  /// No class runs it that is not to any more.
  void forbid(ClassId c) { variants[index(c)].forbid(); }
  [[nodiscard]] bool runs_on(ClassId c) const { return !variants[index(c)].empty(); }
  /// As a policy is told: those that no class runs any more end when their turn comes.
  [[nodiscard]] bool seems_to_run_on(ClassId c) const { return lost || runs_on(c); }
  [[nodiscard]] std::ptrdiff_t choices() const { return std::ranges::count(variants, false, &Variants::empty); }
  /// Of the data of a task, all together.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const Shape& shape : shapes) bytes += shape.bytes();
    return bytes;
  }
};

}  // namespace heddle::runtime
