#include "tests/support/random_instance.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {
namespace {

bool chance(Random& random, int percent) {
  return draw(random, 1, 100) <= percent;
}

constexpr std::int64_t kMaxBytes = 20;
constexpr std::int64_t kMaxAccesses = 4;

/// Links between ram and every other memory, and some between those; bandwidths around a byte per picosecond.
std::vector<Link> random_links(Random& random, const Platform& platform, std::vector<Bus>& buses) {
  std::vector<Link> links;
  if (chance(random, 50)) buses.push_back({"bus", static_cast<double>(draw(random, 1, 30)) * 1e11});
  for (const Memory& from : platform.memories()) {
    for (const Memory& to : platform.memories()) {
      const bool needed = from.name == "ram" || to.name == "ram";
      if (from.name == to.name || (!needed && chance(random, 50))) continue;
      Link link{from.name, to.name, static_cast<double>(draw(random, 1, 30)) * 1e11, draw(random, 0, 3), {}};
      if (!buses.empty() && chance(random, 70)) link.via.push_back("bus");
      links.push_back(std::move(link));
    }
  }
  return links;
}

void add_memories(Random& random, std::vector<ResourceClass>& classes) {
  for (ResourceClass& c : classes) {
    if (chance(random, 40)) continue;
    c.memory = chance(random, 70) ? std::string(ResourceClass::kEach) : "memory of " + c.name;
    if (chance(random, 60)) c.memory_bytes = draw(random, kMaxAccesses * kMaxBytes, 3 * kMaxAccesses * kMaxBytes);
  }
}

std::vector<std::string> unlimited_memories(const Platform& platform) {
  std::vector<std::string> names;
  for (const Memory& memory : platform.memories()) {
    if (!memory.bytes) names.push_back(memory.name);
  }
  return names;
}

void add_data(Random& random, const RandomShape& shape, const Platform& platform, TaskGraphBuilder& builder) {
  const std::vector<std::string> homes = unlimited_memories(platform);
  const std::int64_t count = draw(random, 1, shape.max_data);
  for (std::int64_t d = 0; d < count; ++d) {
    Datum datum{.name = "datum" + std::to_string(d), .bytes = shape.free_data ? 0 : draw(random, 0, kMaxBytes)};
    datum.write_back = shape.write_back && d % 2 == 0;
    if (shape.any_home) datum.home = homes[random() % homes.size()];
    builder.add_datum(datum);
  }
}

std::vector<Access> random_accesses(Random& random, std::size_t data) {
  std::vector<Access> accesses;
  for (std::int64_t left = draw(random, 0, kMaxAccesses); left > 0; --left) {
    const auto datum = make_id<DataId>(random() % data);
    const auto mode = static_cast<AccessMode>(draw(random, 0, 4));
    const bool taken = std::ranges::any_of(accesses, [&](Access access) { return access.data == datum; });
    if (!taken) accesses.push_back({datum, mode});
  }
  return accesses;
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
  if (!shape.data) return Platform(std::move(classes));
  add_memories(random, classes);
  if (shape.free_data || !shape.limited) {
    for (ResourceClass& c : classes) c.memory_bytes.reset();
  }
  std::vector<Bus> buses;
  std::vector<Link> links = random_links(random, Platform(classes), buses);
  if (shape.free_data) {
    for (Link& link : links) link.latency = 0;
  }
  return Platform(std::move(classes), std::move(links), std::move(buses));
}

/// Edges go from lower to higher numbers, sparse or dense; a shuffle would only rename the tasks.
TaskGraph random_graph(Random& random, const RandomShape& shape, const Platform& platform) {
  TaskGraphBuilder builder;
  const std::int64_t tasks = draw(random, 1, static_cast<std::int64_t>(shape.max_tasks));
  const std::int64_t types = shape.shared_types ? draw(random, 1, 5) : tasks;
  for (std::int64_t t = 0; t < types; ++t) builder.add_type("type" + std::to_string(t));
  const auto density = static_cast<int>(draw(random, 0, 40));
  if (shape.data) add_data(random, shape, platform, builder);
  for (std::int64_t t = 0; t < tasks; ++t) {
    const std::int64_t type = shape.shared_types ? draw(random, 0, types - 1) : t;
    std::vector<Access> accesses;
    if (shape.data) accesses = random_accesses(random, builder.data_count());
    const TaskId task = builder.add_task("task" + std::to_string(t), make_id<TypeId>(static_cast<std::size_t>(type)),
                                         accesses, draw(random, -3, 3));
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
  TaskGraph graph = random_graph(random, shape, platform);
  Costs costs(graph, platform.class_count());
  for (const TypeId type : graph.types()) draw_row(random, shape, costs, Costs::row(type));
  for (const TaskId task : graph.tasks()) {
    if (shape.shared_types && chance(random, 10)) draw_row(random, shape, costs, costs.own_row(task));
  }
  return make_instance("random", std::move(graph), std::move(platform), std::move(costs));
}

Instance unlinked(const Instance& instance) {
  std::vector<ResourceClass> classes;
  for (const ClassId c : instance.platform.classes()) classes.push_back(instance.platform.resource_class(c));
  Instance bare = instance;
  bare.platform = Platform(std::move(classes));
  return bare;
}

}  // namespace heddle::test
