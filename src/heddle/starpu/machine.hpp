#pragma once

#include <optional>
#include <vector>

#include "heddle/model/platform.hpp"

namespace heddle::starpu {

/// StarPU's workers as workers of classes: CPU cores first, then a class for each model of device. Each device has a
/// memory of its own, with links as StarPU measured its bus.
struct Machine {
  Platform platform;
  Table<WorkerId, int> there;  ///< StarPU's number
  std::vector<WorkerId> here;  ///< by StarPU's number
  Table<WorkerId, bool> asks_early;
  Table<MemoryId, unsigned> nodes;  ///< StarPU's number

  /// Whose thread this is, if it is a worker's.
  [[nodiscard]] std::optional<WorkerId> this_worker() const;
};

[[nodiscard]] Machine read_machine(bool splits_cpus);

}  // namespace heddle::starpu
