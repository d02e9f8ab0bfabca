#include "heddle/analysis/transfer_ends.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/analysis/samples.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::analysis {
namespace {

TEST(TransferEnds, AreTheWriterAndTheReader) {
  const Instance instance = test::four_tasks();
  Schedule schedule = test::four_tasks_schedule(instance);
  const auto ends = transfer_ends(instance, schedule);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].writer, 0U);  // p
  EXPECT_EQ(ends[0].reader, 2U);  // q
  // A copy that comes after q has started is for nothing, and one before p has ended carries another value.
  schedule.transfers[0].end += kSecond / 2;
  EXPECT_EQ(transfer_ends(instance, schedule)[0].reader, std::nullopt);
  schedule.transfers[0] = {make_id<DataId>(0), make_id<MemoryId>(0), make_id<MemoryId>(1), 0, kSecond, 1};
  EXPECT_EQ(transfer_ends(instance, schedule)[0].writer, std::nullopt);
  EXPECT_EQ(transfer_ends(instance, schedule)[0].reader, std::nullopt);
}

/// All attempts are asked, one by one.
TransferEnds plain_ends(const Instance& instance, const Schedule& schedule, const Transfer& transfer) {
  const auto accesses = [&](const Attempt& attempt, bool (*does)(AccessMode)) {
    return std::ranges::any_of(instance.graph.accesses(attempt.task),
                               [&](Access access) { return access.data == transfer.data && does(access.mode); });
  };
  const auto& attempts = schedule.attempts;
  const auto last_writer = [&](Time until) {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      if (attempts[i].outcome != Outcome::completed || attempts[i].end > until || !accesses(attempts[i], writes))
        continue;
      if (!last || attempts[*last].end <= attempts[i].end) last = i;
    }
    return last;
  };
  TransferEnds ends{last_writer(transfer.start), std::nullopt};
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const bool is_there = instance.platform.memory_of(attempts[i].worker) == transfer.to;
    if (!is_there || attempts[i].start < transfer.end || !accesses(attempts[i], reads)) continue;
    if (!ends.reader || attempts[i].start < attempts[*ends.reader].start) ends.reader = i;
  }
  if (ends.reader && last_writer(attempts[*ends.reader].start) != ends.writer) ends.reader.reset();
  return ends;
}

TEST(TransferEnds, AgreeWithAPlainSearch) {
  std::size_t readers = 0;
  for (std::uint64_t round = 0; round < test::rounds(300U); ++round) {
    SCOPED_TRACE(round);
    test::Random random(round);
    test::RandomShape shape;
    shape.data = true;
    const Instance instance = test::random_instance(random, shape);
    const Schedule schedule = sim::simulate(instance, policy::Spec("dmda"));
    const auto ends = transfer_ends(instance, schedule);
    ASSERT_EQ(ends.size(), schedule.transfers.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const TransferEnds plain = plain_ends(instance, schedule, schedule.transfers[i]);
      EXPECT_EQ(ends[i].writer, plain.writer);
      EXPECT_EQ(ends[i].reader, plain.reader);
      readers += ends[i].reader ? 1 : 0;
    }
  }
  EXPECT_GT(readers, test::rounds(100U));
}

}  // namespace
}  // namespace heddle::analysis
