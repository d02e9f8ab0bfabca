// A golden scenario for each policy at least, as text: instance in, attempts out, compared to the letter
// (scenarios/*.txt).

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "heddle/sim/simulation.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/scenario.hpp"

namespace heddle::test::scenarios_test {
namespace {

const std::filesystem::path kFolder = HEDDLE_SCENARIOS;

class ScenarioTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ScenarioTest, HappensAsWritten) {
  Scenario scenario(GetParam());
  const Instance instance = scenario.instance();
  const Schedule plan = plan_for(instance);
  const Schedule schedule =
      sim::simulate(instance, policy::Spec(scenario.policy), {.noise = {}, .ahead = scenario.ahead}, &plan);
  ASSERT_FALSE(scenario.expected.empty());
  EXPECT_EQ(describe(instance, schedule), scenario.expected);
}

TEST(Scenarios, ShowTheIdeaOfEveryPolicy) {
  for (const policy::Entry& entry : policy::entries()) {
    EXPECT_TRUE(std::filesystem::exists(kFolder / (std::string(entry.name) + ".txt"))) << entry.name;
  }
}

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioTest, testing::ValuesIn(files()), [](const auto& tested) {
  std::string name = tested.param.stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace heddle::test::scenarios_test
