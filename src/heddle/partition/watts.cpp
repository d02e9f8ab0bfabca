#include "heddle/partition/watts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle::partition {
namespace {

bool is_card(std::string_view counter) {
  return counter.starts_with("gpu-");
}

/// The cores of a worker of class "cpu4"; 1 for others.
double cores_of(std::string_view class_name) {
  unsigned cores = 1;
  if (class_name.starts_with("cpu")) std::from_chars(class_name.begin() + 3, class_name.end(), cores);
  return cores;
}

/// Of the counters that are, or are not, those of cards; negative without any.
double sum(const CountedEnergy::Stretch& stretch, bool cards) {
  double joules = 0;
  bool has_any = false;
  for (const auto& [counter, counted] : stretch.joules) {
    if (is_card(counter) != cards) continue;
    joules += counted;
    has_any = true;
  }
  return has_any ? joules : -1;
}

}  // namespace

Platform with_counted_watts(const Platform& platform, const CountedEnergy& counted) {
  std::vector<ResourceClass> classes;
  for (const ClassId c : platform.classes()) classes.push_back(platform.resource_class(c));
  const auto is_of = [](const ResourceClass& one, bool cards) {
    return one.workers > 0 && (cards ? one.name == "cuda" : one.name.starts_with("cpu"));
  };
  for (const ResourceClass& one : classes) {
    const bool has_counter =
        (is_of(one, true) && sum(counted.run, true) >= 0) || (is_of(one, false) && sum(counted.run, false) >= 0);
    if (one.workers > 0 && !has_counter)
      throw InputError(fmt::format("--objective asks for energy, but no counter says what class '{}' draws", one.name));
  }
  for (const bool cards : {false, true}) {
    double cores = 0;  // or cards
    double busy = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (!is_of(classes[i], cards)) continue;
      cores += classes[i].workers * cores_of(classes[i].name);
      busy += counted.busy_seconds[make_id<ClassId>(i)] * cores_of(classes[i].name);
    }
    if (cores == 0) continue;
    if (busy == 0 || counted.idle.seconds == 0)
      throw InputError(fmt::format("--objective asks for energy, but no task ran on {} while it was measured",
                                   cards ? "devices" : "cores"));
    const double idle = sum(counted.idle, cards) / counted.idle.seconds;
    // Noise must not make work free of charge, or even profitable.
    const double more = std::max(0.0, sum(counted.run, cards) - idle * counted.run.seconds) / busy;
    for (ResourceClass& one : classes) {
      if (!is_of(one, cards)) continue;
      const double share = cores_of(one.name);
      one.watts = Watts{.busy = share * (idle / cores + more), .idle = share * idle / cores};
    }
  }
  return Platform(std::move(classes), platform.links(), platform.buses());
}

}  // namespace heddle::partition
