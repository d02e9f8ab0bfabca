// Advice followed: does a change help as much as what_if promised?

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heddle/files/files.hpp"
#include "heddle/judge/what_if.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::judge {
namespace {

Instance named_instance(const std::string& workload, const std::string& platform) {
  return files::load_instance(workload, {.platform = platform}).instance;
}

Schedule simulated(const Instance& instance, const std::string& policy) {
  Schedule schedule = sim::simulate(instance, policy::Spec(policy));
  EXPECT_EQ(validate(instance, schedule), std::vector<std::string>());
  return schedule;
}

struct Followed {
  std::string what;
  double promised;  ///< parts of the run's makespan
  double found;
};

/// The best policy, and the best of one more worker, as what_if names them for a run, each in a run of its own, on the
/// machine that the change describes.
std::vector<Followed> follow(const std::string& workload, const std::string& policy) {
  const std::string machine = "mirage:cpu=4,gpu=3,links=measured";
  const Instance instance = named_instance(workload, machine);
  const Schedule before = simulated(instance, policy);
  const WhatIf found = what_if(instance, before, diagnose(instance, before, std::nullopt));
  EXPECT_TRUE(found.trusted) << workload << " " << policy << " " << found.model_error;
  const auto makespan = static_cast<double>(before.makespan());
  std::vector<Followed> followed;
  const auto take = [&](const std::string& prefix) {
    const auto starts = [&](const Change& change) { return change.what.starts_with(prefix); };
    const auto best = std::ranges::find_if(found.changes, starts);
    if (best == found.changes.end() || !best->gain || *best->gain < 0.01) return;
    std::string changed = machine;
    if (best->what == "one more gpu") changed = "mirage:cpu=4,gpu=4,links=measured";
    if (best->what == "one more cpu") changed = "mirage:cpu=5,gpu=3,links=measured";
    const Schedule after = simulated(named_instance(workload, changed), best->policy);
    followed.push_back({workload + ", " + policy + ": " + best->what, *best->gain,
                        1 - static_cast<double>(after.makespan()) / makespan});
  };
  take("policy ");
  take("one more ");
  return followed;
}

TEST(Advice, HelpsAsMuchAsItPromises) {
  if constexpr (test::kSanitized) GTEST_SKIP() << "takes a minute, and the other tests run the same code";
  std::size_t advised = 0;
  std::size_t helped = 0;
  std::size_t kept = 0;
  for (const char* workload : {"cholesky:tiles=12", "cholesky:tiles=16", "lu:tiles=10"}) {
    for (const char* policy : {"eager", "ws", "dmda", "dm", "heft"}) {
      for (const auto& [what, promised, found] : follow(workload, policy)) {
        ++advised;
        helped += found > 0 ? 1U : 0U;
        const bool is_kept = std::abs(found - promised) <= 0.03;
        kept += is_kept ? 1U : 0U;
        if (!is_kept) std::printf("%s: promised %.1f %%, found %.1f %%\n", what.c_str(), 100 * promised, 100 * found);
      }
    }
  }
  EXPECT_GE(advised, 20U);
  EXPECT_GE(helped * 10, advised * 9);
  EXPECT_EQ(kept, advised);
}

}  // namespace
}  // namespace heddle::judge
