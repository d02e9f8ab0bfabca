#include "heddle/workload/generators.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "heddle/model/error.hpp"

namespace heddle::workload {

Platform platform_of(const Machine& machine) {
  return Platform(machine.classes, machine.links, machine.buses);
}

Random draws(const Options& options, Stream stream, std::uint64_t purpose, std::uint64_t item) {
  return Random(options.integer("seed"), static_cast<std::uint64_t>(stream), purpose, item);
}

Option seed_option() {
  return integer("seed", "1", 0, std::numeric_limits<std::uint64_t>::max(), "Number that all random draws depend on.");
}

Time to_time(double seconds) {
  return std::llround(seconds * static_cast<double>(kSecond));
}

void check_task_count(const Options& options, std::uint64_t tasks) {
  if (tasks <= kMaxTasks) return;
  throw InputError(options.owner() + " would have " + std::to_string(tasks) + " tasks; at most " +
                   std::to_string(kMaxTasks) + " are possible");
}

void check_order(const Options& options, std::string_view low, std::string_view high) {
  if (options.number(low) <= options.number(high)) return;
  throw InputError(options.owner() + ": option '" + std::string(low) + "' is above option '" + std::string(high) + "'");
}

}  // namespace heddle::workload
