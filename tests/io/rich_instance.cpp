#include "tests/io/rich_instance.hpp"

#include <array>
#include <utility>

namespace heddle::test {
namespace {

std::size_t pick(Random& random, std::size_t count) {
  return static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(count) - 1));
}

std::vector<ResourceClass> random_classes(Random& random) {
  std::vector<ResourceClass> classes;
  const std::size_t count = pick(random, 4) + 1;
  for (std::size_t c = 0; c < count; ++c) {
    ResourceClass one;
    one.name = wild_name(random, c);
    one.workers = static_cast<std::uint32_t>(draw(random, c == 0 ? 1 : 0, 3));
    if (pick(random, 2) == 0) {
      one.memory = ResourceClass::kEach;
      if (pick(random, 2) == 0) one.memory_bytes = draw(random, 0, 1'000'000'000'000);
    }
    if (pick(random, 3) == 0) one.watts = Watts{static_cast<double>(random()) / 7.0, 1.0 / 3.0};
    classes.push_back(std::move(one));
  }
  return classes;
}

/// Between every two memories a link or none; values of every size, so that each digit matters.
Platform random_platform(Random& random) {
  std::vector<ResourceClass> classes = random_classes(random);
  const std::vector<Bus> buses = {{wild_name(random, 0), 1.0 / 3.0}, {wild_name(random, 1), 1.2e10}};
  const Platform without_links(classes);
  std::vector<Link> links;
  for (const Memory& from : without_links.memories()) {
    for (const Memory& to : without_links.memories()) {
      if (from.name == to.name || pick(random, 3) == 0) continue;
      Link link{from.name, to.name, static_cast<double>(random()) / 7.0 + 1e-300, draw(random, 0, kSecond), {}};
      if (pick(random, 2) == 0) link.via = {buses[pick(random, 2)].name};
      links.push_back(std::move(link));
    }
  }
  return Platform(std::move(classes), std::move(links), buses);
}

std::vector<Access> random_accesses(Random& random, std::size_t data) {
  std::vector<Access> accesses;
  for (std::size_t d = 0; d < data; ++d) {
    if (pick(random, 4) == 0) accesses.push_back({make_id<DataId>(d), static_cast<AccessMode>(pick(random, 5))});
  }
  return accesses;
}

/// Edges from accesses, and others on top; tasks may wait for tasks with higher numbers.
TaskGraph random_graph(Random& random, const Platform& platform) {
  TaskGraphBuilder builder;
  const std::size_t types = pick(random, 4) + 1;
  const std::size_t data = pick(random, 5);
  const std::size_t tasks = pick(random, 30);
  for (std::size_t t = 0; t < types; ++t) builder.add_type(wild_name(random, t));
  for (std::size_t d = 0; d < data; ++d) {
    const MemoryId home = make_id<MemoryId>(pick(random, platform.memories().size()));
    builder.add_datum({wild_name(random, d), draw(random, 0, 1'000'000), platform.memories()[home].name, d % 3 == 1});
  }
  const bool backwards = data == 0 && pick(random, 2) == 0;
  for (std::size_t t = 0; t < tasks; ++t) {
    const std::int64_t priority = pick(random, 3) == 0 ? static_cast<std::int64_t>(random()) : 0;
    const TaskId task = builder.add_task(wild_name(random, t), make_id<TypeId>(pick(random, types)),
                                         random_accesses(random, data), priority);
    for (std::size_t other = 0; other < t; ++other) {
      const TaskId before = make_id<TaskId>(other);
      if (pick(random, 5) == 0) backwards ? builder.add_edge(task, before) : builder.add_edge(before, task);
    }
  }
  return builder.build();
}

void draw_row(Random& random, const Platform& platform, Costs& costs, std::uint32_t row) {
  for (const ClassId c : platform.classes()) {
    costs.set_actual(row, c, index(c) == 0 || pick(random, 2) == 0 ? draw(random, 0, kMaxTime >> 12) : kCannotRun);
  }
}

void draw_estimates(Random& random, const Platform& platform, Costs& costs, std::uint32_t row) {
  for (const ClassId c : platform.classes()) {
    if (costs.actual_row(row)[index(c)] == kCannotRun || pick(random, 2) == 0) continue;
    costs.set_estimate(row, c, draw(random, 0, kMaxTime >> 12));
  }
}

/// Sometimes: contexts that share workers or not, each with one of the first class, which runs every task.
Contexts random_contexts(Random& random, const Instance& instance) {
  Contexts contexts;
  if (pick(random, 2) == 0) return contexts;
  const Platform& platform = instance.platform;
  const bool counted = pick(random, 2) == 0;
  for (std::size_t i = pick(random, 3) + 1; i > 0; --i) {
    Context context{wild_name(random, i), {}, wild_name(random, i)};
    for (const WorkerId worker : platform.workers()) {
      if (index(worker) == 0 || (!counted && pick(random, 2) == 0)) context.workers.push_back(worker);
    }
    contexts.all.push_back(std::move(context));
    if (counted) break;
  }
  for (std::size_t task = 0; task < instance.graph.task_count(); ++task) {
    contexts.of.push_back(make_id<ContextId>(pick(random, contexts.all.size())));
  }
  return contexts;
}

}  // namespace

std::string wild_name(Random& random, std::size_t number) {
  constexpr std::array<std::string_view, 8> kPieces = {"a",  "Z",    "\"",       "\\",
                                                       "\n", "\x01", "\xC3\xA9", "\xF0\x9F\xA7\xB5"};
  std::string name;
  for (std::size_t piece = pick(random, 4); piece > 0; --piece) name += kPieces[pick(random, kPieces.size())];
  return name + std::to_string(number);
}

Instance rich_instance(Random& random) {
  Platform platform = random_platform(random);
  TaskGraph graph = random_graph(random, platform);
  Costs costs(graph, platform.class_count());
  for (const TypeId type : graph.types()) draw_row(random, platform, costs, Costs::row(type));
  for (const TaskId task : graph.tasks()) {
    if (pick(random, 4) == 0) draw_row(random, platform, costs, costs.own_row(task));
  }
  if (pick(random, 2) == 0) {
    for (std::uint32_t row = 0; row < costs.row_count(); ++row) draw_estimates(random, platform, costs, row);
  }
  Instance instance = make_instance(wild_name(random, 0), std::move(graph), std::move(platform), std::move(costs));
  Contexts contexts = random_contexts(random, instance);
  return with_contexts(std::move(instance), std::move(contexts));
}

}  // namespace heddle::test
