#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/search/search.hpp"
#include "tests/bounds/samples.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::search {
namespace {

/// One task after the other, each on the slowest worker there is: far from the optimum.
Schedule one_by_one(const Instance& instance) {
  Schedule schedule;
  Time now = 0;
  for (const TaskId task : instance.graph.topological_order()) {
    Time slowest = -1;
    WorkerId worker{};
    for (const WorkerId w : instance.platform.workers()) {
      const ClassId c = instance.platform.class_of(w);
      if (!instance.costs.can_run(task, c) || instance.costs.actual(task, c) <= slowest) continue;
      slowest = instance.costs.actual(task, c);
      worker = w;
    }
    schedule.attempts.push_back({task, worker, now, now + slowest, Outcome::completed});
    now += slowest;
  }
  return schedule;
}

void expect_consistent(const Instance& instance, const Proof& proof) {
  EXPECT_EQ(validate(instance, proof.schedule), std::vector<std::string>{});
  EXPECT_LE(proof.lower_bound, proof.schedule.makespan());
}

Platform without_links(const Platform& platform) {
  std::vector<ResourceClass> classes;
  for (const ClassId c : platform.classes()) classes.push_back(platform.resource_class(c));
  return Platform(classes);
}

/// Every edge turned round: a schedule read from its end is one of this.
Instance backwards(const Instance& instance) {
  const TaskGraph& graph = instance.graph;
  const auto order = graph.topological_order();
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("task");
  Table<TaskId, TaskId> mirror(graph.task_count());
  for (std::size_t i = order.size(); i-- > 0;) mirror[order[i]] = builder.add_task(graph.name(order[i]), type);
  for (const TaskId task : graph.tasks()) {
    for (const TaskId successor : graph.successors(task)) builder.add_edge(mirror[successor], mirror[task]);
  }
  TaskGraph mirrored = builder.build();
  Costs costs(mirrored, instance.costs.class_count());
  for (const TaskId task : graph.tasks()) {
    const std::uint32_t row = costs.own_row(mirror[task]);
    for (const ClassId c : instance.platform.classes()) costs.set_actual(row, c, instance.costs.actual(task, c));
  }
  return make_instance("backwards", std::move(mirrored), instance.platform, std::move(costs));
}

test::RandomShape tiny(std::uint64_t round) {
  test::RandomShape shape;
  shape.max_tasks = 7;
  shape.max_classes = 2 + round % 2;
  if (shape.max_classes == 3) shape.max_tasks = 6;
  shape.max_workers = static_cast<std::uint32_t>(1 + round % 3);
  shape.max_duration = round % 5 == 0 ? 3 : 20;
  shape.zero_durations = round % 4 != 0;
  shape.shared_types = round % 7 < 4;
  return shape;
}

TEST(Prove, FindsTheOptimumOfTinyInstances) {
  test::Random random(1);
  for (std::uint64_t round = 0; round < test::rounds(3000U); ++round) {
    const Instance instance = test::random_instance(random, tiny(round));
    const Proof proof = prove(instance, one_by_one(instance), 0);
    expect_consistent(instance, proof);
    EXPECT_TRUE(proof.optimal());
    EXPECT_EQ(proof.lower_bound, test::optimal_makespan(instance)) << "round " << round;
  }
}

TEST(Prove, FindsTheOptimumWhereTasksCommute) {
  test::Random random(2);
  for (std::uint64_t round = 0; round < test::rounds(1000U); ++round) {
    test::RandomShape shape = tiny(round);
    shape.data = true;
    shape.free_data = true;
    Instance instance = test::random_instance(random, shape);
    instance.platform = without_links(instance.platform);
    const Proof proof = prove(instance, one_by_one(instance), 0);
    expect_consistent(instance, proof);
    EXPECT_EQ(proof.lower_bound, test::optimal_makespan(instance)) << "round " << round;
    EXPECT_TRUE(proof.optimal());
  }
}

TEST(Prove, StoppedItStillBounds) {
  test::Random random(3);
  for (std::uint64_t round = 0; round < test::rounds(2000U); ++round) {
    const Instance instance = test::random_instance(random, tiny(round));
    ProveOptions options;
    options.nodes = round % 40;
    const Proof proof = prove(instance, one_by_one(instance), 0, options);
    expect_consistent(instance, proof);
    const Time optimum = test::optimal_makespan(instance);
    EXPECT_LE(proof.lower_bound, optimum) << "round " << round;
    EXPECT_GE(proof.schedule.makespan(), optimum);
    EXPECT_LE(proof.nodes, *options.nodes);
  }
}

/// Windows that are narrowed no further refute nothing.
TEST(Prove, StoppedBetweenNodesItStillBounds) {
  test::Random random(6);
  for (std::uint64_t round = 0; round < test::rounds(2000U); ++round) {
    const Instance instance = test::random_instance(random, tiny(round));
    std::uint64_t left = round % 200;
    ProveOptions options;
    options.progress = [&](const ProveProgress&) { return left-- > 0; };
    const Proof proof = prove(instance, one_by_one(instance), 0, options);
    expect_consistent(instance, proof);
    EXPECT_LE(proof.lower_bound, test::optimal_makespan(instance)) << "round " << round;
  }
}

TEST(Prove, FindsTheSameOptimumBackwards) {
  test::Random random(4);
  for (std::uint64_t round = 0; round < test::rounds(600U); ++round) {
    test::RandomShape shape = tiny(round);
    shape.max_tasks = 11;
    const Instance instance = test::random_instance(random, shape);
    const Instance mirrored = backwards(instance);
    const Proof proof = prove(instance, one_by_one(instance), 0);
    const Proof mirror = prove(mirrored, one_by_one(mirrored), 0);
    expect_consistent(instance, proof);
    EXPECT_TRUE(proof.optimal() && mirror.optimal());
    EXPECT_EQ(proof.lower_bound, mirror.lower_bound) << "round " << round;
  }
}

TEST(Prove, NeedsNoMemory) {
  test::Random random(5);
  for (std::uint64_t round = 0; round < test::rounds(500U); ++round) {
    test::RandomShape shape = tiny(round);
    shape.max_tasks = 9;
    const Instance instance = test::random_instance(random, shape);
    ProveOptions options;
    options.memory_bytes = 512;
    const Proof proof = prove(instance, one_by_one(instance), 0, options);
    EXPECT_TRUE(proof.optimal());
    EXPECT_EQ(proof.lower_bound, prove(instance, one_by_one(instance), 0).lower_bound) << "round " << round;
  }
}

void expect_proved(const std::string& algorithm, int tiles, std::uint32_t cpus, std::uint32_t gpus) {
  const Instance instance = test::tiled_instance(algorithm, tiles, {{"cpu", cpus}, {"gpu", gpus}});
  const Time bound = bounds::iterative_bound(instance).value;
  const Proof proof = prove(instance, one_by_one(instance), bound);
  expect_consistent(instance, proof);
  EXPECT_TRUE(proof.optimal()) << algorithm << " " << tiles << " on " << cpus << " + " << gpus;
  EXPECT_GE(proof.lower_bound, bound);
}

TEST(Prove, ProvesTiledFactorizations) {
  constexpr int kLargest = test::kSanitized ? 3 : 4;
  for (const char* algorithm : {"cholesky", "lu", "qr"}) {
    for (int tiles = 2; tiles <= kLargest; ++tiles) {
      expect_proved(algorithm, tiles, 9, 3);
      expect_proved(algorithm, tiles, 2, 1);
    }
    expect_proved(algorithm, kLargest + 1, 9, 3);
  }
}

/// A fifth more than it takes: what no longer cuts the tree as it should shows in the number of nodes only.
void expect_nodes(const Instance& instance, std::uint64_t nodes) {
  EXPECT_LE(prove(instance, one_by_one(instance), 0, {.nodes = 100'000}).nodes, nodes + nodes / 5) << instance.name;
}

TEST(Prove, TakesNoMoreNodesThanItDid) {
  if constexpr (test::kSanitized) GTEST_SKIP() << "the numbers are the same";
  const std::tuple<const char*, int, std::uint32_t, std::uint32_t, std::uint64_t> tiled[] = {
      {"cholesky", 4, 2, 1, 144}, {"cholesky", 5, 9, 3, 108}, {"lu", 3, 2, 1, 65},  {"lu", 4, 9, 3, 223},
      {"lu", 4, 2, 1, 16884},     {"qr", 3, 2, 1, 24},        {"qr", 5, 9, 3, 416}, {"qr", 4, 9, 3, 106}};
  for (const auto& [algorithm, tiles, cpus, gpus, nodes] : tiled) {
    SCOPED_TRACE(tiles);
    expect_nodes(test::tiled_instance(algorithm, tiles, {{"cpu", cpus}, {"gpu", gpus}}), nodes);
  }
  test::Random random(12);
  const std::map<int, std::uint64_t> drawn{{2, 180}, {8, 6410},   {13, 1167}, {15, 46},
                                           {19, 59}, {20, 17956}, {23, 3094}};
  for (int i = 0; i < 24; ++i) {
    SCOPED_TRACE(i);
    const Instance instance = test::random_instance(random, {.max_tasks = 16, .max_duration = 100});
    if (drawn.contains(i)) expect_nodes(instance, drawn.at(i));
  }
}

TEST(Prove, GivesTheSameForTheSameNodes) {
  const Instance instance = test::tiled_instance("lu", test::kSanitized ? 4 : 6, {{"cpu", 2}, {"gpu", 1}});
  ProveOptions options;
  options.nodes = test::rounds(5000U);
  const Proof first = prove(instance, one_by_one(instance), 0, options);
  const Proof second = prove(instance, one_by_one(instance), 0, options);
  EXPECT_EQ(first.nodes, options.nodes);
  EXPECT_EQ(first.lower_bound, second.lower_bound);
  EXPECT_EQ(first.schedule.attempts, second.schedule.attempts);
}

TEST(Prove, KeepsAScheduleThatNeedsNoProof) {
  const Instance instance = test::sample_instance({1}, {{"a", {3}, {}}, {"a", {4}, {0}}});
  const Schedule incumbent = one_by_one(instance);
  const Proof proof = prove(instance, incumbent, 7);
  EXPECT_TRUE(proof.optimal());
  EXPECT_EQ(proof.nodes, 0U);
  EXPECT_EQ(proof.schedule.attempts, incumbent.attempts);
}

TEST(Prove, AnEmptyGraphNeedsNoTime) {
  const Proof proof = prove(test::sample_instance({1, 0}, {}), {}, 0);
  EXPECT_TRUE(proof.optimal());
  EXPECT_EQ(proof.lower_bound, 0);
}

TEST(Prove, TellsOfProgressAndStopsWhenAsked) {
  const Instance instance = test::tiled_instance("lu", 6, {{"cpu", 2}, {"gpu", 1}});
  std::vector<ProveProgress> told;
  ProveOptions options;
  options.progress = [&](const ProveProgress& progress) {
    told.push_back(progress);
    return told.size() < 200;
  };
  const Proof proof = prove(instance, one_by_one(instance), 0, options);
  expect_consistent(instance, proof);
  ASSERT_GE(told.size(), 200U);
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_LE(told[i].makespan, told[i - 1].makespan);
    EXPECT_GE(told[i].lower_bound, told[i - 1].lower_bound);
  }
  EXPECT_EQ(told.back().makespan, proof.schedule.makespan());
  EXPECT_EQ(told.back().lower_bound, proof.lower_bound);
}

TEST(Prove, StopsWhenItsTimeIsUp) {
  const Instance instance = test::tiled_instance("lu", 8, {{"cpu", 2}, {"gpu", 1}});
  ProveOptions options;
  options.seconds = 0.05;
  const Proof proof = prove(instance, one_by_one(instance), 0, options);
  expect_consistent(instance, proof);
  EXPECT_FALSE(proof.optimal());
}

void expect_refused(const Instance& instance, const Schedule& incumbent, const std::string& reason) {
  try {
    static_cast<void>(prove(instance, incumbent, 0));
    ADD_FAILURE() << "not refused: " << reason;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

TEST(Prove, RefusesWhatItCannotProve) {
  Instance linked = test::sample_instance({1, 1}, {{"a", {3, 2}, {}}});
  linked.platform = Platform({{.name = "a", .workers = 1}, {.name = "b", .workers = 1, .memory = "b"}},
                             {{.from = "ram", .to = "b", .bandwidth = 1e9, .via = {}}});
  expect_refused(linked, one_by_one(linked), "links");

  const Instance large = test::tiled_instance("qr", 10, {{"cpu", 2}, {"gpu", 1}});
  expect_refused(large, one_by_one(large), "has 385 tasks");

  const Instance instance = test::sample_instance({1}, {{"a", {3}, {}}, {"a", {4}, {0}}});
  Schedule broken = one_by_one(instance);
  broken.attempts.pop_back();
  expect_refused(instance, broken, "not valid");
}

}  // namespace
}  // namespace heddle::search
