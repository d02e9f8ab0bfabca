#include "tests/support/random_instance.hpp"

#include <string>
#include <utility>
#include <vector>

namespace heddle::test {
namespace {

bool chance(Random& random, int percent) {
  return draw(random, 1, 100) <= percent;
}

Platform random_platform(Random& random, const RandomShape& shape) {
  const auto count =
      draw(random, static_cast<std::int64_t>(shape.min_classes), static_cast<std::int64_t>(shape.max_classes));
  std::vector<ResourceClass> classes;
  for (std::int64_t c = 0; c < count; ++c) {
    ResourceClass one;
    one.name = std::string(1, static_cast<char>('a' + c));
    one.workers = static_cast<std::uint32_t>(draw(random, 1, shape.max_workers));
    classes.push_back(one);
  }
  return Platform(std::move(classes));
}

/// Edges go from lower to higher numbers, sparse or dense; a shuffle would only rename the tasks.
TaskGraph random_graph(Random& random, const RandomShape& shape) {
  TaskGraphBuilder builder;
  const std::int64_t tasks = draw(random, 1, static_cast<std::int64_t>(shape.max_tasks));
  const std::int64_t types = shape.shared_types ? draw(random, 1, 5) : tasks;
  for (std::int64_t t = 0; t < types; ++t) builder.add_type("type" + std::to_string(t));
  const auto density = static_cast<int>(draw(random, 0, 40));
  for (std::int64_t t = 0; t < tasks; ++t) {
    const std::int64_t type = shape.shared_types ? draw(random, 0, types - 1) : t;
    const TaskId task = builder.add_task("task" + std::to_string(t), make_id<TypeId>(static_cast<std::size_t>(type)),
                                         {}, draw(random, -3, 3));
    for (std::int64_t from = 0; from < t; ++from) {
      if (chance(random, density)) builder.add_edge(make_id<TaskId>(static_cast<std::size_t>(from)), task);
    }
  }
  return builder.build();
}

Time random_duration(Random& random, const RandomShape& shape) {
  if (shape.zero_durations && chance(random, 5)) return 0;
  return draw(random, 1, shape.max_duration);
}

void draw_row(Random& random, const RandomShape& shape, Costs& costs, std::uint32_t row) {
  const auto classes = static_cast<std::int64_t>(costs.class_count());
  const std::int64_t always = draw(random, 0, classes - 1);
  for (const ClassId c : ids<ClassId>(costs.class_count())) {
    const bool runs = static_cast<std::int64_t>(index(c)) == always || !shape.unrunnable || !chance(random, 15);
    if (!runs) continue;
    costs.set_actual(row, c, random_duration(random, shape));
  }
  if (!shape.wrong_estimates) return;
  for (const ClassId c : ids<ClassId>(costs.class_count())) {
    const bool runs = costs.actual_row(row)[index(c)] != kCannotRun;
    costs.set_estimate(row, c, runs ? random_duration(random, shape) : kCannotRun);
  }
}

}  // namespace

std::int64_t draw(Random& random, std::int64_t low, std::int64_t high) {
  // Not std::uniform_int_distribution, whose numbers differ between standard libraries. The bias is of no matter here.
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

Instance random_instance(Random& random, const RandomShape& shape) {
  Platform platform = random_platform(random, shape);
  TaskGraph graph = random_graph(random, shape);
  Costs costs(graph, platform.class_count());
  for (const TypeId type : graph.types()) draw_row(random, shape, costs, Costs::row(type));
  for (const TaskId task : graph.tasks()) {
    if (shape.shared_types && chance(random, 10)) draw_row(random, shape, costs, costs.own_row(task));
  }
  return make_instance("random", std::move(graph), std::move(platform), std::move(costs));
}

}  // namespace heddle::test
