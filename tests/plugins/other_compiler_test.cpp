// Plug-ins that another compiler has made than the program that opens them.

#include <gtest/gtest.h>

#include <string>

#include "heddle/model/validate.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::test {
namespace {

/// Opens one as a user would, once.
void open(const std::string& name) {
  policy::open_plugin(std::string(HEDDLE_TEST_PLUGINS) + "/" + name + "_by_other_compiler.so");
}

Schedule simulated(const Instance& instance, const std::string& policy) {
  Schedule schedule = sim::simulate(instance, policy::Spec(policy));
  EXPECT_EQ(validate(instance, schedule), std::vector<std::string>()) << policy;
  return schedule;
}

TEST(PluginOfAnotherCompiler, IsAPolicyLikeAnyOther) {
  open("newest_first");
  const Instance instance = workload::generate("lu:tiles=8", platforms::resolve("sirocco:links=measured"));
  const Schedule schedule = simulated(instance, "newest-first");
  EXPECT_EQ(schedule.policy, "newest-first");
  EXPECT_EQ(schedule.attempts.size(), instance.graph.task_count());
}

TEST(PluginOfAnotherCompiler, FindsTheKitInTheProgram) {
  open("from_kit");
  const Instance instance = workload::generate("lu:tiles=8", platforms::resolve("sirocco:links=measured"));
  const auto attempts = [&](const std::string& policy) { return simulated(instance, policy).attempts; };
  EXPECT_EQ(attempts("from-kit"), attempts("dmdas"));
  EXPECT_EQ(attempts("from-kit:offline=true"), attempts("heft"));
  EXPECT_NE(attempts("from-kit"), attempts("heft"));
}

}  // namespace
}  // namespace heddle::test
