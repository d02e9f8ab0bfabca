#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "heddle/runtime/history.hpp"
#include "heddle/runtime/models/links.hpp"
#include "heddle/runtime/threads/cores.hpp"
#include "heddle/runtime/threads/workers.hpp"

namespace heddle::runtime {
namespace {

/// The side of the square tiles that the data are; nothing when they are not.
std::optional<std::size_t> tile_of(std::span<const Shape> shapes) {
  if (shapes.empty()) return std::nullopt;
  const std::size_t side = shapes.front().columns;
  const std::size_t element = shapes.front().element;
  if (element != sizeof(double) && element != sizeof(float)) return std::nullopt;
  const bool alike =
      std::ranges::all_of(shapes, [&](const Shape& one) { return one.columns == side && one.element == element; });
  if (!alike || side <= 1 || std::ranges::max(shapes, {}, &Shape::rows).rows != side) return std::nullopt;
  return side;
}

std::size_t bytes_of(std::span<const Shape> shapes) {
  std::size_t bytes = 0;
  for (const Shape& shape : shapes) bytes += shape.bytes();
  return bytes;
}

/// By kernel, tile and bytes of an element, and by class. A kernel may have been measured on tiles at the lower edge of
/// a matrix too, which have fewer rows: the largest data are those of a whole tile. Of several implementations the
/// quickest is used.
using Timings = std::map<std::tuple<std::string, std::size_t, std::size_t>, std::map<ClassId, const Measured*>>;

Timings timings_of(std::span<const Measured> entries, const Platform& platform) {
  Timings timings;
  for (const Measured& entry : entries) {
    const auto tile = tile_of(entry.shapes);
    const auto c = platform.find_class(entry.class_name);
    if (!tile || !c) continue;
    const Measured*& shown = timings[{entry.kernel, *tile, entry.shapes.front().element}][*c];
    const auto order = [](const Measured& one) { return std::pair(bytes_of(one.shapes), -one.duration.mean()); };
    if (shown == nullptr || order(*shown) < order(entry)) shown = &entry;
  }
  return timings;
}

}  // namespace

Machine measured_machine(std::span<const Measured> entries, std::span<const MeasuredLink> links,
                         std::string_view workers) {
  const std::vector<WorkerClass> classes = parse_workers(workers, Cores().count());
  const Platform platform = platform_of(classes, known_links(choose_devices(classes, {}), links));
  Machine machine;
  for (const ClassId c : platform.classes()) machine.classes.push_back(platform.resource_class(c));
  machine.links = platform.links();
  for (const auto& [key, by_class] : timings_of(entries, platform)) {
    const auto& [kernel, tile, element] = key;
    KernelTiming timing;
    timing.kernel = kernel;
    timing.tile = static_cast<std::int64_t>(tile);
    timing.precision = element == sizeof(double) ? "double" : "single";
    for (const auto& [c, entry] : by_class) {
      timing.seconds.push_back({platform.class_name(c), entry->duration.mean()});
    }
    machine.kernels.push_back(std::move(timing));
  }
  return machine;
}

}  // namespace heddle::runtime
