#include "heddle/partition/machines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::partition {
namespace {

using test::draw;
using test::Random;

/// Machines as numbers of workers by class.
Candidate parts_of(const std::vector<std::vector<std::uint32_t>>& machines) {
  Candidate parts{"machines", {}};
  for (const auto& machine : machines) {
    Table<ClassId, std::uint32_t>& workers = parts.parts.emplace_back().workers;
    for (const std::uint32_t count : machine) workers.push_back(count);
  }
  return parts;
}

/// Types as (tasks, seconds on each class).
struct Type {
  std::size_t tasks;
  std::vector<double> seconds;
};
Means means_with(const std::vector<Type>& types) {
  Means means;
  for (const Type& type : types) {
    means.tasks.push_back(type.tasks);
    Table<ClassId, Means::OnClass> of;
    for (const double seconds : type.seconds) of.push_back({seconds});
    means.of.push_back(of);
    means.is_accelerator.assign(of.size(), false);
  }
  return means;
}

TEST(Split, IsByComputingPower) {
  // 4 cores; 2 cores and a GPU, which is worth 6 of them: 4 to 8.
  const Estimate found = split(means_with({{1200, {6, 1}}, {600, {12, 2}}}), parts_of({{4, 0}, {2, 1}}));
  ASSERT_EQ(found.tasks.size(), 2U);
  EXPECT_TRUE(std::ranges::equal(found.tasks[0], std::vector<std::size_t>{400, 200}));
  EXPECT_TRUE(std::ranges::equal(found.tasks[1], std::vector<std::size_t>{800, 400}));
  EXPECT_DOUBLE_EQ(found.run, 1200);
}

TEST(Split, GivesEachMachineWhatSuitsIt) {
  // Equal shares would take 50 x 1 + 50 x 10.
  const Estimate found = split(means_with({{100, {1, 10}}, {100, {10, 1}}}), parts_of({{1, 0}, {0, 1}}));
  EXPECT_DOUBLE_EQ(found.run, 100);
  EXPECT_EQ(found.tasks[0][TypeId{0}], 100U);
  EXPECT_EQ(found.tasks[1][TypeId{1}], 100U);
}

TEST(Split, LeavesOutMachinesThatCannot) {
  const Estimate found = split(means_with({{7, {kNever, 1}}, {9, {1, 1}}, {0, {1, 1}}}), parts_of({{1, 0}, {0, 1}}));
  EXPECT_EQ(found.tasks[0][TypeId{0}], 0U);
  EXPECT_DOUBLE_EQ(found.run, 8);
  EXPECT_EQ(split(means_with({{7, {kNever, kNever}}}), parts_of({{1, 0}, {0, 1}})).run, kNever);
}

/// What exact shares take, which are no whole numbers: all machines end together.
double by_power(const Means& means, const Candidate& machines) {
  double seconds = 0;
  for (const TypeId type : means.tasks.ids()) {
    double rates = 0;
    for (const Part& part : machines.parts) rates += 1 / length(means, part, type, Reading::example);
    seconds += static_cast<double>(means.tasks[type]) / rates;
  }
  return seconds;
}

TEST(Split, LosesAtMostATaskOfEachTypeAgainstExactShares) {
  Random random(5);
  for (int round = 0; round < test::rounds(200); ++round) {
    std::vector<Type> types;
    for (std::int64_t i = draw(random, 1, 4); i > 0; --i) {
      types.push_back({static_cast<std::size_t>(draw(random, 0, 300)),
                       {static_cast<double>(draw(random, 1, 50)), static_cast<double>(draw(random, 1, 50))}});
    }
    std::vector<std::vector<std::uint32_t>> machines;
    for (std::int64_t i = draw(random, 1, 5); i > 0; --i) {
      machines.push_back(
          {static_cast<std::uint32_t>(draw(random, 1, 8)), static_cast<std::uint32_t>(draw(random, 0, 3))});
    }
    const Means means = means_with(types);
    const Candidate parts = parts_of(machines);
    const Estimate found = split(means, parts);
    double rounding = 0;
    for (const TypeId type : means.tasks.ids()) {
      std::size_t tasks = 0;
      double longest = 0;
      for (std::size_t i = 0; i < machines.size(); ++i) {
        tasks += found.tasks[i][type];
        longest = std::max(longest, length(means, parts.parts[i], type, Reading::example));
      }
      EXPECT_EQ(tasks, means.tasks[type]);
      rounding += longest;
    }
    EXPECT_LE(found.run, by_power(means, parts) + rounding + 1e-9);
    EXPECT_LE(found.run, estimate(means, parts).run);  // than from the greedy start
  }
}

/// Independent tasks of three types.
Instance independent(Random& random, const std::vector<std::uint32_t>& workers) {
  TaskGraphBuilder builder;
  std::vector<ResourceClass> classes;
  for (const std::uint32_t count : workers) classes.push_back({"c" + std::to_string(classes.size()), count});
  for (int type = 0; type < 3; ++type) builder.add_type("k" + std::to_string(type));
  const std::int64_t tasks = draw(random, 1, 400);
  for (std::int64_t i = 0; i < tasks; ++i)
    builder.add_task("t" + std::to_string(i), make_id<TypeId>(static_cast<std::size_t>(draw(random, 0, 2))));
  TaskGraph graph = builder.build();
  Costs costs(graph, classes.size());
  for (const TypeId type : graph.types()) {
    for (std::size_t c = 0; c < classes.size(); ++c)
      costs.set_actual(Costs::row(type), make_id<ClassId>(c), draw(random, 500, 20'000) * kMicrosecond);
  }
  return make_instance("independent", std::move(graph), Platform(std::move(classes)), std::move(costs));
}

TEST(ChooseOnMachines, GivesEveryTaskToOneContextOfOneMachine) {
  Random random(11);
  for (int round = 0; round < test::rounds(10); ++round) {
    const Instance instance = independent(random, {6, 3});
    const std::vector<Machine> machines = parse_machines("a:c0=2,c1=2; b:c0=3; c:c0=1,c1=1", instance.platform);
    const auto all = [](const Platform& machine) { return all_partitions(machine, 50).candidates; };
    const ClusterChoice found = choose(instance, machines, all, {.policies = {"eager", "ws"}});
    std::vector<int> seen(instance.graph.task_count(), 0);
    for (std::size_t i = 0; i < machines.size(); ++i) {
      const MachineChoice& machine = found.machines[i];
      std::size_t count = 0;
      for (const TypeId type : instance.graph.types()) count += found.split.tasks[i][type];
      EXPECT_EQ(machine.tasks.size(), count);
      for (const TaskId task : machine.tasks) {
        ++seen[index(task)];
        const Context& context = found.contexts.all[found.contexts.of[task]];
        EXPECT_TRUE(context.name.starts_with(machines[i].name + ".")) << context.name;
        for (const WorkerId worker : context.workers)
          EXPECT_TRUE(std::ranges::binary_search(machines[i].workers, worker)) << context.name;
      }
    }
    EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }));
    const Instance divided = with_contexts(instance, found.contexts);
    const Schedule schedule = sim::simulate(divided, policy::Spec("contexts"));
    EXPECT_TRUE(heddle::validate(divided, schedule).empty());
    // All tasks are in the sample here: what each machine was said to take is what the whole takes.
    EXPECT_NEAR(to_seconds(schedule.makespan()), found.makespan(), 1e-9);
  }
}

TEST(ChooseOnMachines, OfOneMachineIsWhatTheMachineChooses) {
  Random random(3);
  const Instance instance = independent(random, {3, 2});
  const auto all = [](const Platform& machine) { return all_partitions(machine, 50).candidates; };
  const ClusterChoice found = choose(instance, parse_machines("a:c0=3,c1=2", instance.platform), all);
  const Choice alone = choose(instance, all(instance.platform));
  EXPECT_EQ(found.makespan(), alone.rows[alone.best].simulated);
  EXPECT_EQ(found.contexts.of, alone.contexts.of);
}

std::string sentence(const auto& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseMachines, RefusesWhatMakesNoSense) {
  const Platform platform({{"cpu", 4}, {"gpu", 2}});
  const auto refusal = [&](const char* text) {
    return sentence([&] { static_cast<void>(parse_machines(text, platform)); });
  };
  EXPECT_EQ(refusal("a:cpu=2,gpu=2; b:cpu=2"), "");
  EXPECT_NE(refusal("a:cpu=2:ws; b:cpu=2").find("has a policy"), std::string::npos);
  EXPECT_NE(refusal("a:cpu=2; a:cpu=2").find("two machines 'a'"), std::string::npos);
  EXPECT_NE(refusal("a:cpu0; b:cpu0").find("both have the worker cpu0"), std::string::npos);
  EXPECT_NE(refusal("a:cpu=5").find("of which 4 are left"), std::string::npos);
  EXPECT_NE(refusal("a:tpu=1").find("tpu"), std::string::npos);
}

TEST(ChooseOnMachines, RefusesTasksThatDependOnEachOther) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("k");
  builder.add_edge(builder.add_task("a", type), builder.add_task("b", type));
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  costs.set_actual(Costs::row(type), ClassId{0}, kMicrosecond);
  const Instance chain = make_instance("chain", std::move(graph), Platform({{"cpu", 2}}), std::move(costs));
  const std::vector<Machine> machines = parse_machines("a:cpu=1; b:cpu=1", chain.platform);
  const auto all = [](const Platform& machine) { return all_partitions(machine, 50).candidates; };
  EXPECT_NE(sentence([&] { static_cast<void>(choose(chain, machines, all)); }).find("depend"), std::string::npos);
}

}  // namespace
}  // namespace heddle::partition
