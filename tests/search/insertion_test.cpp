#include "heddle/search/insertion.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/model/validate.hpp"
#include "tests/search/samples.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::search {
namespace {

TEST(InsertionSearch, KeepsItsPromise) {
  test::Random random(1);
  std::size_t found = 0;
  std::size_t refused = 0;
  for (int i = 0; i < test::rounds(1000); ++i) {
    const Instance instance = random_sample(random);
    const DisjunctiveGraph graph(instance, some_schedule(instance));
    for (const TaskId task : instance.graph.tasks()) {
      InsertionSearch search(graph);
      search.choose(task);
      for (const WorkerId worker : instance.platform.workers()) {
        const auto place = search.best(worker);
        if (!place) continue;
        ++found;
        EXPECT_EQ(place->worker, worker);
        EXPECT_FALSE(worker == graph.worker(task) && place->position == graph.position(task)) << "where it is already";
        DisjunctiveGraph moved = graph;
        if (!moved.move(task, worker, place->position)) {
          ++refused;  // tasks that take no time can stand in each other's way at one instant
          continue;
        }
        EXPECT_LE(moved.start(task) + moved.rest(task), place->longest);
        EXPECT_LE(moved.makespan(), std::max(graph.makespan(), place->longest));
      }
    }
  }
  EXPECT_GT(found, test::rounds(10'000U));
  EXPECT_LT(refused, found / 100);
}

/// Where durations are positive it never proposes a cycle, and no other position on the worker is promised less.
TEST(InsertionSearch, FindsTheBestPosition) {
  test::Random random(2);
  std::size_t best = 0;
  std::size_t places = 0;
  for (int i = 0; i < test::rounds(1000); ++i) {
    const Instance instance = test::random_instance(random, {.zero_durations = false});
    const DisjunctiveGraph graph(instance, some_schedule(instance));
    InsertionSearch search(graph);
    for (const TaskId task : instance.graph.tasks()) {
      search.choose(task);
      for (const WorkerId worker : instance.platform.workers()) {
        const auto place = search.best(worker);
        if (!place) continue;
        DisjunctiveGraph moved = graph;
        ASSERT_TRUE(moved.move(task, worker, place->position));
        const Time reached = moved.start(task) + moved.rest(task);
        const std::size_t others = graph.sequence(worker).size() - (graph.worker(task) == worker ? 1 : 0);
        Time least = reached;
        for (std::size_t position = 0; position <= others; ++position) {
          if (graph.worker(task) == worker && graph.position(task) == position) continue;
          DisjunctiveGraph other = graph;
          if (other.move(task, worker, position)) least = std::min(least, other.start(task) + other.rest(task));
        }
        ++places;
        best += reached == least ? 1 : 0;
      }
    }
  }
  // It looks at the times before the move, which can mislead it.
  EXPECT_GT(best, places * 95 / 100);
}

}  // namespace
}  // namespace heddle::search
