#include "heddle/analysis/outliers.hpp"

#include <gtest/gtest.h>

#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::analysis {
namespace {

/// Independent tasks of one type, one after the other on a worker.
struct Sequence {
  explicit Sequence(const std::vector<Time>& lengths) {
    TaskGraphBuilder builder;
    const TypeId type = builder.add_type("T");
    for (std::size_t i = 0; i < lengths.size(); ++i) builder.add_task("t" + std::to_string(i), type);
    TaskGraph graph = builder.build();
    Costs costs(graph, 1);
    costs.set_actual(0, make_id<ClassId>(0), 100);
    instance = make_instance("run", std::move(graph), Platform({{"cpu", 1, "ram", {}}}), std::move(costs));
    Time now = 0;
    for (const TaskId task : instance.graph.tasks()) {
      schedule.attempts.push_back({task, make_id<WorkerId>(0), now, now + lengths[index(task)], Outcome::completed});
      now = schedule.attempts.back().end;
    }
  }
  Instance instance;
  Schedule schedule;
};

TEST(Outliers, TookMuchLongerThanTheMedian) {
  const Sequence run({100, 102, 98, 100, 300, 101, 99, 100, 150, 115});
  const auto found = find_outliers(run.instance, run.schedule);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].attempts, 10U);
  EXPECT_EQ(found[0].median, 101);                                // the upper one of two
  EXPECT_EQ(found[0].limit, 101 + 5 * 3);                         // distances 0 1 1 1 1 | 2 3 14 49 199: 2 + 1
  EXPECT_EQ(found[0].slowest, (std::vector<std::size_t>{4, 8}));  // 115 is not
  EXPECT_TRUE(found[0].excess == 199 + 49);
}

TEST(Outliers, NeedEnoughOthersAndCompletedAttempts) {
  Sequence run({100, 100, 100, 100, 100, 100, 900});
  EXPECT_TRUE(find_outliers(run.instance, run.schedule).empty());
  Sequence more({100, 100, 100, 100, 100, 100, 100, 900});
  EXPECT_EQ(find_outliers(more.instance, more.schedule).size(), 1U);
  more.schedule.attempts.back().outcome = Outcome::failed;
  EXPECT_TRUE(find_outliers(more.instance, more.schedule).empty());
}

/// Where tasks of a type take equally long, none does.
TEST(Outliers, AreNoneInASimulationWithoutNoise) {
  for (std::uint64_t round = 0; round < test::rounds(100U); ++round) {
    test::Random random(round);
    test::RandomShape shape;
    shape.max_tasks = 30;
    const Instance instance = test::random_instance(random, shape);
    const Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
    for (const Outliers& outliers : find_outliers(instance, schedule)) {
      for (const std::size_t i : outliers.slowest) {
        const Attempt& attempt = schedule.attempts[i];
        EXPECT_NE(instance.costs.row(attempt.task), Costs::row(instance.graph.type(attempt.task)))
            << "a row of its own";
      }
    }
  }
}

}  // namespace
}  // namespace heddle::analysis
