// How data moves, as text: instance in, attempts and transfers out, compared to the letter (transfers/*.txt).

#include <gtest/gtest.h>

#include <filesystem>

#include "heddle/model/validate.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/support/scenario.hpp"

namespace heddle::test {
namespace {

class Transfers : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Transfers, HappenAsWritten) {
  Scenario scenario(GetParam());
  const Instance instance = scenario.instance();
  const Schedule schedule =
      sim::simulate(instance, policy::Spec(scenario.policy), {.noise = {}, .ahead = scenario.ahead});
  EXPECT_EQ(describe(instance, schedule), scenario.expected);
  EXPECT_EQ(validate(instance, schedule), std::vector<std::string>());
}

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_TRANSFERS)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, Transfers, testing::ValuesIn(files()),
                         [](const auto& tested) { return tested.param.stem().string(); });

}  // namespace
}  // namespace heddle::test
