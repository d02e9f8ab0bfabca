#include "heddle/search/disjunctive_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "tests/search/samples.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::search {
namespace {

/// Another graph of the same schedule, all of it computed anew, has the same times.
void expect_up_to_date(const DisjunctiveGraph& graph) {
  const Schedule schedule = graph.schedule();
  EXPECT_EQ(validate(graph.instance(), schedule), std::vector<std::string>{});
  EXPECT_EQ(schedule.makespan(), graph.makespan());
  const DisjunctiveGraph anew(graph.instance(), schedule);
  EXPECT_EQ(anew.makespan(), graph.makespan());
  for (const TaskId task : graph.instance().graph.tasks()) {
    EXPECT_EQ(anew.start(task), graph.start(task));
    EXPECT_EQ(anew.worker(task), graph.worker(task));
  }
  for (const WorkerId worker : graph.instance().platform.workers()) {
    ASSERT_EQ(anew.sequence(worker).size(), graph.sequence(worker).size());
    if (!std::ranges::equal(anew.sequence(worker), graph.sequence(worker))) return;  // tasks that take no time
  }
  for (const TaskId task : graph.instance().graph.tasks()) EXPECT_EQ(anew.rest(task), graph.rest(task));
}

TEST(DisjunctiveGraph, IsNoLongerThanTheSchedule) {
  test::Random random(1);
  for (int i = 0; i < test::rounds(2000); ++i) {
    const Instance instance = random_sample(random);
    const Schedule schedule = some_schedule(instance);
    const DisjunctiveGraph graph(instance, schedule);
    EXPECT_LE(graph.makespan(), schedule.makespan());
    for (const Attempt& attempt : schedule.attempts) EXPECT_LE(graph.start(attempt.task), attempt.start);
    expect_up_to_date(graph);
  }
}

TEST(DisjunctiveGraph, TakesWorkOfNoTimeInAnyOrder) {
  test::Random random(3);
  for (int i = 0; i < test::rounds(500); ++i) {
    const Instance instance = random_sample(random);
    Schedule schedule = some_schedule(instance);
    const Time makespan = schedule.makespan();
    std::ranges::reverse(schedule.attempts);
    const DisjunctiveGraph graph(instance, schedule);
    EXPECT_LE(graph.makespan(), makespan);
    expect_up_to_date(graph);
  }
}

TEST(DisjunctiveGraph, MovesKeepItUpToDate) {
  test::Random random(2);
  std::size_t moved = 0;
  std::size_t refused = 0;
  for (int i = 0; i < test::rounds(500); ++i) {
    const Instance instance = random_sample(random);
    if (instance.graph.task_count() == 0) continue;
    DisjunctiveGraph graph(instance, some_schedule(instance));
    for (int j = 0; j < 20; ++j) {
      const auto task = make_id<TaskId>(
          static_cast<std::size_t>(test::draw(random, 0, static_cast<std::int64_t>(instance.graph.task_count()) - 1)));
      const auto worker = make_id<WorkerId>(static_cast<std::size_t>(
          test::draw(random, 0, static_cast<std::int64_t>(instance.platform.worker_count()) - 1)));
      if (!instance.costs.can_run(task, instance.platform.class_of(worker))) continue;
      const std::size_t others = graph.sequence(worker).size() - (graph.worker(task) == worker ? 1 : 0);
      const auto position = static_cast<std::size_t>(test::draw(random, 0, static_cast<std::int64_t>(others)));
      const Schedule before = graph.schedule();
      DisjunctiveGraph anew(instance, before);
      const bool alike = std::ranges::equal(anew.sequence(worker), graph.sequence(worker));
      const bool done = graph.move(task, worker, position);
      if (alike) {
        EXPECT_EQ(anew.move(task, worker, position), done);
      }
      if (done) {
        ++moved;
        EXPECT_EQ(graph.worker(task), worker);
        EXPECT_EQ(graph.position(task), position);
      } else {
        ++refused;
        EXPECT_EQ(graph.schedule().attempts, before.attempts);
      }
      expect_up_to_date(graph);
    }
  }
  EXPECT_GT(moved, test::rounds(2000U));
  EXPECT_GT(refused, test::rounds(1000U));
}

TEST(DisjunctiveGraph, DropsAbortedAttempts) {
  test::Random random(3);
  std::size_t aborted = 0;
  for (int i = 0; i < test::rounds(300); ++i) {
    const Instance instance = test::random_instance(random, {.min_classes = 2, .max_classes = 2});
    const Schedule schedule = sim::simulate(instance, policy::Spec("heteroprio-dep"));
    aborted += schedule.aborted_attempts();
    const DisjunctiveGraph graph(instance, schedule);
    EXPECT_LE(graph.makespan(), schedule.makespan());
    expect_up_to_date(graph);
  }
  EXPECT_GT(aborted, 0U);
}

TEST(DisjunctiveGraph, RefusesHalfASchedule) {
  test::Random random(4);
  const Instance instance = test::random_instance(random);
  EXPECT_THROW(DisjunctiveGraph(instance, Schedule{}), InternalError);
}

}  // namespace
}  // namespace heddle::search
