#include "heddle/report/pack_run.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/analysis/samples.hpp"

namespace heddle::report {
namespace {

ByteColumn column(std::initializer_list<std::uint64_t> values) {
  ByteColumn column;
  for (const std::uint64_t value : values) column.add(value);
  return column;
}

TEST(PackRun, TellsWhyWorkersOfTheExampleInTheDocsWereIdle) {
  const Instance instance = heddle::test::four_tasks();
  const Schedule schedule = heddle::test::four_tasks_schedule(instance);
  const PackedRun packed = pack_run(instance, schedule, analysis::Losses(instance, schedule), grid_of(schedule));
  EXPECT_EQ(packed.unit, kSecond / 2);
  ASSERT_EQ(packed.links.size(), 1U);
  ASSERT_EQ(packed.states.size(), 2U);
  // For a cpu, r is ready until 1, q from 2 to 3, and s from 4.5 to 5; for the gpu only q is.
  EXPECT_EQ(packed.states[0].base64(),
            column({2U << 2U | 1U, 2U << 2U, 2U << 2U | 1U, 3U << 2U, 1U << 2U | 1U}).base64());
  EXPECT_EQ(packed.states[1].base64(), column({4U << 2U, 2U << 2U | 1U}).base64());
  // The gpu waited for A from 2 to 3.
  EXPECT_EQ(packed.held_up.base64(), column({0, 0, 1, 4, 2, 1}).base64());
  // p; s, aborted, for q; r; s again, for q; q for p and A.
  EXPECT_EQ(packed.waits.base64(), column({0, 8 + 1, ByteColumn::zigzag(3), 0, 4 + 4 + 1, ByteColumn::zigzag(1), 8 + 3,
                                           ByteColumn::zigzag(-4)})
                                       .base64());
}

TEST(PackRun, SaysWhatARecordingDoesNotTell) {
  const Instance instance = heddle::test::four_tasks();
  Schedule schedule = heddle::test::four_tasks_schedule(instance);
  schedule.transfers.clear();
  const PackedRun packed =
      pack_run(instance, schedule, analysis::Losses(instance, schedule, {.has_transfers = false}), grid_of(schedule));
  EXPECT_TRUE(packed.links.empty());
  // r waits on cpu1 from 0 to 1, s from 4.5 to 5, and q on the gpu from 2 to 3; the last number says that nothing is
  // known.
  EXPECT_EQ(packed.held_up.base64(), column({0, 2, 0, 2, 0, 7, 1, 0, 1, 4, 2, 0}).base64());
}

TEST(PackRun, RoundsNoSubmissionThatIsBetweenTheInstantsOfTheSchedule) {
  const Instance instance = heddle::test::four_tasks();
  const Schedule schedule = heddle::test::four_tasks_schedule(instance);
  analysis::Recording recording;
  recording.submitted.assign(4, 0);
  recording.submitted[TaskId{2}] = kSecond / 4;  // r
  const PackedRun packed =
      pack_run(instance, schedule, analysis::Losses(instance, schedule, recording), grid_of(schedule));
  EXPECT_EQ(packed.unit, kSecond / 4);
}

}  // namespace
}  // namespace heddle::report
