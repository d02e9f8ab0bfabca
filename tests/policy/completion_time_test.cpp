// ect, dm, dmda, dmdar, dmdas and slack: the schedules of a plain second version, with and without links.

#include <gtest/gtest.h>

#include "heddle/sim/simulation.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/reference_completion_time.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

struct Member {
  const char* spec;
  CompletionTimeRules rules;
};
constexpr CompletionTimeRules slack(bool places, bool passes) {
  return {.counts_transfers = true,
          .batch = Rank::min,
          .sorted_queues = true,
          .nearest_first = true,
          .hides_transfers = false,
          .link_price = 250,
          .places_with_slack = places,
          .passes_with_slack = passes};
}
constexpr Member kMembers[] = {
    {"ect", {.batch = Rank::min}},
    {"ect:rank=avg", {.batch = Rank::avg}},
    {"dm", {}},
    {"dmda", {.counts_transfers = true}},
    {"dmda:overlap=false", {.counts_transfers = true, .hides_transfers = false}},
    {"dmda:beta=0", {.counts_transfers = true, .link_price = 0}},
    {"dmda:overlap=false,beta=0.5", {.counts_transfers = true, .hides_transfers = false, .link_price = 500}},
    {"dmdar:beta=2.5", {.counts_transfers = true, .nearest_first = true, .link_price = 2500}},
    {"dmdas:overlap=false",
     {.counts_transfers = true,
      .batch = Rank::min,
      .sorted_queues = true,
      .nearest_first = true,
      .hides_transfers = false}},
    {"dmdar", {.counts_transfers = true, .nearest_first = true}},
    {"dmdas", {.counts_transfers = true, .batch = Rank::min, .sorted_queues = true, .nearest_first = true}},
    {"slack", slack(true, true)},
    {"slack:use=placement", slack(true, false)},
    {"slack:use=order", slack(false, true)},
};

void expect_one_schedule(const Instance& instance, const sim::Config& config) {
  for (const Member& member : kMembers) {
    sim::Simulation plain(instance, reference_completion_time(member.rules), config);
    while (plain.step()) {
    }
    const Schedule schedule = sim::simulate(instance, policy::Spec(member.spec), config);
    ASSERT_EQ(schedule.attempts, plain.attempts()) << member.spec;
    ASSERT_EQ(schedule.transfers, plain.transfers()) << member.spec;
  }
}

TEST(CompletionTime, GivesTheSchedulesOfThePlainReference) {
  Random random(71);
  for (int round = 0; round < rounds(2000) && !testing::Test::HasFailure(); ++round) {
    RandomShape shape{.wrong_estimates = round % 4 == 1};
    shape.max_tasks = round % 10 == 0 ? 150 : 30;
    shape.max_duration = round % 2 == 0 ? 6 : 1000;
    SCOPED_TRACE(round);
    expect_one_schedule(random_instance(random, shape), {});
  }
}

// Durations and transfers of the same order, so that both decide.
TEST(CompletionTime, GivesTheSchedulesOfThePlainReferenceWhereDataMoves) {
  Random random(72);
  for (int round = 0; round < rounds(2000) && !testing::Test::HasFailure(); ++round) {
    RandomShape shape{.max_tasks = 40, .wrong_estimates = round % 4 == 1, .data = true};
    shape.max_duration = round % 2 == 0 ? 20 : 200;
    shape.any_home = round % 5 == 0;
    SCOPED_TRACE(round);
    sim::Config config;
    config.ahead = static_cast<std::uint32_t>(round % 3);
    expect_one_schedule(random_instance(random, shape), config);
  }
}

}  // namespace
}  // namespace heddle::test
