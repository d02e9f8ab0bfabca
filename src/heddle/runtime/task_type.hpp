#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/runtime/estimate.hpp"
#include "heddle/runtime/kernel.hpp"

namespace heddle::runtime {

/// Tasks that are alike to a policy: one kernel on data of the same shapes.
struct TaskType {
  TypeId id{};
  std::shared_ptr<const KernelInfo> kernel;
  std::vector<Shape> shapes;                          ///< of the data
  std::vector<const Implementation*> implementation;  ///< by class; null where the class has none
  bool has_choice = false;                            ///< several classes can run it
  std::vector<Estimate> durations;                    ///< by class, as measured; guarded by the engine's lock
};

}  // namespace heddle::runtime
