#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/runtime/kernel.hpp"

namespace heddle::runtime {

/// The workers of a runtime: classes of CPU cores or of groups of them.
struct WorkerClass {
  std::string name;
  Processor processor = Processor::cpu;
  std::uint32_t workers = 0;
  std::uint32_t cores = 1;  ///< of each worker
};

/// Reads "cpu=2,cpu4=1": two workers of one core each and one that is a group of four; empty: a worker per core. Throws
/// InputError that lists what there is.
[[nodiscard]] std::vector<WorkerClass> parse_workers(std::string_view text, std::size_t cores);

/// The machine as policies see it. Policies for two classes run on any machine: where there is one class only, a second
/// without workers follows it.
[[nodiscard]] Platform platform_of(const std::vector<WorkerClass>& classes);

}  // namespace heddle::runtime
