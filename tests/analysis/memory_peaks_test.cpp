#include "heddle/analysis/memory_peaks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/analysis/samples.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::analysis {
namespace {

TEST(MemoryPeaks, CountCopiesUntilAnotherValueIsWritten) {
  const Instance instance = test::four_tasks();
  Schedule schedule = test::four_tasks_schedule(instance);
  auto peaks = memory_peaks(instance, schedule);
  EXPECT_EQ(peaks[make_id<MemoryId>(0)].bytes, 1'000'000'000);
  EXPECT_EQ(peaks[make_id<MemoryId>(1)].bytes, 1'000'000'000);
  EXPECT_EQ(peaks[make_id<MemoryId>(1)].at, 2 * kSecond);
  schedule.transfers.clear();
  EXPECT_EQ(memory_peaks(instance, schedule)[make_id<MemoryId>(1)].bytes, 0);
}

/// The present holders of each datum, looked at after each instant at which something happens.
std::vector<std::int64_t> plain_peaks(const Instance& instance, const Schedule& schedule) {
  std::set<Time> instants{0};
  for (const Transfer& t : schedule.transfers) instants.insert({t.start, t.end});
  for (const Attempt& a : schedule.attempts) instants.insert({a.start, a.end});
  const auto homes = home_memories(instance);
  std::vector<std::int64_t> peaks(instance.platform.memories().size(), 0);
  for (const Time now : instants) {
    std::vector<std::int64_t> held(peaks.size(), 0);
    for (const DataId data : instance.graph.data().ids()) {
      // What was the last value, and where does it come from?
      Time written = -1;
      MemoryId source = homes[data];
      for (const Attempt& a : schedule.attempts) {
        if (a.outcome != Outcome::completed || a.end > now || a.end < written) continue;
        for (const Access access : instance.graph.accesses(a.task)) {
          if (access.data != data || access.mode == AccessMode::read) continue;
          written = a.end;
          source = instance.platform.memory_of(a.worker);
        }
      }
      std::set<MemoryId> holders{source};
      for (const Transfer& t : schedule.transfers) {
        if (t.data == data && t.start <= now && t.start >= written) holders.insert(t.to);
      }
      for (const Attempt& a : schedule.attempts) {
        for (const Access access : instance.graph.accesses(a.task)) {
          const bool writes_it = access.data == data && access.mode != AccessMode::read;
          if (writes_it && a.start <= now && a.start >= written) holders.insert(instance.platform.memory_of(a.worker));
        }
      }
      for (const MemoryId memory : holders) held[index(memory)] += instance.graph.datum(data).bytes;
    }
    for (std::size_t m = 0; m < held.size(); ++m) peaks[m] = std::max(peaks[m], held[m]);
  }
  return peaks;
}

TEST(MemoryPeaks, AgreeWithALookAtEveryInstant) {
  for (std::uint64_t round = 0; round < test::rounds(200U); ++round) {
    SCOPED_TRACE(round);
    test::Random random(round);
    test::RandomShape shape;
    shape.data = true;
    shape.limited = false;
    const Instance instance = test::random_instance(random, shape);
    const Schedule schedule = sim::simulate(instance, policy::Spec("dmda"));
    const bool lasts = std::ranges::all_of(schedule.attempts, [](const Attempt& a) { return a.start < a.end; });
    if (!lasts) continue;  // what takes no time is before and after everything at once
    const auto peaks = memory_peaks(instance, schedule);
    const auto plain = plain_peaks(instance, schedule);
    for (const MemoryId memory : peaks.ids()) EXPECT_EQ(peaks[memory].bytes, plain[index(memory)]);
  }
}

}  // namespace
}  // namespace heddle::analysis
