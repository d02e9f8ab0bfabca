#include "heddle/analysis/least_data.hpp"

#include <gtest/gtest.h>

#include "heddle/model/validate.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/analysis/samples.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::analysis {
namespace {

constexpr ClassId kGpu = make_id<ClassId>(1);

Table<ClassId, TimeSum> least(const Instance& instance, const Schedule& schedule) {
  return least_data_waits(instance, schedule, Losses(instance, schedule, {.has_transfers = false}));
}

TEST(LeastData, IsWhatTheQuickestWayTakes) {
  const Instance instance = test::four_tasks();
  Schedule schedule = test::four_tasks_schedule(instance);
  schedule.transfers.clear();
  EXPECT_EQ(soonest_data(instance, schedule), (std::vector<Time>{0, 0, 3 * kSecond, 0, 0}));
  EXPECT_TRUE(least(instance, schedule)[kGpu] == kSecond);
  // Where q starts later, the rest of its wait may be for anything.
  for (Attempt& attempt : schedule.attempts) {
    if (attempt.task == make_id<TaskId>(1)) attempt.start += kSecond / 2;
  }
  EXPECT_TRUE(least(instance, schedule)[kGpu] == kSecond);
  const Instance unlinked = test::unlinked(instance);
  EXPECT_TRUE(least(unlinked, schedule)[kGpu] == 0);
}

/// In a valid schedule no attempt starts before its data can have been there, and the least is no more than the gaps.
TEST(LeastData, NeverExceedsWhatWasWaited) {
  int tight = 0;
  for (std::uint64_t round = 0; round < test::rounds(600U); ++round) {
    SCOPED_TRACE(round);
    test::Random random(round);
    test::RandomShape shape;
    shape.data = true;
    const Instance instance = test::random_instance(random, shape);
    Schedule schedule = sim::simulate(instance, policy::Spec(round % 2 == 0 ? "dmda" : "ws"));
    ASSERT_EQ(validate(instance, schedule), std::vector<std::string>());
    schedule.transfers.clear();
    const std::vector<Time> soonest = soonest_data(instance, schedule);
    for (std::size_t i = 0; i < soonest.size(); ++i) {
      EXPECT_LE(soonest[i], schedule.attempts[i].start);
      tight += soonest[i] > 0 && soonest[i] == schedule.attempts[i].start ? 1 : 0;
    }
    const Losses losses(instance, schedule, {.has_transfers = false});
    for (const ClassId c : instance.platform.classes()) {
      EXPECT_TRUE(least_data_waits(instance, schedule, losses)[c] <= losses.by_class()[c][Cause::data_or_overhead]);
    }
  }
  EXPECT_GT(tight, test::rounds(50));
}

}  // namespace
}  // namespace heddle::analysis
