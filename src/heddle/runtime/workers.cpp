#include "heddle/runtime/workers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/settings.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::runtime {
namespace {

constexpr std::string_view kCores = "cpu";
constexpr const char* kAccelerators = "gpu";
const std::vector<std::string> kExamples{"cpu", "cpu2"};
constexpr std::uint64_t kMostWorkers = 1024;  // threads, not numbers: more would not fit any machine

/// The cores of a worker: 1 for "cpu", n for "cpun"; nothing when the class is none of CPU cores.
std::optional<std::uint64_t> group_size(const std::string& name) {
  if (name == kCores) return 1;
  if (!name.starts_with(kCores)) return std::nullopt;
  const std::optional<std::uint64_t> size = parse_count(std::string_view(name).substr(kCores.size()));
  if (!size || *size < 2 || *size > kMostWorkers || name[kCores.size()] == '0') return std::nullopt;
  return size;
}

}  // namespace

std::vector<WorkerClass> parse_workers(std::string_view text, std::size_t cores) {
  if (text.empty()) return {{"cpu", Processor::cpu, static_cast<std::uint32_t>(cores)}};
  std::vector<WorkerClass> classes;
  for (const Setting& setting : parse_settings("workers", text)) {
    const std::optional<std::uint64_t> size = group_size(setting.key);
    if (!size) {
      throw InputError("workers: there is no class '" + setting.key + "'" + suggest(setting.key, kExamples));
    }
    const std::optional<std::uint64_t> count = parse_count(setting.value);
    if (!count || *count == 0 || *count > kMostWorkers) {
      throw InputError("workers: the number of workers of class '" + setting.key + "' is '" + setting.value +
                       "'; expected a whole number in 1.." + std::to_string(kMostWorkers));
    }
    classes.push_back(
        {setting.key, Processor::cpu, static_cast<std::uint32_t>(*count), static_cast<std::uint32_t>(*size)});
  }
  return classes;
}

Platform platform_of(const std::vector<WorkerClass>& classes) {
  std::vector<ResourceClass> resources;
  for (const WorkerClass& one : classes) resources.push_back({one.name, one.workers});
  if (resources.size() == 1) resources.push_back({kAccelerators, 0});
  return Platform(std::move(resources));
}

}  // namespace heddle::runtime
