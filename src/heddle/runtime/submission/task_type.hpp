#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/runtime/kernel.hpp"
#include "heddle/runtime/models/variants.hpp"

namespace heddle::runtime {

class KernelModel;

/// Tasks that are alike to a policy: one kernel on data of the same shapes, in one scheduling context.
struct TaskType {
  std::shared_ptr<const KernelInfo> kernel;
  std::vector<Shape> shapes;             ///< of the data
  std::vector<Variants> variants;        ///< by class. The engine's, once it knows the type
  std::deque<Implementation> wrapped;    ///< implementations of the kernel, as the engine calls them on devices
  ContextId context = kNone<ContextId>;  ///< of its tasks; kNone: there are no contexts, or it is not known yet
  Table<ClassId, bool> inside;           ///< whether the context has workers of the class; empty: no context
  bool has_choice = false;               ///< several classes can run it, or could
  bool combines = false;                 ///< its tasks bring together what others reduced
  std::exception_ptr lost;               ///< why no class runs it any more; null while one does
  KernelModel* model = nullptr;          ///< of durations at other shapes; once the engine knows the type
  // Guarded by the engine's lock:
  std::uint64_t epoch = 0;        ///< the last one that was made and knows it
  TypeId number = kNone<TypeId>;  ///< in that epoch

  [[nodiscard]] bool can_run() const { return choices() > 0; }
  /// No class runs it that is not to any more.
  void forbid(ClassId c) { variants[index(c)].forbid(); }
  [[nodiscard]] bool runs_on(ClassId c) const { return !variants[index(c)].empty(); }
  /// As a policy is told: those that no class runs any more end when their turn comes.
  [[nodiscard]] bool seems_to_run_on(ClassId c) const { return lost || runs_on(c); }
  /// How many classes run it of which the context, if any, has workers.
  [[nodiscard]] std::ptrdiff_t choices() const {
    std::ptrdiff_t count = 0;
    for (std::size_t c = 0; c < variants.size(); ++c) {
      count += !variants[c].empty() && (inside.empty() || inside[make_id<ClassId>(c)]);
    }
    return count;
  }
  /// Of the data of a task, all together.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const Shape& shape : shapes) bytes += shape.bytes();
    return bytes;
  }
};

}  // namespace heddle::runtime
