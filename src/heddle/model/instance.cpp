#include "heddle/model/instance.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle {
namespace {

std::string class_names(const Platform& platform) {
  std::string names;
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) > 0) names += (names.empty() ? "" : ", ") + platform.class_name(c);
  }
  return names;
}

void close_empty_classes(const Platform& platform, Costs& costs) {
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) == 0) costs.close(c);
  }
}

/// The slowest believed or true duration in a row, over the classes that can run it; -1 when none can.
Time slowest(const Costs& costs, std::uint32_t row) {
  Time longest = -1;
  for (const auto durations : {costs.actual_row(row), costs.estimate_row(row)}) {
    for (const Time duration : durations) {
      if (duration != kCannotRun) longest = std::max(longest, duration);
    }
  }
  return longest;
}

void check_signs(const Instance& instance, TaskId task) {
  for (const ClassId c : instance.platform.classes()) {
    if (instance.costs.actual(task, c) < 0 || instance.costs.estimate(task, c) < 0) {
      throw InputError("task '" + std::string(instance.graph.name(task)) + "' takes negative time on class '" +
                       instance.platform.class_name(c) + "'");
    }
  }
}

void check_durations(const Instance& instance) {
  // Policies and bounds add several such totals: leave that much room.
  constexpr Time kHorizon = kMaxTime / 16;
  Time total = 0;
  for (const TaskId task : instance.graph.tasks()) {
    check_signs(instance, task);
    const Time longest = slowest(instance.costs, instance.costs.row(task));
    const std::string name(instance.graph.name(task));
    if (longest < 0) {
      throw InputError("task '" + name + "' of type '" +
                       std::string(instance.graph.type_name(instance.graph.type(task))) +
                       "' can run on no class that has a worker (" + class_names(instance.platform) + ")");
    }
    if (longest > kHorizon - total) {
      throw InputError("the tasks one after the other, each on its slowest class, take more than " +
                       format_seconds(kHorizon) + " s, the most that is possible (at task '" + name + "')");
    }
    total += longest;
  }
}

void check_data(const Instance& instance) {
  // Policies and reports add up what tasks access: every such sum fits.
  constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max() / 16;
  std::int64_t total = 0;
  for (const Datum& datum : instance.graph.data()) {
    if (datum.bytes < 0) throw InputError("datum '" + datum.name + "' has " + std::to_string(datum.bytes) + " bytes");
    if (!instance.platform.find_memory(datum.home)) {
      throw InputError("datum '" + datum.name + "' has its home in memory '" + datum.home + "', which no class has");
    }
    if (datum.bytes > kMostBytes - total) {
      throw InputError("the data have more than " + std::to_string(kMostBytes) +
                       " bytes together, the most that is possible (at datum '" + datum.name + "')");
    }
    total += datum.bytes;
  }
}

}  // namespace

Table<DataId, MemoryId> home_memories(const Instance& instance) {
  Table<DataId, MemoryId> homes;
  homes.reserve(instance.graph.data_count());
  for (const Datum& datum : instance.graph.data()) {
    homes.push_back(instance.platform.find_memory(datum.home).value());
  }
  return homes;
}

Instance make_instance(std::string name, TaskGraph graph, Platform platform, Costs costs) {
  close_empty_classes(platform, costs);
  Instance instance{std::move(name), std::move(graph), std::move(platform), std::move(costs)};
  check_durations(instance);
  check_data(instance);
  return instance;
}

}  // namespace heddle
