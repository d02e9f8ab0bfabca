#include "heddle/starpu/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/starpu/assignment.hpp"

namespace heddle::starpu {
namespace {

using testing::HasSubstr;

const Platform kCores({{.name = "cpu", .workers = 4}});
const Platform kTwoKinds({{.name = "cpu", .workers = 2}, {.name = "other", .workers = 2}});
const Platform kWithDevice({{.name = "cpu", .workers = 4},
                            {.name = "cuda", .workers = 1, .memory = std::string(ResourceClass::kEach)}});

std::string objection_to(const std::string& policy, const Platform& platform) {
  try {
    static_cast<void>(choose_policy({.policy = policy}, platform));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StarpuSettings, AWrongNameIsToldWithTheNearest) {
  EXPECT_THAT(objection_to("dmdaz", kCores),
              HasSubstr("HEDDLE_POLICY: there is no policy 'dmdaz'; did you mean 'dmda'"));
}

TEST(StarpuSettings, WhatStarpuDoesNotOfferIsToldAtOnce) {
  EXPECT_EQ(objection_to("heteroprio-dep:order=best", kTwoKinds), "");
  EXPECT_THAT(objection_to("static", kCores), HasSubstr("follows a plan; say which: static:file=SCHEDULE.json"));
  EXPECT_EQ(objection_to("static:file=plan.json", kCores), "");
}

TEST(StarpuSettings, TheDefaultDependsOnTheMachine) {
  EXPECT_EQ(choose_policy({}, kCores).text(), "prio:priority=due");
  EXPECT_EQ(choose_policy({}, kTwoKinds).text(), "dmda");
  EXPECT_EQ(choose_policy({}, kWithDevice).text(), "slack");
}

TEST(StarpuSettings, APolicyForTwoClassesSeesAnEmptySecondOne) {
  const policy::Spec spec = choose_policy({.policy = "dual-hp"}, kCores);
  EXPECT_EQ(shown_to(spec, kCores).class_count(), 2U);
  EXPECT_EQ(shown_to(spec, kTwoKinds).class_count(), 2U);
  EXPECT_EQ(shown_to(choose_policy({.policy = "heft"}, kCores), kCores).class_count(), 1U);
  // So does that of a context, which cannot run there what it could not before.
  Assignment assignment({.contexts = "a:cpu=2:dual-hp; b:cpu=2"}, 0, kCores);
  const policy::Spec contexts = choose_policy({}, kCores, assignment.contexts());
  EXPECT_EQ(shown_to(contexts, kCores, assignment.contexts()).class_count(), 2U);
  Table<ClassId, bool> on_cores(2, false);
  on_cores[ClassId{0}] = true;
  EXPECT_EQ(assignment.of("potrf", on_cores), ContextId{1});
}

TEST(StarpuSettings, FilesAreNamedAfterTheFirst) {
  EXPECT_EQ(instance_path("a/run.json", 0), "a/run.json");
  EXPECT_EQ(schedule_path("a/run.json", 0), "a/run.schedule.json");
  EXPECT_EQ(instance_path("run", 2), "run.2.json");
  EXPECT_EQ(schedule_path("run", 2), "run.2.schedule.json");
  EXPECT_EQ(facts_path("facts.json", 0), "facts.json");
  EXPECT_EQ(facts_path("facts.json", 2), "facts.2.json");
}

TEST(StarpuSettings, AreReadFromVariables) {
  const auto with = [](const char* name, const char* value) {
    setenv(name, value, 1);
    std::string objection;
    Settings settings;
    try {
      settings = read_settings();
    } catch (const InputError& error) {
      objection = error.what();
    }
    unsetenv(name);
    return std::pair(settings, objection);
  };
  EXPECT_FALSE(read_settings().summarizes);
  EXPECT_TRUE(with("HEDDLE_SUMMARY", "1").first.summarizes);
  EXPECT_TRUE(with("HEDDLE_SPLIT_CPUS", "1").first.splits_cpus);
  EXPECT_EQ(with("HEDDLE_SUMMARY", "yes").second, "HEDDLE_SUMMARY is 'yes', expected 0 or 1");
  EXPECT_EQ(with("HEDDLE_PLUGINS", "a.so::/b/c.so").first.plugins, (std::vector<std::string>{"a.so", "/b/c.so"}));
  EXPECT_EQ(with("HEDDLE_FACTS", "facts.json").first.facts, "facts.json");
  EXPECT_EQ(with("HEDDLE_SPOLIATION", "none").first.aborts, host::Aborts::none);
  EXPECT_THAT(with("HEDDLE_SPOLIATION", "some").second, HasSubstr("expected hold-back or none"));
  EXPECT_EQ(with("HEDDLE_CONTEXTS", "a:cpu=1").first.contexts, "a:cpu=1");
  EXPECT_THAT(with("HEDDLE_ASSIGN", "potrf@a").second, HasSubstr("HEDDLE_CONTEXTS names none"));
  EXPECT_THAT(with("HEDDLE_RESIZE", "lp").second, HasSubstr("HEDDLE_CONTEXTS names none"));
  EXPECT_THAT(with("HEDDLE_RECORD", "/no/such/run.json").second, HasSubstr("/no/such/run.json"));
}

TEST(StarpuSettings, ARuleMovesWorkersBetweenContexts) {
  const auto objection = [](const std::string& rule) -> std::string {
    try {
      static_cast<void>(choose_rule({.contexts = "a:cpu=1", .resize = rule}));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(choose_rule({.contexts = "a:cpu=1"}), nullptr);
  for (const char* rule : {"idle", "speed", "lp"}) {
    const auto chosen = choose_rule({.contexts = "a:cpu=1", .resize = rule});
    ASSERT_NE(chosen, nullptr) << rule;
    EXPECT_EQ(chosen->name, rule);
    EXPECT_EQ(chosen->pause, kMillisecond);
  }
  EXPECT_THAT(objection("simulate"), HasSubstr("HEDDLE_RESIZE is 'simulate', which simulates the rest of the run"));
  EXPECT_EQ(objection("lpp"), "HEDDLE_RESIZE is 'lpp'; expected one of idle, speed, lp");
}

TEST(StarpuSettings, EachRankHasFilesOfItsOwn) {
  const auto set = [](const std::vector<std::pair<const char*, const char*>>& variables) {
    setenv("HEDDLE_RECORD", "run.json", 1);
    setenv("HEDDLE_FACTS", "facts.json", 1);
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    Settings settings = read_settings();
    for (const auto& [name, value] : variables) unsetenv(name);
    unsetenv("HEDDLE_RECORD");
    unsetenv("HEDDLE_FACTS");
    return settings;
  };
  for (const auto& [rank, size] : {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                                   {"PMI_RANK", "PMI_SIZE"},
                                   {"SLURM_PROCID", "SLURM_NTASKS"}}) {
    SCOPED_TRACE(rank);
    const Settings second = set({{rank, "1"}, {size, "4"}});
    EXPECT_EQ(second.rank, "1");
    EXPECT_EQ(second.record, "run.rank1.json");
    EXPECT_EQ(second.facts, "facts.rank1.json");
    EXPECT_EQ(schedule_path(second.record, 0), "run.rank1.schedule.json");
    EXPECT_EQ(schedule_path(second.record, 2), "run.rank1.2.schedule.json");
    EXPECT_EQ(set({{rank, "0"}, {size, "1"}}).record, "run.json") << "the only one";
  }
  EXPECT_EQ(set({}).record, "run.json");
  // Slurm starts Open MPI's launcher, whose processes are the ranks.
  EXPECT_EQ(
      set({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}})
          .rank,
      "3");
}

TEST(StarpuSettings, ASchedulerOfStarpusIsWatched) {
  EXPECT_EQ(watched_scheduler({.policy = "starpu:lws"}), "lws");
  EXPECT_EQ(watched_scheduler({.policy = "dmdas"}), "");
  EXPECT_EQ(watched_scheduler({}), "");
  EXPECT_THROW(static_cast<void>(watched_scheduler({.policy = "starpu:lws", .facts = "facts.json"})), InputError);
  EXPECT_THROW(static_cast<void>(watched_scheduler({.policy = "starpu:lws", .contexts = "a:cpu=1"})), InputError);
}

TEST(StarpuAssignment, SendsCodeletsWhereHintsSay) {
  Assignment assignment(
      {.contexts = "solver:cpu=1,other=1:dmdas; rest:cpu=1:lws", .assign = "potrf@solver+trsm@solver"}, 0, kTwoKinds);
  ASSERT_EQ(assignment.contexts().size(), 2U);
  EXPECT_EQ(assignment.contexts()[ContextId{0}].workers, (std::vector<WorkerId>{WorkerId{0}, WorkerId{2}}));
  EXPECT_EQ(assignment.contexts()[ContextId{1}].policy, "lws");
  const auto classes = [](bool cpu, bool other) {
    Table<ClassId, bool> can_run;
    can_run.push_back(cpu);
    can_run.push_back(other);
    return can_run;
  };
  EXPECT_EQ(assignment.of("potrf", classes(true, true)), ContextId{0});
  EXPECT_EQ(assignment.of("gemm", classes(true, true)), ContextId{1});
  EXPECT_EQ(assignment.of("copy", classes(false, true)), ContextId{0}) << "the other context cannot run it";
  EXPECT_EQ(assignment.unseen(), std::vector<std::string>{"trsm"});
  EXPECT_EQ(choose_policy({}, kTwoKinds, assignment.contexts()).text(), "contexts");
  // StarPU's further contexts are not divided.
  EXPECT_TRUE(Assignment({.contexts = "solver:cpu=1"}, 1, kTwoKinds).contexts().empty());
  EXPECT_EQ(Assignment().of("potrf", classes(true, true)), kNone<ContextId>);
}

TEST(StarpuAssignment, RefusesInASentence) {
  const auto objection = [](const Settings& settings) -> std::string {
    try {
      Assignment assignment(settings, 0, kTwoKinds);
      static_cast<void>(choose_policy(settings, kTwoKinds, assignment.contexts()));
      static_cast<void>(assignment.of("potrf", Table<ClassId, bool>(2, true)));
      Table<ClassId, bool> only_first(2, false);
      only_first[ClassId{0}] = true;
      static_cast<void>(assignment.of("trsm", only_first));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(objection({.contexts = "solver:cpu=1"}), "");
  EXPECT_THAT(objection({.contexts = "solver"}), HasSubstr("HEDDLE_CONTEXTS: 'solver'; expected NAME:"));
  EXPECT_THAT(objection({.contexts = "solver:cpu=9"}), HasSubstr("HEDDLE_CONTEXTS: context 'solver' wants 9 cpu"));
  EXPECT_THAT(objection({.contexts = "a:cpu0; a:cpu1"}), HasSubstr("HEDDLE_CONTEXTS: there are two contexts called"));
  EXPECT_THAT(objection({.contexts = "solver:cpu=1:dmdaz"}),
              HasSubstr("HEDDLE_CONTEXTS: context 'solver': there is no policy 'dmdaz'"));
  EXPECT_THAT(objection({.contexts = "solver:cpu=1:static"}), HasSubstr("HEDDLE_CONTEXTS: "));
  EXPECT_THAT(objection({.contexts = "solver:cpu=1", .assign = "potrf@slover"}),
              HasSubstr("HEDDLE_ASSIGN: there is no context 'slover'; did you mean 'solver'"));
  EXPECT_THAT(objection({.contexts = "solver:cpu=1", .assign = "potrf"}), HasSubstr("CODELET@CONTEXT"));
  EXPECT_THAT(objection({.contexts = "solver:cpu=1", .assign = "potrf:2@solver"}), HasSubstr("no place in a matrix"));
  EXPECT_EQ(objection({.contexts = "solver:other=1; rest:cpu=1", .assign = "trsm@solver"}),
            "tasks of codelet 'trsm' belong to context 'solver' (HEDDLE_CONTEXTS), none of whose workers can run them");
}

}  // namespace
}  // namespace heddle::starpu
