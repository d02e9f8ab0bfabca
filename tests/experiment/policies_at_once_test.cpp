#include <gtest/gtest.h>

#include <vector>

#include "heddle/model/parallel.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::experiment {
namespace {

constexpr std::size_t kThreads = 4;

TEST(Parallel, EveryPolicyAtOnceOnOneInstanceSchedulesAsAlone) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage:links=measured"));
  const Schedule plan = sim::simulate(instance, policy::Spec("eager"));
  std::vector<policy::Spec> specs;
  for (const policy::Entry& entry : policy::entries()) specs.emplace_back(entry.name);
  std::vector<Schedule> alone;
  for (const policy::Spec& spec : specs) alone.push_back(sim::simulate(instance, spec, {}, &plan));
  std::vector<Schedule> together(specs.size());
  parallel_for(specs.size(), kThreads,
               [&](std::size_t i) { together[i] = sim::simulate(instance, specs[i], {}, &plan); });
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(together[i].attempts, alone[i].attempts) << specs[i].text();
    EXPECT_EQ(together[i].transfers, alone[i].transfers) << specs[i].text();
  }
}

}  // namespace
}  // namespace heddle::experiment
