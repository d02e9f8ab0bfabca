#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/time.hpp"

namespace heddle::io {

/// Whether the CUDA devices of a machine are one class of workers, "gpu", or one each: "gpu0", "gpu1", ...
enum class Devices : std::uint8_t { pooled, apart };

/// How long a codelet takes on a class of workers for one footprint.
struct ModelTiming {
  std::string class_name;     ///< "cpu", or that of a device (Devices)
  std::string footprint;      ///< 8 lower-case hex digits
  std::int64_t bytes = 0;     ///< of all data of the task
  Time mean = 0;              ///< over all samples of all devices of the class, rounded to 0.1 ns
  std::uint64_t samples = 0;  ///< at least 1
};

/// The history of one codelet.
struct PerformanceModel {
  std::vector<ModelTiming> timings;   ///< footprints as they appear in the file, for each the CPU first
  std::vector<std::string> warnings;  ///< a sentence each: what was in the file and has been left out
};

/// Reads StarPU's performance model of one codelet, version 45.
///
/// Used are the histories of single CPU cores (class "cpu") and of CUDA devices. OpenCL and other devices,
/// parallel and combined workers, and what follows the announced combinations are left out with a warning. Where a
/// device has several histories for a footprint (implementations of the codelet) the fastest counts, as it would be
/// chosen. Entries without samples and regressions tell nothing about a footprint and are skipped. An empty file has no
/// timings. Throws InputError: file, line, what was found, what was expected.
[[nodiscard]] PerformanceModel read_performance_model(std::string_view text, std::string_view source,
                                                      Devices devices = Devices::pooled);

}  // namespace heddle::io
