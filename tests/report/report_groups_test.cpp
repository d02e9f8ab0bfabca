#include "heddle/report/report_groups.hpp"

#include <gtest/gtest.h>

#include "tests/report/samples.hpp"

namespace heddle::report {
namespace {

ScheduleReport report_of(const Instance& instance, const char* policy, Time makespan, std::uint32_t run = 1) {
  ScheduleReport report;
  report.instance = &instance;
  report.policy = policy;
  report.makespan = makespan;
  report.run = run;
  return report;
}

TEST(GroupReports, SortsPoliciesByTheMeanOfTheirRuns) {
  const Instance instance = test::diamond();
  const std::vector<ScheduleReport> reports = {
      report_of(instance, "slow", 10, 1), report_of(instance, "slow", 2, 2), report_of(instance, "fast", 3, 1),
      report_of(instance, "fast", 5, 2),  report_of(instance, "equal", 4),
  };
  const std::vector<InstanceGroup> groups = group_reports(reports);
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].policies.size(), 3U);
  EXPECT_EQ(groups[0].policies[0].policy, "fast");
  EXPECT_EQ(groups[0].policies[0].makespan, 4);
  EXPECT_EQ(groups[0].policies[0].reports, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(groups[0].policies[1].policy, "equal");
  EXPECT_EQ(groups[0].policies[2].policy, "slow");
}

TEST(GroupReports, TellsInstancesApartByNameAndPlatform) {
  const Instance instance = test::diamond();
  const Instance same = test::diamond();
  const Instance other = test::cholesky(3);
  std::vector<ScheduleReport> reports = {report_of(instance, "a", 1), report_of(same, "b", 1), report_of(other, "a", 1),
                                         report_of(instance, "a", 1)};
  reports[3].platform = "elsewhere";
  reports[1].bounds = {{"area", 5}, {"mixed", 7}};
  const std::vector<InstanceGroup> groups = group_reports(reports);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].policies.size(), 2U);
  EXPECT_EQ(groups[0].bound, 7);
  EXPECT_EQ(groups[1].bound, 0);
}

TEST(ComparePolicies, LeavesGapsWhereAPolicyIsMissing) {
  const Instance one = test::diamond();
  const Instance two = test::cholesky(3);
  const std::vector<ScheduleReport> reports = {report_of(one, "a", 2), report_of(two, "b", 3), report_of(two, "a", 4)};
  const ComparedPolicies compared = compare_policies(group_reports(reports));
  EXPECT_EQ(compared.names, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(compared.results.size(), 2U);
  EXPECT_EQ(compared.results[0].makespans, (Makespans{2, std::nullopt}));
  EXPECT_EQ(compared.results[1].makespans, (Makespans{4, 3}));
}

TEST(ChooseCharts, GivesThemToTheBestFirst) {
  const Instance instance = test::diamond();
  const Schedule schedule = test::diamond_schedule();  // 5 attempts
  std::vector<ScheduleReport> reports = {report_of(instance, "worse", 2), report_of(instance, "best", 1),
                                         report_of(instance, "best", 1, 2)};
  for (ScheduleReport& report : reports) report.schedule = &schedule;
  const std::vector<InstanceGroup> groups = group_reports(reports);
  EXPECT_EQ(choose_charts(reports, groups, 5), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(choose_charts(reports, groups, 10), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(choose_charts(reports, groups, 15), (std::vector<bool>{true, true, true}));
}

}  // namespace
}  // namespace heddle::report
