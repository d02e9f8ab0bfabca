#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heddle/cli/real_workload.hpp"

namespace heddle::cli {

/// Executes a small workload of the kind on every device of such workers ("cpu=2,opencl=1"), and forgets its durations.
/// The first task of a kernel compiles it, loads libraries and opens handles, which would otherwise count as part of
/// the run that follows. Answers how many seconds that took; nothing when all workers are cores, which need none of it.
std::optional<double> warm_up_devices(const std::string& workers, const ChosenWorkload& chosen, std::uint64_t seed);

}  // namespace heddle::cli
