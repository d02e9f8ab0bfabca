#include "heddle/analysis/chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/io/instance_file.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/analysis/samples.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::analysis {
namespace {

/// The attempts of a chain, and why each follows the next.
std::vector<std::size_t> attempts(const std::vector<ChainLink>& chain) {
  std::vector<std::size_t> found;
  for (const ChainLink& link : chain) found.push_back(link.attempt);
  return found;
}
std::vector<Wait> waits(const std::vector<ChainLink>& chain) {
  std::vector<Wait> found;
  for (const ChainLink& link : chain) found.push_back(link.wait);
  return found;
}

TEST(Chain, GoesBackThroughPredecessorsAndData) {
  const Instance instance = test::four_tasks();
  const auto chain = deciding_chain(instance, test::four_tasks_schedule(instance));
  // s waited for q, which ended with r on its worker; q for p, and then for A.
  EXPECT_EQ(attempts(chain), (std::vector<std::size_t>{4, 2, 0}));
  EXPECT_EQ(waits(chain), (std::vector<Wait>{Wait::predecessor, Wait::data, Wait::nothing}));
  EXPECT_EQ(chain[0].waited, kSecond);
  EXPECT_EQ(chain[0].for_data, 0);
  EXPECT_EQ(chain[1].waited, kSecond);
  EXPECT_EQ(chain[1].for_data, kSecond);
  EXPECT_EQ(chain[2].waited, 0);
}

TEST(WaitedFor, TellsOfEveryAttempt) {
  const Instance instance = test::four_tasks();
  const std::vector<WaitedFor> waited = waited_for(instance, test::four_tasks_schedule(instance));
  ASSERT_EQ(waited.size(), 5U);  // p, r, q, s aborted, s
  EXPECT_EQ(waited[0].wait, Wait::nothing);
  EXPECT_EQ(waited[1].attempt, std::nullopt);  // r could have started at once
  EXPECT_EQ(waited[2].attempt, 0U);
  EXPECT_EQ(waited[2].wait, Wait::data);
  EXPECT_EQ(waited[2].for_data, kSecond);
  EXPECT_EQ(waited[3].attempt, 2U);
  EXPECT_EQ(waited[3].wait, Wait::predecessor);
  EXPECT_EQ(waited[4].attempt, 2U);  // on cpu1 r ended with q, which is a predecessor
}

TEST(Chain, BlamesTheWorkerWhenItWasFreeLast) {
  const Instance instance = test::four_tasks();
  Schedule schedule = test::four_tasks_schedule(instance);
  for (Attempt& attempt : schedule.attempts) {
    if (attempt.task == make_id<TaskId>(2)) attempt.end += kSecond;  // r, so that s waits for its worker
  }
  const auto chain = deciding_chain(instance, schedule);
  EXPECT_EQ(attempts(chain), (std::vector<std::size_t>{4, 1}));
  EXPECT_EQ(waits(chain), (std::vector<Wait>{Wait::worker, Wait::nothing}));
  EXPECT_EQ(chain[1].waited, kSecond);  // from 0 on
}

TEST(Chain, GoesThroughTasksThatCommuteOnADatum) {
  const Instance instance = io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "sum",
    "platform": {"classes": [{"name": "cpu", "workers": 2}]}, "types": [{"name": "ADD", "seconds": {"cpu": 1}}],
    "data": [{"name": "S", "bytes": 8}],
    "tasks": [{"name": "x", "type": "ADD", "access": [["S", "commute"]]},
              {"name": "y", "type": "ADD", "access": [["S", "commute"]]}]})",
                                              "sum");
  const Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
  const auto chain = deciding_chain(instance, schedule);
  ASSERT_EQ(attempts(chain), (std::vector<std::size_t>{1, 0}));
  const bool same_worker = schedule.attempts[0].worker == schedule.attempts[1].worker;
  EXPECT_EQ(chain[0].wait, same_worker ? Wait::worker : Wait::data);
  EXPECT_EQ(schedule.makespan(), 2 * kSecond);
}

TEST(Chain, IsEmptyWhenNothingCompleted) {
  const Instance instance = test::four_tasks();
  Schedule schedule = test::four_tasks_schedule(instance);
  for (Attempt& attempt : schedule.attempts) attempt.outcome = Outcome::failed;
  EXPECT_TRUE(deciding_chain(instance, schedule).empty());
}

TEST(Chain, EndsOnSchedulesThatWaitInACircle) {
  const Instance instance = test::four_tasks();
  Schedule schedule = test::four_tasks_schedule(instance);
  for (Attempt& attempt : schedule.attempts) attempt.start = attempt.end = 0;
  std::ranges::reverse(schedule.attempts);
  EXPECT_LE(deciding_chain(instance, schedule).size(), schedule.attempts.size());
}

/// Its kernels and waits are the makespan. Without links, a policy that never leaves a worker idle while it could run
/// a ready task leaves no gap in it.
TEST(Chain, IsAsLongAsTheMakespan) {
  for (std::uint64_t round = 0; round < test::rounds(1000U); ++round) {
    SCOPED_TRACE(round);
    test::Random random(round);
    test::RandomShape shape;
    shape.data = round % 2 == 1;
    const Instance instance = test::random_instance(random, shape);
    const Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
    const auto chain = deciding_chain(instance, schedule);
    Time sum = 0;
    for (const ChainLink& link : chain) {
      const Attempt& attempt = schedule.attempts[link.attempt];
      sum += link.waited + attempt.end - attempt.start;
      EXPECT_GE(link.waited, link.for_data);
      EXPECT_TRUE(shape.data || link.waited == 0);
    }
    EXPECT_EQ(sum, schedule.makespan());
  }
}

}  // namespace
}  // namespace heddle::analysis
