// Several policies as one: with a single context of everything the plain policy to the bit, with several ones schedules
// that are valid and in which each task runs on a worker of its context.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "heddle/host/present.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/composition.hpp"
#include "heddle/sim/lookahead.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/policy/fault_host.hpp"
#include "tests/policy/random_contexts.hpp"
#include "tests/policy/recorder.hpp"
#include "tests/policy/registered.hpp"
#include "tests/policy/witness.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kSeed = 5;

RandomShape shape_of(int round) {
  if (round % 3 == 0) {
    return {.wrong_estimates = round % 2 == 1,
            .data = true,
            .max_data = round % 7 < 3 ? 2 : 12,
            .any_home = round % 5 == 0,
            .write_back = round % 4 == 0};
  }
  RandomShape shape{.wrong_estimates = round % 3 == 1};
  if (round % 5 == 1) shape.max_workers = 12;
  return shape;
}

struct Outcomes {
  Schedule schedule;
  std::string note;
};

Outcomes run(const Instance& instance, policy::Policy policy, const sim::Config& config) {
  sim::Simulation simulation(instance, std::move(policy), config);
  while (!simulation.finished()) simulation.step();
  return {sim::make_schedule(simulation, "", config), simulation.note()};
}

void expect_valid(const Instance& instance, const Schedule& schedule, Durations durations) {
  const std::vector<std::string> violations = validate(instance, schedule, durations);
  EXPECT_TRUE(violations.empty()) << violations.front();
}

class OneContext : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static Instance random_fitting(Random& random, RandomShape shape) {
    const policy::Spec spec(GetParam());
    if (spec.needs().two_classes) shape.min_classes = shape.max_classes = 2;
    return random_instance(random, shape);
  }
  [[nodiscard]] static policy::Policy plain(const Instance& instance, const Schedule& plan) {
    EXPECT_EQ(policy::Spec(GetParam()).objection(instance), "");
    return policy::Spec(GetParam()).make(kSeed, &plan);
  }
  [[nodiscard]] static policy::Policy composed(const Instance& instance, const Schedule& plan) {
    EXPECT_EQ(policy::Spec("contexts").objection(instance), "");
    return policy::Spec("contexts").make(kSeed, &plan);
  }
  [[nodiscard]] static int times(int count) {
    return rounds(GetParam().find(':') == std::string::npos ? count : count / 4);
  }
};

TEST_P(OneContext, IsThePlainPolicy) {
  Random random(1);
  for (int round = 0; round < times(160); ++round) {
    const Instance instance = random_fitting(random, shape_of(round));
    const Instance whole = with_one_context(instance, GetParam());
    const Schedule plan = plan_for(instance);
    const sim::Config config = config_of(round);
    const Outcomes expected = run(instance, plain(instance, plan), config);
    const Outcomes found = run(whole, composed(whole, plan), config);
    EXPECT_EQ(found.schedule.attempts, expected.schedule.attempts) << round;
    EXPECT_EQ(found.schedule.transfers, expected.schedule.transfers) << round;
    EXPECT_EQ(found.note, expected.note) << round;
    if (HasFailure()) return;
  }
}

/// Where answers are refused, attempts aborted, workers leave and come back, and other policies take over.
TEST_P(OneContext, IsThePlainPolicyWhateverTheHostDoes) {
  Random random(2);
  for (int round = 0; round < times(60); ++round) {
    const Instance instance = random_fitting(random, shape_of(round));
    const Instance whole = with_one_context(instance, GetParam());
    const std::uint64_t seed = random();
    const auto make = [](const Instance& left, auto of) {
      const Schedule plan = plan_for(left);
      return of(left, plan);
    };
    FaultHost expected(instance, [&](const Instance& left) { return make(left, plain); }, seed, aborts_of(round));
    FaultHost found(whole, [&](const Instance& left) { return make(left, composed); }, seed, aborts_of(round));
    expected.run();
    found.run();
    EXPECT_EQ(found.schedule().attempts, expected.schedule().attempts) << round;
    EXPECT_EQ(found.schedule().transfers, expected.schedule().transfers) << round;
    if (HasFailure()) return;
  }
}

TEST_P(OneContext, IsThePlainPolicyFromAnyMoment) {
  Random random(3);
  for (int round = 0; round < times(60); ++round) {
    const Instance instance = random_fitting(random, shape_of(round));
    const Instance whole = with_one_context(instance, GetParam());
    const Schedule plan = plan_for(instance);
    const host::Present present = random_present(random, instance);
    const sim::AheadOfOthers expected(instance, [&] { return present; });
    const sim::AheadOfOthers found(whole, [&] { return present; });
    EXPECT_EQ(found.makespan(composed(whole, plan)), expected.makespan(plain(instance, plan))) << round;
    EXPECT_EQ(found.events(), expected.events()) << round;
  }
}

/// The same tasks twice, on twice as many workers, in a context each: without data, nothing else is shared.
Instance doubled(const Instance& instance, const std::string& policy) {
  const TaskGraph& graph = instance.graph;
  std::vector<ResourceClass> classes;
  for (const ClassId c : instance.platform.classes()) classes.push_back(instance.platform.resource_class(c));
  for (ResourceClass& c : classes) c.workers *= 2;
  Platform platform(std::move(classes));
  TaskGraph::Parts parts;
  for (const TypeId type : graph.types()) parts.types.emplace_back(graph.type_name(type));
  parts.predecessor_begin.push_back(0);
  for (const std::size_t first : {std::size_t{0}, graph.task_count()}) {
    for (const TaskId task : graph.tasks()) {
      parts.names.push_back(std::string(graph.name(task)) + (first > 0 ? "again" : ""));
      parts.type.push_back(graph.type(task));
      parts.priority.push_back(graph.priority(task));
      for (const TaskId before : graph.predecessors(task))
        parts.predecessors.push_back(make_id<TaskId>(first + index(before)));
      parts.predecessor_begin.push_back(static_cast<std::uint32_t>(parts.predecessors.size()));
    }
    for (const TaskId task : graph.topological_order()) parts.order.push_back(make_id<TaskId>(first + index(task)));
  }
  TaskGraph twice = TaskGraph::assemble(std::move(parts));
  Costs costs(twice, platform.class_count());
  const auto copy_row = [&](std::uint32_t row, std::uint32_t from) {
    for (const ClassId c : platform.classes()) {
      costs.set_actual(row, c, instance.costs.actual_row(from)[index(c)]);
      if (instance.costs.estimates_differ()) costs.set_estimate(row, c, instance.costs.estimate_row(from)[index(c)]);
    }
  };
  for (const TypeId type : graph.types()) copy_row(Costs::row(type), Costs::row(type));
  Contexts contexts{Table<ContextId, Context>(2), {}};
  for (const TaskId task : twice.tasks()) {
    const TaskId single = make_id<TaskId>(index(task) % graph.task_count());
    const std::uint32_t row = instance.costs.row(single);
    if (row != Costs::row(graph.type(single))) copy_row(costs.own_row(task), row);
    contexts.of.push_back(make_id<ContextId>(index(task) / graph.task_count()));
  }
  for (const ContextId id : contexts.all.ids()) {
    contexts.all[id].name = id == ContextId{0} ? "one" : "two";
    contexts.all[id].policy = policy;
  }
  for (const WorkerId worker : platform.workers()) {
    const ClassId c = platform.class_of(worker);
    const bool second = index(worker) - index(*platform.workers(c).begin()) >= platform.worker_count(c) / 2;
    contexts.all[make_id<ContextId>(second ? 1 : 0)].workers.push_back(worker);
  }
  return with_contexts(make_instance("twice", std::move(twice), std::move(platform), std::move(costs)), contexts);
}

/// What happens in one context, as if it were alone.
std::vector<Attempt> own_attempts(const Instance& instance, const std::vector<Attempt>& attempts, ContextId id) {
  const policy::ContextPart part(instance, id);
  std::vector<Attempt> own;
  for (Attempt attempt : attempts) {
    if (instance.contexts.of[attempt.task] != id) continue;
    attempt.task = part.tasks.here[attempt.task];
    attempt.worker = part.here[attempt.worker];
    own.push_back(attempt);
  }
  return own;
}

TEST_P(OneContext, BesideAnotherDecidesAsAlone) {
  Random random(8);
  for (int round = 0; round < times(60); ++round) {
    RandomShape shape{.wrong_estimates = round % 2 == 1};
    const Instance instance = random_fitting(random, shape);
    const Instance twice = doubled(instance, GetParam());
    const sim::Config config{.seed = kSeed, .aborts = aborts_of(round)};
    const Outcomes alone = run(instance, plain(instance, plan_for(instance)), config);
    const Schedule found = run(twice, composed(twice, plan_for(twice)), config).schedule;
    for (const ContextId id : twice.contexts.all.ids()) {
      EXPECT_EQ(own_attempts(twice, found.attempts, id), alone.schedule.attempts) << round;
    }
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, OneContext, testing::ValuesIn(registered_specs()), test_name);

/// What is drawn for a round.
struct Drawn {
  Drawn(Random& random, int round)
      : instance(with_random_contexts(random, random_instance(random, shape_of(round)))), plan(plan_for(instance)) {}

  [[nodiscard]] policy::Policy policy() const { return policy::Spec("contexts").make(kSeed, &plan); }
  [[nodiscard]] std::string describe() const { return describe_contexts(instance); }

  Instance instance;
  Schedule plan;
};

/// What a policy says of itself, and what it recalls; it decides nothing.
struct Fake {
  bool order = false;
  bool polling = false;
  bool best = false;
  int number = 0;
  int recalled = -1;
  std::string says{};
  int* asked = nullptr;  ///< how often it was

  void recall(const Fake& before) { recalled = before.number; }
  void ready(const policy::View&, std::span<const TaskId>) const {}
  [[nodiscard]] policy::Action next(const policy::View&) const {
    if (asked != nullptr) ++*asked;
    return policy::wait();
  }
  [[nodiscard]] bool keeps_order() const { return order; }
  [[nodiscard]] bool polls() const { return polling; }
  [[nodiscard]] bool follows_best() const { return best; }
  [[nodiscard]] std::string note() const { return recalled < 0 ? says : says + " after " + std::to_string(recalled); }
};

/// One task for each policy, on a worker of its own.
class Fakes {
 public:
  explicit Fakes(std::vector<Fake> fakes) : fakes_(std::move(fakes)) {
    TaskGraphBuilder builder;
    const TypeId type = builder.add_type("T");
    Contexts contexts;
    for (std::size_t i = 0; i < fakes_.size(); ++i) {
      builder.add_task("", type);
      contexts.all.push_back({"c" + std::to_string(i), {make_id<WorkerId>(i)}});
      contexts.of.push_back(make_id<ContextId>(i));
    }
    TaskGraph graph = builder.build();
    Costs costs(graph, 1);
    costs.set_actual(0, ClassId{0}, kSecond);
    Platform platform({{.name = "cpu", .workers = static_cast<std::uint32_t>(fakes_.size())}});
    instance_ =
        with_contexts(make_instance("fakes", std::move(graph), std::move(platform), std::move(costs)), contexts);
  }
  [[nodiscard]] const Instance& instance() const { return instance_; }
  [[nodiscard]] policy::Policy make() const {
    return policy::Composition([this](const Instance&, ContextId id, const policy::ContextPart&) {
      return policy::Composition::Made{fakes_[index(id)]};
    });
  }
  [[nodiscard]] policy::Policy started(const policy::Policy* before = nullptr) const {
    policy::Policy policy = make();
    if (before != nullptr) policy.recall(*before);
    policy.start(policy::HostView(instance_));
    return policy;
  }

 private:
  std::vector<Fake> fakes_;
  Instance instance_;
};

template <class... One>
Fakes fakes(One... each) {
  return Fakes(std::vector<Fake>{std::move(each)...});
}

TEST(Composition, KeepsOrderIfOneDoesAndPollsIfAllDo) {
  EXPECT_FALSE(fakes(Fake{}, Fake{}).started().keeps_order());
  EXPECT_TRUE(fakes(Fake{}, Fake{.order = true}).started().keeps_order());
  EXPECT_FALSE(fakes(Fake{.polling = true}, Fake{}).started().polls());
  EXPECT_TRUE(fakes(Fake{.polling = true}, Fake{.polling = true}).started().polls());
}

TEST(Composition, FollowsTheBestOnlyAlone) {
  EXPECT_TRUE(fakes(Fake{.best = true}).started().follows_best());
  EXPECT_FALSE(fakes(Fake{.best = true}, Fake{.best = true}).started().follows_best());
}

TEST(Composition, TellsWhatItsPoliciesTell) {
  EXPECT_EQ(fakes(Fake{.says = "one"}).started().note(), "one");
  EXPECT_EQ(fakes(Fake{.says = "one"}, Fake{}, Fake{.says = "three"}).started().note(), "c0: one; c2: three");
}

TEST(Composition, AsksOneThatPollsOnlyForItsIdleWorkers) {
  int polling = 0;
  int other = 0;
  const Fakes two = fakes(Fake{.polling = true, .asked = &polling}, Fake{.asked = &other});
  policy::Policy policy = two.started();
  policy::HostView view(two.instance());
  view.begin(WorkerId{0}, TaskId{0}, kSecond);
  EXPECT_EQ(policy.next(view), policy::wait());
  EXPECT_EQ(polling, 0);
  EXPECT_EQ(other, 1);
  view.end(WorkerId{0});
  view.begin(WorkerId{1}, TaskId{1}, kSecond);
  EXPECT_EQ(policy.next(view), policy::wait());
  EXPECT_EQ(polling, 1);
  EXPECT_EQ(other, 2);
}

/// Runs its task, and from then on asks for what no host without aborts does.
struct Preempts {
  bool runs = false;

  void ready(const policy::View&, std::span<const TaskId>) const {}
  [[nodiscard]] policy::Action next(const policy::View&) {
    return std::exchange(runs, true) ? policy::preempt(TaskId{0}) : policy::run(TaskId{0}, WorkerId{0});
  }
};

TEST(Composition, AsksTheOtherContextsWhenAPreemptionIsRefused) {
  const Instance instance = Fakes({{}, {}}).instance();
  const policy::Policy policy =
      policy::Composition([](const Instance&, ContextId id, const policy::ContextPart&) -> policy::Composition::Made {
        if (id == ContextId{0}) return {Preempts()};
        return {policy::Spec("eager").make(1)};
      });
  const Schedule schedule = run(instance, policy, {.aborts = host::Aborts::none}).schedule;
  ASSERT_EQ(schedule.attempts.size(), 2U);
  for (const Attempt& attempt : schedule.attempts) EXPECT_EQ(attempt.start, 0);
}

/// Each policy recalls that of its context, by name.
TEST(Composition, RecallsTheRunBefore) {
  const policy::Policy before = fakes(Fake{.number = 7}, Fake{.number = 8}).started();
  EXPECT_EQ(fakes(Fake{.says = "a"}, Fake{.says = "b"}, Fake{.says = "c"}).started(&before).note(),
            "c0: a after 7; c1: b after 8; c2: c");
}

TEST(SeveralContexts, KeepToTheirWorkers) {
  Random random(4);
  for (int round = 0; round < rounds(2000); ++round) {
    const Drawn drawn(random, round);
    const sim::Config config = config_of(round);
    SCOPED_TRACE(std::to_string(round) + ": " + drawn.describe());
    const Schedule schedule = run(drawn.instance, drawn.policy(), config).schedule;
    expect_valid(drawn.instance, schedule, config.noise.none() ? Durations::exact : Durations::free);
    expect_own_workers(drawn.instance, schedule);
    if (testing::Test::HasFailure()) return;
  }
}

/// Each context plans its long task first, which waits for the short one of the other context.
TEST(SeveralContexts, DoNotWaitForEachOtherForEver) {
  TaskGraphBuilder builder;
  const TypeId longer = builder.add_type("long");
  const TypeId shorter = builder.add_type("short");
  for (const char* name : {"long0", "short0", "long1", "short1"}) {
    builder.add_task(name, std::string_view(name).starts_with("long") ? longer : shorter);
  }
  builder.add_edge(TaskId{3}, TaskId{0});
  builder.add_edge(TaskId{1}, TaskId{2});
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(Costs::row(longer), ClassId{0}, 2 * kSecond);
  costs.set_actual(Costs::row(shorter), ClassId{0}, kSecond);
  Platform platform({{.name = "cpu", .workers = 2}, {.name = "gpu", .workers = 0}});
  const Instance instance = make_instance("crossed", std::move(graph), std::move(platform), std::move(costs));
  for (const char* policy :
       {"heft", "peft", "cpop", "static:plan=heft", "static:plan=heft,correction=gs", "hlp", "auto"}) {
    Contexts contexts{{}, {}};
    contexts.all.push_back({"one", {WorkerId{0}}, policy});
    contexts.all.push_back({"two", {WorkerId{1}}, policy});
    for (const std::size_t context : {0, 0, 1, 1}) contexts.of.push_back(make_id<ContextId>(context));
    const Schedule schedule = sim::simulate(with_contexts(instance, contexts), policy::Spec("contexts"));
    expect_valid(instance, schedule, Durations::exact);
    EXPECT_EQ(schedule.makespan(), 3 * kSecond) << policy;
  }
}

TEST(SeveralContexts, SurviveWhateverTheHostDoes) {
  Random random(5);
  for (int round = 0; round < rounds(1000); ++round) {
    const Drawn drawn(random, round);
    SCOPED_TRACE(std::to_string(round) + ": " + drawn.describe());
    const auto make = [&](const Instance& left) {
      const Schedule plan = plan_for(left);
      return policy::Spec("contexts").make(kSeed, &plan);
    };
    FaultHost host(drawn.instance, make, random(), aborts_of(round));
    host.run();
    expect_own_workers(drawn.instance, host.schedule());
    if (testing::Test::HasFailure()) return;
  }
}

TEST(SeveralContexts, CloneAtAnyMomentFinishesAlike) {
  Random random(6);
  for (int round = 0; round < rounds(300); ++round) {
    const Drawn drawn(random, round);
    SCOPED_TRACE(std::to_string(round) + ": " + drawn.describe());
    const sim::Config config = config_of(round);
    const Schedule whole = run(drawn.instance, drawn.policy(), config).schedule;
    auto original = std::make_unique<sim::Simulation>(drawn.instance, drawn.policy(), config);
    for (std::int64_t steps = draw(random, 0, 20); steps > 0 && !original->finished(); --steps) original->step();
    sim::Simulation clone = *original;
    while (!original->finished()) original->step();
    EXPECT_EQ(original->attempts(), whole.attempts);
    original.reset();
    while (!clone.finished()) clone.step();
    EXPECT_EQ(clone.attempts(), whole.attempts);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(SeveralContexts, SameFactsGiveTheSameAnswers) {
  Random random(7);
  int replayed = 0;
  for (int round = 0; round < rounds(300); ++round) {
    const Drawn drawn(random, round);
    // A snapshot of a view cannot look ahead any more.
    if (policy::Spec("contexts").needs(drawn.instance.contexts.all).lookahead) continue;
    SCOPED_TRACE(drawn.describe());
    expect_same_answers(drawn.instance, drawn.policy(), {.noise = config_of(round).noise, .seed = kSeed});
    ++replayed;
  }
  EXPECT_GT(replayed, rounds(300) / 10);
}

}  // namespace
}  // namespace heddle::test
