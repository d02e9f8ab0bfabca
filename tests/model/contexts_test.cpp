#include "heddle/model/contexts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/model/projection.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/model/validate.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle {
namespace {

Platform machine() {
  return Platform({{.name = "cpu", .workers = 4}, {.name = "gpu", .workers = 2, .memory = "each"}});
}

/// Three tasks; only a CPU runs the last.
Instance three() {
  TaskGraphBuilder builder;
  const TypeId gemm = builder.add_type("GEMM");
  const TypeId trsm = builder.add_type("TRSM");
  builder.add_task("GEMM(5,1)", gemm, {});
  builder.add_task("GEMM(2,1)", gemm, {});
  builder.add_task("TRSM(4,1)", trsm, {});
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (const TypeId type : {gemm, trsm}) costs.set_actual(Costs::row(type), ClassId{0}, 8 * kSecond);
  costs.set_actual(Costs::row(gemm), ClassId{1}, 2 * kSecond);
  return make_instance("three", std::move(graph), machine(), std::move(costs));
}

std::string describe(const Table<ContextId, Context>& contexts, const Platform& platform) {
  std::string text;
  for (const Context& context : contexts) {
    text += context.name + "[";
    for (const WorkerId worker : context.workers) text += platform.worker_name(worker) + " ";
    if (text.back() == ' ') text.pop_back();
    text += "]" + context.policy + ";";
  }
  return text;
}

std::string parsed(const std::string& text) {
  return describe(give_workers(machine(), parse_contexts("--contexts", text)), machine());
}

template <class Step>
std::string refusal_of(Step step) {
  try {
    step();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
std::string refused(const std::string& text) {
  return refusal_of([&] { return parsed(text); });
}

TEST(Contexts, AreReadAsTheCommandSpellsThem) {
  EXPECT_EQ(parsed("solver:cpu=3,gpu=1:dmdas; rest:cpu=1:ws"), "solver[cpu0 cpu1 cpu2 gpu0]dmdas;rest[cpu3]ws;");
  EXPECT_EQ(parsed(" a : gpu = 2 ; "), "a[gpu0 gpu1]eager;");
  EXPECT_EQ(parsed("a:cpu=1:dada:alpha=0.5,cp=true"), "a[cpu0]dada:alpha=0.5,cp=true;");
}

TEST(Contexts, ShareWorkersThatTheyName) {
  EXPECT_EQ(parsed("a:gpu0,cpu3:ws;b:cpu3,cpu=2"), "a[cpu3 gpu0]ws;b[cpu0 cpu1 cpu3]eager;");
  // What one names, none gets that counts, wherever it stands.
  EXPECT_EQ(parsed("a:cpu=2;b:cpu0"), "a[cpu1 cpu2]eager;b[cpu0]eager;");
}

TEST(Contexts, RefuseWhatMakesNoSense) {
  const std::string form =
      "; expected NAME:CLASS=N,...:POLICY or NAME:WORKER,...:POLICY, e.g. solver:cpu=4,gpu=1:dmdas";
  for (const char* text : {"", "a", "a:", "a::ws", ":cpu=1", "a:cpu=1:"}) {
    EXPECT_EQ(refused(text), "--contexts: '" + std::string(text) + "'" + form) << text;
  }
  EXPECT_EQ(refused("a:cpu=1;;b:cpu=1"), "--contexts: ''" + form);
  EXPECT_EQ(refused("a:cpu=x"), "--contexts: context 'a' has 'cpu=x'; expected a number of workers, e.g. cpu=4");
  EXPECT_EQ(refused("a:cpu=1,cpu=1"), "--contexts: context 'a' counts class 'cpu' twice");
  EXPECT_EQ(refused("a:cpu=0:ws"), "--contexts: context 'a' has no worker");
  EXPECT_EQ(refused("a:gpu0,gpu0"), "context 'a' names worker 'gpu0' twice");
  EXPECT_EQ(refused("a:cpu=3;b:cpu=2"),
            "context 'b' wants 2 cpu, of which 1 is left; contexts share workers that they name, e.g. b:cpu0");
  EXPECT_NE(refused("a:cup=3").find("names class 'cup', which the platform does not have; did you mean 'cpu'?"),
            std::string::npos);
  EXPECT_NE(refused("a:gpu2").find("names worker 'gpu2', which the platform does not have"), std::string::npos);
}

TEST(Contexts, AreCountedWhereCountingGivesTheSame) {
  const auto count = [](const std::string& text) {
    const auto requests = counted(machine(), give_workers(machine(), parse_contexts("", text)));
    return requests ? describe(give_workers(machine(), *requests), machine()) : "no";
  };
  for (const char* text : {"a:cpu=3,gpu=1:ws;b:gpu=1", "a:cpu0,cpu1;b:cpu2"}) EXPECT_EQ(count(text), parsed(text));
  for (const char* text : {"a:cpu1", "a:cpu0;b:cpu0", "a:cpu0,cpu2"}) EXPECT_EQ(count(text), "no") << text;
}

TEST(Contexts, GetTasksByHints) {
  const Instance instance = three();
  const auto given = give_workers(machine(), parse_contexts("", "a:cpu=1;b:cpu=1;c:cpu=1"));
  const auto assigned = [&](const std::string& hints) {
    Contexts contexts = with_all_tasks(instance.graph, given);
    if (!hints.empty()) assign(instance.graph, parse_hints("--assign", hints), contexts);
    std::string text;
    for (const ContextId id : contexts.of) text += contexts.all[id].name;
    return text;
  };
  EXPECT_EQ(assigned(""), "ccc");
  EXPECT_EQ(assigned("GEMM@a"), "aac");
  EXPECT_EQ(assigned("GEMM@a+GEMM:2@b+TRSM@a"), "baa");
  EXPECT_NE(refusal_of([&] { return assigned("GEMM@d"); }).find("there is no context 'd'"), std::string::npos);
  EXPECT_NE(refusal_of([&] { return assigned("GETRF@a"); }).find("type 'GETRF', which no task has"), std::string::npos);
}

TEST(Contexts, GetTasksByTheDataThatTheyChange) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("T");
  std::vector<DataId> data;
  for (int i = 0; i < 8; ++i) data.push_back(builder.add_datum({}));
  for (const DataId datum : data) builder.add_task("", type, std::vector<Access>{{datum, AccessMode::write}});
  builder.add_task("", type, std::vector<Access>{{data[0], AccessMode::read}});
  builder.add_task("", type, std::vector<Access>{{data[2], AccessMode::reduce}, {data[0], AccessMode::read}});
  builder.add_task("", type, std::vector<Access>{{data[2], AccessMode::commute}, {data[1], AccessMode::read_write}});
  builder.add_task("", type);
  const TaskGraph graph = builder.build();
  // One of these has three times as many workers as the other, and one has none.
  Contexts contexts = with_all_tasks(
      graph, give_workers(machine(), parse_contexts("test", "small:cpu=1; large:cpu=2,gpu=1; last:cpu=1")));
  contexts.all[ContextId{2}].workers.clear();
  assign_by_data(graph, contexts);
  std::string of;
  for (const TaskId task : graph.tasks()) of += contexts.all[contexts.of[task]].name[0] + std::string(" ");
  // Data: of large, large, small and large, and again. Who only reads, and who accesses nothing, stays.
  EXPECT_EQ(of, "l l s l l l s l l s l l ");
  EXPECT_EQ(contexts.of[TaskId{8}], ContextId{2});
  EXPECT_EQ(contexts.of[TaskId{11}], ContextId{2});
  EXPECT_EQ(contexts.of[TaskId{10}], ContextId{1});
}

TEST(Contexts, FitTheInstance) {
  const auto refusal = [](Contexts contexts) {
    return refusal_of([&] { return with_contexts(three(), std::move(contexts)); });
  };
  const Table<TaskId, ContextId> first(3, ContextId{0});
  const auto of = [](std::vector<Context> contexts) {
    Table<ContextId, Context> all;
    for (Context& context : contexts) all.push_back(std::move(context));
    return all;
  };
  EXPECT_EQ(refusal({of({{"a", {WorkerId{0}}}}), first}), "");
  EXPECT_EQ(refusal({of({{"", {WorkerId{0}}}}), first}), "a context has an empty name");
  EXPECT_EQ(refusal({of({{"a", {WorkerId{0}}}, {"a", {WorkerId{1}}}}), first}), "there are two contexts called 'a'");
  // One without workers has no tasks.
  EXPECT_EQ(refusal({of({{"a", {WorkerId{0}}}, {"b", {}}}), first}), "");
  EXPECT_EQ(refusal({of({{"a", {}}}), first}),
            "task 'GEMM(5,1)' of type 'GEMM' is of context 'a', none of whose workers can run it");
  EXPECT_EQ(refusal({of({{"a", {WorkerId{1}, WorkerId{0}}}}), first}),
            "context 'a' has workers that are not in ascending order, or one twice");
  EXPECT_EQ(refusal({of({{"a", {WorkerId{6}}}}), first}), "context 'a' has an unknown worker");
  EXPECT_EQ(refusal({of({{"a", {WorkerId{0}}}}), {}}), "instance 'three' has contexts, but not one for each task");
  EXPECT_EQ(refusal({of({{"a", {WorkerId{4}}}}), first}),
            "task 'TRSM(4,1)' of type 'TRSM' is of context 'a', none of whose workers can run it");
}

/// Two contexts: the first has a GPU and two CPUs, the second one of these CPUs, too.
Instance joint() {
  Contexts contexts{give_workers(machine(), parse_contexts("", "a:cpu0,cpu2,gpu1;b:cpu2")), {}};
  contexts.of.push_back(ContextId{0});
  contexts.of.push_back(ContextId{0});
  contexts.of.push_back(ContextId{1});
  return with_contexts(three(), std::move(contexts));
}

TEST(Contexts, ShowTheirWorkersAsAPlatform) {
  const Instance whole = joint();
  const Platform part = whole.platform.restricted(whole.contexts.all[ContextId{0}].workers);
  ASSERT_EQ(part.worker_count(), 3);
  EXPECT_EQ(part.class_count(), 2);
  EXPECT_EQ(part.worker_count(ClassId{0}), 2);
  EXPECT_EQ(part.worker_count(ClassId{1}), 1);
  EXPECT_EQ(part.worker_name(WorkerId{1}), "cpu2");
  EXPECT_EQ(*part.workers(ClassId{1}).begin(), WorkerId{2});
  EXPECT_EQ(part.worker_name(WorkerId{2}), "gpu1");
  EXPECT_EQ(part.class_of(WorkerId{2}), ClassId{1});
  // The memories are those of the machine.
  EXPECT_EQ(part.memories().size(), whole.platform.memories().size());
  EXPECT_EQ(part.memories()[part.memory_of(WorkerId{2})].name, "gpu1");
}

/// Tasks that write the same datum, the second in another context.
TEST(Contexts, KeepTheOrderThatDataImplies) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("T");
  const DataId data = builder.add_datum({"d", 8});
  const DataId other = builder.add_datum({"e", 8});
  builder.add_task("first", type, std::vector<Access>{{data, AccessMode::read_write}});
  builder.add_task("away", type, std::vector<Access>{{data, AccessMode::read_write}});
  builder.add_task("last", type, std::vector<Access>{{data, AccessMode::read}});
  builder.add_task("free", type, std::vector<Access>{{other, AccessMode::read}});
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, ClassId{0}, kSecond);
  const Instance whole = make_instance("chain", std::move(graph), machine(), std::move(costs));
  const std::vector<WorkerId> workers = {WorkerId{0}};
  const Projection own = project(whole, {TaskId{0}, TaskId{2}, TaskId{3}}, workers);
  ASSERT_EQ(own.instance.graph.predecessors(TaskId{1}).size(), 1);
  EXPECT_EQ(own.instance.graph.predecessors(TaskId{1})[0], TaskId{0});
  EXPECT_TRUE(own.instance.graph.predecessors(TaskId{2}).empty());
  // Those that are done are nothing to wait for.
  EXPECT_TRUE(project(whole, {TaskId{0}, TaskId{2}}).instance.graph.predecessors(TaskId{1}).empty());
}

TEST(Contexts, AProjectionOfEverythingIsTheInstance) {
  test::Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Instance whole = test::random_instance(random, {.wrong_estimates = round % 3 == 0, .data = round % 2 == 0});
    const std::vector<TaskId> tasks(whole.graph.tasks().begin(), whole.graph.tasks().end());
    const std::vector<WorkerId> workers(whole.platform.workers().begin(), whole.platform.workers().end());
    const Instance same = project(whole, tasks, workers).instance;
    EXPECT_TRUE(std::ranges::equal(same.graph.topological_order(), whole.graph.topological_order()));
    ASSERT_EQ(same.costs.row_count(), whole.costs.row_count());
    for (std::uint32_t row = 0; row < whole.costs.row_count(); ++row) {
      EXPECT_TRUE(std::ranges::equal(same.costs.actual_row(row), whole.costs.actual_row(row)));
      EXPECT_TRUE(std::ranges::equal(same.costs.estimate_row(row), whole.costs.estimate_row(row)));
    }
    for (const WorkerId worker : workers) {
      EXPECT_EQ(same.platform.worker_name(worker), whole.platform.worker_name(worker));
      EXPECT_EQ(same.platform.memory_of(worker), whole.platform.memory_of(worker));
    }
  }
}

Schedule of_joint(const Instance& instance) {
  Schedule schedule;
  schedule.contexts = instance.contexts;
  schedule.attempts = {{TaskId{1}, WorkerId{0}, 0, kSecond, Outcome::aborted},
                       {TaskId{0}, WorkerId{5}, 0, 2 * kSecond, Outcome::completed},
                       {TaskId{1}, WorkerId{5}, 2 * kSecond, 4 * kSecond, Outcome::completed},
                       {TaskId{2}, WorkerId{2}, kSecond, 9 * kSecond, Outcome::completed}};
  return schedule;
}

TEST(Contexts, AreCheckedInSchedules) {
  const Instance instance = joint();
  Schedule schedule = of_joint(instance);
  EXPECT_TRUE(validate(instance, schedule).empty());
  schedule.attempts[3].worker = WorkerId{1};
  ASSERT_EQ(validate(instance, schedule).size(), 1);
  EXPECT_EQ(validate(instance, schedule)[0],
            "completed attempt of task 'TRSM(4,1)' on cpu1 [1.0, 9.0] is on a worker that is not of its context 'b'");
  // One policy may decide on everything.
  schedule.contexts = {};
  EXPECT_TRUE(validate(instance, schedule).empty());
  schedule.contexts.all = instance.contexts.all;
  ASSERT_EQ(validate(instance, schedule).size(), 1);
  EXPECT_EQ(validate(instance, schedule)[0], "the schedule has contexts, but not one for each task");
}

TEST(Contexts, AreMeasured) {
  const Table<ContextId, ContextUse> use = context_use(of_joint(joint()));
  ASSERT_EQ(use.size(), 2);
  const ContextUse& a = use[ContextId{0}];
  EXPECT_EQ(a.tasks, 2);
  EXPECT_EQ(a.aborted, 1);
  EXPECT_EQ(a.busy, 4 * kSecond);
  EXPECT_EQ(a.idle, 23 * kSecond);
  EXPECT_EQ(a.first_start, 0);
  EXPECT_EQ(a.end, 4 * kSecond);
  const ContextUse& b = use[ContextId{1}];
  EXPECT_EQ(b.first_start, kSecond);
  EXPECT_EQ(b.busy, 8 * kSecond);
  EXPECT_EQ(b.idle, kSecond);
  EXPECT_TRUE(context_use(Schedule()).empty());
}

TEST(Energy, IsWhatWorkersDrawBusyAndIdle) {
  Platform platform(
      {{.name = "cpu", .workers = 4, .watts = Watts{10, 1}}, {.name = "gpu", .workers = 2, .watts = Watts{100, 20}}});
  Instance instance = three();
  instance.platform = platform;
  const auto by_class = class_joules(instance, of_joint(joint()));
  // Nine seconds; the CPUs are busy for one that is lost, and for eight.
  EXPECT_EQ(by_class[ClassId{0}], 9 * 10 + 27 * 1);
  EXPECT_EQ(by_class[ClassId{1}], 4 * 100 + 14 * 20);
  EXPECT_EQ(joules(platform, by_class), 117 + 680);
}

TEST(Energy, IsUnknownWhereAClassWithWorkersDoesNotSay) {
  Instance instance = three();
  instance.platform = Platform({{.name = "cpu", .workers = 4, .watts = Watts{10, 1}}, {.name = "gpu", .workers = 2}});
  const auto by_class = class_joules(instance, of_joint(joint()));
  EXPECT_TRUE(by_class[ClassId{0}]);
  EXPECT_FALSE(by_class[ClassId{1}]);
  EXPECT_FALSE(joules(instance.platform, by_class));
  const Platform none({{.name = "cpu", .workers = 4, .watts = Watts{10, 1}}, {.name = "gpu"}});
  EXPECT_EQ(joules(none, by_class), by_class[ClassId{0}]);
  EXPECT_EQ(refusal_of([] { Platform({{.name = "cpu", .workers = 1, .watts = Watts{-1, 0}}}); }),
            "class 'cpu' draws -1.000000 watts; expected 0 or more");
}

/// Context a has cpu0, b has cpu1 until that moves.
Schedule with_move(Time at) {
  Schedule schedule;
  schedule.contexts.all.push_back({"a", {WorkerId{0}}});
  schedule.contexts.all.push_back({"b", {WorkerId{1}}});
  schedule.moves.push_back({at, WorkerId{1}, ContextId{1}, ContextId{0}});
  return schedule;
}

TEST(Moves, SayWhichContextHasAWorkerWhen) {
  const Schedule schedule = with_move(5);
  const std::vector<Stay> all = stays(schedule.contexts.all, schedule.moves);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].end, 5);
  EXPECT_EQ(all[2].worker, WorkerId{1});
  EXPECT_EQ(all[2].context, ContextId{0});
  EXPECT_EQ(all[2].begin, 5);
  EXPECT_EQ(all[2].end, kMaxTime);
}

TEST(Moves, RefuseWhatMakesNoSense) {
  const auto refusal = [](const WorkerMove& next) {
    Schedule schedule = with_move(5 * kSecond);
    schedule.moves.push_back(next);
    return refusal_of([&] { return stays(schedule.contexts.all, schedule.moves); });
  };
  const Time later = 6 * kSecond;
  EXPECT_EQ(refusal({later, WorkerId{1}, ContextId{1}, ContextId{0}}),
            "move 2 takes a worker from context 'b', which does not have it at 6.0 s");
  EXPECT_EQ(refusal({later, WorkerId{1}, ContextId{0}, ContextId{0}}),
            "move 2 gives a worker to context 'a', which has it at 6.0 s already");
  EXPECT_EQ(refusal({kSecond, WorkerId{1}, ContextId{0}, ContextId{1}}), "move 2 is earlier than the one before it");
  EXPECT_EQ(refusal({later, WorkerId{1}, kNone<ContextId>, kNone<ContextId>}), "move 2 is from no context and to none");
}

/// Would take minutes if each move looked at all that were before.
TEST(Moves, MayBeMany) {
  constexpr std::size_t kMany = 300'000;
  Schedule schedule = with_move(1);
  while (schedule.moves.size() < kMany) {
    const WorkerMove& last = schedule.moves.back();
    schedule.moves.push_back({last.at + 1, last.worker, last.to, last.from});
  }
  const std::vector<Stay> all = stays(schedule.contexts.all, schedule.moves);
  ASSERT_EQ(all.size(), 2 + kMany);
  for (std::size_t i = 2; i < all.size(); ++i) {
    EXPECT_EQ(all[i].begin, static_cast<Time>(i) - 1);
    EXPECT_EQ(all[i].end, i + 1 < all.size() ? static_cast<Time>(i) : kMaxTime);
  }
}

/// A worker runs tasks of a context only while that has it.
TEST(Moves, AreHeldAgainstAttempts) {
  const Instance instance = three();
  Schedule schedule;
  schedule.contexts.all.push_back({"a", {WorkerId{0}, WorkerId{1}}});
  schedule.contexts.all.push_back({"b", {WorkerId{2}}});
  schedule.contexts.of = Table<TaskId, ContextId>(3, ContextId{0});
  schedule.contexts.of[TaskId{2}] = ContextId{1};
  const Time eight = 8 * kSecond;
  schedule.attempts = {{TaskId{0}, WorkerId{0}, 0, eight, Outcome::completed},
                       {TaskId{1}, WorkerId{1}, 0, eight, Outcome::completed},
                       {TaskId{2}, WorkerId{1}, eight, 2 * eight, Outcome::completed}};
  const auto violations = [&](Time at) {
    schedule.moves = {{at, WorkerId{1}, ContextId{0}, ContextId{1}}};
    return validate(instance, schedule);
  };
  EXPECT_TRUE(violations(eight).empty());
  ASSERT_EQ(violations(eight - 1).size(), 1U);
  EXPECT_EQ(violations(eight - 1).front(),
            "completed attempt of task 'GEMM(2,1)' on cpu1 [0.0, 8.0] is on a worker that is not of its context 'a' at "
            "that time");
  ASSERT_EQ(violations(eight + 1).size(), 1U);
  EXPECT_EQ(
      violations(eight + 1).front(),
      "completed attempt of task 'TRSM(4,1)' on cpu1 [8.0, 16.0] is on a worker that is not of its context 'b' at "
      "that time");
}

}  // namespace
}  // namespace heddle
