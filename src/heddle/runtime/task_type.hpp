#pragma once

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
  std::vector<const Implementation*> implementation;  ///< by class; null where the class has none
  bool has_choice = false;                            ///< several classes can run it
  // Once the engine knows the type; guarded by its lock.
  std::span<Estimate> durations;       ///< by class, as measured
  const KernelModel* model = nullptr;  ///< of durations at other shapes
};

}  // namespace heddle::runtime
