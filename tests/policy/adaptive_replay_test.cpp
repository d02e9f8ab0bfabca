#include "heddle/policy/kit/plans/adaptive_replay.hpp"

#include <gtest/gtest.h>

#include <map>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/kit/plans/follow_plan.hpp"
#include "heddle/policy/kit/plans/offline_plans.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/policy/fault_host.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using Rules = policy::AdaptiveReplay::Rules;

template <class Replay>
class Replaying : public Replay {
 public:
  Replaying(Replay replay, std::vector<Attempt> plan) : Replay(std::move(replay)), plan_(std::move(plan)) {}
  void start(const policy::View& view) { Replay::start(view, plan_); }

 private:
  std::vector<Attempt> plan_;
};

template <class Replay>
std::vector<Attempt> replay(const Instance& instance, const std::vector<Attempt>& plan, Replay how) {
  sim::Simulation simulation(instance, Replaying<Replay>(std::move(how), plan));
  while (!simulation.finished()) simulation.step();
  return simulation.attempts();
}

std::vector<Attempt> replay(const Instance& instance, const std::vector<Attempt>& plan, const Rules& rules) {
  return replay(instance, plan, policy::AdaptiveReplay(rules));
}

TEST(AdaptiveReplay, WithoutDeparturesFollowsThePlan) {
  Random random(46);
  for (int round = 0; round < rounds(500); ++round) {
    const Instance instance = random_instance(random, {.wrong_estimates = true});
    const std::vector<Attempt> plan = policy::heft_plan(instance, Rank::min);
    ASSERT_EQ(replay(instance, plan, Rules{}), replay(instance, plan, policy::FollowPlan()));
  }
}

TEST(AdaptiveReplay, DepartsWhenLateAndNotBefore) {
  Random random(47);
  std::size_t departed = 0;
  for (int round = 0; round < rounds(500); ++round) {
    const RandomShape shape{.min_classes = 2, .max_classes = 2, .wrong_estimates = round % 2 == 1};
    const Instance instance = random_instance(random, shape);
    const std::vector<Attempt> plan = policy::heft_plan(instance, Rank::min);
    const Rules rules{.stolen_types = 2, .groups_steal = true, .only_when_late = true};
    const bool alike = replay(instance, plan, rules) == replay(instance, plan, policy::FollowPlan());
    if (round % 2 == 0) {
      ASSERT_TRUE(alike) << "nothing is late where the estimates are the truth";
    }
    if (!alike) ++departed;
  }
  EXPECT_GT(departed, rounds(50U));
}

TEST(AdaptiveReplay, IsLateByThePlansOwnClock) {
  Random random(48);
  for (int round = 0; round < rounds(300); ++round) {
    const RandomShape shape{.min_classes = 2, .max_classes = 2, .wrong_estimates = true};
    const Instance instance = random_instance(random, shape);
    const std::vector<Attempt> plan = policy::heft_plan(instance, Rank::min);
    std::vector<Attempt> later = plan;
    for (Attempt& attempt : later) attempt.start += kSecond, attempt.end += kSecond;
    const Rules rules{.stolen_types = 2, .groups_steal = true, .only_when_late = true};
    ASSERT_EQ(replay(instance, later, rules), replay(instance, plan, rules));
  }
}

/// A plan begins with the transfers that its first attempt waits for.
TEST(StaticPolicy, IsNotLateWhereDataHasToComeFirst) {
  Random random(49);
  int compared = 0;
  for (int round = 0; round < rounds(800); ++round) {
    const RandomShape shape{.min_classes = 2, .max_classes = 2, .data = true};
    const Instance instance = random_instance(random, shape);
    if (instance.platform.links().empty()) continue;
    const Schedule plan = sim::simulate(instance, policy::Spec("dmdas"));
    if (plan.attempts.empty() || std::ranges::min(plan.attempts, {}, &Attempt::start).start == 0) continue;
    const auto follow = [&](const char* spec) {
      sim::Simulation simulation(instance, policy::Spec(spec).make(1, &plan));
      while (!simulation.finished()) simulation.step();
      return simulation.attempts();
    };
    const std::vector<Attempt> followed = follow("static");
    const auto end = [](const std::vector<Attempt>& attempts) {
      return std::ranges::max(attempts, {}, &Attempt::end).end;
    };
    if (end(followed) != plan.makespan() || followed != plan.attempts) continue;
    ++compared;
    ASSERT_EQ(follow("static:correction=gs,when=late"), followed);
  }
  EXPECT_GT(compared, rounds(20));
}

/// Rules drawn at random; hints send a task's type to a class that can run all of it.
Rules random_rules(Random& random, const Instance& instance) {
  Rules rules;
  rules.mapping_only = draw(random, 0, 1) == 1;
  rules.stolen_types = instance.platform.class_count() == 2 ? static_cast<std::uint32_t>(draw(random, 0, 2)) : 0;
  rules.groups_steal = draw(random, 0, 1) == 1;
  rules.only_when_late = draw(random, 0, 3) == 0;
  rules.merged_accelerators = draw(random, 0, 1) == 1;
  for (const TypeId type : instance.graph.types()) {
    for (const ClassId c : instance.platform.classes()) {
      bool runs = true;
      bool any = false;
      for (const TaskId task : instance.graph.tasks()) {
        if (instance.graph.type(task) != type) continue;
        any = true;
        runs = runs && instance.costs.can_run(task, c);
      }
      if (!any || !runs || draw(random, 0, 3) > 0) continue;
      rules.hints.push_back({std::string(instance.graph.type_name(type)), instance.platform.class_name(c)});
    }
  }
  return rules;
}

TEST(AdaptiveReplay, AnyCombinationOfRulesIsValidAndObeysHints) {
  Random random(47);
  for (int round = 0; round < rounds(1500); ++round) {
    const Instance instance = random_instance(random, {.wrong_estimates = true, .data = round % 3 == 0});
    const Rules rules = random_rules(random, instance);
    sim::Simulation simulation(instance,
                               Replaying(policy::AdaptiveReplay(rules), policy::heft_plan(instance, Rank::min)));
    while (!simulation.finished()) simulation.step();
    Schedule schedule;
    schedule.attempts = simulation.attempts();
    schedule.transfers = simulation.transfers();
    ASSERT_TRUE(validate(instance, schedule, Durations::exact).empty());
    if (rules.groups_steal || rules.stolen_types > 0) continue;
    const Table<TaskId, ClassId> hinted = hinted_classes(instance, rules.hints);
    for (const Attempt& attempt : schedule.attempts) {
      if (hinted[attempt.task] == kNone<ClassId>) continue;
      ASSERT_EQ(instance.platform.class_of(attempt.worker), hinted[attempt.task]);
    }
  }
}

TEST(AdaptiveReplay, AnyCombinationOfRulesSurvivesFaults) {
  Random random(49);
  for (int round = 0; round < rounds(500); ++round) {
    const Instance instance = random_instance(random);
    const auto make = [&random](const Instance& left) {
      const policy::AdaptiveReplay rules(random_rules(random, left));
      return policy::Policy(Replaying(rules, policy::heft_plan(left, Rank::min)));
    };
    FaultHost(instance, make, random()).run();
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST(AdaptiveReplay, MappingKeepsTheClasses) {
  Random random(48);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random, {.wrong_estimates = true});
    const std::vector<Attempt> plan = policy::heft_plan(instance, Rank::min);
    Table<TaskId, ClassId> planned(instance.graph.task_count());
    for (const Attempt& attempt : plan) planned[attempt.task] = instance.platform.class_of(attempt.worker);
    for (const Attempt& attempt : replay(instance, plan, Rules{.mapping_only = true})) {
      ASSERT_EQ(instance.platform.class_of(attempt.worker), planned[attempt.task]);
    }
  }
}

/// Tasks of one worker each, with actual durations that can differ from the planned ones.
struct Case {
  struct Row {
    std::string task;  ///< its first letter is its type
    std::vector<Time> durations;
    std::string planned;
    std::vector<std::string> after;
  };

  Case(std::vector<ResourceClass> classes, const std::vector<Row>& rows) {
    TaskGraphBuilder builder;
    std::vector<std::string> names;
    for (const Row& row : rows) {
      const TaskId task = builder.add_task(row.task, builder.add_type(row.task.substr(0, 1)));
      for (const std::string& before : row.after) {
        const auto found = std::ranges::find(names, before);
        builder.add_edge(make_id<TaskId>(static_cast<std::size_t>(found - names.begin())), task);
      }
      names.push_back(row.task);
    }
    TaskGraph graph = builder.build();
    Platform platform(std::move(classes));
    Costs costs(graph, platform.class_count());
    for (const TaskId task : graph.tasks()) {
      for (const ClassId c : platform.classes()) {
        costs.set_actual(Costs::row(graph.type(task)), c, rows[index(task)].durations[index(c)]);
      }
    }
    instance = make_instance("case", std::move(graph), std::move(platform), std::move(costs));
    for (const TaskId task : instance.graph.tasks()) {
      for (const WorkerId worker : instance.platform.workers()) {
        const Time start = static_cast<Time>(index(task));
        if (instance.platform.worker_name(worker) != rows[index(task)].planned) continue;
        plan.push_back({task, worker, start, start + 1, Outcome::completed});
      }
    }
  }

  /// "task:worker@start ..." in the order of starts.
  [[nodiscard]] std::string run(const Rules& rules) const {
    std::vector<Attempt> attempts = replay(instance, plan, rules);
    std::ranges::sort(attempts, {}, [](const Attempt& a) { return std::pair(a.start, a.task); });
    std::string text;
    for (const Attempt& attempt : attempts) {
      text += (text.empty() ? "" : " ") + std::string(instance.graph.name(attempt.task)) + ":" +
              instance.platform.worker_name(attempt.worker) + "@" + std::to_string(attempt.start);
    }
    return text;
  }

  Instance instance;
  std::vector<Attempt> plan;
};

// Factors: G 10, S 5, P 1. P0 holds G0 up, on which gpu0 waits by the plan; S0 and G1 wait for the CPU meanwhile.
TEST(AdaptiveReplay, CorrectionsTakeTheBestAcceleratedTypes) {
  const Case is({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}}, {{"P0", {4, 4}, "cpu0", {}},
                                                                                 {"G0", {20, 2}, "gpu0", {"P0"}},
                                                                                 {"S0", {10, 2}, "cpu0", {}},
                                                                                 {"G1", {20, 2}, "cpu0", {}}});
  EXPECT_EQ(is.run({}), "P0:cpu0@0 G0:gpu0@4 S0:cpu0@4 G1:cpu0@14");
  EXPECT_EQ(is.run({.stolen_types = 1}), "P0:cpu0@0 G1:gpu0@0 G0:gpu0@4 S0:cpu0@4");
  EXPECT_EQ(is.run({.stolen_types = 2}), "P0:cpu0@0 S0:gpu0@0 G1:gpu0@2 G0:gpu0@4");
}

TEST(AdaptiveReplay, CorrectionsTakeOwnTasksOutOfOrderFirst) {
  const Case is({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}}, {{"P0", {4, 4}, "cpu0", {}},
                                                                                 {"G0", {20, 2}, "cpu0", {}},
                                                                                 {"G1", {20, 2}, "gpu0", {"P0"}},
                                                                                 {"G2", {20, 2}, "gpu0", {}}});
  EXPECT_EQ(is.run({.stolen_types = 1}), "P0:cpu0@0 G2:gpu0@0 G0:gpu0@2 G1:gpu0@4");
}

TEST(AdaptiveReplay, GroupsStealFromTheMostSimilar) {
  const std::vector<Time> any{8, 4, 2, 1};
  const Case is({{.name = "cpu", .workers = 2},
                 {.name = "cpu2", .workers = 1},
                 {.name = "cpu5", .workers = 1},
                 {.name = "gpu", .workers = 1}},
                {{"A0", any, "cpu0", {}},
                 {"A1", any, "cpu0", {}},
                 {"A2", any, "cpu20", {}},
                 {"A3", any, "cpu20", {}},
                 {"A4", any, "gpu0", {}},
                 {"A5", any, "gpu0", {}}});
  EXPECT_EQ(is.run({.groups_steal = true}), "A0:cpu0@0 A1:cpu1@0 A2:cpu20@0 A3:cpu50@0 A4:gpu0@0 A5:gpu0@1")
      << "cpu1 steals from its own class, cpu5 from cpu2, nobody from the GPU";
}

TEST(AdaptiveReplay, MergedAcceleratorsShareTheirTasks) {
  const Case is({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 2}},
                {{"A0", {9, 3}, "gpu0", {}}, {"A1", {9, 3}, "gpu0", {}}, {"A2", {9, 3}, "gpu0", {}}});
  EXPECT_EQ(is.run({}), "A0:gpu0@0 A1:gpu0@3 A2:gpu0@6");
  EXPECT_EQ(is.run({.merged_accelerators = true}), "A0:gpu0@0 A1:gpu1@0 A2:gpu0@3");
}

// The datum is in ram and with the second GPU, and takes a picosecond to the first, where the plan has the task.
TEST(AdaptiveReplay, MergedAcceleratorsCountTransfers) {
  TaskGraphBuilder builder;
  const DataId datum = builder.add_datum({.name = "tile", .bytes = 1000});
  const Access access{datum, AccessMode::read};
  const TaskId task = builder.add_task("task", builder.add_type("work"), std::span(&access, 1));
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (const ClassId c : {ClassId{0}, ClassId{1}}) costs.set_actual(0, c, 10);
  std::vector<Link> links;
  for (const char* gpu : {"gpu0", "gpu1"}) {
    links.push_back({.from = "ram", .to = gpu, .bandwidth = 1e15, .latency = 0, .via = {}});
    links.push_back({.from = gpu, .to = "ram", .bandwidth = 1e15, .latency = 0, .via = {}});
  }
  Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 2, .memory = "each"}}, links);
  const Instance instance = make_instance("one read", std::move(graph), std::move(platform), std::move(costs));
  const WorkerId first{1};
  const WorkerId second{2};
  policy::HostView view(instance);
  view.set_copy(datum, view.memory_of(second), policy::HostView::Copy::valid);
  const Attempt planned{task, first, 0, 10, Outcome::completed};
  policy::AdaptiveReplay replay(Rules{.merged_accelerators = true});
  replay.start(view, std::span(&planned, 1));
  replay.ready(view, std::span(&task, 1));
  policy::Action action = replay.next(view);
  while (action.kind == policy::Action::Kind::prefetch) action = replay.next(view);
  EXPECT_EQ(action, policy::run(task, second));
}

TEST(AdaptiveReplay, HintsOverruleThePlan) {
  const Case is({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}},
                {{"A0", {9, 3}, "gpu0", {}}, {"B0", {9, 3}, "gpu0", {}}});
  EXPECT_EQ(is.run({}), "A0:gpu0@0 B0:gpu0@3");
  EXPECT_EQ(is.run({.hints = {{"A", "cpu"}}}), "A0:cpu0@0 B0:gpu0@0");
}

std::vector<TaskId> replayed_tasks(const Instance& instance, const std::vector<Attempt>& plan) {
  std::vector<TaskId> tasks;
  for (const Attempt& attempt : replay(instance, plan, policy::FollowPlan())) tasks.push_back(attempt.task);
  return tasks;
}

TEST(FollowPlan, WorkOfNoTimeRunsInAnOrderOfItsDependencies) {
  Case is({{.name = "cpu", .workers = 1}},
          {{"A0", {2}, "cpu0", {}}, {"B0", {0}, "cpu0", {}}, {"B1", {0}, "cpu0", {"B0"}}});
  const std::vector<TaskId> expected{make_id<TaskId>(1), make_id<TaskId>(2), make_id<TaskId>(0)};
  for (Attempt& attempt : is.plan) attempt.start = attempt.end = 0;
  is.plan[0].end = 2;
  std::ranges::reverse(is.plan);
  EXPECT_EQ(replayed_tasks(is.instance, is.plan), expected);
}

TEST(FollowPlan, NamesTasksThatWouldWaitForEachOther) {
  const std::vector<ResourceClass> two{{.name = "cpu", .workers = 2}};
  const auto refusal = [](Case is) {
    std::ranges::for_each(is.plan, [](Attempt& a) { a.start = -a.start, a.end = a.start + 1; });
    try {
      (void)replay(is.instance, is.plan, policy::FollowPlan());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string expected =
      "the plan puts task 'B0' before task 'A0' on one worker, though the first has to wait for the second";
  EXPECT_EQ(refusal(Case(two, {{"A0", {1}, "cpu0", {}}, {"B0", {1}, "cpu0", {"A0"}}})), expected);
  EXPECT_EQ(refusal(Case(two, {{"A0", {1}, "cpu0", {}}, {"C0", {1}, "cpu1", {"A0"}}, {"B0", {1}, "cpu0", {"C0"}}})),
            expected)
      << "by way of another task";
  EXPECT_EQ(refusal(Case(two, {{"A0", {1}, "cpu0", {}}, {"B0", {1}, "cpu1", {"A0"}}})), "")
      << "too early, but not in the way of what it waits for";
}

TEST(StaticPolicy, ComputesAPlanOnInflatedDurations) {
  // HEFT puts the task on the CPU, 10 against 11; with the CPU 15 % slower on the GPU.
  const Case is({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}}, {{"A0", {10, 11}, "cpu0", {}}});
  const auto worker = [&](const std::string& spec) {
    return is.instance.platform.worker_name(sim::simulate(is.instance, policy::Spec(spec)).attempts[0].worker);
  };
  EXPECT_EQ(worker("static:plan=heft"), "cpu0");
  EXPECT_EQ(worker("static:plan=heft,inflate=15"), "gpu0");
  EXPECT_EQ(worker("static:plan=heft,inflate=15,force=A@cpu"), "cpu0");
}

// Each option departs from the plan as the rule of that name does.
TEST(StaticPolicy, DepartsAsItsOptionsSay) {
  const std::pair<const char*, Rules> kOptions[] = {
      {"replay=mapping", {.mapping_only = true}},
      {"correction=g", {.stolen_types = 1}},
      {"correction=gs", {.stolen_types = 2}},
      {"correction=gs,when=late", {.stolen_types = 2, .only_when_late = true}},
      {"steal=true", {.groups_steal = true}},
      {"merge=true", {.merged_accelerators = true}}};
  Random random(49);
  std::map<std::string, std::size_t> departed;
  for (int round = 0; round < 100; ++round) {
    const RandomShape shape{.min_classes = 2, .max_classes = 2, .wrong_estimates = true};
    const Instance instance = random_instance(random, shape);
    const std::vector<Attempt> plan = policy::heft_plan(instance, Rank::min);
    const std::vector<Attempt> followed = replay(instance, plan, policy::FollowPlan());
    for (const auto& [option, rules] : kOptions) {
      const policy::Spec spec(std::string("static:plan=heft,") + option);
      const std::vector<Attempt> attempts = sim::simulate(instance, spec).attempts;
      ASSERT_EQ(attempts, replay(instance, plan, rules)) << option;
      if (attempts != followed) ++departed[option];
    }
  }
  for (const auto& [option, rules] : kOptions) EXPECT_GT(departed[option], 5U) << option;
}

std::string refusal(const std::string& spec) {
  const Case is({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}}, {{"A0", {10, 11}, "cpu0", {}}});
  try {
    (void)sim::simulate(is.instance, policy::Spec(spec));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StaticPolicy, SaysWhatItCannotDo) {
  EXPECT_NE(refusal("static").find("say which: static:file=SCHEDULE.json"), std::string::npos);
  EXPECT_NE(refusal("static:plan=heft,file=x").find("both file=x and plan=heft"), std::string::npos);
  EXPECT_NE(refusal("static:plan=heft,force=A").find("expected TYPE@CLASS"), std::string::npos);
  EXPECT_NE(refusal("static:plan=heft,force=B@gpu").find("names type 'B', which no task has"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
