// What policies are told in real runs is written down, and told again to others of their kind: same decisions.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "heddle/facts/replay.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/data_flow.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/random_spoliation.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime {
namespace {

using std::chrono::microseconds;

/// The log of what happens in a runtime.
std::string log_of(Config config, const std::function<void(Runtime&)>& program) {
  const test::Scratch scratch;
  config.facts = scratch.path("facts.json");
  config.history = "";
  {
    Runtime runtime(config);
    program(runtime);
    EXPECT_TRUE(!std::filesystem::exists(config.facts)) << "nothing is there before it is whole";
  }
  return io::read_file(config.facts);
}

void expect_same_decisions(const std::string& log, std::size_t tasks,
                           const facts::Maker& make = facts::make_registered) {
  const facts::Replayed replayed = facts::replay(log, "log", {.make = make});
  EXPECT_EQ(replayed.difference, std::nullopt);
  EXPECT_GE(replayed.decisions, tasks);
  EXPECT_GE(replayed.epochs, 1U);
}

class FactsOfPolicies : public testing::TestWithParam<std::string> {};

TEST_P(FactsOfPolicies, GiveTheSameDecisionsAgain) {
  constexpr std::size_t kTasks = 100;
  const DataFlow flow(11, kTasks);
  const auto program = [&](Runtime& runtime) {
    EXPECT_EQ(flow.run(runtime), flow.expected());
    EXPECT_EQ(flow.run_recorded(runtime, 3), flow.expected(3));
  };
  const std::string log = log_of({.workers = "cpu=2,cpu2=1", .policy = GetParam(), .seed = 5}, program);
  expect_same_decisions(log, 4 * kTasks);
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{.delay = microseconds(20)});
  expect_same_decisions(log_of({.workers = "cpu=1,fake=1", .backends = {backend}, .policy = GetParam()}, program),
                        4 * kTasks);
}

INSTANTIATE_TEST_SUITE_P(Facts, FactsOfPolicies, testing::ValuesIn(runtime_policies()), test::test_name);

TEST(Facts, KnowAttemptsThatWereAborted) {
  const DataFlow flow(7, 200, microseconds(20));
  const std::string log = log_of({.workers = "cpu=2,cpu2=1", .decider = policy::Policy(RandomSpoliation(7))},
                                 [&](Runtime& runtime) { EXPECT_EQ(flow.run(runtime), flow.expected()); });
  EXPECT_NE(log.find(R"("call": "aborted")"), std::string::npos);
  expect_same_decisions(log, 200, [](const std::string&, const facts::Origin&, const Instance&) {
    return policy::Policy(RandomSpoliation(7));
  });
}

TEST(Facts, KnowTasksThatFailed) {
  const Kernel fails("fails", on_cpu([](int bad, int& x) {
                       if (bad != 0) throw std::runtime_error("the kernel failed");
                       ++x;
                     }));
  for (const std::string& policy : runtime_policies()) {
    const std::string log = log_of({.workers = "cpu=2", .policy = policy}, [&](Runtime& runtime) {
      std::vector<int> values(10);
      std::vector<Data<int&>> data;
      for (int& value : values) data.push_back(runtime.data(value));
      for (int round = 0; round < 5; ++round) {
        for (std::size_t i = 0; i < data.size(); ++i) runtime.submit(fails, i == 3 && round == 2, rw(data[i]));
      }
      EXPECT_THROW(runtime.wait(), std::runtime_error);
    });
    SCOPED_TRACE(policy);
    expect_same_decisions(log, 48);
  }
}

TEST(Facts, OfARecordedGraphHaveACopyOfThePolicyForEachRun) {
  const DataFlow flow(3, 50);
  const std::string log = log_of({.workers = "cpu=2", .policy = "heteroprio-dep"},
                                 [&](Runtime& runtime) { static_cast<void>(flow.run_recorded(runtime, 20)); });
  EXPECT_NE(log.find(R"("call": "copy", "original": )"), std::string::npos);
  expect_same_decisions(log, 1000);
}

TEST(Facts, CannotBeWrittenEverywhere) {
  EXPECT_THROW(Runtime({.workers = "cpu=1", .facts = "/nowhere/facts.json"}), InputError);
}

}  // namespace
}  // namespace heddle::runtime
