#include <gtest/gtest.h>

#include "heddle/model/error.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/kit/ranks/affinity.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/policy/fault_host.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/reference_heteroprio.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::heteroprio_test {
namespace {

Schedule schedule(const Instance& instance, const std::string& spec) {
  return sim::simulate(instance, policy::Spec(spec));
}

Instance tiled(const std::string& workload, const std::string& platform = "kumar-2017") {
  return workload::generate(workload, platforms::resolve(platform));
}

constexpr std::pair<const char*, Correction> kCorrections[] = {
    {"none", Correction::none}, {"sp", Correction::sp},     {"cgv", Correction::cgv},    {"pp", Correction::pp},
    {"pc", Correction::pc},     {"pcep", Correction::pcep}, {"pcept", Correction::pcept}};

/// Two classes that run everything; small durations make ties common, large ones spread the factors.
Instance random_runnable(Random& random, int round, bool wrong_estimates = false) {
  RandomShape shape{.min_classes = 2, .max_classes = 2, .wrong_estimates = wrong_estimates};
  shape.max_tasks = round % 10 == 0 ? 150 : 40;
  shape.shared_types = round % 3 != 0;
  shape.max_duration = round % 2 == 0 ? 6 : 1000;
  shape.zero_durations = false;
  shape.unrunnable = false;
  return random_instance(random, shape);
}

/// The same instance with CPUs that take longer than GPUs for everything.
Instance slowed(const Instance& instance, Random& random) {
  Costs costs = instance.costs;
  for (std::uint32_t row = 0; row < costs.row_count(); ++row) {
    const Time gpu = costs.actual_row(row)[1];
    if (gpu != kCannotRun) costs.set_actual(row, make_id<ClassId>(0), gpu + draw(random, 1, 4 * gpu));
  }
  return make_instance("slowed", instance.graph, instance.platform, std::move(costs));
}

void expect_one_schedule(const Instance& instance) {
  const std::vector<Attempt> expected = schedule(instance, "heteroprio-dep:order=priority").attempts;
  for (const char* spec : {"heteroprio-indep:rank=min,order=priority", "heteroprio:correction=sp",
                           "heteroprio-multi:score=het-index,merge=0"}) {
    ASSERT_EQ(schedule(instance, spec).attempts, expected) << spec << " on " << instance.name;
  }
}

TEST(HeteroPrio, MembersOfTheFamilyAreOneWhenEveryFactorExceedsOne) {
  Random random(41);
  for (int round = 0; round < rounds(1000); ++round) {
    expect_one_schedule(slowed(random_runnable(random, round), random));
    if (HasFailure()) return;
  }
}

TEST(HeteroPrio, MembersOfTheFamilyAreOneOnTiledGraphs) {
  for (const char* kernel : {"cholesky", "lu", "qr"}) {
    for (const int tiles : {1, 4, 7, 12, 20}) {
      for (const char* platform : {"kumar-2017", "kumar-2017:cpu=60,gpu=4", "kumar-2017:cpu=3,gpu=5"}) {
        expect_one_schedule(tiled(std::string(kernel) + ":tiles=" + std::to_string(tiles), platform));
      }
    }
  }
}

void expect_plain_schedules(const Instance& instance) {
  for (const auto& [name, correction] : kCorrections) {
    const std::string spec = std::string("heteroprio:correction=") + name;
    ASSERT_EQ(schedule(instance, spec).attempts, reference_heteroprio(instance, correction)) << spec;
    ASSERT_EQ(schedule(instance, spec + ",constraint=ready").attempts, reference_heteroprio(instance, correction, true))
        << spec << ",constraint=ready";
  }
}

TEST(HeteroPrio, GivesTheSchedulesOfThePlainReference) {
  Random random(42);
  for (int round = 0; round < rounds(1000) && !HasFailure(); ++round) {
    const Instance plain = random_runnable(random, round);
    SCOPED_TRACE(round);
    expect_plain_schedules(round % 2 == 0 ? plain : slowed(plain, random));
    expect_plain_schedules(random_runnable(random, round, true));
  }
}

TEST(HeteroPrio, GivesTheSchedulesOfThePlainReferenceOnTiledGraphs) {
  for (const char* workload : {"cholesky:tiles=12", "lu:tiles=8", "qr:tiles=8"}) {
    SCOPED_TRACE(workload);
    expect_plain_schedules(tiled(workload));
  }
}

TEST(HeteroPrio, ReadsItsPriorityConstraintInTwoWays) {
  std::size_t different = 0;
  Random random(44);
  for (int round = 0; round < rounds(200); ++round) {
    const Instance instance = slowed(random_runnable(random, round), random);
    const std::vector<Attempt> picked = schedule(instance, "heteroprio:correction=pc").attempts;
    if (schedule(instance, "heteroprio:correction=pc,constraint=ready").attempts != picked) ++different;
  }
  EXPECT_GT(different, rounds(20U));
}

std::string affinity_of(const Instance& instance, const std::string& type) {
  const std::vector<policy::Affinity> all = policy::affinities(instance);
  for (const TypeId id : instance.graph.types()) {
    if (instance.graph.type_name(id) != type) continue;
    switch (all[Costs::row(id)]) {
      case policy::Affinity::gpu:
        return "gpu";
      case policy::Affinity::between:
        return "between";
      case policy::Affinity::cpu:
        return "cpu";
    }
  }
  return "no such type";
}

// Kumar 2017, section 3.7.2: the combined view holds GEMM, SYRK and TRSM; POTRF, then TRSM too, is excepted.
TEST(HeteroPrio, RolesOfCholeskyTasksAreThoseOfThePaper) {
  for (const char* platform : {"kumar-2017", "mirage-relative"}) {
    const Instance cholesky = tiled("cholesky:tiles=6", platform);
    EXPECT_EQ(affinity_of(cholesky, "GEMM"), "gpu") << platform;
    EXPECT_EQ(affinity_of(cholesky, "SYRK"), "gpu") << platform;
    EXPECT_EQ(affinity_of(cholesky, "TRSM"), "between") << platform;
    EXPECT_EQ(affinity_of(cholesky, "POTRF"), "cpu") << platform;
  }
  const Instance qr = tiled("qr:tiles=6");
  EXPECT_EQ(affinity_of(qr, "TSMQR"), "gpu");
  EXPECT_EQ(affinity_of(qr, "ORMQR"), "gpu");
  EXPECT_EQ(affinity_of(qr, "GEQRT"), "cpu");
  EXPECT_EQ(affinity_of(qr, "TSQRT"), "cpu");
}

TEST(HeteroPrio, SimilarFactorsAreOneGroupWithoutAGap) {
  const std::vector<double> factors{10, 8, 7.6, 7.5, 5.7, 0, 0};
  EXPECT_EQ(policy::group_similar(factors, 0.25), (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(policy::group_similar(factors, 0), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 5}));
  EXPECT_TRUE(policy::group_similar({}, 0.25).empty());
}

TEST(HeteroPrioLists, InTheOrderOfFactorsChangeNothing) {
  const Instance instance = tiled("cholesky:tiles=10");
  for (const char* correction : {"none", "sp", "cgv", "pcept"}) {
    const std::string spec = std::string("heteroprio:correction=") + correction;
    const std::vector<Attempt> expected = schedule(instance, spec).attempts;
    EXPECT_EQ(schedule(instance, spec + ",lists=cpu:POTRF+TRSM+SYRK+GEMM/gpu:GEMM+SYRK+TRSM+POTRF").attempts, expected);
  }
}

TEST(HeteroPrioLists, DecideWhatRunsWhere) {
  const Instance instance = tiled("cholesky:tiles=8");
  const Schedule forced = schedule(instance, "heteroprio:lists=cpu:POTRF/gpu:TRSM+SYRK+GEMM");
  for (const Attempt& attempt : forced.attempts) {
    const bool on_cpu = instance.platform.class_of(attempt.worker) == make_id<ClassId>(0);
    EXPECT_EQ(on_cpu, instance.graph.type_name(instance.graph.type(attempt.task)) == "POTRF");
  }
}

/// Eight tasks of one type on two CPUs and a GPU, ten times as fast.
Instance eight_tasks() {
  TaskGraphBuilder builder;
  const TypeId work = builder.add_type("work");
  for (int i = 0; i < 8; ++i) builder.add_task("t" + std::to_string(i), work);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(Costs::row(work), make_id<ClassId>(0), 10);
  costs.set_actual(Costs::row(work), make_id<ClassId>(1), 1);
  Platform platform({{.name = "cpu", .workers = 2}, {.name = "gpu", .workers = 1}});
  return make_instance("eight tasks", std::move(graph), std::move(platform), std::move(costs));
}

// The GPU takes one task, seven wait: a CPU that leaves seven per GPU to the GPU gets one, and the next would be left
// with six; one that leaves eight gets none.
TEST(HeteroPrioLists, SlowdownsLeaveTasksToTheOtherClass) {
  const Instance instance = eight_tasks();
  const auto on_cpus = [&](const std::string& slowdown) {
    const Schedule done = schedule(instance, "heteroprio:lists=cpu:work*" + slowdown + "/gpu:work");
    return std::ranges::count_if(done.attempts, [](const Attempt& attempt) { return index(attempt.worker) < 2; });
  };
  EXPECT_EQ(on_cpus("8"), 0);
  EXPECT_EQ(on_cpus("7"), 1);
  EXPECT_EQ(on_cpus("6.5"), 1);
  EXPECT_EQ(on_cpus("6"), 2);
}

/// Tasks for GPUs, in between and for CPUs, of durations 100 on the CPU and of 5, 50 and 90 on the GPU, one of each, a
/// second for GPUs and a second for CPUs; those for CPUs are the most urgent.
Instance one_of_each() {
  TaskGraphBuilder builder;
  const Time gpu[] = {5, 5, 50, 90};
  TypeId type{};
  for (const char* name : {"first", "second", "between", "panel"}) {
    type = builder.add_type(name);
    builder.add_task(name, type);
  }
  builder.add_task("second panel", type);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (std::uint32_t row = 0; row < 4; ++row) {
    costs.set_actual(row, make_id<ClassId>(0), 100);
    costs.set_actual(row, make_id<ClassId>(1), gpu[row]);
  }
  Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}});
  return make_instance("one of each", std::move(graph), std::move(platform), std::move(costs));
}

// A host that cannot preempt a task just now, as it is about to end, is not asked again and again. When it has ended,
// its worker takes what it would take anyway: of two tasks that suit it equally well the less urgent one.
TEST(HeteroPrio, AsksOnceToPreemptForATaskThatBecameReady) {
  using policy::Action;
  const Instance instance = one_of_each();
  const auto task = [](std::size_t number) { return make_id<TaskId>(number); };
  const WorkerId cpu = make_id<WorkerId>(0);
  const WorkerId gpu = make_id<WorkerId>(1);
  policy::HostView view(instance);
  policy::Policy refused = policy::Spec("heteroprio:correction=pp").make(1);
  refused.start(view);
  refused.ready(view, std::vector{task(0), task(1)});
  for (const WorkerId worker : {gpu, cpu}) {
    const Action action = refused.next(view);
    ASSERT_EQ(action.worker, worker);
    view.begin(worker, action.task, 100);
    refused.started(view, action.task, worker);
  }
  refused.ready(view, std::vector{task(3)});
  const Action asked = refused.next(view);
  ASSERT_EQ(asked, policy::preempt(view.running(cpu)));
  policy::Policy heard = refused;
  refused.refused(view, asked);
  policy::Policy ended = refused;
  EXPECT_EQ(refused.next(view), policy::wait());

  view.end(cpu);
  heard.aborted(view, asked.task, cpu);
  heard.ready(view, std::vector{asked.task});
  EXPECT_EQ(heard.next(view), policy::run(task(3), cpu));

  ended.finished(view, std::vector{policy::Completion{asked.task, cpu}});
  ended.ready(view, std::vector{task(4)});
  EXPECT_EQ(ended.next(view), policy::run(task(4), cpu));
}

// Whatever a class leaves to the other one is taken in the end, also when workers leave and come back.
TEST(HeteroPrioLists, SurviveTrouble) {
  Random random(43);
  for (int round = 0; round < rounds(200); ++round) {
    const Instance instance = random_runnable(random, 2 * round);
    std::string cpu = instance.platform.class_name(make_id<ClassId>(0)) + ":";
    std::string gpu = instance.platform.class_name(make_id<ClassId>(1)) + ":";
    for (const TypeId type : instance.graph.types()) {
      const std::string name(instance.graph.type_name(type));
      cpu += "+" + name + "*" + std::to_string(draw(random, 1, 5));
      gpu += "+" + name;
    }
    const std::string spec = std::string("heteroprio:correction=") + kCorrections[round % 7].first;
    const policy::Spec lists(spec + ",lists=" + cpu + "/" + gpu);
    FaultHost(instance, [&](const Instance&) { return lists.make(1); }, random()).run();
    if (HasFailure()) return;
  }
}

TEST(HeteroPrioLists, ReadAsAFile) {
  const Instance instance = tiled("cholesky:tiles=6");
  const NamedSettings from_file{"heteroprio",
                                {{"lists",
                                  "# first what each class looks into first\n"
                                  "cpu: POTRF TRSM*11\tSYRK*26 GEMM*29  # behind *: how long it waits\r\n\n"
                                  "  gpu:TRSM SYRK GEMM POTRF\n"}}};
  const Schedule in_a_word =
      schedule(instance, "heteroprio:lists=cpu:POTRF+TRSM*11+SYRK*26+GEMM*29/gpu:TRSM+SYRK+GEMM+POTRF");
  EXPECT_EQ(sim::simulate(instance, policy::Spec("heteroprio:lists=@file", from_file)).attempts, in_a_word.attempts);
}

std::string error_of(const Instance& instance, const std::string& lists) {
  try {
    (void)schedule(instance, "heteroprio:lists=" + lists);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(HeteroPrioLists, MistakesAreNamed) {
  const Instance instance = tiled("cholesky:tiles=4");
  const auto expect = [&](const std::string& lists, const std::string& part) {
    EXPECT_NE(error_of(instance, lists).find(part), std::string::npos) << error_of(instance, lists);
  };
  expect("POTRF+TRSM", "policy 'heteroprio': option 'lists' has 'POTRF+TRSM' where CLASS:TYPE+TYPE... is expected");
  expect("cpu:POTRF*x/gpu:GEMM", "has a slowdown of 'x'; expected a number above 0");
  expect("cpu:POTRF*0/gpu:GEMM", "has a slowdown of '0'");
  expect("cpu:POTRF*-1/gpu:GEMM", "has a slowdown of '-1'");
  expect("cpu:POTRF/gpu:GEMM+TRSM", "leaves out tasks of type 'SYRK'");
  expect("cpu:POTRF*2/gpu:GEMM+SYRK+TRSM", "a slowdown for type 'POTRF'; expected the other class to serve it without");
  expect("cpu:POTRF*1/gpu:GEMM+SYRK+TRSM", "a slowdown for type 'POTRF'; expected the other class to serve it without");
  expect("cpu:POTRF*2/gpu:GEMM+SYRK+TRSM+POTRF*2", "a slowdown for type 'POTRF'; expected");
}

}  // namespace
}  // namespace heddle::test::heteroprio_test
