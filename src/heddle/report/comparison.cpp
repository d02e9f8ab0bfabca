#include "heddle/report/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "heddle/report/format.hpp"

namespace heddle::report {
namespace {

double quotient(Time makespan, Time base) {
  return static_cast<double>(makespan) / static_cast<double>(base);
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// "a", "a and b", "a, b and c", "a, b and 3 others"
std::string listed(std::span<const std::string> names, std::span<const std::size_t> policies) {
  std::vector<std::string> chosen;
  const std::size_t named = policies.size() <= 3 ? policies.size() : 2;
  for (const std::size_t policy : policies.first(named)) chosen.push_back(names[policy]);
  if (named < policies.size()) chosen.push_back(fmt::format("{} others", policies.size() - named));
  const std::string last = chosen.back();
  chosen.pop_back();
  return chosen.empty() ? last : fmt::format("{} and {}", fmt::join(chosen, ", "), last);
}

/// The shortest makespan of each instance; absent where no policy has one.
std::vector<std::optional<Time>> shortest_of(std::span<const InstanceResult> results) {
  std::vector<std::optional<Time>> shortest;
  for (const InstanceResult& result : results) {
    const std::optional<Best> best = find_best(result.makespans);
    shortest.push_back(best ? std::optional(best->makespan) : std::nullopt);
  }
  return shortest;
}

PolicySummary summarize_policy(std::span<const InstanceResult> results, std::span<const std::optional<Time>> shortest,
                               std::size_t policy, bool to_bound) {
  PolicySummary summary;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::optional<Time>& makespan = results[i].makespans[policy];
    if (!makespan) continue;
    const bool wins = makespan == shortest[i];
    const double factor = wins ? 1 : quotient(*makespan, *shortest[i]);
    summary.factors.push_back(factor);
    ratios.push_back(to_bound ? quotient(*makespan, results[i].bound) : factor);
    if (wins) ++summary.wins;
  }
  summary.instances = ratios.size();
  if (ratios.empty()) return summary;
  std::ranges::sort(summary.factors);
  summary.mean_ratio = geometric_mean(ratios);
  summary.worst_ratio = std::ranges::max(ratios);
  return summary;
}

}  // namespace

std::vector<std::size_t> by_makespan(const Makespans& makespans) {
  std::vector<std::size_t> order;
  for (std::size_t policy = 0; policy < makespans.size(); ++policy) {
    if (makespans[policy]) order.push_back(policy);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t policy) { return *makespans[policy]; });
  return order;
}

std::optional<Best> find_best(const Makespans& makespans) {
  const std::vector<std::size_t> order = by_makespan(makespans);
  if (order.empty()) return std::nullopt;
  Best best;
  best.makespan = *makespans[order.front()];
  for (const std::size_t policy : order) {
    if (*makespans[policy] == best.makespan) {
      best.policies.push_back(policy);
      continue;
    }
    best.next = policy;
    best.improvement = 1 - quotient(best.makespan, *makespans[policy]);
    break;
  }
  return best;
}

std::string describe_best(std::span<const std::string> names, const Makespans& makespans) {
  const std::optional<Best> best = find_best(makespans);
  if (!best) return "";
  const std::string time = format_time(best->makespan);
  const std::string winners = listed(names, best->policies);
  const bool alone = best->policies.size() == 1;
  if (alone && !best->next) return fmt::format("{}: {}", winners, time);
  std::string head = fmt::format("{} {} best: {}", winners, alone ? "is" : "are", time);
  if (!best->next) return head;
  return fmt::format("{}, {} better than {}", head, format_percent(best->improvement), names[*best->next]);
}

Summary summarize_policies(std::span<const InstanceResult> results) {
  Summary summary;
  const std::size_t policies = results.empty() ? 0 : results.front().makespans.size();
  summary.to_bound = std::ranges::all_of(results, [](const InstanceResult& result) { return result.bound > 0; });
  const std::vector<std::optional<Time>> shortest = shortest_of(results);
  summary.instances = static_cast<std::size_t>(std::ranges::count_if(shortest, &std::optional<Time>::has_value));
  for (std::size_t policy = 0; policy < policies; ++policy) {
    summary.policies.push_back(summarize_policy(results, shortest, policy, summary.to_bound));
    summary.order.push_back(policy);
  }
  std::ranges::stable_sort(summary.order, {}, [&](std::size_t policy) {
    const PolicySummary& of = summary.policies[policy];
    return std::pair(-static_cast<double>(of.instances), of.mean_ratio.value_or(0));
  });
  return summary;
}

std::string describe_summary(std::span<const std::string> names, const Summary& summary) {
  if (summary.instances == 0) return "";
  const std::size_t first = summary.order.front();
  const PolicySummary& of = summary.policies[first];
  const std::string ratio = summary.to_bound ? "geometric mean ratio" : "geometric mean ratio to the best makespan";
  const std::string mean = format_ratio(*of.mean_ratio);
  const std::string worst = format_ratio(*of.worst_ratio);
  if (summary.policies.size() == 1) {
    return fmt::format("{} has a {} of {} (worst {}) over {}", names[first], ratio, mean, worst,
                       format_count(of.instances, "instance"));
  }
  // A policy that could take fewer may have a lower mean; one that could take none has no mean.
  const bool all_took_as_many = std::ranges::all_of(summary.policies, [&](const PolicySummary& other) {
    return other.instances == of.instances || other.instances == 0;
  });
  const std::string among =
      all_took_as_many ? ""
                       : fmt::format("of the policies that could take {}, ", format_count(of.instances, "instance"));
  return fmt::format("{}{} has the lowest {}, {} (worst {}), and is best on {} of {}", among, names[first], ratio, mean,
                     worst, of.wins, format_count(summary.instances, "instance"));
}

}  // namespace heddle::report
