#include "heddle/judge/what_if.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "heddle/io/instance_file.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/judge/changes.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::judge {
namespace {

const Change* find(const WhatIf& found, const std::string& what) {
  const auto change = std::ranges::find(found.changes, what, &Change::what);
  return change == found.changes.end() ? nullptr : &*change;
}

/// t0 -> t1 -> t2, two steps of a second on the gpu and a last one on the cpu, and a datum that each hands to the next.
Instance three_steps() {
  return io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "steps",
    "platform": {
      "classes": [{"name": "cpu", "workers": 1}, {"name": "gpu", "workers": 1, "memory": "each"}],
      "links": [{"from": "ram", "to": "gpu0", "bandwidth": 1e9, "latency": 0},
                {"from": "gpu0", "to": "ram", "bandwidth": 1e9, "latency": 0}]},
    "types": [{"name": "STEP", "seconds": {"cpu": 9, "gpu": 1}}, {"name": "LAST", "seconds": {"cpu": 1}}],
    "data": [{"name": "A", "bytes": 1000000000}],
    "tasks": [{"name": "t0", "type": "STEP", "access": [["A", "rw"]]},
              {"name": "t1", "type": "STEP", "access": [["A", "rw"]]},
              {"name": "t2", "type": "LAST", "access": [["A", "rw"]]}]})",
                           "steps");
}

TEST(WhatIf, TellsWhatEachChangeSaves) {
  const Instance instance = three_steps();
  const Schedule schedule = sim::simulate(instance, policy::Spec("heft"));
  ASSERT_EQ(schedule.makespan(), 5 * kSecond);  // A goes to the gpu, two steps, A comes back, the last one
  const WhatIf found = changes_of(instance, schedule);
  EXPECT_EQ(found.model, "replay");
  EXPECT_EQ(found.simulated, 5 * kSecond);
  EXPECT_EQ(found.model_error, 0);
  EXPECT_TRUE(found.trusted);
  EXPECT_TRUE(found.not_reached.empty());
  const auto gain = [&](const std::string& what) {
    const Change* change = find(found, what);
    EXPECT_NE(change, nullptr) << what;
    return change == nullptr ? -1 : change->gain.value();
  };
  EXPECT_DOUBLE_EQ(gain("links twice as fast"), 0.2);
  EXPECT_DOUBLE_EQ(gain("STEP 50 % faster"), 0.2);
  EXPECT_NEAR(gain("STEP 10 % faster"), 0.04, 1e-12);
  EXPECT_DOUBLE_EQ(gain("LAST 50 % faster"), 0.1);
  EXPECT_DOUBLE_EQ(gain("one more gpu"), 0);
  EXPECT_EQ(find(found, "one more gpu")->policy, "heft");
  EXPECT_EQ(find(found, "policy heft"), nullptr) << "it is the run's own";
  EXPECT_EQ(find(found, "no overhead"), nullptr) << "it is no recording";
  const auto gains = [](const Change& a, const Change& b) { return a.makespan < b.makespan; };
  EXPECT_TRUE(std::ranges::is_sorted(found.changes, gains));
}

/// Two chains of three seconds keep two of five cpus busy, and a task the gpu.
TEST(WhatIf, TellsHowManyWorkersCouldLeave) {
  const Instance instance = io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "two chains",
    "platform": {"classes": [{"name": "cpu", "workers": 5}, {"name": "gpu", "workers": 1}]},
    "types": [{"name": "T", "seconds": {"cpu": 1}}, {"name": "G", "seconds": {"gpu": 3}}],
    "tasks": [{"name": "a0", "type": "T"}, {"name": "b0", "type": "T"}, {"name": "g", "type": "G"},
              {"name": "a1", "type": "T", "after": ["a0"]}, {"name": "b1", "type": "T", "after": ["b0"]},
              {"name": "a2", "type": "T", "after": ["a1"]}, {"name": "b2", "type": "T", "after": ["b1"]}]})",
                                              "two chains");
  const Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
  ASSERT_EQ(schedule.makespan(), 3 * kSecond);
  const WhatIf found = changes_of(instance, schedule);
  ASSERT_EQ(found.leaving.size(), 1U);  // the gpu is needed
  EXPECT_EQ(found.leaving[0].from, make_id<ClassId>(0));
  EXPECT_EQ(found.leaving[0].workers, 3U);
  const Change* change = find(found, "3 fewer cpu");
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(change->makespan, 3 * kSecond);
  EXPECT_EQ(change->policy, "eager");
}

TEST(WhatIf, GainsOfPoliciesAreWhatTheySimulate) {
  for (std::uint64_t round = 0; round < test::rounds(60U); ++round) {
    SCOPED_TRACE(round);
    test::Random random(round);
    test::RandomShape shape;
    shape.data = round % 2 == 1;
    shape.limited = false;
    const Instance instance = test::random_instance(random, shape);
    const Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
    const WhatIf found = changes_of(instance, schedule);
    EXPECT_TRUE(shape.data || found.model_error == 0);
    EXPECT_LE(found.model_error, kMaxModelError) << "else its policy decides again";
    for (const char* name : {"heft", "dmdas"}) {
      const Change* change = find(found, std::string("policy ") + name);
      ASSERT_NE(change, nullptr);
      const Time makespan = sim::simulate(instance, policy::Spec(name)).makespan();
      EXPECT_EQ(change->makespan, makespan);
      if (found.simulated == 0) continue;
      const double gain = 1 - static_cast<double>(makespan) / static_cast<double>(found.simulated);
      EXPECT_DOUBLE_EQ(change->gain.value(), gain);
    }
    EXPECT_TRUE(found.not_reached.empty());
  }
}

TEST(WhatIf, OfARecordingItsOverheadIsPartOfTheTasks) {
  const Instance instance = three_steps();
  Schedule recorded = sim::simulate(instance, policy::Spec("dmdas"));
  recorded.transfers.clear();
  recorded.policy.clear();
  const Instance here = test::unlinked(instance);
  const WhatIf found = changes_of(here, recorded, {.has_transfers = false});
  EXPECT_EQ(found.simulated, 5 * kSecond);
  EXPECT_EQ(found.model_error, 0);
  ASSERT_NE(find(found, "no overhead"), nullptr);
  EXPECT_EQ(find(found, "no overhead")->makespan, 3 * kSecond);
}

TEST(WhatIf, OfARunItsOverheadIsPartOfTheTasks) {
  const Instance instance = three_steps();
  Schedule schedule = sim::simulate(instance, policy::Spec("heft"));
  std::ranges::sort(schedule.attempts, {}, &Attempt::start);
  ASSERT_EQ(schedule.transfers.size(), 2U);
  // A second of data, a kernel, a kernel, a second of data, a kernel, and before each kernel a tenth.
  constexpr Time kPause = kSecond / 10;
  Time now = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    Attempt& attempt = schedule.attempts[i];
    if (i != 1) {
      Transfer& transfer = schedule.transfers[i / 2];
      transfer.start = now;
      now = transfer.end = now + kSecond;
    }
    attempt.start = now + kPause;
    now = attempt.end = attempt.start + kSecond;
  }
  const WhatIf found = changes_of(instance, schedule);
  EXPECT_EQ(found.simulated, 5 * kSecond + 3 * kPause);
  EXPECT_EQ(found.model_error, 0);
  ASSERT_NE(find(found, "no overhead"), nullptr);
  EXPECT_EQ(find(found, "no overhead")->makespan, 5 * kSecond);
  EXPECT_EQ(find(found, "links twice as fast")->makespan, 4 * kSecond + 3 * kPause);

  // Links are as fast as transfers were in the mean: the first takes half a second longer.
  Schedule slow = schedule;
  slow.transfers[0].end += kSecond / 2;
  const auto delay = [](auto& one) { one.start += kSecond / 2, one.end += kSecond / 2; };
  std::ranges::for_each(slow.attempts, delay);
  delay(slow.transfers[1]);
  const WhatIf slower = changes_of(instance, slow);
  EXPECT_NEAR(slower.model_error, 0, 1e-12);
  EXPECT_LE(std::abs(find(slower, "links twice as fast")->makespan - (4 * kSecond + kSecond / 4 + 3 * kPause)), 10);
  const Time longer = find(slower, "policy dmdas")->makespan - find(found, "policy dmdas")->makespan;
  EXPECT_LE(std::abs(longer - kSecond / 2), 10) << "for other policies, too";
}

/// What the class that did not run a task would need for it, the tasks that it ran tell; so long a policy believes that
/// each task of a type takes as it takes in the mean.
TEST(WhatIf, OfARunPoliciesKnowTheMeanOfAType) {
  const Instance instance = io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "means",
    "platform": {"classes": [{"name": "cpu", "workers": 1}, {"name": "gpu", "workers": 1}]},
    "types": [{"name": "T", "seconds": {"cpu": 2, "gpu": 2}}],
    "tasks": [{"name": "a", "type": "T", "seconds": {"cpu": 1, "gpu": 1}},
              {"name": "b", "type": "T", "seconds": {"cpu": 3, "gpu": 1}}]})",
                                              "means");
  Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
  ASSERT_EQ(schedule.attempts.size(), 2U);
  constexpr Time kPause = kSecond / 10;
  for (Attempt& attempt : schedule.attempts) attempt.start += kPause, attempt.end += kPause;
  const WhatIf found = changes_of(instance, schedule);
  Instance told = instance;
  for (const TaskId task : told.graph.tasks()) {
    const std::uint32_t row = told.costs.own_row(task);
    for (const ClassId c : told.platform.classes()) {
      told.costs.set_actual(row, c, instance.costs.actual(task, c) + kPause);
    }
    told.costs.set_estimate(row, make_id<ClassId>(0), 2 * kSecond + kPause);
    told.costs.set_estimate(row, make_id<ClassId>(1), kSecond + kPause);
  }
  for (const char* name : {"heft", "dmdas", "heteroprio", "ect"}) {
    const Change* change = find(found, std::string("policy ") + name);
    ASSERT_NE(change, nullptr) << name;
    EXPECT_EQ(change->makespan, sim::simulate(told, policy::Spec(name)).makespan()) << name;
  }
}

TEST(WhatIf, ClaimsNothingWhereTheModelIsFarFromTheRun) {
  const Instance instance = three_steps();
  Schedule slow = sim::simulate(instance, policy::Spec("dmdas"));
  slow.policy = "some other program's";
  for (Attempt& attempt : slow.attempts) attempt.start *= 2, attempt.end *= 2;
  for (Transfer& transfer : slow.transfers) transfer.start *= 2, transfer.end *= 2;
  const WhatIf found = changes_of(instance, slow);
  EXPECT_DOUBLE_EQ(found.model_error, 0.5);
  EXPECT_FALSE(found.trusted);
  ASSERT_FALSE(found.changes.empty());
  for (const Change& change : found.changes) EXPECT_FALSE(change.gain.has_value()) << change.what;
  EXPECT_EQ(advice(found), "");
}

/// Ten tasks in a chain of a second each: a simulation tells of no others than ends, a run learns of them late.
TEST(WhatIf, AllowsRunsThatReallyHappenedALargerError) {
  std::string tasks = R"({"name": "t0", "type": "T"})";
  for (int i = 1; i < 10; ++i) tasks += fmt::format(R"(, {{"name": "t{}", "type": "T", "after": ["t{}"]}})", i, i - 1);
  const Instance instance = io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "ten",
    "platform": {"classes": [{"name": "cpu", "workers": 1}]}, "types": [{"name": "T", "seconds": {"cpu": 1}}],
    "tasks": [)" + tasks + "]}",
                                              "ten");
  /// A schedule whose tasks take so long, each so long after the one before.
  const auto error_and_trust = [&](Time duration, Time pause) {
    Schedule schedule = sim::simulate(instance, policy::Spec("eager"));
    schedule.policy = "some other program's";
    Time now = 0;
    for (Attempt& attempt : schedule.attempts) {
      attempt.start = now + pause;
      now = attempt.end = attempt.start + duration;
    }
    const WhatIf found = changes_of(instance, schedule);
    return std::pair(found.model_error, found.trusted);
  };
  const auto [error_of_simulated, trusts_simulated] = error_and_trust(kSecond + kSecond / 20, 0);
  EXPECT_NEAR(error_of_simulated, 0.0476, 1e-4);
  EXPECT_FALSE(trusts_simulated);
  EXPECT_EQ(error_and_trust(kSecond, kSecond / 8).first, 0) << "overhead, which is part of the model";
  const auto [error_of_real, trusts_real] = error_and_trust(kSecond + kSecond / 20, kSecond / 20);
  EXPECT_NEAR(error_of_real, 0.05 / 1.1, 1e-4);
  EXPECT_TRUE(trusts_real);
  EXPECT_FALSE(error_and_trust(kSecond + kSecond / 8, kSecond / 20).second) << "more than a tenth";
}

TEST(WhatIf, NamesWhatTheBudgetDidNotReach) {
  const Instance instance = three_steps();
  const Schedule schedule = sim::simulate(instance, policy::Spec("dmdas"));
  const WhatIf all = changes_of(instance, schedule);
  const WhatIf none = changes_of(instance, schedule, {}, {.attempts = 0});
  EXPECT_TRUE(none.changes.empty());
  EXPECT_EQ(none.not_reached, std::vector<std::string>{"the run's own decisions"});
  // The run, and three changes of three attempts each.
  const WhatIf few = changes_of(instance, schedule, {}, {.attempts = 12});
  EXPECT_EQ(few.changes.size(), 3U);
  // Whether workers could leave is not known before.
  const auto is_about_fewer = [](const std::string& what) { return what.find("fewer ") != std::string::npos; };
  const auto about_fewer = [&](const Change& change) { return is_about_fewer(change.what); };
  EXPECT_EQ(few.changes.size() + few.not_reached.size() - std::ranges::count_if(few.not_reached, is_about_fewer),
            all.changes.size() - std::ranges::count_if(all.changes, about_fewer));
  for (const Change& change : few.changes) EXPECT_EQ(change.makespan, find(all, change.what)->makespan);
  const WhatIf stopped = changes_of(instance, schedule, {}, {.stop = [] { return true; }});
  EXPECT_TRUE(stopped.changes.empty());
}

TEST(WhatIf, AdvisesThePolicyThatGainsMost) {
  WhatIf found;
  found.trusted = true;
  found.changes = {
      {"one more gpu", "heft", 50, 0.5}, {"policy heft", "heft", 91, 0.09}, {"policy ect", "ect", 99, 0.01}};
  EXPECT_EQ(advice(found), "Policy heft would gain 9 %.");
  found.model_error = 0.09;
  EXPECT_EQ(advice(found), "No other policy would gain more than the model's error.");
  found.changes[1].gain = 0.009;
  EXPECT_EQ(advice(found), "No other policy would gain 1 %.");
  found.trusted = false;
  EXPECT_EQ(advice(found), "");
}

}  // namespace
}  // namespace heddle::judge
