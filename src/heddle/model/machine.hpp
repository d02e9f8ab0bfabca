#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/model/time.hpp"

namespace heddle {

/// How long one class of a machine takes for a kernel.
struct ClassTime {
  std::string class_name;
  Time duration;
};

/// Measured durations of one kernel at one size. A workload looks it up by kernel, tile and precision; a recorded graph
/// by codelet and footprint. Each entry has one of the two keys, or both.
struct KernelTiming {
  std::string kernel;     ///< e.g. "POTRF"; empty when only the codelet is known
  std::int64_t tile = 0;  ///< order of the square tile
  std::string precision;  ///< "single" or "double"
  std::string codelet;    ///< StarPU's performance model, e.g. "chol_model_potrf"
  std::string footprint;  ///< its hash of the sizes, 8 hex digits
  std::vector<ClassTime> seconds;
  bool derived = false;  ///< computed from another entry instead of measured
};

/// A machine and what was measured on it: a platform file.
struct Machine {
  std::string name;
  std::vector<ResourceClass> classes;
  std::vector<Link> links;
  std::vector<Bus> buses;
  std::vector<KernelTiming> kernels;
};

}  // namespace heddle
