#include "heddle/io/timed_graph.hpp"

#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// "1 duration per task", "3 durations per task".
std::string durations(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " duration" : " durations") + " per task";
}

/// A platform argument that would fit.
std::string example(std::size_t columns) {
  if (columns == 1) return "counts:cpu=16";
  if (columns == 2) return "counts:cpu=16,gpu=4";
  return "counts:cpu=16,gpu=4,gpu2=4";
}

void check_classes(const TimedGraph& graph, const Platform& platform) {
  const std::size_t classes = platform.class_count();
  if (classes == graph.columns) return;
  throw InputError(graph.source + ": the file gives " + durations(graph.columns) + ", but the platform has " +
                   std::to_string(classes) + (classes == 1 ? " class" : " classes") +
                   "; expected one class per duration, e.g. --platform " + example(graph.columns));
}

}  // namespace

Instance place(TimedGraph graph, Platform platform) {
  check_classes(graph, platform);
  Costs costs(graph.graph, graph.columns);
  for (const TypeId type : graph.graph.types()) {
    for (const ClassId c : platform.classes()) costs.set_actual(Costs::row(type), c, graph.duration(type, index(c)));
  }
  try {
    return make_instance(std::move(graph.name), std::move(graph.graph), std::move(platform), std::move(costs));
  } catch (const InputError& error) {
    throw InputError(graph.source + ": " + error.what());
  }
}

}  // namespace heddle::io
