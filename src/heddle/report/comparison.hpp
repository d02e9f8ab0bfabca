#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/model/time.hpp"

/// What the makespans of several policies say together: which policy is best and by how much, on one instance and over
/// many. Policies are numbers from 0; each instance lists their makespans in that order.
namespace heddle::report {

/// The makespan of each policy; absent where the policy could not take the instance.
using Makespans = std::vector<std::optional<Time>>;

/// The policies that have a makespan, the shortest first. Equal ones keep their order.
[[nodiscard]] std::vector<std::size_t> by_makespan(const Makespans& makespans);

/// Which policies have the shortest makespan of an instance.
struct Best {
  std::vector<std::size_t> policies;  ///< more than one if they are equal
  Time makespan = 0;
  std::optional<std::size_t> next;  ///< the best of the others; absent without others
  double improvement = 0;           ///< the share of the next policy's makespan that the best one saves: 0.068
};

/// Absent if no policy has a makespan.
[[nodiscard]] std::optional<Best> find_best(const Makespans& makespans);

/// The same in words: "hlp is best: 144.4 ms, 6.8 % better than dmdas". Two equal policies: "heft and dmdas are best:
/// 144.4 ms, ..."; a single policy: "hlp: 144.4 ms"; no policy: empty. `names`: one per policy.
[[nodiscard]] std::string describe_best(std::span<const std::string> names, const Makespans& makespans);

/// The makespans of one of many instances.
struct InstanceResult {
  Makespans makespans;
  Time bound = 0;  ///< the best lower bound; 0: none is known
};

/// How one policy does over many instances.
struct PolicySummary {
  std::size_t instances = 0;          ///< that it could take
  std::optional<double> mean_ratio;   ///< the geometric mean over these; absent if there are none
  std::optional<double> worst_ratio;  ///< likewise
  std::size_t wins = 0;               ///< instances on which no policy has a shorter makespan
  /// The performance profile of Dolan and Moré: for each instance that the policy could take, its makespan over the
  /// shortest one of the instance, ascending. The share of instances that are within a factor x of the best is the
  /// number of entries up to x over the number of all instances.
  std::vector<double> factors;
};

/// How policies do over many instances.
struct Summary {
  std::size_t instances = 0;  ///< on which some policy has a makespan
  /// Whether ratios are makespan over bound. They are if each instance has a bound; otherwise all of them are over the
  /// shortest makespan of the instance.
  bool to_bound = false;
  std::vector<PolicySummary> policies;
  /// All policies, the best first: those that could take more instances, then those of the smaller geometric mean.
  std::vector<std::size_t> order;
};

/// Every instance must list as many policies as the first.
[[nodiscard]] Summary summarize_policies(std::span<const InstanceResult> results);

/// The first policy of the order in words: "hlp has the lowest geometric mean ratio, 1.123 (worst 1.406), and is best
/// on 12 of 20 instances". Empty if no policy has a makespan.
[[nodiscard]] std::string describe_summary(std::span<const std::string> names, const Summary& summary);

}  // namespace heddle::report
