// A golden scenario per policy, as text: instance in, attempts out, compared to the letter (scenarios/*.txt).

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "heddle/sim/simulation.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/scenario.hpp"

namespace heddle::test {
namespace {

const std::filesystem::path kFolder = HEDDLE_SCENARIOS;

class ScenarioTest : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, HappensAsWritten) {
  const std::filesystem::path file = kFolder / (GetParam() + ".txt");
  ASSERT_TRUE(std::filesystem::exists(file))
      << "policy " << GetParam() << " has no scenario that shows its idea: " << file;
  Scenario scenario(file);
  const Instance instance = scenario.instance();
  const Schedule plan = plan_for(instance);
  const Schedule schedule =
      sim::simulate(instance, policy::Spec(scenario.policy), {.noise = {}, .ahead = scenario.ahead}, &plan);
  ASSERT_FALSE(scenario.expected.empty());
  EXPECT_EQ(describe(instance, schedule), scenario.expected);
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const policy::Entry& entry : policy::entries()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registered, ScenarioTest, testing::ValuesIn(policy_names()), [](const auto& tested) {
  std::string name = tested.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace heddle::test
