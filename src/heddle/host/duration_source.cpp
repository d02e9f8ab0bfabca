#include "heddle/host/duration_source.hpp"

namespace heddle::host {

Costs costs_of(const TaskGraph& graph, const Platform& platform, const DurationSource& durations) {
  Costs costs(graph, platform.class_count());
  for (const TypeId type : graph.types()) {
    for (const ClassId c : platform.classes()) costs.set_actual(Costs::row(type), c, durations(type, c));
  }
  return costs;
}

}  // namespace heddle::host
