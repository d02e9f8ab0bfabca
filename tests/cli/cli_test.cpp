// The real program: what it prints, where, and how it exits.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

TEST(Lists, NameEverything) {
  EXPECT_TRUE(contains(heddle({"policies"}).out, "heteroprio-dep"));
  EXPECT_TRUE(contains(heddle({"platforms"}).out, "kumar-2017"));
  EXPECT_TRUE(contains(heddle({"workloads"}).out, "fork-join"));
  EXPECT_TRUE(contains(heddle({"run", "--list"}).out, "pivoting"));
  EXPECT_EQ(json_of({"run", "--list"}).size(), 6U);
  EXPECT_EQ(heddle({"run"}).err, "heddle: which workload? heddle run --list shows them\n");
  EXPECT_EQ(heddle({"run"}).status, 2);
  std::ostringstream page;
  page << std::ifstream(HEDDLE_POLICY_PAGE).rdbuf();
  EXPECT_EQ(heddle({"policies", "--markdown"}).out, page.str()) << "docs/policies.md is what this command prints";
  const Json policies = json_of({"policies"});
  for (const Json& policy : policies) {
    for (const char* key : {"name", "summary", "options", "needs", "publication"}) EXPECT_TRUE(policy.contains(key));
  }
  EXPECT_EQ(json_of({"platforms"}).size(), 7U);
}

TEST(Schedule, TellsTheStoryOfThePair) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  const Json answer = json_of({"schedule", pair, "--policy", "heteroprio-dep:order=latest"});
  EXPECT_EQ(answer["makespan"], 7.0);
  EXPECT_EQ(answer["aborted_attempts"], 1);
  EXPECT_EQ(answer["instance"], "pair");
  EXPECT_EQ(answer["policy"], "heteroprio-dep:order=latest");
  EXPECT_EQ(answer["classes"][0]["idle"], 7.0);
  EXPECT_EQ(answer["classes"][1]["busy"], 7.0);
  EXPECT_GE(answer["ratio"], 1.0);
  for (const char* key :
       {"seed", "run", "noise", "tasks", "bounds", "best_kind", "transferred_bytes", "wall_seconds"}) {
    EXPECT_TRUE(answer.contains(key)) << key;
  }
  EXPECT_TRUE(contains(heddle({"schedule", pair, "--policy", "heft"}).out, "makespan  7.000 s"));
}

TEST(Schedule, HoldsBackWhatWouldBeAborted) {
  const auto run = [](const std::string& aborts) {
    return json_of(
        {"schedule", "cholesky:tiles=12", "--platform", "mirage", "--policy", "heteroprio-dep", "--aborts", aborts});
  };
  const Json allowed = run("allowed");
  const Json held = run("hold-back");
  const Json none = run("none");
  EXPECT_GT(allowed["aborted_attempts"], 0);
  EXPECT_EQ(held["aborted_attempts"], 0);
  EXPECT_EQ(none["aborted_attempts"], 0);
  EXPECT_EQ(held["makespan"], allowed["makespan"]);
  EXPECT_GT(none["makespan"], allowed["makespan"]);
}

TEST(Schedule, FindsAPolicyWhenNoneIsNamed) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  const Json answer = json_of({"schedule", pair});
  EXPECT_EQ(answer["policy"], "auto");
  EXPECT_EQ(answer["makespan"], 7.0);
  EXPECT_TRUE(contains(answer["note"], "heteroprio-dep:order=best (7 s); runner-up "));
  EXPECT_TRUE(json_of({"schedule", pair, "--policy", "heft"})["note"].is_null());
  EXPECT_TRUE(contains(heddle({"schedule", pair}).out, "chose     heteroprio-dep:order=best (7 s)"));
  EXPECT_TRUE(
      contains(heddle({"compare", pair, "--policies", "auto,heft"}).out, "auto chose heteroprio-dep:order=best (7 s)"));
}

TEST(Schedule, WritesWhatValidateAcceptsAndStaticReplays) {
  const Scratch scratch;
  const std::string file = scratch.path("schedule.json");
  const std::vector<std::string> what{"cholesky:tiles=6", "--platform", "mirage"};
  std::vector<std::string> schedule{"schedule", what[0], what[1], what[2], "--policy", "heteroprio-dep", "-o", file};
  ASSERT_EQ(heddle(schedule).status, 0);
  const Answer valid = heddle({"validate", what[0], file, what[1], what[2]});
  EXPECT_EQ(valid.status, 0) << valid.out << valid.err;
  EXPECT_TRUE(contains(valid.out, "valid: 56 tasks"));
  const Json made = json_of(schedule);
  const Json replayed = json_of({"schedule", what[0], what[1], what[2], "--policy", "static:file=" + file});
  EXPECT_LE(replayed["makespan"], made["makespan"]);
  EXPECT_EQ(replayed["aborted_attempts"], 0);
}

TEST(Search, BeatsItsStartsAndIsReplayedToTheDigit) {
  const Scratch scratch;
  const std::string plan = scratch.path("plan.json");
  const auto with = [](const std::string& command, std::vector<std::string> more) {
    more.insert(more.begin(), {command, "cholesky:tiles=8", "--platform", "kumar-2017:cpu=9,gpu=3"});
    return json_of(more);
  };
  const Json found = with("search", {"--iterations", "20000", "-o", plan});
  EXPECT_EQ(found["policy"], "search");
  EXPECT_LT(found["makespan"], found["start_makespan"]);
  EXPECT_GE(found["gap"], 0.0);
  EXPECT_GT(found["moves"], 10'000);
  EXPECT_EQ(with("schedule", {"--policy", "static:file=" + plan})["makespan"], found["makespan"]);
  EXPECT_EQ(with("search", {"--iterations", "20000", "--threads", "3"})["makespan"], found["makespan"]);
  EXPECT_LE(with("search", {"--iterations", "10", "--start", plan})["makespan"], found["makespan"]);
}

TEST(Search, ProvesSmallInstancesOptimal) {
  const Json found = json_of({"search", "cholesky:tiles=3", "--platform", "kumar-2017:cpu=2,gpu=1", "--prove"});
  EXPECT_EQ(found["optimal"], true);
  EXPECT_EQ(found["lower_bound"], found["makespan"]);
  EXPECT_EQ(found["gap"], 0.0);
}

TEST(Search, StopsAtTheGap) {
  const Json found =
      json_of({"search", "cholesky:tiles=8", "--platform", "kumar-2017:cpu=9,gpu=3", "--gap", "10", "--time", "1000s"});
  EXPECT_EQ(found["moves"], 0);
}

TEST(Search, StopsAtAGapThatEverythingIsIn) {
  const Json found = json_of(
      {"search", "cholesky:tiles=8", "--platform", "kumar-2017:cpu=9,gpu=3", "--gap", "1e300", "--time", "1000s"});
  EXPECT_EQ(found["moves"], 0);
}

TEST(Search, KnowsNoGapWithoutABound) {
  const std::vector<std::string> search{"search", "cholesky:tiles=3", "--platform", "kumar-2017", "--bound", "none"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = search;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_of(arguments);
  };
  const Json found = with({"--iterations", "100"});
  EXPECT_TRUE(found["lower_bound"].is_null());
  EXPECT_TRUE(found["gap"].is_null());
  EXPECT_EQ(found["optimal"], false);
  const Json proven = with({"--prove"});
  EXPECT_EQ(proven["lower_bound"], proven["makespan"]);
  EXPECT_EQ(proven["gap"], 0.0);
}

TEST(Search, ProvesNoMoreThanTheGapAsksFor) {
  const Json found = json_of({"search", "cholesky:tiles=5", "--platform", "mirage:cpu=2,gpu=1", "--policies", "ect",
                              "--bound", "none", "--iterations", "50", "--prove", "--gap", "0.5"});
  EXPECT_LE(found["gap"], 0.5);
  EXPECT_EQ(found["optimal"], false);
}

TEST(Search, StartsFromAllPoliciesThatNeedNoPlan) {
  const Json found =
      json_of({"search", "cholesky:tiles=3", "--platform", "mirage", "--policies", "all", "--iterations", "50"});
  EXPECT_EQ(found["policy"], "search");
}

TEST(Search, ComputesTheWindowBoundOfMoreTasks) {
  const std::vector<std::string> what{"cholesky:tiles=17", "--platform", "kumar-2017:cpu=9,gpu=3"};
  const auto bounds_of = [&](std::vector<std::string> command) {
    command.insert(command.begin() + 1, what.begin(), what.end());
    return json_of(command)["bounds"];
  };
  EXPECT_FALSE(bounds_of({"schedule", "--policy", "eager"}).contains("window"));
  EXPECT_TRUE(bounds_of({"search", "--policies", "eager", "--iterations", "1"}).contains("window"));
  EXPECT_TRUE(bounds_of({"search", "--policies", "eager", "--time", "1s"}).contains("iterative"));
  EXPECT_FALSE(
      bounds_of({"search", "--policies", "eager", "--iterations", "1", "--bound", "iterative"}).contains("window"));
}

TEST(Search, StatesItsGainOverTheBestStart) {
  const std::string policies = "eager,dmdas,heft,heteroprio-dep";
  const Json found =
      json_of({"search", "cholesky:tiles=6", "--platform", "mirage", "--policies", policies, "--iterations", "100"});
  double best = 1e9;
  std::string name;
  for (const Json& one : json_of({"compare", "cholesky:tiles=6", "--platform", "mirage", "--policies", policies})) {
    if (one["makespan"] >= best) continue;
    best = one["makespan"];
    name = one["policy"];
  }
  EXPECT_EQ(found["start"], name);
  EXPECT_EQ(found["start_makespan"], best);
}

TEST(Search, IsNotWorseThanItsStartsWhereDataMoves) {
  const Json found =
      json_of({"search", "cholesky:tiles=6", "--platform", "mirage:links=measured", "--iterations", "20000"});
  EXPECT_LE(found["makespan"], found["start_makespan"]);
  EXPECT_GT(found["transferred_bytes"], 0);
}

/// The second start waits for a pipe that says nothing.
TEST(Search, KeepsTheStartsThatWereReadyAtCtrlC) {
  const Scratch scratch;
  const std::string found = scratch.path("found.json");
  const auto search = [&](const std::string& policies) {
    return bash("cd '" + scratch.path("") + "' && rm -f pipe && mkfifo pipe && { $HEDDLE search cholesky:tiles=4 " +
                "--platform mirage --time 1000s --threads 1 --policies " + policies +
                "static:file=pipe -o found.json & } && exec 3>pipe && kill -INT $!; wait $!");
  };
  const Answer one = search("ect,");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_TRUE(contains(one.out, "than the best of 1 schedule that it started from, ect (")) << one.out;
  EXPECT_EQ(heddle({"validate", "cholesky:tiles=4", found, "--platform", "mirage"}).status, 0);
  std::filesystem::remove(found);
  const Answer none = search("");
  EXPECT_EQ(none.status, 130) << none.err;
  EXPECT_EQ(none.out, "");
  EXPECT_FALSE(std::filesystem::exists(found));
}

/// The pipe is too small for the schedule, so that Ctrl-C comes while it is written.
TEST(Search, WritesAllItsFilesAtCtrlC) {
  const Scratch scratch;
  const Answer answer = bash("cd '" + scratch.path("") + "' && mkfifo pipe && { $HEDDLE search cholesky:tiles=20 " +
                             "--platform mirage --iterations 1 -o pipe --gantt page.html & } && exec 3<pipe && " +
                             "kill -INT $! && cat <&3 >found.json; wait $!");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(std::filesystem::exists(scratch.path("page.html")));
  EXPECT_GT(std::filesystem::file_size(scratch.path("found.json")), std::size_t{1} << 16U);
}

TEST(Validate, SaysNoWithStatusOne) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  const std::string schedule = scratch.write("schedule.json", R"({"format": "heddle-schedule", "version": 1,
    "attempts": [{"task": "x", "worker": "gpu0", "start": 0.0, "end": 4.0, "outcome": "completed"},
                 {"task": "y", "worker": "gpu0", "start": 3.0, "end": 6.0, "outcome": "completed"}], "makespan": 5})");
  const Answer answer = heddle({"validate", pair, schedule});
  EXPECT_EQ(answer.status, 1);
  EXPECT_TRUE(contains(answer.out, "overlaps"));
  EXPECT_TRUE(contains(answer.out, "makespan 5.0 s; the attempts end at 6.0 s"));
  EXPECT_TRUE(contains(answer.out, "invalid: 2 violations"));
}

/// A million workers are the most there may be: the bounds are told, without what one more would give.
TEST(Bound, IsToldWhereTheMachineCannotGrow) {
  const Scratch scratch;
  const std::string path = scratch.write("large.json", R"({"format": "heddle-instance", "version": 1, "name": "large",
    "platform": {"classes": [{"name": "cpu", "workers": 999999}, {"name": "gpu", "workers": 1}]},
    "types": [{"name": "T", "seconds": {"cpu": 1, "gpu": 3}}], "tasks": [{"name": "x", "type": "T"}]})");
  const Json answer = json_of({"bound", path});
  EXPECT_EQ(answer["best"], 1.0);
  EXPECT_TRUE(answer["one_more"].empty());
}

TEST(Bound, OrdersItsKinds) {
  const Json answer = json_of({"bound", "cholesky:tiles=8", "--platform", "kumar-2017", "--kind", "all"});
  const Json& bounds = answer["bounds"];
  EXPECT_LE(bounds["area"], bounds["mixed"]);
  EXPECT_LE(bounds["mixed"], bounds["iterative"]);
  EXPECT_LE(bounds["iterative"], bounds["window"]);
  EXPECT_EQ(answer["best"], bounds["window"]);
  // Kumar's durations, 8 tiles on 20 + 4.
  EXPECT_NEAR(bounds["iterative"].get<double>(), 0.077306258, 1e-9);
  EXPECT_TRUE(contains(heddle({"bound", "cholesky:tiles=8", "--platform", "kumar-2017"}).out, "path POTRF(0,0)"));
}

TEST(Bound, TellsWhatBinds) {
  const Json area = json_of({"bound", "gemm:tiles=4", "--platform", "mirage", "--kind", "area"});
  EXPECT_EQ(area["binding"], Json::parse(R"({"kind": "area", "classes": ["cpu", "gpu"], "windows": [], "path": []})"));
  const Json path = json_of({"bound", "cholesky:tiles=3", "--platform", "kumar-2017", "--kind", "critical-path"});
  EXPECT_EQ(path["binding"]["path"],
            (Json{"POTRF(0,0)", "TRSM(1,0)", "SYRK(1,1,0)", "POTRF(1,1)", "TRSM(2,1)", "SYRK(2,2,1)", "POTRF(2,2)"}));
  const std::vector<std::string> narrow{"bound", "cholesky:tiles=12", "--platform", "kumar-2017"};
  const Json window = json_of(narrow);
  EXPECT_EQ(window["binding"]["kind"], "window");
  ASSERT_FALSE(window["binding"]["windows"].empty());
  for (const Json& one : window["binding"]["windows"]) {
    EXPECT_GT(one["head"].get<double>() + one["tail"].get<double>(), 0);
  }
  EXPECT_TRUE(contains(heddle(narrow).out, " before the end (first of "));
  EXPECT_TRUE(json_of({"bound", "cholesky:tiles=3", "--platform", "mirage", "--kind", "none"})["binding"].is_null());
}

TEST(Bound, SaysWhyThereIsNone) {
  const std::vector<std::string> mixed{"bound", "independent:tasks=4", "--platform", "mirage", "--kind", "mixed"};
  const Json none = json_of(mixed);
  EXPECT_TRUE(none["best"].is_null()) << none;
  EXPECT_TRUE(none["bounds"].empty());
  EXPECT_TRUE(contains(heddle(mixed).out, "mixed is not defined here: no type with two tasks or more")) << mixed[1];
  const std::vector<std::string> nothing{"bound", "cholesky:tiles=3", "--platform", "mirage", "--kind", "none"};
  EXPECT_TRUE(contains(heddle(nothing).out, "no bound was asked for\n"));
}

TEST(Bound, TellsWhatOneMoreWorkerGives) {
  const auto bound = [](const char* platform) {
    return json_of({"bound", "lu:tiles=10", "--platform", platform, "--kind", "iterative"});
  };
  const Json answer = bound("kumar-2017:cpu=9,gpu=3");
  EXPECT_EQ(answer["one_more"]["cpu"], bound("kumar-2017:cpu=10,gpu=3")["best"]);
  EXPECT_EQ(answer["one_more"]["gpu"], bound("kumar-2017:cpu=9,gpu=4")["best"]);
  const Answer text = heddle({"bound", "gemm:tiles=4", "--platform", "mirage:cpu=0,gpu=1", "--kind", "area"});
  EXPECT_TRUE(contains(text.out, "one more gpu: ")) << text.out;
  EXPECT_TRUE(contains(text.out, ", -50.0 %")) << text.out;
}

/// Of very many classes, those are asked for that bind.
TEST(Bound, TellsWhatOneMoreWorkerOfSixtyFourClassesGivesAtMost) {
  const auto classes_told = [](std::size_t classes, std::size_t able) {
    Json workers = Json::array();
    Json seconds = Json::object();
    for (std::size_t c = 0; c < classes; ++c) {
      workers.push_back({{"name", "c" + std::to_string(c)}, {"workers", 1}});
      if (c < able) seconds["c" + std::to_string(c)] = 1;
    }
    const Json instance{{"format", "heddle-instance"},
                        {"version", 1},
                        {"name", "many"},
                        {"platform", {{"classes", workers}}},
                        {"types", {{{"name", "T"}, {"seconds", seconds}}}},
                        {"tasks", {{{"name", "x"}, {"type", "T"}}}}};
    const Scratch scratch;
    return json_of({"bound", scratch.write("many.json", instance.dump()), "--kind", "area"})["one_more"];
  };
  EXPECT_EQ(classes_told(64, 1).size(), 64U);
  EXPECT_EQ(classes_told(65, 1), Json({{"c0", 1.0}}));
  EXPECT_EQ(classes_told(66, 66).size(), 64U);
}

TEST(Inspect, CountsTasksAndEdges) {
  const Json answer = json_of({"inspect", "cholesky:tiles=8", "--platform", "mirage"});
  EXPECT_EQ(answer["tasks"], 120);
  EXPECT_EQ(answer["edges"], 252);
  EXPECT_EQ(answer["levels"], 22);
  EXPECT_EQ(answer["sources"], 1);
  EXPECT_EQ(answer["types"].size(), 4U);
}

TEST(Schedule, ReadsAnOptionOfAPolicyFromAFile) {
  const Scratch scratch;
  const std::string lists = scratch.write("lists", "cpu: POTRF TRSM*11  # waits for 11 per GPU\ngpu: GEMM SYRK TRSM\n");
  const auto schedule = [](const std::string& policy) {
    return json_of({"schedule", "cholesky:tiles=8", "--platform", "mirage", "--policy", policy});
  };
  const Json from_file = schedule("heteroprio:lists=@" + lists);
  EXPECT_EQ(from_file["policy"], "heteroprio:lists=@" + lists);
  EXPECT_EQ(from_file["makespan"], schedule("heteroprio:lists=cpu:POTRF+TRSM*11/gpu:GEMM+SYRK+TRSM")["makespan"]);
  EXPECT_NE(from_file["makespan"], schedule("heteroprio")["makespan"]);
}

TEST(Convert, GoesThereAndBack) {
  const Scratch scratch;
  const std::string first = scratch.path("a.json");
  const std::string second = scratch.path("b.json");
  ASSERT_EQ(heddle({"generate", "qr:tiles=3", "--platform", "kumar-2017", "-o", first}).status, 0);
  ASSERT_EQ(heddle({"convert", first, "-o", second}).status, 0);
  EXPECT_EQ(read_file(first), read_file(second));
  ASSERT_EQ(heddle({"convert", first, "-o", scratch.path("a.dot")}).status, 0);
  EXPECT_TRUE(read_file(scratch.path("a.dot")).starts_with("digraph"));
  ASSERT_EQ(heddle({"convert", "mirage", "-o", scratch.path("mirage.json")}).status, 0);
  const std::string own = scratch.path("mirage.json:cpu=2,gpu=1");
  EXPECT_EQ(json_of({"schedule", "lu:tiles=3", "--platform", own, "--policy", "eager"})["classes"][0]["workers"], 2);
}

TEST(Convert, ReadsPipes) {
  const Scratch scratch;
  const std::string first = scratch.path("a.json");
  const std::string second = scratch.path("b.json");
  ASSERT_EQ(heddle({"generate", "qr:tiles=3", "--platform", "kumar-2017", "-o", first}).status, 0);
  const Answer answer = bash("\"$HEDDLE\" convert <(cat " + first + ") -o " + second);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(read_file(first), read_file(second));
  ASSERT_EQ(heddle({"convert", "mirage", "-o", first}).status, 0);
  EXPECT_EQ(bash("cat " + first + " | \"$HEDDLE\" convert /dev/stdin -o " + second).status, 0);
  EXPECT_EQ(read_file(first), read_file(second));
}

TEST(Convert, TakesItsWordFromFrom) {
  const Scratch scratch;
  const std::string mirage = scratch.path("mirage.json");
  const std::string again = scratch.path("again.json");
  ASSERT_EQ(heddle({"convert", "mirage", "-o", mirage}).status, 0);
  EXPECT_EQ(heddle({"convert", mirage, "--from", "heddle-platform", "-o", again}).status, 0);
  EXPECT_EQ(read_file(mirage), read_file(again));
  const Answer other = heddle({"convert", mirage, "--from", "heddle-instance", "-o", again});
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "expected 'heddle-instance'")) << other.err;
}

TEST(Convert, KeepsDurationsOfAClassWithoutWorkers) {
  const Scratch scratch;
  const std::string flat = scratch.path("pair.swf");
  const std::string idle = scratch.write(
      "idle.json",
      std::string(kPair).replace(std::string(kPair).find("gpu\", \"workers\": 1"), 18, "gpu\", \"workers\": 0"));
  ASSERT_EQ(heddle({"convert", idle, "-o", flat}).status, 0);
  EXPECT_EQ(read_file(flat), "1 9.0 4.0\n2 7.5 3.0\n");
}

TEST(Convert, WarnsOfWhatIsLeftOutOnlyWhenItIsWritten) {
  const Answer answer = heddle({"convert", "lu:tiles=2", "--platform", "counts:cpu=1", "-o", "/no/such.swf"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_FALSE(contains(answer.err, "warning")) << answer.err;
  const Scratch scratch;
  const std::string one = scratch.write("one.json", R"({"format": "heddle-instance", "version": 1, "name": "one",
    "platform": {"classes": [{"name": "cpu", "workers": 1}]}, "types": [], "tasks": []})");
  const Answer narrow = heddle({"convert", one, "-o", scratch.path("one.swf")});
  EXPECT_EQ(narrow.status, 2);
  EXPECT_TRUE(contains(narrow.err, "hetero-swf can hold 2 or 3")) << narrow.err;
  EXPECT_FALSE(contains(narrow.err, "warning")) << narrow.err;
}

TEST(Platforms, AnInstanceCanBeTriedWithOtherNumbersOfWorkers) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  EXPECT_EQ(json_of({"schedule", pair, "--policy", "heft", "--platform", "counts:gpu=2"})["makespan"], 4.0);
  EXPECT_EQ(heddle({"schedule", pair, "--policy", "heft", "--platform", "mirage"}).status, 2);
}

TEST(Hints, SendTasksToAClassForEveryPolicy) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  for (const char* policy : {"heft", "eager", "heteroprio-dep"}) {
    EXPECT_EQ(json_of({"schedule", pair, "--policy", policy, "--force", "X@cpu+Y@gpu"})["makespan"], 9.0) << policy;
  }
  // The published one: of the 66 TRSMs of 12 tiles, 10 are at least 8 tiles from the diagonal.
  const Json far =
      json_of({"schedule", "cholesky:tiles=12", "--platform", "mirage", "--policy", "dmdas", "--force", "TRSM:8@cpu"});
  const Json plain = json_of({"schedule", "cholesky:tiles=12", "--platform", "mirage", "--policy", "dmdas"});
  EXPECT_LT(far["makespan"], plain["makespan"]);
}

TEST(Inflation, MakesRoomOnlyOnClassesButTheLast) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  EXPECT_EQ(json_of({"schedule", pair, "--policy", "heft", "--force", "X@cpu", "--inflate", "50"})["makespan"], 13.5);
  EXPECT_EQ(json_of({"schedule", pair, "--policy", "heft", "--force", "X@gpu+Y@gpu", "--inflate", "50"})["makespan"],
            7.0);
}

TEST(Platforms, NoneIsANumberOfWorkersToo) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  EXPECT_EQ(json_of({"schedule", pair, "--policy", "heft", "--platform", "counts:gpu=0"})["makespan"], 16.5);
  const std::string idle = scratch.write(
      "idle.json",
      std::string(kPair).replace(std::string(kPair).find("gpu\", \"workers\": 1"), 18, "gpu\", \"workers\": 0"));
  EXPECT_EQ(json_of({"schedule", idle, "--policy", "heft"})["makespan"], 16.5);
  EXPECT_EQ(json_of({"schedule", idle, "--policy", "heft", "--platform", "counts:gpu=1"})["makespan"], 7.0);
  ASSERT_EQ(heddle({"convert", idle, "-o", scratch.path("again.json")}).status, 0);
  EXPECT_TRUE(contains(read_file(scratch.path("again.json")), "\"gpu\": 4.0"));
}

TEST(Validate, DrawsDurationsUnderNoiseAgain) {
  const Scratch scratch;
  const std::string file = scratch.path("schedule.json");
  const std::vector<std::string> noisy{"schedule",   "lu:tiles=5",
                                       "--platform", "mirage",
                                       "--policy",   "heteroprio-dep",
                                       "--noise",    "lognormal:0.4,per=execution",
                                       "--seed",     "7",
                                       "-o",         file};
  ASSERT_EQ(heddle(noisy).status, 0);
  EXPECT_EQ(heddle({"validate", "lu:tiles=5", file, "--platform", "mirage"}).status, 0);
  std::string text = read_file(file);
  text.replace(text.find("per=execution"), 13, "per=type");
  EXPECT_EQ(heddle({"validate", "lu:tiles=5", scratch.write("other.json", text), "--platform", "mirage"}).status, 1);
  // A stranger's remark does not change the verdict.
  const std::string pair = scratch.write("pair.json", kPair);
  const std::string remark = scratch.write("remark.json", R"({"format": "heddle-schedule", "version": 1,
    "meta": {"noise": "low"}, "attempts": [
      {"task": "x", "worker": "gpu0", "start": 0.0, "end": 5.0, "outcome": "completed"},
      {"task": "y", "worker": "cpu0", "start": 0.0, "end": 7.5, "outcome": "completed"}]})");
  EXPECT_EQ(heddle({"validate", pair, remark}).status, 1);
}

TEST(Output, ThatCannotBeWrittenIsNoticed) {
  for (const char* command : {"policies", "--help", "schedule --help", "--version"}) {
    const Answer answer = bash("\"$HEDDLE\" " + std::string(command) + " >/dev/full");
    EXPECT_EQ(answer.status, 2) << command;
    EXPECT_TRUE(contains(answer.err, "standard output cannot be written")) << command;
  }
}

/// With an escape that clears the screen, and a line of its own, in every name.
constexpr const char* kEvil = R"({"format": "heddle-instance", "version": 1, "name": "i\u001b[2J\nzz",
  "platform": {"classes": [{"name": "c\u001b[2J\nzz", "workers": 1}, {"name": "gpu\u009b", "workers": 1}]},
  "types": [{"name": "T\u001b[2J\nzz", "seconds": {"c\u001b[2J\nzz": 9, "gpu\u009b": 4}}],
  "tasks": [{"name": "t\u001b[2J\nzz", "type": "T\u001b[2J\nzz"}]})";

TEST(Output, IsNotWrittenByNamesFromFiles) {
  const Scratch scratch;
  const std::string evil = scratch.write("evil.json", kEvil);
  const std::string schedule = scratch.write("schedule.json", R"({"format": "heddle-schedule", "version": 1,
    "instance": "o\u001b[2J\nzz", "attempts": []})");
  const std::vector<std::vector<std::string>> commands{
      {"inspect", evil},
      {"bound", evil, "--kind", "all"},
      {"schedule", evil, "--policy", "heft"},
      {"schedule", evil, "--policy", "heft", "--platform", "mirage"},
      {"compare", evil, "--policies", "all"},
      {"search", evil, "--iterations", "10"},
      {"validate", evil, schedule},
  };
  for (const std::vector<std::string>& command : commands) {
    const Answer answer = heddle(command);
    const std::string text = answer.out + answer.err;
    EXPECT_FALSE(text.empty()) << command[0];
    EXPECT_FALSE(contains(text, "\x1b")) << command[0];
    EXPECT_FALSE(contains(text, "\xC2\x9B")) << command[0];
    EXPECT_FALSE(contains("\n" + text, "\nzz")) << command[0] << text;
  }
}

TEST(Output, IsWrittenAfterTheAnswerIsPrinted) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  const std::vector<std::vector<std::string>> commands{
      {"schedule", pair, "--policy", "heft", "-o", "/dev/full", "--json"},
      {"search", pair, "--iterations", "10", "-o", "/dev/full", "--json"},
      {"compare", pair, "--policies", "heft", "--csv", "/dev/full", "--json"},
  };
  for (const std::vector<std::string>& command : commands) {
    const Answer answer = heddle(command);
    EXPECT_EQ(answer.status, 2) << command[0];
    EXPECT_TRUE(contains(answer.out, "\"makespan\": 7.0")) << command[0];
    EXPECT_TRUE(contains(answer.err, "/dev/full")) << answer.err;
  }
}

TEST(Output, IsCheckedBeforeALongComputation) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  const std::string none = scratch.path("no/x");
  const std::string twice = scratch.path("x");
  const std::vector<std::string> search{"search", "cholesky:tiles=8", "--platform", "mirage", "--time", "1000s"};
  const std::vector<std::string> schedule{"schedule", pair};
  const std::vector<std::string> compare{"compare", pair};
  const std::vector<std::string> experiment{"experiment", "spoliation-orders"};
  const std::vector<std::string> run{"run", "synthetic:tasks=10"};
  const struct {
    std::vector<std::string> command;
    std::vector<std::string> outputs;
    std::string expected;
  } mistakes[] = {
      {search, {"-o", none}, "cannot write '" + none + "': No such file or directory"},
      {search, {"--gantt", scratch.path("")}, "Is a directory"},
      {search, {"-o", pair + "/x"}, "Not a directory"},
      {search, {"-o", ""}, "--output: is empty; expected a value"},
      {search, {"-o", "-", "--json"}, "--json leaves standard output to one document"},
      {schedule, {"--gantt", "-", "--json"}, "--gantt is '-', but --json"},
      {schedule, {"-o", "-", "--gantt", "-"}, "--output and --gantt are both '-'; expected two files"},
      {schedule, {"-o", twice, "--gantt", scratch.path("./x")}, "--output and --gantt are both"},
      {schedule, {"-o", "/dev/stdout", "--json"}, "--output is '/dev/stdout', but --json"},
      {schedule, {"-o", "/dev/stdout", "--gantt", "-"}, "--output and --gantt are both '-'"},
      {schedule, {"--facts", "-", "--json"}, "--facts is '-', but --json"},
      {schedule, {"--facts", twice, "-o", twice}, "are both"},
      {compare, {"--csv", "-", "--json"}, "--csv is '-', but --json"},
      {compare, {"--html", twice, "--csv", twice}, "--html and --csv are both"},
      {experiment, {"--csv", "-", "--json"}, "--csv is '-', but --json"},
      {experiment, {"--journal", "-"}, "--journal is '-'; expected a file"},
      {experiment, {"--journal", twice, "--csv", twice}, "--csv and --journal are both"},
      {run, {"--instance", "-", "--json"}, "--instance is '-', but --json"},
      {run, {"--instance", none}, "cannot write"},
      {{"generate", "lu:tiles=2", "--platform", "mirage"}, {"-o", ""}, "--output: is empty"},
  };
  for (const auto& [command, outputs, expected] : mistakes) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2) << expected;
    EXPECT_EQ(answer.out, "") << expected;
    EXPECT_TRUE(contains(answer.err, expected)) << answer.err;
  }
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"pair.json"});
  EXPECT_EQ(heddle({"schedule", pair, "--policy", "heft", "-o", "/dev/null", "--gantt", "/dev/null"}).status, 0);
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string expected;
};

TEST(Mistakes, GetOneSentenceAndStatusTwo) {
  const Scratch scratch;
  const std::string pair = scratch.write("pair.json", kPair);
  const std::string out = scratch.path("never.json");
  const std::vector<Mistake> mistakes{
      {{"schedul", pair}, "did you mean 'schedule'?"},
      {{"schedule", pair, "--polcy", "heft"}, "did you mean '--policy'?"},
      {{"schedule"}, "INSTANCE is required"},
      {{"schedule", pair, "--policy", "hetf"}, "did you mean 'heft'?"},
      {{"schedule", pair, "--policy", "heft:rank=most"}, "expected min|avg"},
      {{"schedule", pair, "--policy", "heft", "--noise", "unform:0.1"}, "did you mean 'uniform'?"},
      {{"schedule", pair, "--policy", "heft", "--bound", "aera"}, "did you mean 'area'?"},
      {{"schedule", scratch.path("missing.json"), "--policy", "heft"}, "missing.json"},
      {{"schedule", "choleski:tiles=4", "--platform", "mirage", "--policy", "heft"}, "did you mean 'cholesky'?"},
      {{"schedule", "cholesky:tiles=4", "--policy", "heft"}, "--platform"},
      {{"schedule", "cholesky:tiles=4", "--platform", "mirag", "--policy", "heft"}, "did you mean 'mirage'?"},
      {{"schedule", "cholesky:tiles=4", "--platform", "mirage:cuda=3", "--policy", "heft"}, "gpu"},
      {{"schedule", "qr:tiles=4", "--platform", "mirage", "--policy", "heft"}, "GEQRT"},
      {{"schedule", "cholesky:tiles=4", "--platform", "hannibal", "--policy", "heteroprio-dep"}, "exactly two classes"},
      {{"schedule", pair, "--policy", "heteroprio:lists=@" + scratch.path("no-lists")}, "no-lists"},
      {{"schedule", pair, "--policy", "static"}, "static:file=SCHEDULE.json"},
      {{"schedule", pair, "--policy", "heft", "--force", "X"}, "expected TYPE@CLASS"},
      {{"schedule", pair, "--policy", "heft", "--force", "Z@gpu"}, "type 'Z', which no task has"},
      {{"schedule", pair, "--policy", "heft", "--inflate", "-5"}, "expected percent"},
      {{"schedule", pair, "--policy", "static:plan=heft,inflate=2000"}, "expected a whole number in 0..1000"},
      {{"compare", pair, "--policies", "heft,,eager"}, "there is no policy ''"},
      {{"schedule", pair, "--policy", "heft", "--seed", "-1"}, "expected a whole number"},
      {{"schedule", pair, "--policy", "heft", "--noise", "uniform:0.1,per=type,per=type"}, "given twice"},
      {{"bound", pair, "--time", "soon"}, "expected a duration such as 2s"},
      {{"search", pair, "--time", "0s"}, "expected a duration such as 2s"},
      {{"search", "cholesky:tiles=4", "--platform", "mirage:links=measured", "--prove"}, "free transfers only"},
      {{"search", "cholesky:tiles=12", "--platform", "mirage", "--prove"}, "at most 300 tasks"},
      {{"search", pair, "--gap", "-1"}, "expected a number such as 0.01"},
      {{"search", pair, "--iterations", "many"}, "expected a whole number"},
      {{"search", pair, "--policies", "hetf"}, "did you mean 'heft'?"},
      {{"search", pair, "--start", scratch.path("missing.json")}, "missing.json"},
      {{"convert", pair, "-o", scratch.path("x.unknown")}, "names no format"},
      {{"convert", "mirage", "--platform", "sirocco", "-o", out},
       "mirage is a machine, which has no use for --platform"},
      {{"convert", "mirage", "--unit", "ms", "-o", out}, "no use for --unit"},
      {{"convert", "mirage", "--inflate", "5", "-o", out}, "no use for --inflate"},
      {{"inspect", "cholesky:tiles=4", "--platform", "mirage", "--unit", "h"}, "--unit"},
      {{"convert", pair, pair, "--from", "heddle-instance", "-o", out}, "--from says what one IN is"},
      {{"generate", "cholesky:tiles=0", "--platform", "mirage", "-o", out}, "tiles"},
      {{"schedule", pair, "--policy", "heft", "-o", scratch.path("no/such/folder.json")}, "folder"},
      {{}, "Usage"},
  };
  for (const Mistake& mistake : mistakes) {
    const Answer answer = heddle(mistake.arguments);
    std::string shown;
    for (const std::string& argument : mistake.arguments) shown += argument + " ";
    EXPECT_EQ(answer.status, 2) << shown << answer.out << answer.err;
    EXPECT_EQ(answer.out, "") << shown;
    EXPECT_TRUE(contains(answer.err, mistake.expected)) << shown << "\n" << answer.err;
  }
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"pair.json"}) << "something was half-written";
}

TEST(Recordings, AreScheduledOnAnotherMachine) {
  HEDDLE_REQUIRE_DATA(data);
  const std::string trace = (data / "traces/cholesky-n08.mirage-dmdas.tasks.rec").string();
  const Json answer = json_of({"schedule", trace, "--platform", "sirocco", "--policy", "heteroprio-dep:order=best"});
  EXPECT_EQ(answer["tasks"], 120);
  const Json sampled =
      json_of({"schedule", trace, "--platform", (data / "starpu-perfmodels").string() + ":host=sirocco", "--policy",
               "heteroprio-dep:order=best"});
  EXPECT_EQ(sampled["makespan"], answer["makespan"]);
}

TEST(Recordings, AreConvertedWithTheFilesOfTheirMachine) {
  HEDDLE_REQUIRE_DATA(data);
  const Scratch scratch;
  const std::string out = scratch.path("run.json");
  const std::string models = (data / "starpu-perfmodels").string();
  const Answer whole = heddle({"convert", (data / "traces/cholesky-n08.mirage-dmdas.tasks.rec").string(),
                               (data / "traces/cholesky-n08.mirage-dmdas.data.rec").string(),
                               models + "/chol_model_gemm.mirage", models + "/bus/mirage.config", "-o", out});
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(json_of({"inspect", out})["classes"][0]["workers"], 9);
  const Answer mixed =
      heddle({"convert", models + "/chol_model_gemm.mirage", models + "/bus/sirocco.config", "-o", out});
  EXPECT_EQ(mixed.status, 2);
  EXPECT_TRUE(contains(mixed.err, "different machines"));
  const std::string trace = (data / "traces/cholesky-n08.mirage-dmdas.tasks.rec").string();
  const Answer two = heddle({"convert", trace, models + "/bus/mirage.config", "--platform", "sirocco", "-o", out});
  EXPECT_EQ(two.status, 2);
  EXPECT_TRUE(contains(two.err, "--platform is 'sirocco', and the files bring the machine")) << two.err;
}

TEST(Recordings, HaveTheDataThatIsNamed) {
  HEDDLE_REQUIRE_DATA(data);
  const Scratch scratch;
  const std::string trace = (data / "traces/cholesky-n08.mirage-dmdas.tasks.rec").string();
  const std::string own = scratch.write("own", "Handle: 55da6f577f10\nHomeNode: 0\nName: mine\nSize: 3686400\n\n");
  const std::string copy = scratch.write("copy.tasks.rec", read_file(trace));
  const std::string out = scratch.path("run.json");
  const Answer named = heddle({"convert", copy, own, "--platform", "mirage", "-o", out});
  ASSERT_EQ(named.status, 0) << named.err;
  EXPECT_TRUE(contains(read_file(out), "\"mine\""));
  const Answer alone = heddle({"convert", own, own, "--platform", "mirage", "-o", out});
  EXPECT_EQ(alone.status, 2);
  const Answer without = heddle({"convert", own, (data / "starpu-perfmodels/bus/mirage.config").string(), "-o", out});
  EXPECT_EQ(without.status, 2);
  EXPECT_TRUE(contains(without.err, "is not a task graph without its tasks.rec")) << without.err;
}

TEST(Recordings, ComeFromPipes) {
  HEDDLE_REQUIRE_DATA(data);
  const std::string trace = (data / "traces/cholesky-n08.mirage-dmdas.tasks.rec").string();
  const Answer named = bash("\"$HEDDLE\" inspect <(gzip -c " + trace + ") --platform mirage --json");
  ASSERT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(Json::parse(named.out)["tasks"], 120);
  EXPECT_EQ(bash("cat " + trace + " | \"$HEDDLE\" inspect /dev/stdin --platform mirage").status, 0);
}

TEST(PublicInstances, AskForTheMachineTheyLack) {
  HEDDLE_REQUIRE_DATA(data);
  const std::string file = (data / "instances/hetero-swf/2res/spotrf-960-5.txt").string();
  const Answer bare = heddle({"schedule", file, "--policy", "heft"});
  EXPECT_EQ(bare.status, 2);
  EXPECT_TRUE(contains(bare.err, "counts:cpu=16,gpu=4")) << bare.err;
  const std::vector<std::string> whole{"schedule",           file,     "--policy", "heteroprio-dep", "--platform",
                                       "counts:cpu=4,gpu=2", "--unit", "ms"};
  EXPECT_NEAR(json_of(whole)["bounds"]["critical-path"].get<double>(), 0.085404726, 1e-12);
}

}  // namespace
}  // namespace heddle::test
