#include "heddle/bounds/grid.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

TEST(DurationGrid, DividesTheDurationsOnClassesWithWorkers) {
  EXPECT_EQ(duration_grid(test::sample_instance({1, 1}, {{"x", {6, 9}, {}}, {"y", {12, 30}, {}}})), 3);
  EXPECT_EQ(duration_grid(test::sample_instance({1, 0}, {{"x", {6, 9}, {}}, {"y", {12, 31}, {}}})), 6);
  EXPECT_EQ(duration_grid(test::sample_instance({1, 1}, {{"x", {6, kCannotRun}, {}}, {"y", {kCannotRun, 4}, {}}})), 2);
  EXPECT_EQ(duration_grid(test::sample_instance({1, 1}, {{"x", {0, 0}, {}}})), 0);
  EXPECT_EQ(duration_grid(test::sample_instance({1, 1}, {})), 0);
}

TEST(RoundUp, IsTheNextMultiple) {
  EXPECT_EQ(round_up(0, 5), 0);
  EXPECT_EQ(round_up(1, 5), 5);
  EXPECT_EQ(round_up(5, 5), 5);
  EXPECT_EQ(round_up(6, 5), 10);
  EXPECT_EQ(round_up(6, 0), 6);
  EXPECT_EQ(round_up(kMaxTime - 1, 7), kMaxTime) << "the last of all times, which 7 divides";
  EXPECT_EQ(round_up(kMaxTime - 1, kMaxTime - 3), kMaxTime - 1);
}

/// Three tasks of 5 on two workers: an area of 7.5, and a makespan of 10.
TEST(Bounds, AreRoundedUpToTheGrid) {
  const Instance instance = test::sample_instance({2}, {{"x", {5}, {}}, {"x", {5}, {}}, {"x", {5}, {}}});
  EXPECT_EQ(area_bound(instance).value, 7);
  const Bounds bounds = compute(instance, kAllKinds);
  EXPECT_EQ(bounds[Kind::critical_path]->value, 5);
  for (const Kind kind : {Kind::area, Kind::iterative, Kind::window}) EXPECT_EQ(bounds[kind]->value, 10);
}

/// The same instance with durations that many times as long.
Instance scaled(const Instance& instance, Time factor) {
  Costs costs = instance.costs;
  for (std::uint32_t row = 0; row < costs.row_count(); ++row) {
    for (const ClassId c : instance.platform.classes()) {
      const Time duration = costs.actual_row(row)[index(c)];
      if (duration != kCannotRun) costs.set_actual(row, c, duration * factor);
    }
  }
  return make_instance(instance.name, instance.graph, instance.platform, std::move(costs));
}

TEST(Bounds, OnTheGridAreNeverAboveTheShortestMakespan) {
  constexpr Time kGrid = 1000;
  std::size_t proofs = 0;
  std::size_t rounded_proofs = 0;
  for (std::uint64_t seed = 0; seed < test::rounds(2000U); ++seed) {
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_tasks = 5;
    shape.max_classes = 2;
    shape.max_workers = 2;
    const Instance instance = scaled(test::random_instance(random, shape), kGrid);
    const Time optimum = test::optimal_makespan(instance);
    const Bounds bounds = compute(instance, kAllKinds);
    for (const Kind kind : kAllKinds) {
      if (!bounds[kind]) continue;
      EXPECT_LE(bounds[kind]->value, optimum) << seed << ' ' << to_string(kind);
      EXPECT_EQ(bounds[kind]->value % kGrid, 0) << seed << ' ' << to_string(kind);
    }
    proofs += window_bound(instance).value == optimum ? 1U : 0U;
    rounded_proofs += bounds.best() == optimum ? 1U : 0U;
  }
  EXPECT_GT(rounded_proofs, proofs);
}

}  // namespace
}  // namespace heddle::bounds
