#include "heddle/experiment/runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "heddle/experiment/measures.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/random.hpp"
#include "tests/experiment/scratch.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::experiment {
namespace {

std::atomic<int> computed = 0;

Values count(const Cell& cell) {
  ++computed;
  if (cell.policy == "fails") throw InputError("cell " + std::to_string(cell.seed) + " fails");
  return {{"square", static_cast<double>(cell.seed * cell.seed)}};
}

std::vector<Cell> counted(std::uint64_t size, const std::string& policy = "") {
  std::vector<Cell> cells;
  for (std::uint64_t seed = 1; seed <= size; ++seed) {
    cells.push_back({.measure = {"count", count}, .workload = "w", .platform = "p", .policy = policy, .seed = seed});
  }
  return cells;
}

/// A small study of what schedules really are, with one cell twice.
std::vector<Cell> simulated() {
  std::vector<Cell> cells;
  for (const char* workload : {"cholesky:tiles=5", "qr:tiles=4"}) {
    cells.push_back(bound_cell(workload, "kumar-2017"));
    for (const char* policy : {"heft", "heteroprio-dep:order=best", "random"}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        cells.push_back(schedule_cell(workload, "kumar-2017", policy, "uniform:0.1,per=execution", seed));
      }
    }
  }
  cells.push_back(cells.front());
  return cells;
}

TEST(Runner, FindsTheSameWithAnyNumberOfThreads) {
  const auto cells = simulated();
  const Results alone = compute(cells, {});
  EXPECT_GT(alone.value(cells[1], "makespan"), alone.value(cells[0], "bound") * 0.9);
  EXPECT_NE(alone.value(cells[1], "makespan"), alone.value(cells[2], "makespan")) << "seeds make a difference";
  for (const std::size_t threads : {2, 3, 8}) EXPECT_EQ(compute(cells, {.threads = threads}), alone) << threads;
}

TEST(Runner, ComputesEachKeyOnce) {
  auto cells = counted(10);
  const auto same = counted(10);
  cells.insert(cells.end(), same.begin(), same.end());
  computed = 0;
  const Results results = compute(cells, {.threads = 2});
  EXPECT_EQ(computed, 10);
  EXPECT_EQ(results.value(cells[6], "square"), 49);
}

struct Stop {};

TEST(Runner, GoesOnWhereItWasStopped) {
  const ScratchFile file;
  const auto cells = simulated();
  const Results undisturbed = compute(cells, {});
  {
    Journal journal(file.path(), "study", "1");
    const auto stop = [](std::size_t done, std::size_t /*known*/) {
      if (done > 0) throw Stop();
    };
    EXPECT_THROW((void)compute(cells, {.threads = 2, .journal = &journal, .progress = stop}), Stop);
  }
  std::size_t known = 0;
  const Journal stopped(file.path(), "study", "1");
  for (const Cell& cell : cells) known += stopped.find(cell.key()) != nullptr ? 1 : 0;
  EXPECT_GT(known, 0U);
  Journal journal(file.path(), "study", "1");
  EXPECT_EQ(compute(cells, {.threads = 2, .journal = &journal}), undisturbed);
}

TEST(Runner, GoesOnWhereItWasKilled) {
  const ScratchFile file;
  const auto cells = simulated();
  const Results undisturbed = [&] {
    Journal journal(file.path(), "study", "1");
    return compute(cells, {.threads = 2, .journal = &journal});
  }();
  const std::string whole = file.text();
  for (const std::size_t parts : {2, 3, 5}) {
    file.write(whole.substr(0, whole.size() / parts));  // in the middle of a line, as a rule
    Journal journal(file.path(), "study", "1");
    EXPECT_EQ(compute(cells, {.threads = 2, .journal = &journal}), undisturbed) << parts;
  }
}

/// A stretch of the text is overwritten, repeated or left out.
std::string damaged(std::string text, Random& random) {
  const std::size_t at = random.below(text.size());
  const std::size_t length = random.below(2) == 0 ? 1 : random.below(std::min<std::size_t>(text.size() - at, 200) + 1);
  const std::uint64_t kind = random.below(3);
  if (kind == 0) return text.erase(at, length);
  if (kind == 1) return text.insert(random.below(text.size()), text.substr(at, length));
  for (std::size_t i = at; i < std::min(at + length, text.size()); ++i) text[i] = static_cast<char>(random.below(256));
  return text;
}

/// What a damaged journal gives is what an undamaged one gives, unless its first line names something else.
TEST(Runner, FindsTheSameWithADamagedJournal) {
  const ScratchFile file;
  const auto cells = counted(30);
  const Results undamaged = [&] {
    Journal journal(file.path(), "study", "1");
    return compute(cells, {.journal = &journal});
  }();
  const std::string whole = file.text();
  std::uint64_t refused = 0;
  const std::uint64_t damages = test::rounds(1000U);
  for (std::uint64_t seed = 1; seed <= damages; ++seed) {
    Random random(seed);
    file.write(damaged(whole, random));
    try {
      Journal journal(file.path(), "study", "1");
      EXPECT_EQ(compute(cells, {.journal = &journal}), undamaged) << seed;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_LT(refused, damages / 10) << "of the text, the first line is a fiftieth";
}

TEST(Runner, ComputesNothingThatTheJournalKnows) {
  const ScratchFile file;
  const auto cells = counted(20);
  const auto first = std::vector<Cell>(cells.begin(), cells.begin() + 12);
  {
    Journal journal(file.path(), "study", "1");
    (void)compute(first, {.threads = 2, .journal = &journal});
  }
  computed = 0;
  Journal journal(file.path(), "study", "1");
  std::size_t least = cells.size();
  const auto watch = [&](std::size_t done, std::size_t known) {
    least = std::min(least, done);
    EXPECT_EQ(known, 12U);
  };
  const Results results = compute(cells, {.threads = 2, .journal = &journal, .progress = watch});
  EXPECT_EQ(computed, 8);
  EXPECT_GE(least, 12U) << "known cells count as done";
  for (const Cell& cell : cells) EXPECT_EQ(results.value(cell, "square"), static_cast<double>(cell.seed * cell.seed));
}

TEST(Runner, TellsWhatWentWrongInACell) {
  auto cells = counted(5);
  const auto failing = counted(1, "fails");
  cells.insert(cells.end(), failing.begin(), failing.end());
  EXPECT_THROW((void)compute(cells, {.threads = 2}), InputError);
  EXPECT_THROW((void)compute({}, {}).value(cells[0], "square"), InternalError);
  EXPECT_THROW((void)compute(counted(1), {}).value(cells[0], "cube"), InternalError);
}

}  // namespace
}  // namespace heddle::experiment
