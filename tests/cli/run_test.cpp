// `heddle run`: real executions, as people and scripts see them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "heddle/io/file.hpp"
#include "tests/cli/program.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

TEST(Run, ReportsWhatScheduleReportsAndTheNumbers) {
  for (const char* workload :
       {"cholesky:n=200,tile=64", "cholesky:n=200,precision=single", "lu:n=150", "lu:n=150,pivoting=partial",
        "qr:n=100,m=170", "gemm:n=150,tile=50", "synthetic:tasks=500"}) {
    const Answer answer = heddle({"run", workload, "--workers", "cpu=2", "--json"});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const Json run = Json::parse(answer.out);
    EXPECT_EQ(run["instance"], workload);
    EXPECT_EQ(run["policy"], "dmdas");
    EXPECT_GE(run["ratio"], 1.0) << workload;
    EXPECT_GE(run["residual"], 0.0);
    EXPECT_LT(run["residual"], 30.0);
    EXPECT_GT(run["gflops"], 0.0);
    EXPECT_GE(run["wall_seconds"], run["makespan"]);
    for (const char* key : {"seed", "run", "noise", "tasks", "bounds", "best_kind", "aborted_attempts", "classes"}) {
      EXPECT_TRUE(run.contains(key)) << key;
    }
  }
}

TEST(Run, HasTheTasksOfTheSimulatedWorkload) {
  const auto tasks = [](const std::vector<std::string>& arguments) {
    return Json::parse(heddle(arguments).out)["tasks"];
  };
  for (const std::string name : {"cholesky", "lu", "qr", "gemm"}) {
    EXPECT_EQ(tasks({"run", name + ":n=100,tile=25", "--json"}),
              tasks({"schedule", name + ":tiles=4", "--platform", name == "gemm" ? "sirocco" : "kumar-2017", "--policy",
                     "heft", "--json"}))
        << name;
  }
}

/// By task, the worker that completed it.
std::map<std::string, std::string> workers_of(const std::string& schedule) {
  std::map<std::string, std::string> workers;
  const Json document = Json::parse(io::read_file(schedule));
  for (const Json& attempt : document["attempts"]) {
    if (attempt["outcome"] == "completed") workers[attempt["task"]] = attempt["worker"];
  }
  return workers;
}

TEST(Run, CarriesOutAPlan) {
  const Scratch scratch;
  const std::string workload = "cholesky:n=512,tile=64";
  const std::string instance = scratch.path("run.json");
  const std::string plan = scratch.path("plan.json");
  const std::string back = scratch.path("back.json");
  ASSERT_EQ(heddle({"run", workload, "--workers", "cpu=2", "--instance", instance}).status, 0);
  ASSERT_EQ(heddle({"search", instance, "--iterations", "100", "-o", plan}).status, 0);
  const Answer answer = heddle({"run", workload, "--workers", "cpu=2", "--policy", "static:file=" + plan, "-o", back});
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(contains(answer.out, "right: below 30")) << answer.out;
  EXPECT_EQ(workers_of(back), workers_of(plan));
  EXPECT_EQ(workers_of(plan).size(), 120U);
  EXPECT_EQ(
      heddle({"run", workload, "--workers", "cpu=2", "--policy", "static:file=" + plan + ",correction=gs"}).status, 0);
  // Of another graph, of another machine, none.
  const std::pair<std::vector<std::string>, std::string> mistakes[] = {
      {{"run", "cholesky:n=256,tile=64", "--workers", "cpu=2", "--policy", "static:file=" + plan},
       "but no task is called so"},
      {{"run", workload, "--workers", "cpu=1", "--policy", "static:file=" + plan}, "plan.json: workers"},
      {{"run", workload, "--policy", "static"}, "say which: static:file=SCHEDULE.json"},
      {{"run", workload, "--policy", "static:file=" + scratch.path("none")}, "none"},
  };
  for (const auto& [arguments, expected] : mistakes) {
    const Answer wrong = heddle(arguments);
    EXPECT_EQ(wrong.status, 2) << expected;
    EXPECT_TRUE(contains(wrong.err, expected)) << wrong.err;
  }
}

/// Asked to end, once or impatiently, it leaves what was there before.
TEST(Run, LeavesNoHalfWrittenFileWhenItIsEnded) {
  const std::string begin =
      R"sh(cd "$(mktemp -d)"; echo old > facts.json
         $HEDDLE run cholesky:n=6000,tile=32 --workers cpu=2 --facts facts.json -o schedule.json & run=$!
         until ls facts.json.tmp* > /dev/null 2>&1 || ! kill -0 $run; do sleep 0.01; done; )sh";
  const std::string end = R"sh(wait $run; echo $?; cat *; ls; rm -r "$PWD")sh";
  EXPECT_EQ(bash(begin + "kill -TERM $run; " + end).out, "143\nold\nfacts.json\n");
  EXPECT_EQ(bash(begin + "kill -TERM $run; sleep 0.3; kill -TERM $run 2> /dev/null; " + end).out,
            "143\nold\nfacts.json\n");
}

TEST(Run, TellsWhatThePolicyTook) {
  const Answer answer = heddle({"run", "lu:n=100,tile=25", "--policy", "auto", "--workers", "cpu=2", "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_NE(Json::parse(answer.out)["note"].get<std::string>().find("candidates simulated fully"), std::string::npos)
      << answer.out;
  EXPECT_TRUE(Json::parse(heddle({"run", "lu:n=100,tile=25", "--json"}).out)["note"].is_null());
}

TEST(Run, EndsWithTimeSpeedAndRatio) {
  const Answer answer = heddle({"run", "cholesky:n=256,tile=64", "--policy", "heteroprio-dep", "--workers", "cpu=2"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const std::string last = answer.out.substr(answer.out.rfind('\n', answer.out.size() - 2) + 1);
  EXPECT_NE(last.find(" GFlop/s, "), std::string::npos) << last;
  EXPECT_NE(last.find(" times the bound\n"), std::string::npos) << last;
}

TEST(Run, TellsTheEnergyOrWhyNot) {
  const std::vector<std::string> arguments{"run", "cholesky:n=256,tile=64", "--workers", "cpu=2"};
  const std::string text = heddle(arguments).out;
  std::vector<std::string> as_json(arguments);
  as_json.emplace_back("--json");
  const Json energy = Json::parse(heddle(as_json).out)["energy"];
  if (energy["joules"].is_null()) {
    EXPECT_TRUE(contains(text, "\nenergy not measured: " + energy["missing"].get<std::string>() + "\n")) << text;
  } else {
    EXPECT_TRUE(contains(text, " J by the machine's counters, for all that it did meanwhile: ")) << text;
    EXPECT_FALSE(energy["counters"].empty());
  }
}

TEST(Run, WritesWhatOtherCommandsRead) {
  const Scratch scratch;
  const std::string instance = scratch.path("run.json");
  const std::string schedule = scratch.path("schedule.json");
  const std::string page = scratch.path("gantt.html");
  const Answer run = heddle({"run", "lu:n=200,tile=50,pivoting=partial", "--workers", "cpu=1,cpu2=1", "--instance",
                             instance, "-o", schedule, "--gantt", page});
  ASSERT_EQ(run.status, 0) << run.err;
  const Answer valid = heddle({"validate", instance, schedule});
  EXPECT_EQ(valid.status, 0) << valid.out << valid.err;
  EXPECT_EQ(heddle({"compare", instance, "--policies", "heft,dmdas"}).status, 0);
  EXPECT_EQ(scratch.files().size(), 3U);
}

TEST(Run, WritesWhatThePolicyWasToldAndReplayTellsItAgain) {
  const Scratch scratch;
  const std::string facts = scratch.path("facts.json");
  ASSERT_EQ(
      heddle({"run", "cholesky:n=200,tile=50", "--workers", "cpu=2", "--policy", "eager", "--facts", facts}).status, 0);
  const Answer same = heddle({"replay", facts});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, testing::MatchesRegex("[2-9][0-9] decisions in [0-9]+ epochs?: all the same\n"));
  std::string log = io::read_file(facts);
  const std::string answer = R"("answer": ["run", 0, )";
  log.replace(log.find(answer), answer.size(), R"("answer": ["run", 1, )");
  const Answer other = heddle({"replay", scratch.write("altered.json", log)});
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.out.find("now it runs task 0 (POTRF) on cpu0; in the log it runs task 1 (TRSM) on cpu0"),
            std::string::npos)
      << other.out;
  const Answer bad = heddle({"replay", scratch.write("half.json", log.substr(0, log.size() / 2))});
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(std::ranges::count(bad.err, '\n'), 1) << bad.err;
}

TEST(Schedule, WritesWhatThePolicyWasToldAndReplayTellsItAgain) {
  const Scratch scratch;
  const std::string facts = scratch.path("facts.json");
  const std::string plan = scratch.path("plan.json");
  const auto schedule = [&](const std::string& policy) {
    return heddle({"schedule", "cholesky:tiles=5", "--platform", "sirocco:cpu=3,gpu=1,links=measured", "--policy",
                   policy, "--facts", facts, "-o", plan});
  };
  for (const std::string& policy :
       {std::string("auto"), std::string("heteroprio-dep:order=best"), "static:file=" + plan}) {
    ASSERT_EQ(schedule(policy).status, 0);
    const Json replayed = Json::parse(heddle({"replay", facts, "--json"}).out);
    EXPECT_EQ(replayed["difference"], nullptr) << policy;
    EXPECT_GE(replayed["decisions"], 35);
    EXPECT_EQ(replayed["epochs"], 1);
    const Answer named = heddle({"replay", facts, "--policy", policy});
    EXPECT_EQ(named.status, 0) << "the log has the answers to what it asks: " << named.out << named.err;
  }
  const Answer needs = heddle({"replay", facts, "--policy", "qa"});
  EXPECT_EQ(needs.status, 1) << needs.err;
}

/// Why this machine has no OpenCL device; empty when it has one.
std::string no_opencl() {
  const Json devices = Json::parse(heddle({"devices", "--json"}).out);
  for (const Json& kind : devices) {
    if (kind["kind"] == "opencl") return kind.value("reason", "");
  }
  return "unknown";
}

TEST(Run, UsesOpenClDevices) {
  if (const std::string why = no_opencl(); !why.empty()) GTEST_SKIP() << why;
  const Scratch scratch;
  const std::string instance = scratch.path("run.json");
  const std::string schedule = scratch.path("schedule.json");
  const Answer run = heddle({"run", "cholesky:n=512,tile=128", "--policy", "heteroprio-dep", "--workers",
                             "cpu=1,opencl=1", "--instance", instance, "-o", schedule});
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* part :
       {"(1 cpu + 1 opencl), 20 tasks", "\nopencl        1 ", " transferred in ", "right: below 30"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << run.out;
  }
  const Answer valid = heddle({"validate", instance, schedule});
  // An attempt that was aborted may have lasted longer than a later one of the same task on the same class, which is
  // the one that counts.
  EXPECT_LE(valid.status, 1);
  EXPECT_EQ(valid.err, "");
  EXPECT_NE(valid.out.find("valid: "), std::string::npos) << valid.out;
  for (std::istringstream lines(valid.out); !lines.eof();) {
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(line.empty() || line.find("valid: ") != std::string::npos ||
                line.find("was aborted after") != std::string::npos)
        << line;
  }
  const Json compared = Json::parse(heddle({"compare", instance, "--policies", "heft,dmdas", "--json"}).out);
  ASSERT_EQ(compared.size(), 2U);
  for (const Json& one : compared) EXPECT_GE(one["ratio"], 1.0);
  EXPECT_EQ(Json::parse(io::read_file(instance))["platform"]["links"].size(), 2U);

  EXPECT_NE(run.out.find("before, not counted: a small run for "), std::string::npos) << run.out;

  const Json measured = Json::parse(heddle({"calibrate", "--workers", "cpu=1,opencl=1", "--tiles", "32", "--runs", "1",
                                            "--precision", "single", "--history", scratch.path("h"), "--json"})
                                        .out);
  std::set<std::string> classes;
  for (const Json& entry : measured["durations"]) classes.insert(entry["class"]);
  EXPECT_EQ(classes, (std::set<std::string>{"cpu", "opencl"}));
  ASSERT_EQ(measured["links"].size(), 2U);
  for (const Json& link : measured["links"]) {
    EXPECT_EQ((link["from"] == "ram") + (link["to"] == "ram"), 1) << link;
    EXPECT_GE(link["count"], 32) << "measured so often that nothing older counts";
    EXPECT_GT(link["bandwidth"], 1e6);
  }
  const std::string text = heddle({"history", "show", "--history", scratch.path("h")}).out;
  EXPECT_NE(text.find("bandwidth"), std::string::npos) << text;
  const std::string platform = scratch.path("here.json");
  const Answer exported =
      heddle({"history", "export", "--workers", "cpu=2,opencl=1", "-o", platform, "--history", scratch.path("h")});
  EXPECT_EQ(exported.status, 0) << exported.err;
  const Json machine = Json::parse(io::read_file(platform));
  ASSERT_EQ(machine["links"].size(), 2U);
  EXPECT_EQ(machine["links"][0]["from"], "ram");
  EXPECT_EQ(machine["links"][0]["to"], "opencl0");
  EXPECT_EQ(machine["links"][1]["bandwidth"], measured["links"][0]["bandwidth"]);
  EXPECT_EQ(heddle({"schedule", "cholesky:tiles=4,tile=32,precision=single", "--platform", platform}).status, 0);
}

/// What the devices do to warm up is no part of the run, and nothing is learned from it.
TEST(Run, WarmsDevicesUpBeforeItCounts) {
  const std::string cores = heddle({"run", "cholesky:n=128,tile=32", "--workers", "cpu=1", "--json"}).out;
  EXPECT_TRUE(Json::parse(cores)["warm_up_seconds"].is_null());
  if (const std::string why = no_opencl(); !why.empty()) GTEST_SKIP() << why;
  const Scratch scratch;
  const std::string history = scratch.path("h");
  for (const std::string workload : {"cholesky:n=256,tile=64", "synthetic:tasks=20"}) {
    const Answer answer =
        heddle({"run", workload, "--workers", "cpu=1,opencl=1", "--policy", "eager", "--history", history, "--json"});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const Json run = Json::parse(answer.out);
    EXPECT_EQ(run["tasks"], 20);
    EXPECT_GT(run["warm_up_seconds"], 0.0);
  }
  int measured = 0;
  const Json known = Json::parse(heddle({"history", "show", "--history", history, "--json"}).out);
  for (const Json& entry : known["durations"]) {
    measured += entry["count"].get<int>();
  }
  EXPECT_EQ(measured, 40);
}

/// Their durations are not this machine's: only a history that is named learns them.
TEST(Run, OfTimedTasksTakesAsLongAsTheyDo) {
  const Scratch scratch;
  const std::string tasks = scratch.path("tasks.json");
  ASSERT_EQ(heddle({"generate", "independent:tasks=6", "--platform", "mirage:cpu=2,gpu=1", "-o", tasks}).status, 0);
  const std::string cache = scratch.path("cache");
  const std::string history = scratch.path("h");
  const std::string command =
      "XDG_CACHE_HOME='" + cache + "' $HEDDLE run timed:file='" + tasks + "' --workers cpu=2 --json";
  const Answer first = bash(command);
  ASSERT_EQ(first.status, 0) << first.err;
  const Json run = Json::parse(first.out);
  EXPECT_EQ(run["tasks"], 6);
  EXPECT_EQ(run["residual"], 0.0);
  EXPECT_EQ(run["gflops"], 0.0);
  EXPECT_GE(run["makespan"], Json::parse(heddle({"bound", tasks, "--json"}).out)["best"]) << "of more workers";
  EXPECT_FALSE(std::filesystem::exists(cache)) << "nothing is learned";
  ASSERT_EQ(bash(command + " --history '" + history + "'").status, 0);
  EXPECT_FALSE(Json::parse(heddle({"history", "show", "--history", history, "--json"}).out)["durations"].empty());

  const Answer without = heddle({"run", "timed"});
  EXPECT_EQ(without.status, 2);
  EXPECT_EQ(without.err, "heddle: workload 'timed' has no file; expected timed:file=tasks.json\n");
}

TEST(Run, SaysThatThereAreNotSoManyDevices) {
  if (const std::string why = no_opencl(); !why.empty()) GTEST_SKIP() << why;
  const Answer answer = heddle({"run", "lu:n=20", "--workers", "cpu=1,opencl=900"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.err.find("of class 'opencl', not 900"), std::string::npos) << answer.err;
}

TEST(Run, SaysThatThereIsNoDevice) {
  const Scratch scratch;
  setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
  for (const char* command : {"run", "calibrate"}) {
    std::vector<std::string> arguments{command, "--workers", "cpu=1,opencl=1", "--history", scratch.path("h")};
    if (arguments.front() == "run") arguments.insert(arguments.begin() + 1, "lu:n=20");
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2);
    EXPECT_EQ(std::ranges::count(answer.err, '\n'), 1) << answer.err;
    EXPECT_TRUE(answer.out.empty()) << answer.out;
  }
  unsetenv("OCL_ICD_VENDORS");
}

TEST(Run, SaysWhatIsWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"run", "choleski"}, "there is no workload 'choleski' to run; did you mean 'cholesky'?"},
      {{"run", "cholesky:n=0"}, "1..1000000"},
      {{"run", "cholesky:pivoting=partial"}, "pivoting"},
      {{"run", "qr:n=20,m=10"}, "m is less than n"},
      {{"run", "cholesky:n=20000,tile=8"}, "tiles of side 8 make 2.61e+09 tasks"},
      {{"run", "qr:n=100,m=1000000,tile=1"}, "make 5.05e+09 tasks"},
      {{"run", "lu:n=1000000,tile=100000"}, "that takes 2.235e+04 GiB of memory, and this machine has"},
      {{"run", "lu:n=20", "--workers", "gpu=1"}, "there is no class 'gpu'"},
      {{"run", "lu:n=20", "--workers", "cpu=1,opencll=1"}, "did you mean 'opencl'?"},
      {{"run", "lu:n=20", "--workers", "auto,cpu=1"}, "'auto' is the whole machine; expected it alone"},
      {{"run", "lu:n=20", "--workers", "cpu=1,auto,opencl=1"}, "'auto' is the whole machine; expected it alone"},
      {{"run", "lu:n=20", "--policy", "nobody"}, "nobody"},
      {{"run", "lu:n=20", "--policy", "static"}, "follows a given schedule"},
      {{"run", "lu:n=20", "--bound", "sharp"}, "there is no bound 'sharp'"},
  };
  for (const auto& [arguments, sentence] : mistakes) {
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2) << sentence << answer.out;
    EXPECT_NE(answer.err.find(sentence), std::string::npos) << answer.err;
    EXPECT_TRUE(answer.out.empty()) << answer.out;
  }
}

}  // namespace
}  // namespace heddle::test
