// Runs that begin in the middle, by hand; tests/policy/battery_test.cpp has every policy go on from any moment.

#include "heddle/host/present.hpp"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "heddle/policy/kit/queues/worker_queues.hpp"
#include "heddle/sim/lookahead.hpp"
#include "heddle/sim/simulation.hpp"

namespace heddle::test::present_test {
namespace {

using host::Present;
using Status = host::Status;
using Copy = policy::HostView::Copy;

constexpr WorkerId kGpu0 = make_id<WorkerId>(1);
constexpr Present::Copy kNothing{};
constexpr Present::Copy kValid{.state = Copy::valid};

constexpr Present::Copy coming(Time since) {
  return {.state = Copy::coming, .since = since};
}

/// A CPU and two GPUs with memories of their own; a byte per picosecond after 2 ps between those and `ram`. Tasks t0,
/// t1, ... take 5 on a GPU and read a datum of 10 bytes each. Memories: ram, gpu0, gpu1.
Instance gpus(std::size_t tasks) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  for (std::size_t t = 0; t < tasks; ++t) {
    const Access access{builder.add_datum({"d" + std::to_string(t), 10}), AccessMode::read};
    builder.add_task("t" + std::to_string(t), type, std::span(&access, 1));
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, make_id<ClassId>(1), 5);
  std::vector<Link> links;
  for (const char* gpu : {"gpu0", "gpu1"}) {
    links.push_back({"ram", gpu, 1e12, 2, {}});
    links.push_back({gpu, "ram", 1e12, 2, {}});
  }
  Platform platform(
      {{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 2, .memory = std::string(ResourceClass::kEach)}},
      std::move(links));
  return make_instance("gpus", std::move(graph), std::move(platform), std::move(costs));
}

/// All tasks were given to gpu0, in order.
Present given(const Instance& instance, Time now, std::vector<Present::Copy> copies) {
  Present present;
  present.now = now;
  present.status.assign(instance.graph.task_count(), Status::running);
  present.work.resize(instance.platform.worker_count());
  for (const TaskId task : instance.graph.tasks()) present.work[kGpu0].tasks.push_back(task);
  present.copies = std::move(copies);
  return present;
}

sim::Simulation finish(const Instance& instance, const Present& present) {
  sim::Simulation simulation(instance, policy::Spec("eager").make(1), present);
  while (!simulation.finished()) simulation.step();
  return simulation;
}

Time end(const Instance& instance, const Present& present) {
  return finish(instance, present).now();
}

TEST(Present, CopiesThatAreComingArriveAfterTheTimeOfTheirLink) {
  const Instance one = gpus(1);
  EXPECT_EQ(end(one, given(one, 8, {kValid, kValid, kNothing})), 8 + 5);
  EXPECT_EQ(end(one, given(one, 8, {kValid, coming(3), kNothing})), 3 + 12 + 5);
  EXPECT_EQ(end(one, given(one, 15, {kValid, coming(3), kNothing})), 15 + 5);
  // Late, it comes now; not even asked for, it is asked for now; begun in the future, it begins now.
  EXPECT_EQ(end(one, given(one, 100, {kValid, coming(3), kNothing})), 100 + 5);
  EXPECT_EQ(end(one, given(one, 8, {kValid, kNothing, kNothing})), 8 + 12 + 5);
  EXPECT_EQ(end(one, given(one, 8, {kValid, coming(9), kNothing})), 8 + 12 + 5);
}

TEST(Present, CopiesComeByWayOfRam) {
  const Instance one = gpus(1);
  EXPECT_EQ(end(one, given(one, 8, {kNothing, coming(3), kValid})), 3 + 2 * 12 + 5);
  EXPECT_EQ(end(one, given(one, 8, {coming(3), coming(3), kValid})), 3 + 2 * 12 + 5);
  EXPECT_EQ(end(one, given(one, 20, {coming(3), coming(3), kValid})), 3 + 2 * 12 + 5);
  EXPECT_EQ(end(one, given(one, 30, {coming(3), coming(3), kValid})), 30 + 5);
}

TEST(Present, WhatNoMemoryHasIsAtHome) {
  const Instance one = gpus(1);
  EXPECT_EQ(end(one, given(one, 8, {kNothing, kNothing, kNothing})), 8 + 12 + 5);
  EXPECT_EQ(end(one, given(one, 8, {kNothing, coming(6), kNothing})), 6 + 12 + 5);
}

TEST(Present, WhatWasAccumulatedInPrivateIsBroughtTogether) {
  const Instance one = gpus(1);
  // The value takes the link from ram first, then what comes from the other GPU.
  const Present::Copy partial{.partial = true};
  EXPECT_EQ(end(one, given(one, 8, {kValid, kNothing, partial})), 8 + 2 * 12 + 5);
  EXPECT_EQ(end(one, given(one, 8, {kNothing, kNothing, {.state = Copy::valid, .partial = true}})), 8 + 2 * 12 + 5);
}

TEST(Present, WhatWasAccumulatedMeetsAValueThatComesByOnItsWayElsewhere) {
  Instance two = gpus(2);
  two.costs.set_actual(0, make_id<ClassId>(0), 5);
  const Present::Copy partial{.state = Copy::coming, .partial = true, .since = 4};
  Present present = given(two, 8, {kNothing, coming(3), kValid, kNothing, partial, kValid});
  std::vector<TaskId>& all = present.work[kGpu0].tasks;
  present.work[make_id<WorkerId>(0)].tasks = {all.back()};
  all.pop_back();
  // The value of the second datum leaves gpu1 behind that of the first.
  EXPECT_EQ(end(two, present), 3 + 2 * 12 + 5);
}

TEST(Present, LinksCarryOneCopyAfterTheOther) {
  const Instance two = gpus(2);
  const auto both = [&](Time first, Time second) {
    return given(two, 8, {kValid, coming(first), kNothing, kValid, coming(second), kNothing});
  };
  EXPECT_EQ(end(two, both(3, 3)), 3 + 12 + 12 + 5);
  EXPECT_EQ(end(two, both(3, 7)), 3 + 12 + 12 + 5);
  EXPECT_EQ(end(two, both(7, 3)), 3 + 12 + 12 + 5 + 5);
}

TEST(Present, DataOfTasksGivenAheadIsFetchedMeanwhile) {
  const Instance two = gpus(2);
  Present present = given(two, 8, {kValid, kValid, kNothing, kValid, kNothing, kNothing});
  present.work[kGpu0].since = 6;
  const sim::Simulation simulation = finish(two, present);
  const std::vector<Attempt> expected{{make_id<TaskId>(0), kGpu0, 6, 11, Outcome::completed},
                                      {make_id<TaskId>(1), kGpu0, 20, 25, Outcome::completed}};
  EXPECT_EQ(simulation.attempts(), expected);
  const std::vector<Transfer> moved{{make_id<DataId>(1), make_id<MemoryId>(0), make_id<MemoryId>(1), 8, 20, 10}};
  EXPECT_EQ(simulation.transfers(), moved);
}

/// Tasks wait for gpu0, and are kept while it is away.
struct ForGpu0 {
  policy::WorkerQueues queues;

  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) {
      view.is_available(kGpu0) ? queues.push(view, kGpu0, task, 5) : queues.keep(task);
    }
  }
  void workers_changed(const policy::View& view) { ready(view, queues.take_unassigned(view)); }
  [[nodiscard]] policy::Action next(const policy::View& view) { return queues.serve(view); }
};

TEST(Present, ATaskMayEndAtTheLastInstantButNotLater) {
  TaskGraphBuilder builder;
  builder.add_task("t0", builder.add_type("work"));
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  costs.set_actual(0, ClassId{0}, 5);
  const Instance one =
      make_instance("one", std::move(graph), Platform({{.name = "cpu", .workers = 2}}), std::move(costs));
  const auto from = [&](Time now) { return given(one, now, {}); };
  EXPECT_EQ(end(one, from(kMaxTime - 6)), kMaxTime - 1);
  try {
    end(one, from(kMaxTime - 5));
    FAIL() << "an end at kMaxTime would say that it does not end";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the schedule passes 64 bits of picoseconds (106 days) at task 't0'");
  }
}

TEST(Present, WorkersThatHaveLeftComeBack) {
  const Instance two = gpus(2);
  policy::HostView view(two);
  view.set_available(kGpu0, false);
  ForGpu0 decider;
  decider.queues.reset(view);
  decider.ready(view, std::vector{make_id<TaskId>(0), make_id<TaskId>(1)});
  Present present = given(two, 8, {kNothing, kValid, kNothing, kNothing, kValid, kNothing});
  present.status.assign(2, Status::ready);
  present.work[kGpu0].tasks.clear();
  present.workers_return = true;
  const sim::AheadOfOthers ahead(two, [&] { return present; });
  EXPECT_EQ(ahead.run(decider, nullptr), 8 + 5 + 5);
}

TEST(Present, DataOfTasksThatAreGivenLaterIsFetchedFirst) {
  const Instance one = gpus(1);
  const policy::HostView view(one);
  ForGpu0 decider;
  decider.queues.reset(view);
  decider.ready(view, std::vector{make_id<TaskId>(0)});
  Present present = given(one, 8, {kValid, kNothing, kNothing});
  present.status.assign(1, Status::ready);
  present.work[kGpu0].tasks.clear();
  const sim::AheadOfOthers ahead(one, [&] { return present; });
  EXPECT_EQ(ahead.run(decider, nullptr), 8 + 12 + 5);
}

TEST(Present, FinalValuesThatAreStillAwayGoHome) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const Access access{builder.add_datum({.name = "x", .bytes = 10, .write_back = true}), AccessMode::write};
  builder.add_task("writer", type, std::span(&access, 1));
  for (const char* name : {"a", "b", "c", "d"}) builder.add_task(name, type);
  Instance instance = gpus(5);
  instance.graph = builder.build();
  Present present = given(instance, 8, {kNothing, kValid, kNothing});
  present.status[make_id<TaskId>(0)] = Status::done;
  std::erase(present.work[kGpu0].tasks, make_id<TaskId>(0));
  present.work[kGpu0].since = 8;
  // When the first of the others has ended.
  const std::vector<Transfer> moved{{make_id<DataId>(0), make_id<MemoryId>(1), make_id<MemoryId>(0), 13, 25, 10}};
  EXPECT_EQ(finish(instance, present).transfers(), moved);
}

/// Three tasks of 10 commute on one datum; three workers. The first one runs since 1, the others wait for it.
TEST(Present, TasksThatCommuteWaitForTheOneThatRuns) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const Access access{builder.add_datum({"x", 8}), AccessMode::commute};
  for (const char* name : {"u0", "u1", "u2"}) builder.add_task(name, type, std::span(&access, 1));
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  costs.set_actual(0, make_id<ClassId>(0), 10);
  const Instance instance =
      make_instance("updates", std::move(graph), Platform({{.name = "cpu", .workers = 3}}), costs);
  Present present;
  present.now = 4;
  present.status.assign(3, Status::waiting);
  present.status[make_id<TaskId>(0)] = Status::running;
  present.work.resize(3);
  present.work[make_id<WorkerId>(2)] = {{make_id<TaskId>(0)}, 1};
  EXPECT_EQ(end(instance, present), 31);
  // Under a policy that keeps an order they were given, and wait on their workers.
  present.keeps_order = true;
  for (const std::size_t number : {1U, 2U}) {
    present.status[make_id<TaskId>(number)] = Status::running;
    present.work[make_id<WorkerId>(number - 1)].tasks = {make_id<TaskId>(number)};
  }
  EXPECT_EQ(end(instance, present), 31);
}

}  // namespace
}  // namespace heddle::test::present_test
