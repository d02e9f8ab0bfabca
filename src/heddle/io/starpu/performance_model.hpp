#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/time.hpp"

namespace heddle::io {

/// How long a codelet takes on a class of workers for one footprint: the mean over all samples of all devices of the
/// class, rounded half up to 0.1 ns.
struct ModelTiming {
  std::string class_name;  ///< "cpu" or "gpu"
  std::string footprint;   ///< 8 lower-case hex digits
  std::int64_t bytes = 0;  ///< of all data of the task, as first met in the file
  Time mean = 0;
  std::uint64_t samples = 0;
};

/// The history of one codelet.
struct PerformanceModel {
  std::vector<ModelTiming> timings;   ///< footprints as they appear in the file, per footprint the CPU first
  std::vector<std::string> warnings;  ///< a sentence each: what was in the file and has been left out
};

/// Reads StarPU's performance model of one codelet, version 45.
///
/// Used are the histories of single CPU cores (class "cpu") and CUDA devices ("gpu"); OpenCL and other devices,
/// parallel and combined workers are left out with a warning, as is what follows the announced combinations. Where a
/// device has several implementations of the codelet, the fastest for the footprint counts, as StarPU's schedulers
/// choose it. Entries without samples and regressions say nothing about a footprint and are skipped. An empty file has
/// no timings. Throws InputError that starts with `source` and the line when the file breaks off or holds something
/// else.
[[nodiscard]] PerformanceModel parse_performance_model(std::string_view text, const std::string& source);

}  // namespace heddle::io
