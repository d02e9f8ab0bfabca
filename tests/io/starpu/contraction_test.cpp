#include "heddle/io/starpu/contraction.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::io {
namespace {

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

Pairs pairs_of(const std::vector<PassedDependency>& dependencies) {
  Pairs pairs;
  for (const auto& [from, to] : dependencies) pairs.insert({index(from), index(to)});
  EXPECT_EQ(pairs.size(), dependencies.size()) << "a dependency is given twice";
  return pairs;
}

TaskGraph random_graph(std::mt19937_64& random, std::size_t tasks) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("t");
  for (std::size_t t = 0; t < tasks; ++t) builder.add_task(std::to_string(t), type);
  for (std::size_t to = 0; to < tasks; ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      if (random() % 5 == 0) builder.add_edge(make_id<TaskId>(from), make_id<TaskId>(to));
    }
  }
  return builder.build();
}

/// By the definition: from `start`, along edges, over tasks that are taken out.
void walk(const TaskGraph& graph, const Table<TaskId, bool>& kept, TaskId start, TaskId at, Pairs& pairs) {
  for (const TaskId next : graph.successors(at)) {
    if (kept[next]) {
      pairs.insert({index(start), index(next)});
    } else {
      walk(graph, kept, start, next, pairs);
    }
  }
}

TEST(Contraction, KeepsExactlyThePathsOverWhatIsTakenOut) {
  std::mt19937_64 random(7);
  for (int round = 0; round < test::rounds(200); ++round) {
    const TaskGraph graph = random_graph(random, 1 + random() % 14);
    Table<TaskId, bool> kept;
    for (std::size_t t = 0; t < graph.task_count(); ++t) kept.push_back(random() % 2 == 0);
    Pairs expected;
    for (const TaskId task : graph.tasks()) {
      if (kept[task]) walk(graph, kept, task, task, expected);
    }
    EXPECT_EQ(pairs_of(contract(graph, kept)), expected);
  }
}

TEST(Contraction, RefusesABarrierBeyondTheLimit) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("t");
  for (std::size_t t = 0; t < 21; ++t) builder.add_task(std::to_string(t), type);
  for (std::size_t t = 0; t < 10; ++t) {
    builder.add_edge(make_id<TaskId>(t), TaskId{10});
    builder.add_edge(TaskId{10}, make_id<TaskId>(11 + t));
  }
  const TaskGraph graph = builder.build();
  Table<TaskId, bool> kept(21, true);
  kept[TaskId{10}] = false;
  EXPECT_EQ(contract(graph, kept, 110).size(), 100U);
  EXPECT_THROW(static_cast<void>(contract(graph, kept, 109)), InputError);
}

}  // namespace
}  // namespace heddle::io
