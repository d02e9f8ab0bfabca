#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "heddle/model/instance.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/model/time.hpp"
#include "heddle/policy/registry.hpp"

/// Instances on which a policy does badly.
namespace heddle::adversary {

/// How far a search is.
struct Progress {
  double done = 0;   ///< part of the evaluations, from 0 to 1
  double ratio = 1;  ///< the largest so far
};

struct Options {
  std::size_t tasks = 12;              ///< 1..kMaxTasks
  std::uint64_t evaluations = 40'000;  ///< instances to try, all in all
  std::uint64_t seed = 1;
  std::size_t threads = 1;  ///< changes no result
  /// Asked often, by several threads; when it says so, the search ends with the worst instance so far.
  std::function<bool()> stop{};
  /// Told by the calling thread now and then; what it throws ends the search.
  std::function<void(const Progress&)> progress{};
};

inline constexpr std::size_t kMaxTasks = 200;

/// An instance, and what the two make of it.
struct WorstCase {
  Instance instance;
  Time makespan = 0;  ///< of the policy
  Time rival = 0;     ///< of the other policy, or the lower bound
  std::uint64_t evaluations = 0;

  [[nodiscard]] double ratio() const { return to_seconds(makespan) / to_seconds(rival); }
};

/// Searches for a small instance on this machine that maximizes makespan(policy) / makespan(against), or the ratio to
/// the lower bound where `against` is nothing: simulated annealing over task graphs and durations, from random starts
/// (PISA: Coleman and Krishnamachari 2024, arXiv:2403.07120, for related machines; here each task has
/// a duration of its own on each class, in whole milliseconds up to a second, and transfers are free). Eight walks
/// share the evaluations. The result depends on the machine, the policies, tasks, evaluations and seed only.
///
/// Throws InputError when a policy cannot take such instances, or there are too few or too many tasks.
[[nodiscard]] WorstCase find_worst_case(const Platform& platform, const policy::Spec& policy,
                                        const std::optional<policy::Spec>& against, const Options& options = {});

}  // namespace heddle::adversary
