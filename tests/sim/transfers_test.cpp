// How data moves, as text: instance in, attempts and transfers out, compared to the letter (transfers/*.txt).

#include <gtest/gtest.h>

#include <filesystem>

#include "heddle/model/metrics.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/scenario.hpp"

namespace heddle::test {
namespace {

class GoldenTransfers : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenTransfers, HappenAsWritten) {
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

TEST(Transfers, LinksThatCostNothingChangeNothing) {
  // Policies to which it makes no difference where data is, but for the time that it takes to move.
  constexpr const char* kPolicies[] = {"eager", "prio", "random", "ws", "lws", "ect", "dm", "dmda", "dmdar", "dmdas"};
  sim::Config config;
  config.ahead = 0;
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const Instance linked = random_instance(random, {.zero_durations = false, .data = true, .free_data = true});
    const Instance bare = unlinked(linked);
    for (const char* policy : kPolicies) {
      const Schedule with = sim::simulate(linked, policy::Spec(policy), config);
      EXPECT_EQ(with.attempts, sim::simulate(bare, policy::Spec(policy), config).attempts) << policy;
    }
  }
}

/// How many bytes of results are not at home when random graphs have ended.
std::int64_t left_on_devices(bool write_back) {
  Random random(2);
  std::int64_t left = 0;
  for (int round = 0; round < 300; ++round) {
    const Instance instance =
        random_instance(random, {.max_duration = 500, .data = true, .any_home = true, .write_back = write_back});
    const Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
    EXPECT_EQ(validate(instance, schedule), std::vector<std::string>());
    left += write_home_bytes(instance, schedule);
  }
  return left;
}

TEST(Transfers, FinalValuesAreWrittenBackDuringTheRun) {
  // Of every second datum, if there is time.
  EXPECT_LT(left_on_devices(true), left_on_devices(false) * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTransfers, testing::ValuesIn(files()),
                         [](const auto& tested) { return tested.param.stem().string(); });

}  // namespace
}  // namespace heddle::test
