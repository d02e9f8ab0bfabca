#include "heddle/model/task_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heddle/model/error.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using Edges = std::set<std::pair<std::size_t, std::size_t>>;

Edges edges_of(const TaskGraph& graph) {
  Edges edges;
  for (const TaskId from : graph.tasks()) {
    for (const TaskId to : graph.successors(from)) edges.emplace(index(from), index(to));
  }
  return edges;
}

/// One datum and a task per mode: r(ead), w(rite), m(odify: read-write), c(ommute), + (reduce).
TaskGraph chain(const std::string& modes) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const DataId datum = builder.add_datum({"x", 8});
  for (const char c : modes) {
    const AccessMode mode = c == 'r'   ? AccessMode::read
                            : c == 'w' ? AccessMode::write
                            : c == 'm' ? AccessMode::read_write
                            : c == 'c' ? AccessMode::commute
                                       : AccessMode::reduce;
    const Access access{datum, mode};
    builder.add_task("t" + std::to_string(builder.task_count()), type, std::span(&access, 1));
  }
  return builder.build();
}

TEST(TaskGraph, AccessesImplySequentialConsistency) {
  EXPECT_EQ(edges_of(chain("wrr")), (Edges{{0, 1}, {0, 2}}));
  EXPECT_EQ(edges_of(chain("wrrw")), (Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(edges_of(chain("ww")), (Edges{{0, 1}}));
  EXPECT_EQ(edges_of(chain("rrm")), (Edges{{0, 2}, {1, 2}}));
  EXPECT_EQ(edges_of(chain("mmr")), (Edges{{0, 1}, {1, 2}}));
}

TEST(TaskGraph, CommutingAndReducingTasksFormGroups) {
  const Edges group{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}};
  EXPECT_EQ(edges_of(chain("wcccr")), group);
  EXPECT_EQ(edges_of(chain("w+++r")), group);
  // A read in between ends the group; so does the other kind.
  EXPECT_EQ(edges_of(chain("crc")), (Edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(edges_of(chain("c+")), (Edges{{0, 1}}));
  EXPECT_EQ(edges_of(chain("rrcc")), (Edges{{0, 2}, {1, 2}, {0, 3}, {1, 3}}));
  EXPECT_EQ(edges_of(chain("cc")), Edges{});
}

TEST(TaskGraph, ReadAndWriteOfOneDatumAreMerged) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const DataId datum = builder.add_datum({"x", 8});
  const Access both[]{{datum, AccessMode::read}, {datum, AccessMode::write}};
  const TaskId task = builder.add_task("a", type, both);
  const Access mixed[]{{datum, AccessMode::read}, {datum, AccessMode::commute}};
  EXPECT_THROW(builder.add_task("b", type, mixed), InputError);
  const TaskGraph graph = builder.build();
  ASSERT_EQ(graph.accesses(task).size(), 1U);
  EXPECT_EQ(graph.accesses(task)[0].mode, AccessMode::read_write);
}

TEST(TaskGraph, EdgesAreKeptOnceAndSorted) {
  Random random(61);
  for (int round = 0; round < rounds(200); ++round) {
    TaskGraphBuilder builder;
    const TypeId type = builder.add_type("work");
    const std::int64_t tasks = draw(random, 1, 30);
    for (std::int64_t t = 0; t < tasks; ++t) builder.add_task(std::to_string(t), type);
    Edges expected;
    for (std::int64_t e = draw(random, 0, 200); e > 0 && tasks > 1; --e) {
      const std::int64_t from = draw(random, 0, tasks - 2);
      const std::int64_t to = draw(random, from + 1, tasks - 1);
      builder.add_edge(make_id<TaskId>(static_cast<std::size_t>(from)), make_id<TaskId>(static_cast<std::size_t>(to)));
      expected.emplace(from, to);
    }
    const TaskGraph graph = builder.build();
    EXPECT_EQ(edges_of(graph), expected);
    EXPECT_EQ(graph.edge_count(), expected.size());
    Edges backwards;
    for (const TaskId to : graph.tasks()) {
      EXPECT_TRUE(std::ranges::is_sorted(graph.predecessors(to)));
      EXPECT_TRUE(std::ranges::is_sorted(graph.successors(to)));
      for (const TaskId from : graph.predecessors(to)) backwards.emplace(index(from), index(to));
    }
    EXPECT_EQ(backwards, expected);
  }
}

TEST(TaskGraph, TopologicalOrderPutsPredecessorsFirst) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  for (const char* name : {"a", "b", "c", "d"}) builder.add_task(name, type);
  const auto id = [](std::size_t number) { return make_id<TaskId>(number); };
  builder.add_edge(id(3), id(0));
  builder.add_edge(id(0), id(2));
  builder.add_edge(id(2), id(1));
  const TaskGraph graph = builder.build();
  const std::vector<TaskId> order(graph.topological_order().begin(), graph.topological_order().end());
  EXPECT_EQ(order, (std::vector<TaskId>{id(3), id(0), id(2), id(1)}));
}

/// What a host that knows all of a graph hands to assemble().
TaskGraph::Parts parts_of(const TaskGraph& graph) {
  TaskGraph::Parts parts;
  for (const TypeId type : graph.types()) parts.types.emplace_back(graph.type_name(type));
  parts.predecessor_begin.push_back(0);
  parts.data = graph.data();
  parts.access_begin.push_back(0);
  for (const TaskId task : graph.tasks()) {
    parts.type.push_back(graph.type(task));
    parts.priority.push_back(graph.priority(task));
    std::ranges::copy(graph.predecessors(task), std::back_inserter(parts.predecessors));
    parts.predecessor_begin.push_back(static_cast<std::uint32_t>(parts.predecessors.size()));
    std::ranges::copy(graph.accesses(task), std::back_inserter(parts.accesses));
    parts.access_begin.push_back(static_cast<std::uint32_t>(parts.accesses.size()));
  }
  return parts;
}

void expect_same_task(const TaskGraph& graph, const TaskGraph& same, TaskId task) {
  EXPECT_EQ(same.type(task), graph.type(task));
  EXPECT_EQ(same.priority(task), graph.priority(task));
  EXPECT_TRUE(std::ranges::equal(same.successors(task), graph.successors(task)));
  EXPECT_TRUE(std::ranges::equal(same.predecessors(task), graph.predecessors(task)));
  EXPECT_TRUE(std::ranges::equal(same.accesses(task), graph.accesses(task)));
  EXPECT_EQ(same.name(task), "");
}

TEST(TaskGraph, AssembledIsAsBuilt) {
  Random random(62);
  for (int round = 0; round < rounds(500); ++round) {
    const TaskGraph graph = random_instance(random, {.data = round % 4 != 0}).graph;
    const TaskGraph same = TaskGraph::assemble(parts_of(graph));
    ASSERT_EQ(same.task_count(), graph.task_count());
    EXPECT_EQ(same.edge_count(), graph.edge_count());
    EXPECT_EQ(same.data(), graph.data());
    ASSERT_EQ(same.type_count(), graph.type_count());
    for (const TypeId type : graph.types()) EXPECT_EQ(same.type_name(type), graph.type_name(type));
    for (const TaskId task : graph.tasks()) expect_same_task(graph, same, task);
    EXPECT_TRUE(std::ranges::equal(same.topological_order(), graph.tasks()));
  }
}

TEST(TaskGraph, AssembledHasTheNamesAndTheOrderItIsGiven) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  for (const char* name : {"a", "b", "c"}) builder.add_task(name, type);
  builder.add_edge(make_id<TaskId>(2), make_id<TaskId>(0));
  const TaskGraph graph = builder.build();
  TaskGraph::Parts parts = parts_of(graph);
  parts.names = {"a", "b", "c"};
  parts.order.assign(graph.topological_order().begin(), graph.topological_order().end());
  const TaskGraph same = TaskGraph::assemble(parts);
  for (const TaskId task : graph.tasks()) EXPECT_EQ(same.name(task), graph.name(task));
  EXPECT_TRUE(std::ranges::equal(same.topological_order(), graph.topological_order()));
  EXPECT_EQ(same.predecessors(make_id<TaskId>(0)).front(), make_id<TaskId>(2));
}

TEST(TaskGraph, AssembleRefusesAccessesThatCannotBe) {
  TaskGraph::Parts parts = parts_of(chain("wr"));
  parts.accesses[1].data = make_id<DataId>(1);
  EXPECT_THROW((void)TaskGraph::assemble(parts), InternalError);
  parts.data.push_back({"y", 8});
  EXPECT_EQ(TaskGraph::assemble(parts).accesses(make_id<TaskId>(1))[0].data, make_id<DataId>(1));
  parts.access_begin = {0, 2, 2};
  parts.accesses[1].data = make_id<DataId>(0);
  EXPECT_THROW((void)TaskGraph::assemble(parts), InternalError);
}

TEST(TaskGraph, NamesTheTasksOfACycle) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const TaskId a = builder.add_task("a", type);
  const TaskId b = builder.add_task("b", type);
  const TaskId c = builder.add_task("c", type);
  builder.add_edge(a, b);
  builder.add_edge(b, c);
  builder.add_edge(c, b);
  try {
    (void)builder.build();
    FAIL() << "a cycle was accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the dependencies form a cycle: 'b' -> 'c' -> 'b'");
  }
}

TEST(TaskGraph, KeepsNamesTypesAndPriorities) {
  TaskGraphBuilder builder;
  const TypeId potrf = builder.add_type("POTRF");
  const TypeId gemm = builder.add_type("GEMM");
  builder.add_task("first", potrf);
  builder.add_task("second", gemm, {}, -7);
  builder.add_task("", potrf);
  const TaskGraph graph = builder.build();
  EXPECT_EQ(graph.name(make_id<TaskId>(1)), "second");
  EXPECT_EQ(graph.name(make_id<TaskId>(2)), "");
  EXPECT_EQ(graph.type_name(graph.type(make_id<TaskId>(1))), "GEMM");
  EXPECT_EQ(graph.priority(make_id<TaskId>(0)), 0);
  EXPECT_EQ(graph.priority(make_id<TaskId>(1)), -7);
  EXPECT_EQ(graph.priority(make_id<TaskId>(2)), 0);
}

}  // namespace
}  // namespace heddle::test
