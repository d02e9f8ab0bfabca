#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heddle/report/comparison.hpp"
#include "heddle/report/html_page.hpp"

/// The schedules of a page by instance and policy, each instance's policies sorted by makespan.
namespace heddle::report {

/// The runs of one policy on one instance.
struct PolicyGroup {
  std::string policy;
  std::vector<std::size_t> reports;  ///< numbers, in order
  Time makespan = 0;                 ///< the mean of the runs
};

/// The reports of one instance, by name, platform and classes.
struct InstanceGroup {
  Time bound = 0;                     ///< the best of its reports; 0: none is known
  std::vector<PolicyGroup> policies;  ///< the shortest makespan first
};

/// In order of appearance. Reports of one instance and policy are runs.
[[nodiscard]] std::vector<InstanceGroup> group_reports(std::span<const ScheduleReport> reports);

/// The policies of all instances, each once, and the makespans of each instance in this order.
struct ComparedPolicies {
  std::vector<std::string> names;
  std::vector<InstanceResult> results;
};
[[nodiscard]] ComparedPolicies compare_policies(std::span<const InstanceGroup> groups);

/// Which reports get a Gantt chart: first runs before second runs, better policies before worse, until `budget`
/// attempts and transfers are spent. The first of these that has a schedule always gets one.
[[nodiscard]] std::vector<bool> choose_charts(std::span<const ScheduleReport> reports,
                                              std::span<const InstanceGroup> groups, std::size_t budget);

}  // namespace heddle::report
