#include "heddle/bounds/area.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "heddle/bounds/work_groups.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

using test::sample_instance;

constexpr ClassId kA = make_id<ClassId>(0);
constexpr ClassId kB = make_id<ClassId>(1);

TEST(Area, SharesTheTaskOnTheBorderOut) {
  // b takes the first task (factor 4); the second is shared: 10 - 10 x = 5 + 5 x at x = 1/3.
  const Instance instance = sample_instance({1, 1}, {{"x", {20, 5}, {}}, {"y", {10, 5}, {}}});
  const Bound bound = area_closed_form(instance);
  EXPECT_EQ(bound.value, 6);  // 20/3
  EXPECT_NEAR(bound.use[kA], 20.0 / 3, 1e-9);
  EXPECT_NEAR(bound.use[kB], 20.0 / 3, 1e-9);
  EXPECT_EQ(bound.full_classes, (std::vector<ClassId>{kA, kB}));
  EXPECT_TRUE(bound.path.empty());
  EXPECT_EQ(area_linear_program(instance).value, 6);
}

TEST(Area, TasksThatOneClassCannotRunStayOnTheOther) {
  const Instance instance = sample_instance({2, 1}, {{"x", {7, kCannotRun}, {}}, {"y", {1, 1}, {}}});
  const Bound bound = area_bound(instance);
  EXPECT_EQ(bound.value, 3);  // 7/2: moving y away from a makes b no longer than a
  EXPECT_EQ(bound.full_classes, std::vector<ClassId>{kA});
  EXPECT_EQ(area_linear_program(instance).value, 3);
}

TEST(Area, ClassesWithoutWorkersTakeNothing) {
  const Instance instance = sample_instance({0, 2, 0}, {{"x", {1, 6, 1}, {}}, {"y", {1, 5, 1}, {}}});
  const Bound bound = area_bound(instance);
  EXPECT_EQ(bound.value, 5);
  EXPECT_EQ(bound.use[kA], 0.0);
  EXPECT_EQ(bound.use[kB], 11.0);
}

TEST(Area, ZeroDurationsCostNothing) {
  const Instance instance =
      sample_instance({1, 1}, {{"x", {0, 0}, {}}, {"y", {0, 9}, {}}, {"z", {9, 0}, {}}, {"w", {8, 8}, {}}});
  EXPECT_EQ(area_bound(instance).value, 4);
}

TEST(Area, AnEmptyGraphTakesNoTime) {
  const Instance instance = sample_instance({1, 2}, {});
  EXPECT_EQ(area_closed_form(instance).value, 0);
  EXPECT_EQ(area_linear_program(instance).value, 0);
}

TEST(Area, ThreeClassesAreALinearProgram) {
  // Each class is the only quick one for a task, and all three end at 600.
  const Instance instance = sample_instance(
      {1, 1, 2}, {{"x", {600, 9000, 9000}, {}}, {"y", {9000, 600, 9000}, {}}, {"z", {9000, 9000, 1200}, {}}});
  const Bound bound = area_bound(instance);
  EXPECT_GE(bound.value, 599);  // the certificate's dual values are rounded: it may prove 599.99
  EXPECT_LE(bound.value, 600);
  EXPECT_NEAR(bound.use[make_id<ClassId>(2)], 1200, 1e-6);
  EXPECT_EQ(bound.full_classes.size(), 3U);
}

/// Neither may differ from the other by more than 1e-9 of it, and a picosecond of rounding.
void expect_same(const Bound& closed, const Bound& program) {
  const double tolerance = 1 + 1e-9 * static_cast<double>(closed.value);
  EXPECT_NEAR(static_cast<double>(closed.value), static_cast<double>(program.value), tolerance);
  EXPECT_LE(program.value, closed.value);  // both are exact floors; the program's certificate may be a little weaker
}

TEST(Area, ClosedFormAndProgramAgreeOnRandomInstances) {
  for (std::uint64_t seed = 0; seed < test::rounds(3000U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_classes = 2;
    shape.max_duration = seed % 2 == 0 ? 20 : 1'000'000'000;
    const Instance instance = test::random_instance(random, shape);
    expect_same(area_closed_form(instance), area_linear_program(instance));
  }
}

TEST(Area, DualValuesProveTheBound) {
  for (std::uint64_t seed = 0; seed < test::rounds(1000U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_duration = seed % 2 == 0 ? 20 : 1'000'000'000;
    const Instance instance = test::random_instance(random, shape);
    const Table<ClassId, double> duals = area_duals(instance);
    double capacity = 0;
    for (const ClassId c : instance.platform.classes()) {
      EXPECT_GE(duals[c], 0);
      capacity += duals[c] * instance.platform.worker_count(c);
    }
    EXPECT_NEAR(capacity, 1, 1e-12);
    double proven = 0;
    for (const TaskId task : instance.graph.tasks()) {
      double least = std::numeric_limits<double>::infinity();
      for (const ClassId c : instance.platform.classes()) {
        if (!instance.costs.can_run(task, c)) continue;
        least = std::min(least, duals[c] * static_cast<double>(instance.costs.actual(task, c)));
      }
      proven += least;
    }
    const auto bound = static_cast<double>(area_bound(instance).value);
    EXPECT_NEAR(proven, bound, 1 + 1e-6 * bound);
  }
}

TEST(Area, ClosedFormAndProgramAgreeOnFactorizations) {
  for (const char* algorithm : {"cholesky", "lu", "qr"}) {
    for (const int tiles : {2, 7, 16}) {
      const Instance instance = test::tiled_instance(algorithm, tiles, {{"cpu", 20}, {"gpu", 4}});
      expect_same(area_closed_form(instance), area_linear_program(instance));
    }
  }
}

TEST(Area, TheProgramGrowsWithDistinctRowsOnly) {
  const Instance instance = test::tiled_instance("cholesky", 12, {{"cpu", 20}, {"gpu", 4}});
  const WorkGroups groups = group_tasks(instance);
  ASSERT_EQ(groups.groups.size(), 4U);
  std::int64_t tasks = 0;
  for (const WorkGroup& group : groups.groups) tasks += group.tasks;
  EXPECT_EQ(tasks, 364);
}

TEST(Area, RowsOfTheirOwnWithEqualDurationsAreOneGroup) {
  const Instance instance = sample_instance({1, 1}, {{"x", {4, 2}, {}}, {"y", {4, 2}, {}}, {"z", {2, 4}, {}}});
  EXPECT_EQ(group_tasks(instance).groups.size(), 2U);
  const std::vector<std::uint32_t> label_of_type{0, 1, 0};
  EXPECT_EQ(group_tasks(instance, label_of_type).groups.size(), 3U);
}

}  // namespace
}  // namespace heddle::bounds
