#include "heddle/model/projection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random_instance.hpp"

namespace heddle {
namespace {

std::vector<TaskId> predecessors(const TaskGraph& graph, TaskId task) {
  const auto all = graph.predecessors(task);
  return {all.begin(), all.end()};
}

TEST(Projection, ShowsSomeTasksAsTheyAre) {
  test::Random random(1);
  for (int round = 0; round < 300; ++round) {
    const Instance whole = test::random_instance(
        random, {.wrong_estimates = round % 3 == 0, .shared_types = round % 2 == 0, .data = round % 5 < 2});
    std::vector<TaskId> some;
    for (const TaskId task : whole.graph.tasks()) {
      if (test::draw(random, 0, 2) > 0) some.push_back(task);
    }
    const Projection left = project(whole, some);
    const TaskGraph& graph = left.instance.graph;
    ASSERT_EQ(left.whole, some);
    ASSERT_EQ(graph.task_count(), some.size());
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(left.here, kNone<TaskId>)),
              whole.graph.task_count() - some.size());
    for (const TaskId here : graph.tasks()) {
      const TaskId task = left.whole[index(here)];
      ASSERT_EQ(left.here[task], here);
      EXPECT_EQ(graph.name(here), whole.graph.name(task));
      EXPECT_EQ(graph.type_name(graph.type(here)), whole.graph.type_name(whole.graph.type(task)));
      EXPECT_EQ(graph.priority(here), whole.graph.priority(task));
      EXPECT_TRUE(std::ranges::equal(graph.accesses(here), whole.graph.accesses(task)));
      std::vector<TaskId> known = predecessors(whole.graph, task);
      std::erase_if(known, [&](TaskId before) { return left.here[before] == kNone<TaskId>; });
      for (TaskId& before : known) before = left.here[before];
      EXPECT_EQ(predecessors(graph, here), known);
      for (const ClassId c : whole.platform.classes()) {
        EXPECT_EQ(left.instance.costs.actual(here, c), whole.costs.actual(task, c));
        EXPECT_EQ(left.instance.costs.estimate(here, c), whole.costs.estimate(task, c));
      }
    }
    EXPECT_EQ(graph.data(), whole.graph.data());
    EXPECT_EQ(left.instance.platform.worker_count(), whole.platform.worker_count());
  }
}

}  // namespace
}  // namespace heddle
