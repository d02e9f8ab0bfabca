#include "heddle/workload/kernel_times.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "heddle/model/error.hpp"

namespace heddle::workload {
namespace {

/// Smaller is better: the position of the entry's family, then no codelet, then any codelet.
std::size_t rank(const KernelTiming& timing, const KernelSet& set) {
  const auto is_of = [&](std::string_view family) { return timing.codelet.starts_with(family); };
  const auto family = std::ranges::find_if(set.families, is_of);
  const auto position = static_cast<std::size_t>(family - set.families.begin());
  return position == set.families.size() && !timing.codelet.empty() ? position + 1 : position;
}

bool has_every_kernel(const Machine& machine, const KernelSet& set, const TileSize& size) {
  return std::ranges::all_of(set.kernels,
                             [&](Kernel kernel) { return find_timing(machine, set, kernel, size) != nullptr; });
}

std::string wanted(std::optional<std::int64_t> tile, const std::optional<std::string>& precision) {
  return (tile ? " at tile " + std::to_string(*tile) : "") + (precision ? " in " + *precision + " precision" : "");
}

/// "single at 320, 640; double at 960", or "" without any.
std::string measured_sizes(const Machine& machine, Kernel kernel) {
  std::map<std::string, std::set<std::int64_t>> tiles;
  for (const KernelTiming& timing : machine.kernels) {
    if (timing.kernel == to_string(kernel)) tiles[timing.precision].insert(timing.tile);
  }
  std::string text;
  for (const auto& [precision, sizes] : tiles) {
    text += (text.empty() ? "" : "; ") + precision + " at ";
    for (const std::int64_t size : sizes) text += (size == *sizes.begin() ? "" : ", ") + std::to_string(size);
  }
  return text;
}

std::string measured_kernels(const Machine& machine) {
  std::string text;
  std::set<std::string> seen;
  for (const KernelTiming& timing : machine.kernels) {
    if (timing.kernel.empty() || !seen.insert(timing.kernel).second) continue;
    text += (text.empty() ? "" : ", ") + timing.kernel;
  }
  return text.empty() ? "no kernel timings at all" : "only " + text;
}

/// A tile smaller than every measured one is most likely meant as a number of tiles.
std::string ask_for_tiles(const Machine& machine, Kernel kernel, std::optional<std::int64_t> tile) {
  const auto is_larger = [&](const KernelTiming& timing) {
    return timing.kernel != to_string(kernel) || timing.tile > *tile;
  };
  return tile && std::ranges::all_of(machine.kernels, is_larger) ? "; did you mean tiles=" + std::to_string(*tile) + "?"
                                                                 : "";
}

/// Why no size suits, in a sentence.
std::string describe_lack(const Machine& machine, const KernelSet& set, std::optional<std::int64_t> tile,
                          const std::optional<std::string>& precision) {
  const std::string owner = "workload '" + std::string(set.algorithm) + "'";
  for (const Kernel kernel : set.kernels) {
    const auto suits = [&](const KernelTiming& timing) {
      return timing.kernel == to_string(kernel) && (!tile || timing.tile == *tile) &&
             (!precision || timing.precision == *precision);
    };
    if (std::ranges::any_of(machine.kernels, suits)) continue;
    const std::string sizes = measured_sizes(machine, kernel);
    return owner + " needs kernel " + std::string(to_string(kernel)) + wanted(tile, precision) + ", but platform '" +
           machine.name + "' has " +
           (sizes.empty() ? measured_kernels(machine) : "it only in " + sizes + ask_for_tiles(machine, kernel, tile));
  }
  return owner + " finds no tile size and precision" + wanted(tile, precision) + " at which platform '" + machine.name +
         "' has all of its kernels";
}

}  // namespace

const KernelTiming* find_timing(const Machine& machine, const KernelSet& set, Kernel kernel, const TileSize& size) {
  const KernelTiming* best = nullptr;
  for (const KernelTiming& timing : machine.kernels) {
    const bool matches =
        timing.kernel == to_string(kernel) && timing.tile == size.tile && timing.precision == size.precision;
    if (matches && (best == nullptr || rank(timing, set) < rank(*best, set))) best = &timing;
  }
  return best;
}

TileSize choose_size(const Machine& machine, const KernelSet& set, std::optional<std::int64_t> tile,
                     const std::optional<std::string>& precision) {
  constexpr std::int64_t kUsualTile = 960;
  const auto preference = [](const TileSize& size) {
    return std::tuple(size.precision == "double", size.tile == kUsualTile, size.tile);
  };
  std::optional<TileSize> best;
  for (const KernelTiming& timing : machine.kernels) {
    const TileSize size{timing.tile, timing.precision};
    const bool is_open = timing.kernel == to_string(set.kernels[0]) && (!tile || size.tile == *tile) &&
                         (!precision || size.precision == *precision);
    if (!is_open || (best && preference(size) <= preference(*best))) continue;
    if (has_every_kernel(machine, set, size)) best = size;
  }
  if (!best) throw InputError(describe_lack(machine, set, tile, precision));
  return *best;
}

}  // namespace heddle::workload
