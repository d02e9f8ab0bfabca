#include "heddle/report/report_groups.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace heddle::report {
namespace {

/// What tells one instance from another on a page.
using InstanceKey = std::tuple<std::string, std::string, std::vector<std::pair<std::string, std::size_t>>>;

InstanceKey key_of(const ScheduleReport& report) {
  const Platform& platform = report.instance->platform;
  std::vector<std::pair<std::string, std::size_t>> classes;
  for (const ClassId c : platform.classes()) classes.emplace_back(platform.class_name(c), platform.worker_count(c));
  return {report.instance->name, report.platform, std::move(classes)};
}

Time best_bound(const ScheduleReport& report) {
  Time best = 0;
  for (const BoundLine& bound : report.bounds) best = std::max(best, bound.value);
  return best;
}

Time mean_makespan(std::span<const ScheduleReport> reports, std::span<const std::size_t> runs) {
  double sum = 0;
  for (const std::size_t run : runs) sum += static_cast<double>(reports[run].makespan);
  return static_cast<Time>(sum / static_cast<double>(runs.size()));
}

}  // namespace

std::vector<InstanceGroup> group_reports(std::span<const ScheduleReport> reports) {
  std::vector<InstanceGroup> groups;
  std::map<InstanceKey, std::size_t> numbers;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto [found, is_new] = numbers.try_emplace(key_of(reports[i]), groups.size());
    if (is_new) groups.emplace_back();
    InstanceGroup& group = groups[found->second];
    group.bound = std::max(group.bound, best_bound(reports[i]));
    const auto known = std::ranges::find(group.policies, reports[i].policy, &PolicyGroup::policy);
    if (known != group.policies.end()) {
      known->reports.push_back(i);
    } else {
      group.policies.push_back({.policy = reports[i].policy, .reports = {i}});
    }
  }
  for (InstanceGroup& group : groups) {
    for (PolicyGroup& each : group.policies) each.makespan = mean_makespan(reports, each.reports);
    std::ranges::stable_sort(group.policies, {}, &PolicyGroup::makespan);
  }
  return groups;
}

ComparedPolicies compare_policies(std::span<const InstanceGroup> groups) {
  ComparedPolicies compared;
  std::map<std::string, std::size_t> numbers;
  for (const InstanceGroup& group : groups) {
    for (const PolicyGroup& each : group.policies) {
      if (numbers.try_emplace(each.policy, compared.names.size()).second) compared.names.push_back(each.policy);
    }
  }
  for (const InstanceGroup& group : groups) {
    InstanceResult& result = compared.results.emplace_back();
    result.makespans.resize(compared.names.size());
    result.bound = group.bound;
    for (const PolicyGroup& each : group.policies) result.makespans[numbers.at(each.policy)] = each.makespan;
  }
  return compared;
}

std::vector<bool> choose_charts(std::span<const ScheduleReport> reports, std::span<const InstanceGroup> groups,
                                std::size_t budget) {
  std::vector<std::tuple<std::uint32_t, std::size_t, std::size_t>> order;  // run, rank of the policy, report
  for (const InstanceGroup& group : groups) {
    for (std::size_t rank = 0; rank < group.policies.size(); ++rank) {
      for (const std::size_t i : group.policies[rank].reports) order.emplace_back(reports[i].run, rank, i);
    }
  }
  std::ranges::sort(order);
  std::vector<bool> chosen(reports.size(), false);
  std::size_t spent = 0;
  for (const auto& [run, rank, i] : order) {
    const Schedule* schedule = reports[i].schedule;
    if (schedule == nullptr) continue;
    const std::size_t size = schedule->attempts.size() + schedule->transfers.size();
    if (spent > 0 && spent + size > budget) continue;
    chosen[i] = true;
    spent += size;
  }
  return chosen;
}

}  // namespace heddle::report
