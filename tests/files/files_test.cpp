// What texts name, for programs. tests/cli has the sentences of errors, and every format.
#include "heddle/files/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::files {
namespace {

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Keeps what it is told.
struct Told {
  std::vector<std::string> warnings{};
  Reading reading{.warn = [this](const std::string& warning) { warnings.push_back(warning); }};
};

const std::string kRecording = HEDDLE_EXAMPLES "/cholesky-n08.tasks.rec.gz";

TEST(Files, AWorkloadRunsOnAMachineThatATextNames) {
  const LoadedInstance loaded = load_instance("cholesky:tiles=4", {.platform = "mirage:cpu=2,gpu=1"});
  EXPECT_EQ(loaded.instance.graph.task_count(), 20);
  EXPECT_EQ(loaded.instance.platform.worker_count(), 3);
  EXPECT_EQ(loaded.platform, "mirage:cpu=2,gpu=1");
  EXPECT_TRUE(loaded.links_undecided);
  EXPECT_TRUE(loaded.instance.platform.links().empty());
}

TEST(Files, AnInstanceIsSavedAndLoaded) {
  const test::Scratch scratch;
  const Instance instance = load_instance("lu:tiles=3", {.platform = "sirocco:links=measured"}).instance;
  save(instance, scratch.path("lu.json"));
  const LoadedInstance again = load_instance(scratch.path("lu.json"));
  EXPECT_EQ(again.platform, scratch.path("lu.json"));
  const Schedule schedule = sim::simulate(instance, policy::Spec("dmda"));
  EXPECT_EQ(sim::simulate(again.instance, policy::Spec("dmda")).attempts, schedule.attempts);
  EXPECT_TRUE(validate(again.instance, schedule).empty());

  save(schedule, instance, scratch.path("schedule.json"));
  const LoadedSchedule loaded = load_schedule(scratch.path("schedule.json"), again.instance);
  EXPECT_EQ(loaded.schedule.attempts, schedule.attempts);
  EXPECT_EQ(loaded.stated_makespan, schedule.makespan());
}

TEST(Files, TheSuffixSaysTheFormat) {
  const test::Scratch scratch;
  const Instance instance = load_instance("cholesky:tiles=2", {.platform = "mirage"}).instance;
  for (const auto& [name, format] : {std::pair{"a.json", "heddle-instance"}, {"a.txt", "hetero-swf"}, {"a.dot", ""}}) {
    save(instance, scratch.path(name));
    EXPECT_EQ(read(scratch.path(name)).format, format) << name;
  }
  EXPECT_EQ(error_of([&] { save(instance, scratch.path("a.exe")); }),
            "the suffix of '" + scratch.path("a.exe") + "' names no format; expected .json, .swf, .txt, .dot or .gv");
}

TEST(Files, AMachineIsSavedWithAllThatWasMeasured) {
  const test::Scratch scratch;
  const LoadedMachine loaded = load_machine("mirage:gpu=5");
  EXPECT_EQ(loaded.name, "mirage:gpu=5");
  EXPECT_TRUE(loaded.links_undecided);
  save(loaded.machine, scratch.path("machine.json"));
  const LoadedMachine again = load_machine(scratch.path("machine.json") + ":cpu=1");
  EXPECT_EQ(again.machine.kernels.size(), loaded.machine.kernels.size());
  EXPECT_EQ(again.machine.links.size(), loaded.machine.links.size());
  EXPECT_FALSE(again.links_undecided);
  EXPECT_TRUE(names_machine(scratch.path("machine.json") + ":cpu=1"));
  EXPECT_FALSE(names_machine("cholesky:tiles=4"));
}

TEST(Files, ARecordingSaysWhatItLeftOut) {
  File file = read(kRecording);
  EXPECT_EQ(load_instance(file, {.platform = "mirage"}).instance.graph.task_count(), 120);
  const std::size_t first = file.content.find("DependsOn: ");
  ASSERT_NE(first, std::string::npos);
  file.content.insert(first + std::string("DependsOn: ").size(), "123456 ");
  Told told;
  static_cast<void>(load_instance(file, {.platform = "mirage"}, std::nullopt, told.reading));
  ASSERT_EQ(told.warnings.size(), 1);
  EXPECT_NE(told.warnings.front().find("123456"), std::string::npos) << told.warnings.front();
}

TEST(Files, OptionsRestrictAndSlowDown) {
  const auto load = [](const InstanceOptions& options) { return load_instance("cholesky:tiles=4", options).instance; };
  const Instance plain = load({.platform = "mirage"});
  const Instance changed = load({.platform = "mirage", .force = "GEMM@gpu", .inflate = "50"});
  for (const TaskId task : plain.graph.tasks()) {
    const bool is_gemm = plain.graph.type_name(plain.graph.type(task)) == "GEMM";
    EXPECT_EQ(changed.costs.can_run(task, ClassId{0}), !is_gemm);
    EXPECT_EQ(changed.costs.actual(task, ClassId{1}), plain.costs.actual(task, ClassId{1}));
    if (!is_gemm) {
      EXPECT_EQ(changed.costs.actual(task, ClassId{0}), (plain.costs.actual(task, ClassId{0}) * 3 + 1) / 2);
    }
  }
}

TEST(Files, PoliciesArePartedAtTheCommasBetweenThem) {
  const std::vector<policy::Spec> specs = load_policies("heft:rank=avg,dada:alpha=0.5,cp=true,eager");
  ASSERT_EQ(specs.size(), 3);
  EXPECT_EQ(specs[0].text(), "heft:rank=avg");
  EXPECT_EQ(specs[1].text(), "dada:alpha=0.5,cp=true");
  EXPECT_EQ(specs[2].text(), "eager");
  EXPECT_EQ(load_policies("all").size(), policy::entries().size());
}

TEST(Files, APolicyFollowsTheScheduleOfItsFile) {
  const test::Scratch scratch;
  const Instance instance = load_instance("cholesky:tiles=4", {.platform = "mirage"}).instance;
  const Schedule schedule = sim::simulate(instance, policy::Spec("heft"));
  save(schedule, instance, scratch.path("plan.json"));
  const policy::Spec spec = load_policy("static:file=" + scratch.path("plan.json"));
  EXPECT_FALSE(lacks_plan(spec));
  const Schedule plan = load_plan(spec, instance);
  EXPECT_EQ(sim::simulate(instance, spec, {}, &plan).makespan(), schedule.makespan());
  EXPECT_TRUE(lacks_plan(policy::Spec("static")));
  EXPECT_TRUE(load_plan(policy::Spec("heft"), instance).attempts.empty());
}

TEST(Files, ReadingASilentPipeEndsWhenItIsToldTo) {
  const test::Scratch scratch;
  const std::string pipe = scratch.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(error_of([&] { static_cast<void>(read(pipe, {}, {.stop = [] { return true; }})); }), "");
}

TEST(Files, WhatIsBuiltInCanBeNamed) {
  for (const BuiltIn& machine : built_in_machines()) {
    EXPECT_EQ(load_machine(machine.name).machine.name, machine.name);
    EXPECT_NE(machine.summary, "");
  }
  EXPECT_EQ(built_in_workloads().front().name, "cholesky");
}

}  // namespace
}  // namespace heddle::files
