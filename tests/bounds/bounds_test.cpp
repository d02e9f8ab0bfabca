#include "heddle/bounds/bounds.hpp"

#include <gtest/gtest.h>

#include "tests/bounds/samples.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

TEST(Kinds, AreNamedAsTheCommandSpellsThem) {
  for (const Kind kind : kAllKinds) EXPECT_EQ(parse_kind(to_string(kind)), kind);
  EXPECT_EQ(to_string(Kind::critical_path), "critical-path");
  EXPECT_FALSE(parse_kind("critical_path").has_value());
}

TEST(Kinds, DefaultsFollowTheNumbersOfTasksAndClasses) {
  const auto last = [](std::size_t tasks, std::vector<std::uint32_t> workers) {
    TaskGraphBuilder builder;
    const TypeId type = builder.add_type("t");
    for (std::size_t i = 0; i < tasks; ++i) builder.add_task("t" + std::to_string(i), type);
    std::vector<ResourceClass> classes;
    for (const std::uint32_t count : workers) {
      classes.push_back({.name = "c" + std::to_string(classes.size()), .workers = count});
    }
    TaskGraph graph = builder.build();
    Costs costs(graph, classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) costs.set_actual(Costs::row(type), make_id<ClassId>(c), 1);
    return default_kinds(make_instance("many", std::move(graph), Platform(std::move(classes)), costs)).back();
  };
  EXPECT_EQ(default_kinds(Instance()).size(), kKindCount);
  EXPECT_EQ(last(kWindowTasks, {2, 1}), Kind::window);
  EXPECT_EQ(last(kWindowTasks + 1, {2, 1}), Kind::iterative);
  EXPECT_EQ(last(kWindowTasks, {2, 1, 0}), Kind::window);
  EXPECT_EQ(last(kWindowTasksOfManyClasses, {2, 1, 1}), Kind::window);
  EXPECT_EQ(last(kWindowTasksOfManyClasses + 1, {2, 1, 1}), Kind::iterative);
}

TEST(Bounds, ComputesWhatIsAskedForAndDefined) {
  const Instance instance = test::sample_instance({1, 1}, {{"x", {3, 3}, {}}, {"y", {4, 5}, {}}});
  const std::vector<Kind> kinds{Kind::mixed, Kind::area};
  const Bounds bounds = compute(instance, kinds);
  EXPECT_FALSE(bounds[Kind::critical_path].has_value());
  EXPECT_FALSE(bounds[Kind::mixed].has_value());
  ASSERT_TRUE(bounds[Kind::area].has_value());
  EXPECT_EQ(bounds.best_kind(), Kind::area);
  EXPECT_EQ(bounds.best(), bounds[Kind::area]->value);
}

TEST(Bounds, TheBestOfEqualsIsTheQuickest) {
  const Instance instance = test::sample_instance({1}, {{"x", {3}, {}}, {"x", {4}, {0}}});
  const Bounds bounds = compute(instance, kAllKinds);
  for (const Kind kind : kAllKinds) EXPECT_EQ(bounds[kind]->value, 7) << to_string(kind);
  EXPECT_EQ(bounds.best_kind(), Kind::critical_path);
}

TEST(Bounds, NoneIsZero) {
  EXPECT_FALSE(Bounds().best_kind().has_value());
  EXPECT_EQ(Bounds().best(), 0);
}

TEST(Bounds, CriticalPathNamesItsTasks) {
  const Instance instance =
      test::sample_instance({1, 1}, {{"x", {5, 9}, {}}, {"y", {7, 2}, {}}, {"z", {3, 1}, {0, 1}}});
  const Bound bound = critical_path_bound(instance);
  EXPECT_EQ(bound.value, 6);
  EXPECT_EQ(bound.path, (std::vector<TaskId>{make_id<TaskId>(0), make_id<TaskId>(2)}));
  EXPECT_EQ(bound.use[make_id<ClassId>(0)], 5.0);
  EXPECT_EQ(bound.use[make_id<ClassId>(1)], 3.0);
}

/// Each kind is at least the ones it contains.
void expect_ordered(const Bounds& bounds) {
  EXPECT_LE(bounds[Kind::area]->value, bounds[Kind::iterative]->value);
  EXPECT_LE(bounds[Kind::critical_path]->value, bounds[Kind::iterative]->value);
  EXPECT_TRUE(bounds[Kind::iterative]->exact);
  EXPECT_LE(bounds[Kind::iterative]->value, bounds[Kind::window]->value);
  EXPECT_TRUE(bounds[Kind::window]->exact);
  if (!bounds[Kind::mixed]) return;
  EXPECT_LE(bounds[Kind::area]->value, bounds[Kind::mixed]->value);
  EXPECT_LE(bounds[Kind::mixed]->value, bounds[Kind::iterative]->value);
}

TEST(Bounds, AreOrderedOnRandomInstances) {
  for (std::uint64_t seed = 0; seed < test::rounds(3000U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_classes = 4;
    shape.max_duration = seed % 2 == 0 ? 20 : 1'000'000'000'000;
    expect_ordered(compute(test::random_instance(random, shape), kAllKinds));
  }
}

TEST(Bounds, NeverPassTheOptimum) {
  for (std::uint64_t seed = 0; seed < test::rounds(1500U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_tasks = 6;
    shape.max_workers = 2;
    const Instance instance = test::random_instance(random, shape);
    EXPECT_LE(compute(instance, kAllKinds).best(), test::optimal_makespan(instance));
  }
}

TEST(Bounds, MeetTheOptimumOfAChain) {
  const Instance instance = test::sample_instance({2, 1}, {{"x", {9, 4}, {}}, {"y", {2, 3}, {0}}, {"x", {9, 4}, {1}}});
  EXPECT_EQ(compute(instance, kAllKinds).best(), test::optimal_makespan(instance));
}

/// Durations at the limit of what an instance may hold do not overflow.
TEST(Bounds, HoldAtTheLimitOfTime) {
  const Time most = kMaxTime / 16 / 4;
  const Instance instance = test::sample_instance({1, 1, 1}, {{"x", {most, most - 1, most / 2}, {}},
                                                              {"x", {most, most / 3, most}, {0}},
                                                              {"y", {most, most - 5, most}, {}},
                                                              {"y", {most / 7, most, most}, {2}}});
  const Bounds bounds = compute(instance, kAllKinds);
  const Time optimum = test::optimal_makespan(instance);
  EXPECT_LE(bounds.best(), optimum);
  EXPECT_GT(bounds.best(), optimum / 2);
}

void stop_anywhere(const Instance& instance) {
  const Bounds whole = compute(instance, kAllKinds);
  int exact = 0;
  for (int asked = 0; exact < 3; asked = asked * 5 / 4 + 1) {
    SCOPED_TRACE(asked);
    int left = asked;
    const Bounds stopped = compute(instance, kAllKinds, {.stop = [&] { return left-- <= 0; }});
    exact = 0;
    for (const Kind kind : {Kind::mixed, Kind::iterative, Kind::window}) {
      const Time tolerance = whole[kind]->value / 100'000;
      EXPECT_GE(stopped[kind]->value, stopped[Kind::area]->value);
      EXPECT_LE(stopped[kind]->value, whole[kind]->value + tolerance);
      EXPECT_NE(stopped[kind]->exact, stopped[kind]->out_of_time);
      if (!stopped[kind]->exact) continue;
      EXPECT_GE(stopped[kind]->value, whole[kind]->value - tolerance);
      ++exact;
    }
  }
}

/// Inside a linear program, too. On the smaller machine paths and area compete.
TEST(Bounds, MayBeStoppedAnywhere) {
  constexpr std::size_t kTiles = test::kSanitized ? 9 : 14;
  stop_anywhere(test::tiled_instance("cholesky", kTiles, {{"cpu", 60}, {"gpu", 12}}));
  stop_anywhere(test::tiled_instance("cholesky", kTiles, {{"cpu", 20}, {"gpu", 4}}));
}

TEST(Bounds, AreTheSameEveryTime) {
  const Instance instance = test::tiled_instance("qr", 10, {{"cpu", 20}, {"cpu5", 2}, {"gpu", 4}});
  const Bounds first = compute(instance, kAllKinds);
  const Bounds second = compute(instance, kAllKinds);
  for (const Kind kind : kAllKinds) {
    EXPECT_EQ(first[kind]->value, second[kind]->value);
    EXPECT_EQ(first[kind]->path, second[kind]->path);
    EXPECT_EQ(first[kind]->use, second[kind]->use);
  }
}

}  // namespace
}  // namespace heddle::bounds
