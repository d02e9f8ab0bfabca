#include <map>
#include <string>
#include <utility>

#include "heddle/io/starpu/footprint.hpp"
#include "heddle/io/starpu/recording.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// Platform files may write a footprint without leading zeros, or in capitals.
std::string normal_footprint(const std::string& footprint) {
  const std::optional<std::uint32_t> value = parse_footprint(footprint);
  return value ? format_footprint(*value) : footprint;
}

/// The timings of a machine by codelet and footprint.
class TimingIndex {
 public:
  explicit TimingIndex(const Machine& machine) {
    for (const KernelTiming& timing : machine.kernels) {
      if (timing.codelet.empty() || timing.footprint.empty()) continue;
      timings_[timing.codelet].emplace(normal_footprint(timing.footprint), &timing);
    }
  }

  [[nodiscard]] const KernelTiming* find(const CostKey& key) const {
    const auto codelet = timings_.find(key.codelet);
    if (codelet == timings_.end()) return nullptr;
    const auto timing = codelet->second.find(key.footprint);
    return timing == codelet->second.end() ? nullptr : timing->second;
  }

  /// What the machine has measured in place of something it has not: footprints of the codelet, or else codelets.
  [[nodiscard]] std::string alternatives(const std::string& codelet) const {
    std::vector<std::string> items;
    const auto known = timings_.find(codelet);
    if (known == timings_.end()) {
      for (const auto& [name, footprints] : timings_) items.push_back(name);
      return items.empty() ? "no codelet at all" : "the codelets " + enumerate(items);
    }
    for (const auto& [footprint, timing] : known->second) {
      items.push_back(footprint + (timing->tile > 0 ? " (tile " + std::to_string(timing->tile) + ")" : ""));
    }
    return "that codelet with footprint " + enumerate(items);
  }

 private:
  static std::string enumerate(const std::vector<std::string>& items) {
    constexpr std::size_t kShown = 12;
    std::string text;
    for (std::size_t i = 0; i < items.size() && i < kShown; ++i) text += (i == 0 ? "" : ", ") + items[i];
    if (items.size() > kShown) text += ", and " + std::to_string(items.size() - kShown) + " more";
    return text;
  }

  std::map<std::string, std::map<std::string, const KernelTiming*>> timings_;
};

/// By type, whether all its tasks ended when they started.
Table<TypeId, bool> without_length(const Recording& recording) {
  Table<TypeId, bool> without(recording.cost_keys.size(), true);
  for (const TaskId task : recording.graph.tasks()) {
    const RecordedRun& run = recording.runs[task];
    if (!run.timed || run.duration > 0) without[recording.graph.type(task)] = false;
  }
  return without;
}

[[noreturn]] void fail_unknown(const Recording& recording, TypeId type, const Machine& machine,
                               const TimingIndex& index) {
  const CostKey& key = recording.cost_keys[type];
  const std::string tasks =
      recording.source + ": tasks of type '" + std::string(recording.graph.type_name(type)) + "' ";
  if (key.codelet.empty()) {
    throw InputError(tasks + "were recorded without a performance model, so machine '" + machine.name +
                     "' cannot tell how long they take; expected a Model in their records");
  }
  throw InputError(tasks + "need the duration of codelet '" + key.codelet + "' with footprint " + key.footprint +
                   ", which machine '" + machine.name + "' lacks; it has " + index.alternatives(key.codelet) +
                   ", and a duration is not guessed");
}

}  // namespace

Instance place(Recording recording, const Machine& machine) {
  Platform platform(machine.classes, machine.links, machine.buses);
  Costs costs(recording.graph, platform.class_count());
  const TimingIndex index(machine);
  const Table<TypeId, bool> takes_no_time = without_length(recording);
  for (const TypeId type : recording.graph.types()) {
    const KernelTiming* timing = index.find(recording.cost_keys[type]);
    if (timing == nullptr && takes_no_time[type]) {
      for (const ClassId c : platform.classes()) costs.set_actual(Costs::row(type), c, 0);
      continue;
    }
    if (timing == nullptr) fail_unknown(recording, type, machine, index);
    for (const ClassTime& time : timing->seconds) {
      const std::optional<ClassId> c = platform.find_class(time.class_name);
      if (c) costs.set_actual(Costs::row(type), *c, time.duration);
    }
  }
  return make_instance(std::move(recording.name), std::move(recording.graph), std::move(platform), std::move(costs));
}

}  // namespace heddle::io
