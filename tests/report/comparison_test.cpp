#include "heddle/report/comparison.hpp"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

const std::vector<std::string> kNames = {"heft", "hlp", "dmdas"};

Time milliseconds(double count) {
  return static_cast<Time>(count * 1e-3 * static_cast<double>(kSecond));
}

TEST(ByMakespan, PutsTheShortestFirstAndLeavesOutWhatWasSkipped) {
  EXPECT_EQ(by_makespan({3, std::nullopt, 1, 3, 2}), (std::vector<std::size_t>{2, 4, 0, 3}));
  EXPECT_TRUE(by_makespan({}).empty());
}

TEST(DescribeBest, SaysHowMuchOfTheNextMakespanTheBestSaves) {
  const Makespans makespans = {milliseconds(200), milliseconds(144.4), milliseconds(154.9)};
  EXPECT_EQ(describe_best(kNames, makespans), "hlp is best: 144.4 ms, 6.8 % better than dmdas");
  EXPECT_NEAR(find_best(makespans)->improvement, 1 - 144.4 / 154.9, 1e-12);
}

TEST(DescribeBest, NamesAllThatAreEqual) {
  EXPECT_EQ(describe_best(kNames, {milliseconds(2), milliseconds(1), milliseconds(1)}),
            "hlp and dmdas are best: 1.000 ms, 50.0 % better than heft");
  EXPECT_EQ(describe_best(kNames, {milliseconds(1), milliseconds(1), milliseconds(1)}),
            "heft, hlp and dmdas are best: 1.000 ms");
}

TEST(DescribeBest, ComparesNothingWithASinglePolicy) {
  EXPECT_EQ(describe_best(kNames, {std::nullopt, milliseconds(1), std::nullopt}), "hlp: 1.000 ms");
  EXPECT_EQ(describe_best(kNames, {std::nullopt, std::nullopt, std::nullopt}), "");
}

TEST(DescribeBest, TakesAnEmptyScheduleForTheBest) {
  EXPECT_EQ(describe_best(kNames, {0, 0, milliseconds(1)}), "heft and hlp are best: 0 s, 100.0 % better than dmdas");
}

TEST(SummarizePolicies, TakesGeometricMeansAndWorstRatiosToTheBound) {
  const std::vector<InstanceResult> results = {{{20, 40, std::nullopt}, 10}, {{80, 40, 160}, 10}};
  const Summary summary = summarize_policies(results);
  EXPECT_TRUE(summary.to_bound);
  EXPECT_EQ(summary.instances, 2U);
  EXPECT_NEAR(*summary.policies[0].mean_ratio, 4, 1e-12);  // of 2 and 8
  EXPECT_DOUBLE_EQ(*summary.policies[0].worst_ratio, 8);
  EXPECT_NEAR(*summary.policies[1].mean_ratio, 4, 1e-12);
  EXPECT_DOUBLE_EQ(*summary.policies[1].worst_ratio, 4);
  EXPECT_EQ(summary.policies[2].instances, 1U);
  EXPECT_NEAR(*summary.policies[2].mean_ratio, 16, 1e-12);
}

TEST(SummarizePolicies, CountsWinsAndLeavesTiesToBoth) {
  const std::vector<InstanceResult> results = {{{1, 1, 2}, 1}, {{3, 2, std::nullopt}, 1}};
  const Summary summary = summarize_policies(results);
  EXPECT_EQ(summary.policies[0].wins, 1U);
  EXPECT_EQ(summary.policies[1].wins, 2U);
  EXPECT_EQ(summary.policies[2].wins, 0U);
  EXPECT_EQ(summary.order, (std::vector<std::size_t>{1, 0, 2}));
}

TEST(SummarizePolicies, ComparesWithTheBestMakespanWhereABoundIsMissing) {
  const std::vector<InstanceResult> results = {{{20, 10}, 5}, {{10, 80}, 0}};
  const Summary summary = summarize_policies(results);
  EXPECT_FALSE(summary.to_bound);
  EXPECT_DOUBLE_EQ(*summary.policies[0].worst_ratio, 2);
  EXPECT_DOUBLE_EQ(*summary.policies[1].worst_ratio, 8);
}

TEST(SummarizePolicies, HasAProfileOfFactorsToTheBest) {
  const std::vector<InstanceResult> results = {{{30, 10}, 1}, {{10, 20}, 1}, {{10, std::nullopt}, 1}};
  const Summary summary = summarize_policies(results);
  EXPECT_EQ(summary.policies[0].factors, (std::vector<double>{1, 1, 3}));
  EXPECT_EQ(summary.policies[1].factors, (std::vector<double>{1, 2}));
}

TEST(SummarizePolicies, PutsPoliciesLastThatCouldTakeFewer) {
  const std::vector<InstanceResult> results = {{{30, 10, std::nullopt}, 1}, {{30, std::nullopt, std::nullopt}, 1}};
  EXPECT_EQ(summarize_policies(results).order, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(SummarizePolicies, TakesInstancesOfNoDuration) {
  const Summary summary = summarize_policies(std::vector<InstanceResult>{{{0, 0}, 0}, {{2, 3}, 1}});
  EXPECT_DOUBLE_EQ(*summary.policies[0].mean_ratio, 1);
  EXPECT_DOUBLE_EQ(*summary.policies[1].worst_ratio, 1.5);
}

TEST(DescribeSummary, SaysSoIfOthersCouldTakeFewerInstances) {
  const std::vector<InstanceResult> results = {{{20, 10}, 10}, {{20, std::nullopt}, 10}};
  const std::vector<std::string> names = {"heft", "er-ls"};
  EXPECT_EQ(describe_summary(names, summarize_policies(results)),
            "of the policies that could take 2 instances, heft has the lowest geometric mean ratio, 2.000 (worst "
            "2.000), and is best on 1 of 2 instances");
}

TEST(DescribeSummary, ComparesNothingWithASinglePolicy) {
  const std::vector<std::string> names = {"heft"};
  EXPECT_EQ(describe_summary(names, summarize_policies(std::vector<InstanceResult>{{{20}, 10}, {{20}, 10}})),
            "heft has a geometric mean ratio of 2.000 (worst 2.000) over 2 instances");
}

TEST(DescribeSummary, SaysWhichPolicyIsBestOverall) {
  const std::vector<InstanceResult> results = {{{20, 40, 50}, 10}, {{30, 40, 50}, 10}};
  EXPECT_EQ(describe_summary(kNames, summarize_policies(results)),
            "heft has the lowest geometric mean ratio, 2.449 (worst 3.000), and is best on 2 of 2 instances");
  EXPECT_EQ(describe_summary(kNames, summarize_policies(std::vector<InstanceResult>{{{20, 40, 50}, 0}})),
            "heft has the lowest geometric mean ratio to the best makespan, 1.000 (worst 1.000), and is best on 1 of 1 "
            "instance");
  EXPECT_EQ(describe_summary(kNames, summarize_policies({})), "");
}

}  // namespace
}  // namespace heddle::report
