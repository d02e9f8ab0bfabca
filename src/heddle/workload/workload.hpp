#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/platform.hpp"

namespace heddle::workload {

/// The most tasks that a workload may ask for: larger graphs are refused instead of filling the memory.
inline constexpr std::uint64_t kMaxTasks = 20'000'000;

/// A generator of instances. `heddle workloads` lists these, help and errors read them.
struct Entry {
  std::string name;
  std::string summary;  ///< one sentence
  std::vector<Option> options;
  /// Makes the instance, but for its name. Throws InputError when the machine cannot serve the workload.
  Instance (*make)(const Options& options, const Machine& machine) = nullptr;
};

/// All workloads: first the tiled algorithms, then the synthetic ones.
[[nodiscard]] std::span<const Entry> entries();

/// The workload of this name, or nothing; takes "cholesky:tiles=12" for "cholesky". Tells a workload from a file name.
[[nodiscard]] const Entry* find(std::string_view workload);

/// Makes the instance that "name:key=value,..." describes on a machine; the text becomes the instance's name. The same
/// text and machine give the same instance everywhere. Throws InputError that lists the nearest and the possible
/// names, keys and values.
[[nodiscard]] Instance generate(std::string_view workload, const Machine& machine);

}  // namespace heddle::workload
