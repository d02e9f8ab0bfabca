// What every registered policy passes, for free.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/sim/lookahead.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/policy/fault_host.hpp"
#include "tests/policy/recorder.hpp"
#include "tests/policy/registered.hpp"
#include "tests/policy/witness.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/checksum.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

class Battery : public testing::TestWithParam<std::string> {
 protected:
  /// An instance that the policy can take; policies that need two classes get two.
  [[nodiscard]] Instance random_fitting(Random& random, RandomShape shape = {}) const {
    const policy::Spec spec(GetParam());
    if (spec.needs().two_classes) shape.min_classes = shape.max_classes = 2;
    return random_instance(random, shape);
  }

  /// Other ones for every policy, and the same in every run but those that gtest shuffles: each has a seed of its own.
  [[nodiscard]] static Random numbers(int test) {
    const std::string& policy = GetParam();
    std::vector<int> seed(policy.begin(), policy.end());
    seed.push_back(test);
    seed.push_back(testing::UnitTest::GetInstance()->random_seed());
    std::seed_seq sequence(seed.begin(), seed.end());
    return Random(sequence);
  }

  /// How often something is tried: less often for a variant of a policy than for the policy itself.
  [[nodiscard]] static int times(int count) {
    return rounds(GetParam().find(':') == std::string::npos ? count : count / 5);
  }

  [[nodiscard]] policy::Policy fresh(const Instance& instance) const {
    return make_policy(GetParam(), instance).value();
  }

  void expect_known_decisions(int count) const;
};

std::vector<Attempt> finish(sim::Simulation simulation) {
  while (!simulation.finished()) simulation.step();
  return simulation.attempts();
}

void expect_valid(const Instance& instance, const std::vector<Attempt>& attempts, Durations durations,
                  const std::vector<Transfer>& transfers = {}) {
  Schedule schedule;
  schedule.attempts = attempts;
  schedule.transfers = transfers;
  const std::vector<std::string> violations = validate(instance, schedule, durations);
  EXPECT_TRUE(violations.empty()) << violations.front();
}

constexpr int kRounds = 60;

/// By the number of a round: few data or many, at home in ram or anywhere, estimates right or wrong.
RandomShape data_shape(int round) {
  return {
      .wrong_estimates = round % 3 == 1, .data = true, .max_data = round % 7 < 3 ? 2 : 12, .any_home = round % 5 == 0};
}

/// What the policy says that it needs, and what it does in the simulator, with a host that makes trouble, and ahead of
/// the middle of a run.
void Battery::expect_known_decisions(int count) const {
  Random random(16);
  Checksum checksum;
  const policy::Spec spec(GetParam());
  const policy::Needs needs = spec.needs();
  for (const bool need : {needs.whole_graph, needs.abort, needs.two_classes, needs.lookahead, needs.plan}) {
    checksum.add(need);
  }
  for (int round = 0; round < rounds(count); ++round) {
    RandomShape shape = round % 3 == 0 ? data_shape(round / 3) : RandomShape{.wrong_estimates = round % 2 == 1};
    if (round % 4 == 1) shape.max_workers = 12;
    if (round % 5 == 1) shape.max_tasks = 80;
    const Instance instance = random_fitting(random, shape);
    sim::Config config{.noise = sim::Noise(round % 4 == 2 ? "uniform:0.5" : "none"), .seed = random()};
    config.ahead = static_cast<std::uint32_t>(round % 4);
    sim::Simulation simulation(instance, fresh(instance), config);
    while (!simulation.finished()) simulation.step();
    expect_valid(instance, simulation.attempts(), config.noise.none() ? Durations::exact : Durations::free,
                 simulation.transfers());
    checksum.add(simulation.attempts());
    checksum.add(simulation.transfers());
    checksum.add(simulation.note());
    FaultHost host(instance, [this](const Instance& left) { return fresh(left); }, random());
    host.run();
    checksum.add(host.schedule());
    const host::Present present = random_present(random, instance);
    const sim::AheadOfOthers ahead(instance, [&] { return present; });
    checksum.add(ahead.makespan(fresh(instance)));
    if (HasFailure()) return;
  }
  expect_known(HEDDLE_KNOWN_DECISIONS, GetParam(), checksum);
}

TEST_P(Battery, SchedulesAreValid) {
  Random random = numbers(1);
  for (int round = 0; round < times(1000); ++round) {
    const Instance instance = random_fitting(random, {.wrong_estimates = round % 2 == 1});
    expect_valid(instance, finish(sim::Simulation(instance, fresh(instance))), Durations::exact);
  }
}

TEST_P(Battery, SchedulesUnderNoiseAreValid) {
  Random random = numbers(2);
  for (int round = 0; round < times(kRounds); ++round) {
    const Instance instance = random_fitting(random);
    const sim::Config config{.noise = sim::Noise("lognormal:0.5,per=execution"), .seed = random()};
    expect_valid(instance, finish(sim::Simulation(instance, fresh(instance), config)), Durations::free);
  }
}

TEST_P(Battery, SchedulesThatMoveDataAreValid) {
  Random random = numbers(11);
  for (int round = 0; round < times(5 * kRounds); ++round) {
    const Instance instance = random_fitting(random, data_shape(round));
    sim::Config config{.noise = sim::Noise(round % 3 == 2 ? "uniform:0.5" : "none"), .seed = random()};
    config.ahead = static_cast<std::uint32_t>(round % 4);
    sim::Simulation simulation(instance, fresh(instance), config);
    while (!simulation.finished()) simulation.step();
    expect_valid(instance, simulation.attempts(), config.noise.none() ? Durations::exact : Durations::free,
                 simulation.transfers());
    if (HasFailure()) return;
  }
}

TEST_P(Battery, BoundsAreBelowTheOptimumAndNoScheduleIs) {
  Random random = numbers(9);
  for (int round = 0; round < times(kRounds); ++round) {
    RandomShape shape{.max_tasks = 5, .max_classes = 2, .max_workers = 2};
    const Instance instance = random_fitting(random, shape);
    sim::Simulation simulation(instance, fresh(instance));
    while (!simulation.finished()) simulation.step();
    const Time optimum = optimal_makespan(instance);
    EXPECT_LE(optimum, simulation.now());
    EXPECT_LE(bounds::compute(instance, bounds::kAllKinds).best(), optimum);
    const Instance larger = random_fitting(random, {.max_workers = 2});
    sim::Simulation longer(larger, fresh(larger));
    while (!longer.finished()) longer.step();
    EXPECT_LE(bounds::compute(larger, bounds::kAllKinds).best(), longer.now());
  }
}

TEST_P(Battery, TakesOverWhileTasksRun) {
  Random random = numbers(13);
  for (int round = 0; round < times(3 * kRounds); ++round) {
    const Instance instance = random_fitting(random, round % 2 == 1 ? data_shape(round) : RandomShape{});
    const host::Present present = random_present(random, instance);
    std::vector<Attempt> attempts;
    const sim::AheadOfOthers ahead(instance, [&] { return present; });
    EXPECT_TRUE(ahead.run(fresh(instance), [&](const Attempt& attempt) {
      attempts.push_back(attempt);
      return true;
    }));
    const auto completed = std::ranges::count(attempts, Outcome::completed, &Attempt::outcome);
    EXPECT_EQ(static_cast<std::size_t>(completed), instance.graph.task_count());
  }
}

TEST_P(Battery, WhatIsAheadOfTheStartIsTheRun) {
  Random random = numbers(14);
  for (int round = 0; round < times(kRounds); ++round) {
    const Instance instance = random_fitting(random, {.data = round % 2 == 1});
    host::Present present;
    present.started = false;
    present.status.assign(instance.graph.task_count(), host::Status::waiting);
    present.work.resize(instance.platform.worker_count());
    sim::Simulation simulation(instance, fresh(instance));
    while (!simulation.finished()) simulation.step();
    const sim::AheadOfOthers ahead(instance, [&] { return present; });
    EXPECT_EQ(ahead.makespan(fresh(instance)), simulation.now());
  }
}

TEST_P(Battery, GoesOnFromAnyMoment) {
  Random random = numbers(15);
  int alike = 0;
  for (int round = 0; round < times(5 * kRounds); ++round) {
    const RandomShape shape{.wrong_estimates = round % 3 == 1, .data = round % 4 != 0, .limited = round % 4 == 1};
    const Instance instance = random_fitting(random, shape);
    sim::Config config;
    config.ahead = static_cast<std::uint32_t>(round % 3);
    sim::Simulation whole(instance, fresh(instance), config);
    std::vector<std::size_t> moments;  // after so many steps all that happens at an instant has happened
    for (std::size_t steps = 1; whole.step(); ++steps) {
      const Time now = whole.now();
      sim::Simulation next = whole;
      next.step();
      if (next.now() > now) moments.push_back(steps);
    }
    if (moments.empty()) continue;
    const std::size_t moment = moments[random() % moments.size()];
    const auto seen = std::make_shared<Seen>(instance, fresh(instance));
    sim::Simulation past(instance, Witness(seen), config);
    for (std::size_t step = 0; step < moment; ++step) {
      past.step();
      seen->update(past);
    }
    const host::Present present = seen->present(past, whole.attempts());
    sim::Simulation future(instance, *seen->policy, present, config);
    while (!future.finished()) future.step();
    const Schedule both = joined(past, future);
    if (seen->tells_all(present)) {
      EXPECT_EQ(both.attempts, whole.attempts());
      EXPECT_EQ(both.transfers, whole.transfers());
      if (!both.transfers.empty()) ++alike;
    }
    if (!seen->reduced()) expect_valid(instance, both.attempts, Durations::free, both.transfers);
    expect_valid(unlinked(instance), both.attempts, Durations::exact);
    const sim::AheadOfOthers ahead(instance, [&] { return present; });
    EXPECT_GE(ahead.makespan(*seen->policy), present.now);
    if (HasFailure()) return;
  }
  const bool is_sure = times(10) == 10;  // otherwise it was tried too rarely
  EXPECT_TRUE(!is_sure || alike > 0);
}

/// Other tests say what is right; this one notices whatever makes a policy decide otherwise.
TEST_P(Battery, DecidesAsWhenLastLookedAt) {
  const policy::Spec spec(GetParam());
  const bool is_slow = spec.needs().lookahead;
  const int count = is_slow ? kRounds / 2 : 3 * kRounds;
  expect_known_decisions(GetParam().find(':') == std::string::npos ? count : count / 5);
}

TEST_P(Battery, SameSeedSameSchedule) {
  Random random = numbers(3);
  for (int round = 0; round < times(kRounds); ++round) {
    const Instance instance = random_fitting(random);
    EXPECT_EQ(finish(sim::Simulation(instance, fresh(instance))), finish(sim::Simulation(instance, fresh(instance))));
  }
}

TEST_P(Battery, CloneAtARandomMomentFinishesAlike) {
  Random random = numbers(4);
  for (int round = 0; round < times(kRounds); ++round) {
    const Instance instance = random_fitting(random);
    const std::vector<Attempt> whole = finish(sim::Simulation(instance, fresh(instance)));
    sim::Simulation original(instance, fresh(instance));
    for (std::int64_t steps = draw(random, 0, 20); steps > 0 && !original.finished(); --steps) original.step();
    const sim::Simulation clone = original;
    EXPECT_EQ(finish(std::move(original)), whole);
    EXPECT_EQ(finish(clone), whole);
  }
}

TEST_P(Battery, CloneOutlivesTheOriginal) {
  Random random = numbers(5);
  for (int round = 0; round < times(kRounds); ++round) {
    const Instance instance = random_fitting(random);
    auto original = std::make_unique<sim::Simulation>(instance, fresh(instance));
    original->step();
    sim::Simulation clone = *original;
    original.reset();
    expect_valid(instance, finish(std::move(clone)), Durations::exact);
  }
}

TEST_P(Battery, TwoRunsInterleavedBehaveAsAlone) {
  Random random = numbers(6);
  for (int round = 0; round < times(kRounds); ++round) {
    const Instance one = random_fitting(random);
    const Instance two = random_fitting(random);
    sim::Simulation first(one, fresh(one));
    sim::Simulation second(two, fresh(two));
    while (!first.finished() || !second.finished()) {
      if (!first.finished()) first.step();
      if (!second.finished()) second.step();
    }
    EXPECT_EQ(first.attempts(), finish(sim::Simulation(one, fresh(one))));
    EXPECT_EQ(second.attempts(), finish(sim::Simulation(two, fresh(two))));
  }
}

TEST_P(Battery, SurvivesWhateverItsHostDoes) {
  Random random = numbers(7);
  for (int round = 0; round < times(4 * kRounds); ++round) {
    const Instance instance = random_fitting(random, round % 2 == 1 ? data_shape(round) : RandomShape{});
    const host::Aborts aborts = round % 3 == 1   ? host::Aborts::hold_back
                                : round % 3 == 2 ? host::Aborts::none
                                                 : host::Aborts::allowed;
    FaultHost(instance, [this](const Instance& left) { return fresh(left); }, random(), aborts).run();
    if (HasFailure()) return;
  }
}

TEST_P(Battery, RecordedFactsReplayedGiveTheSameAnswers) {
  const policy::Spec spec(GetParam());
  if (spec.needs().lookahead) GTEST_SKIP() << "a snapshot of a view cannot look ahead any more";
  Random random = numbers(10);
  for (int round = 0; round < times(kRounds); ++round) {
    const Instance instance = random_fitting(random);
    expect_same_answers(instance, fresh(instance));
  }
}

TEST_P(Battery, NeedsAreHonest) {
  const policy::Spec spec(GetParam());
  const policy::Needs needs = spec.needs();
  Random random = numbers(8);
  const Instance three = random_instance(random, {.min_classes = 3, .max_classes = 3});
  EXPECT_EQ(needs.two_classes, !spec.objection(three).empty());
  const Instance two = random_instance(random, {.min_classes = 2, .max_classes = 2});
  EXPECT_EQ(spec.objection(two), "");
  EXPECT_EQ(needs.abort, !spec.objection(two, {.abort = false}).empty());
  EXPECT_EQ(needs.whole_graph, !spec.objection(two, {.whole_graph = false}).empty());
  EXPECT_EQ(spec.objection(two, {.whole_graph = false, .rounds = true}), "");
  EXPECT_EQ(needs.lookahead, !spec.objection(two, {.lookahead = false}).empty());
  for (int round = 0; round < times(kRounds) && !needs.abort; ++round) {
    const Instance instance = random_fitting(random);
    for (const Attempt& attempt : finish(sim::Simulation(instance, fresh(instance)))) {
      EXPECT_EQ(attempt.outcome, Outcome::completed) << "it aborts without saying that it needs to";
    }
  }
}

TEST_P(Battery, EntryIsDescribed) {
  const policy::Entry& entry = policy::Spec(GetParam()).entry();
  EXPECT_FALSE(entry.summary.empty());
  EXPECT_FALSE(entry.publication.empty());
  EXPECT_FALSE(entry.complexity.empty());
  for (const Option& option : entry.options) EXPECT_FALSE(option.meaning.empty()) << option.name;
}

/// Options that take numbers, and some that go together.
class MoreOptions : public Battery {};

TEST_P(MoreOptions, DecideAsWhenLastLookedAt) {
  expect_known_decisions(kRounds / 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, MoreOptions,
    testing::Values("auto:events=100", "auto:events=400,abort=false", "auto:events=1500",
                    "auto-heteroprio:every=1,costs=measured", "auto-heteroprio:heuristic=offset,every=3,la=true",
                    "auto-heteroprio:heuristic=ntc,ntc-alpha=0.7,ntc-beta=2,every=5",
                    "auto-heteroprio:heuristic=interpolation,reading=prose,every=2",
                    "auto-heteroprio:heuristic=purws,reading=software,every=2,costs=measured,unknown=fastest",
                    "dada:alpha=0.1,cp=true", "dada:alpha=1,fit=limit", "dada:alpha=0.3,loads=batch",
                    "heteroprio:correction=pc,constraint=ready", "heteroprio-multi:merge=0", "heteroprio-multi:merge=1",
                    "la-heteroprio:close=0,step=1", "la-heteroprio:close=2,step=3,affinity=auto", "mix-eft:lambda=0.1",
                    "mix-eft:lambda=0.9", "static:plan=heft,inflate=200,correction=gs,steal=true,when=late",
                    "static:plan=heft,replay=mapping,merge=true",
                    "static:plan=heft,correction=g,steal=true,merge=true"),
    test_name);

INSTANTIATE_TEST_SUITE_P(Registered, Battery, testing::ValuesIn(registered_specs()), test_name);

}  // namespace
}  // namespace heddle::test
