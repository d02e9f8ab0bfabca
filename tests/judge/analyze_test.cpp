#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heddle/files/files.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/model/error.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/analysis/samples.hpp"

namespace heddle::judge {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Instance cholesky(const char* platform) {
  return files::load_instance("cholesky:tiles=8", {.platform = platform}).instance;
}

TEST(Analyze, TellsTheLossesOfTheExampleOfTheDocs) {
  const Instance instance = heddle::test::four_tasks();
  const Schedule schedule = heddle::test::four_tasks_schedule(instance);
  const Analysis found = analyze(instance, schedule, {.attempts = 0});
  const auto lost = [&](const char* cause, std::size_t c) {
    const auto same = [&](const LostTime& loss) { return loss.cause == cause && loss.on == make_id<ClassId>(c); };
    const auto place = std::ranges::find_if(found.losses, same);
    return place == found.losses.end() ? 0.0 : to_seconds(place->time);
  };
  EXPECT_EQ(lost("aborted", 0), 0.5);
  EXPECT_EQ(lost("ready-not-run", 0), 3.0);
  EXPECT_EQ(lost("no-ready-task", 0), 1.5);
  EXPECT_EQ(lost("end", 0), 1.0);
  EXPECT_EQ(lost("data", 1), 1.0);
  EXPECT_EQ(lost("begin", 1), 2.0);
  EXPECT_TRUE(found.what_if.changes.empty());
}

TEST(Analyze, CostsAndChainAddUpToTheMakespan) {
  const Instance instance = cholesky("mirage:links=measured");
  for (const char* name : {"dmdas", "heteroprio-dep", "eager"}) {
    SCOPED_TRACE(name);
    const Schedule schedule = sim::simulate(instance, policy::Spec(name));
    const Analysis found = analyze(instance, schedule, {.attempts = 0});
    EXPECT_EQ(found.makespan, schedule.makespan());
    double cost = 0;
    for (const LostTime& loss : found.losses) cost += loss.cost;
    const Time area = bounds::compute(instance, std::vector{bounds::Kind::area}).best();
    EXPECT_NEAR(cost, static_cast<double>(found.makespan - area), 1e-6 * static_cast<double>(found.makespan));
    Time chain = 0;
    for (const DecidingAttempt& link : found.chain) {
      const Attempt& attempt = schedule.attempts[link.attempt];
      chain += link.waited + attempt.end - attempt.start;
    }
    EXPECT_EQ(chain, found.makespan);
    EXPECT_GT(found.bound.value_or(0), 0);
    EXPECT_LE(found.bound.value_or(0), found.makespan);
  }
}

TEST(Analyze, SaysWhatWouldHelpAndIsRight) {
  const Instance instance = cholesky("mirage");
  const Analysis found = analyze(instance, sim::simulate(instance, policy::Spec("eager")));
  ASSERT_FALSE(found.what_if.changes.empty());
  EXPECT_TRUE(found.what_if.trusted);
  const auto best = std::ranges::find_if(found.what_if.changes,
                                         [](const Change& change) { return change.what.starts_with("policy "); });
  ASSERT_NE(best, found.what_if.changes.end());
  EXPECT_EQ(best->makespan, sim::simulate(instance, policy::Spec(best->policy)).makespan());
  EXPECT_THAT(found.verdict, HasSubstr("Policy " + best->policy + " would gain"));
}

TEST(Analyze, TakesARecording) {
  const std::vector<files::LoadedRun> runs = files::load_runs({HEDDLE_EXAMPLES "/cholesky-n08.tasks.rec.gz"});
  ASSERT_EQ(runs.size(), 1U);
  const Analysis found = analyze(runs[0], {.attempts = 0});
  EXPECT_TRUE(std::ranges::any_of(found.losses, [](const LostTime& loss) { return loss.cause == "data-or-overhead"; }));
}

TEST(Analyze, RefusesAScheduleThatIsNotValid) {
  const Instance instance = heddle::test::four_tasks();
  Schedule schedule = heddle::test::four_tasks_schedule(instance);
  schedule.attempts.pop_back();
  EXPECT_THROW(static_cast<void>(analyze(instance, schedule)), InputError);
}

}  // namespace
}  // namespace heddle::judge
