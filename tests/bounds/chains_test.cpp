#include <gtest/gtest.h>

#include "heddle/bounds/chained_bound.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/bounds/tiled.hpp"

namespace heddle::bounds {
namespace {

using test::sample_instance;

std::vector<std::string> names_of_types(const Instance& instance, const std::vector<Chain>& chains) {
  std::vector<std::string> names;
  for (const Chain& chain : chains) names.emplace_back(instance.graph.type_name(chain.type));
  return names;
}

TEST(Chains, AreTypesWhoseTasksLieOnOnePath) {
  // x - y - x in a row, beside it a second y; z is alone of its kind.
  const Instance instance = sample_instance(
      {1, 1}, {{"x", {4, 2}, {}}, {"y", {9, 3}, {0}}, {"x", {4, 2}, {1}}, {"y", {9, 3}, {0}}, {"z", {1, 1}, {3}}});
  const auto chains = find_chains(instance);
  ASSERT_EQ(names_of_types(instance, chains), std::vector<std::string>{"x"});
  EXPECT_EQ(chains[0].path, (std::vector<TaskId>{make_id<TaskId>(0), make_id<TaskId>(1), make_id<TaskId>(2)}));
  EXPECT_EQ(chains[0].others, 3);
}

/// A path on which each of very many types comes twice.
TEST(Chains, OfVeryManyTypesTheFirstAreLookedAt) {
  constexpr std::size_t kTypes = 1100;
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < kTypes; ++i) builder.add_type("t" + std::to_string(i));
  for (std::size_t i = 0; i < 2 * kTypes; ++i) {
    builder.add_task(std::to_string(i), make_id<TypeId>(i % kTypes));
    if (i > 0) builder.add_edge(make_id<TaskId>(i - 1), make_id<TaskId>(i));
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  for (const TypeId type : graph.types()) costs.set_actual(Costs::row(type), make_id<ClassId>(0), kSecond);
  const Instance instance{"path", std::move(graph), Platform({{"cpu", 2, "ram", {}}}), std::move(costs)};
  const std::vector<Chain> chains = find_chains(instance);
  EXPECT_EQ(chains.size(), 1000U);
  EXPECT_EQ(chains.back().type, make_id<TypeId>(999));
  EXPECT_LE(mixed_bound(instance)->value, 2 * kTypes * kSecond);
}

TEST(Chains, TasksAtDifferentDepthsNeedNotBeOnOnePath) {
  const Instance instance = sample_instance({1}, {{"y", {1}, {}}, {"x", {1}, {0}}, {"x", {1}, {}}});
  EXPECT_TRUE(find_chains(instance).empty());
  EXPECT_FALSE(mixed_bound(instance).has_value());
}

TEST(Chains, ThePathThroughThemIsTheLongest) {
  // Between the two x: y alone, or the two z, which take longer; before the first: w.
  const Instance instance = sample_instance({1, 1}, {{"w", {5, 6}, {}},
                                                     {"x", {9, 9}, {0}},
                                                     {"y", {3, 3}, {1}},
                                                     {"z", {2, 8}, {1}},
                                                     {"z", {2, 2}, {3}},
                                                     {"x", {1, 1}, {2, 4}}});
  const auto chains = find_chains(instance);
  ASSERT_EQ(names_of_types(instance, chains), (std::vector<std::string>{"x", "z"}));
  EXPECT_EQ(chains[0].others, 5 + 2 + 2);
  EXPECT_EQ(chains[1].others, 5 + 9 + 1);
}

TEST(Chains, OfFactorizationsAreTheirDiagonals) {
  const std::vector<test::ClassSize> classes{{"cpu", 20}, {"gpu", 4}};
  const Instance cholesky = test::tiled_instance("cholesky", 8, classes);
  const auto chains = find_chains(cholesky);
  ASSERT_EQ(names_of_types(cholesky, chains), std::vector<std::string>{"POTRF"});
  EXPECT_EQ(chains[0].others, Time{7} * (2947721 + 1042221) * 1000);  // (n - 1) (T*_TRSM + T*_SYRK), section 2.3.1
  EXPECT_EQ(chains[0].path.size(), 8U + 7U + 7U);
  const Instance lu = test::tiled_instance("lu", 6, classes);
  EXPECT_EQ(names_of_types(lu, find_chains(lu)), std::vector<std::string>{"GETRF"});
  const Instance qr = test::tiled_instance("qr", 6, classes);
  EXPECT_EQ(names_of_types(qr, find_chains(qr)), std::vector<std::string>{"GEQRT"});
}

TEST(Mixed, WeighsAChainAgainstTheArea) {
  // Two x on one path and 10 y beside them. Per x moved from a (10) to b (4), b takes 4 more. All x on a: 20 on the
  // chain; x in a's share of s tasks: the chain lasts 8 + 6 s, b (8 - 4 s + 10) / 1 ... they meet at s = 1.
  std::vector<test::SampleTask> tasks{{"x", {10, 4}, {}}, {"x", {10, 4}, {0}}};
  for (int i = 0; i < 10; ++i) tasks.push_back({"y", {kCannotRun, 1}, {}});
  const Instance instance = sample_instance({1, 1}, tasks);
  const auto bound = mixed_bound(instance);
  ASSERT_TRUE(bound.has_value());
  EXPECT_EQ(bound->value, 14);
  EXPECT_EQ(area_bound(instance).value, 12);  // 18 - 4 s = 10 s at s = 9/7: 90/7
  EXPECT_EQ(bound->path.size(), 2U);
  EXPECT_EQ(bound->full_classes, std::vector<ClassId>{make_id<ClassId>(1)});
  EXPECT_NEAR(bound->use[make_id<ClassId>(0)], 10, 1e-6);
  EXPECT_NEAR(bound->use[make_id<ClassId>(1)], 14, 1e-6);
}

}  // namespace
}  // namespace heddle::bounds
