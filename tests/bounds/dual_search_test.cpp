#include "heddle/bounds/dual_search.hpp"

#include <gtest/gtest.h>

#include "heddle/bounds/area.hpp"
#include "heddle/bounds/chained_bound.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds::dual_search_test {
namespace {

/// One piece of work that takes 6 of the first resource or 3 of the second.
void six_or_three(std::span<const double> duals, std::span<double> use) {
  use[duals[0] * 6 <= duals[1] * 3 ? 0 : 1] = duals[0] * 6 <= duals[1] * 3 ? 6 : 3;
}

TEST(DualSearch, MixesTheChoices) {
  const std::vector<double> capacity{1, 1};
  const DualPoint weighed = search_duals(capacity, six_or_three);
  EXPECT_NEAR(weighed.proven, 2, 1e-9);  // a third there, two thirds here
  EXPECT_NEAR(weighed.reached, 2, 1e-9);
  EXPECT_NEAR(weighed.use[0], 2, 1e-9);
  EXPECT_NEAR(weighed.use[1], 2, 1e-9);
  EXPECT_NEAR(weighed.duals[0] * 6, weighed.duals[1] * 3, 1e-9);
}

TEST(DualSearch, StopsWhenItKnowsEnough) {
  const std::vector<double> capacity{1, 1};
  EXPECT_LE(search_duals(capacity, six_or_three, 4).reached, 4);
  EXPECT_GT(search_duals(capacity, six_or_three, 1.5).proven, 1.5);
  std::size_t asked = 0;
  const auto counted = [&](std::span<const double> duals, std::span<double> use) {
    ++asked;
    six_or_three(duals, use);
  };
  EXPECT_EQ(search_duals(capacity, counted, 3).reached, 3);
  EXPECT_EQ(asked, 1U) << "at equal duals all goes to the second resource";
}

TEST(DualSearch, ResourcesWithoutCapacityHaveNoDualValue) {
  const std::vector<double> capacity{0, 2};
  const auto second_only = [](std::span<const double>, std::span<double> use) { use[1] = 10; };
  const DualPoint weighed = search_duals(capacity, second_only);
  EXPECT_NEAR(weighed.reached, 5, 1e-9);
  EXPECT_NEAR(weighed.proven, 5, 1e-9);
}

void expect_same(const Bound& program, const Bound& duals) {
  const auto value = static_cast<double>(program.value);
  EXPECT_NEAR(static_cast<double>(duals.value), value, 1 + 1e-9 * value);
}

TEST(DualSearch, GivesTheAreaOfTheLinearProgram) {
  for (std::uint64_t seed = 0; seed < test::rounds(500U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_classes = 5;
    shape.max_duration = 1'000'000'000'000;
    shape.shared_types = seed % 2 == 0;
    const Instance instance = test::random_instance(random, shape);
    expect_same(area_linear_program(instance), chained_bound_by_duals(instance, {}));
  }
}

TEST(DualSearch, GivesTheMixedBoundOfTheLinearProgram) {
  for (const char* algorithm : {"cholesky", "lu", "qr"}) {
    for (const int tiles : {4, 9, 12}) {
      const Instance instance = test::tiled_instance(algorithm, tiles, {{"cpu", 20}, {"cpu5", 2}, {"gpu", 4}});
      const auto chains = find_chains(instance);
      expect_same(chained_bound(instance, chains), chained_bound_by_duals(instance, chains));
    }
  }
}

TEST(DualSearch, IsTheAreaOfManyRows) {
  test::Random random(1);
  std::vector<test::SampleTask> tasks;
  for (int i = 0; i < test::rounds(2500); ++i) {
    const Time fast = test::draw(random, 1, 1'000'000'000);
    tasks.push_back({"x", {fast * test::draw(random, 1, 30), fast * test::draw(random, 1, 10), fast}, {}});
  }
  const Instance instance = test::sample_instance({20, 8, 3}, tasks);
  const Bound bound = area_bound(instance);
  expect_same(area_linear_program(instance), bound);
  for (const ClassId c : bound.use.ids()) {
    const double room = static_cast<double>(bound.value + 1) * instance.platform.worker_count(c);
    EXPECT_LE(bound.use[c], room * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace heddle::bounds::dual_search_test
