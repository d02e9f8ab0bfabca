#include <gtest/gtest.h>

#include <cmath>

#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/kit/ranks/affinity.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/reference_heteroprio.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

/// Kumar 2017, table 4.2a: two types of tasks, as many of each, on three resources.
Instance table_4_2() {
  TaskGraphBuilder builder;
  const TypeId t1 = builder.add_type("T1");
  const TypeId t2 = builder.add_type("T2");
  for (int i = 0; i < 10; ++i) {
    builder.add_task("a" + std::to_string(i), t1);
    builder.add_task("b" + std::to_string(i), t2);
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 3);
  const Time durations[3][2] = {{100, 200}, {120, 60}, {200, 75}};
  for (std::size_t c = 0; c < 3; ++c) {
    costs.set_actual(Costs::row(t1), make_id<ClassId>(c), durations[c][0]);
    costs.set_actual(Costs::row(t2), make_id<ClassId>(c), durations[c][1]);
  }
  Platform platform({{.name = "R1", .workers = 1}, {.name = "R2", .workers = 1}, {.name = "R3", .workers = 1}});
  return make_instance("table 4.2", std::move(graph), std::move(platform), std::move(costs));
}

TEST(HeteroPrioMulti, ScoresAreThoseOfTable42) {
  const Instance instance = table_4_2();
  const policy::Scores area = policy::area_scores(instance);
  const double percent[3][2] = {{60, 0}, {40, 20}, {0, 80}};
  const policy::Scores het_index = policy::het_index_scores(instance);
  const double tenths[3][2] = {{2.0, 0.3}, {1.4, 3.3}, {0.5, 2.1}};
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t t = 0; t < 2; ++t) {
      EXPECT_EQ(area[make_id<ClassId>(r)][t], percent[r][t] / 100) << r << t;
      EXPECT_EQ(std::round(het_index[make_id<ClassId>(r)][t] * 10) / 10, tenths[r][t]) << r << t;
    }
  }
}

// Geometric means: R1 sqrt(100 x 200) = 141.4, R2 sqrt(120 x 60) = 84.9, R3 sqrt(200 x 75) = 122.5; their mean is
// 116.3.
TEST(HeteroPrioMulti, TheFastClassOfTable42IsR2) {
  const Table<ClassId, bool> fast = policy::fast_classes(table_4_2());
  EXPECT_FALSE(fast[make_id<ClassId>(0)]);
  EXPECT_TRUE(fast[make_id<ClassId>(1)]);
  EXPECT_FALSE(fast[make_id<ClassId>(2)]);
}

/// The first task that each worker begins with.
std::string first_tasks(const Instance& instance, const std::string& spec) {
  std::string names;
  const Schedule schedule = sim::simulate(instance, policy::Spec(spec));
  for (const WorkerId worker : instance.platform.workers()) {
    for (const Attempt& attempt : schedule.attempts) {
      if (attempt.worker == worker && attempt.start == 0) names += instance.graph.name(attempt.task).front();
    }
  }
  return names;
}

// Section 4.3.3: R1 prefers T1 and R3 prefers T2 in both systems; R2 prefers T1 by area and T2 by index.
TEST(HeteroPrioMulti, PreferencesAreThoseOfThePaper) {
  EXPECT_EQ(first_tasks(table_4_2(), "heteroprio-multi:score=area"), "aab");
  EXPECT_EQ(first_tasks(table_4_2(), "heteroprio-multi:score=het-index"), "abb");
}

// The area scores are parts in an optimum of a linear program, which are the solver's choice.
TEST(HeteroPrioMulti, GivesTheSchedulesOfThePlainReference) {
  Random random(61);
  for (int round = 0; round < rounds(500); ++round) {
    RandomShape shape{.min_classes = 1, .max_classes = 5, .wrong_estimates = round % 4 == 1};
    shape.shared_types = round % 3 != 0;
    shape.max_duration = round % 2 == 0 ? 6 : 1000;
    shape.zero_durations = false;
    shape.unrunnable = false;
    const Instance instance = random_instance(random, shape);
    const Table<ClassId, bool> fast = policy::fast_classes(instance);
    const policy::Scores area = policy::area_scores(instance);
    for (const auto& [merge, option] : {std::pair(0.25, ""), std::pair(0.6, ",merge=0.6")}) {
      const auto attempts = [&](const std::string& score) {
        return sim::simulate(instance, policy::Spec("heteroprio-multi:score=" + score + option)).attempts;
      };
      ASSERT_EQ(attempts("het-index"), reference_heteroprio_multi(instance, fast, merge)) << "round " << round;
      ASSERT_EQ(attempts("area"), reference_heteroprio_multi(instance, fast, merge, area)) << "round " << round;
    }
  }
}

TEST(HeteroPrioMulti, IndexOfTwoClassesIsTheAccelerationFactor) {
  const Instance instance = workload::generate("cholesky:tiles=4", platforms::resolve("kumar-2017"));
  const policy::Scores scores = policy::het_index_scores(instance);
  for (const TypeId type : instance.graph.types()) {
    const auto durations = instance.costs.actual_row(Costs::row(type));
    const double factor = static_cast<double>(durations[0]) / static_cast<double>(durations[1]);
    EXPECT_EQ(scores[make_id<ClassId>(1)][Costs::row(type)], factor);
    EXPECT_DOUBLE_EQ(scores[make_id<ClassId>(0)][Costs::row(type)], 1 / factor);
  }
  const Table<ClassId, bool> fast = policy::fast_classes(instance);
  EXPECT_FALSE(fast[make_id<ClassId>(0)]);
  EXPECT_TRUE(fast[make_id<ClassId>(1)]);
}

// A POTRF alone goes to the ten cores, which take a third of the GPU's time for it, though the GPU is idle too.
TEST(HeteroPrioMulti, TheClassThatSuitsBestIsServedFirst) {
  const Instance instance =
      workload::generate("cholesky:tiles=1", platforms::resolve("kumar-2017:cpu=10,cpu10=1,gpu=4"));
  for (const char* score : {"area", "het-index"}) {
    const Schedule schedule = sim::simulate(instance, policy::Spec(std::string("heteroprio-multi:score=") + score));
    EXPECT_EQ(instance.platform.class_name(instance.platform.class_of(schedule.attempts[0].worker)), "cpu10") << score;
  }
}

// Equal classes, under whatever names: nobody is slow, so that all take the most urgent tasks first.
TEST(HeteroPrioMulti, EqualClassesAreAllFast) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  builder.add_task("short", type);
  const TaskId head = builder.add_task("head", type);
  builder.add_edge(head, builder.add_task("tail", type));
  TaskGraph graph = builder.build();
  Costs costs(graph, 3);
  for (const ClassId c : ids<ClassId>(3)) costs.set_actual(Costs::row(type), c, 7);
  Platform platform({{.name = "a", .workers = 1}, {.name = "b", .workers = 0}, {.name = "c", .workers = 0}});
  const Instance instance = make_instance("equal", std::move(graph), std::move(platform), std::move(costs));
  EXPECT_TRUE(policy::fast_classes(instance)[make_id<ClassId>(0)]);
  EXPECT_FALSE(policy::fast_classes(instance)[make_id<ClassId>(1)]);
  EXPECT_EQ(sim::simulate(instance, policy::Spec("heteroprio-multi")).attempts.front().task, head);
}

}  // namespace
}  // namespace heddle::test
