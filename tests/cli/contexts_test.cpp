// `--contexts` and `--assign`: jobs side by side, each with workers and a policy of its own.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const std::string kContexts = "solver:cpu=4,gpu=3:dmdas; rest:cpu=5:ws";

std::vector<std::string> side_by_side(std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{
      "schedule",   "cholesky:tiles=8", "--platform", "mirage",
      "--contexts", kContexts,          "--assign",   "TRSM@rest+POTRF@solver+GEMM@solver+SYRK@solver"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(ScheduleContexts, TellsWhatEachOfThemDid) {
  const Answer answer = heddle(side_by_side());
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(contains(answer.out, "\ncontexts\n")) << answer.out;  // the policy
  EXPECT_TRUE(contains(answer.out, "context  policy  workers")) << answer.out;
  EXPECT_TRUE(contains(answer.out, "solver   dmdas   4 cpu + 3 gpu")) << answer.out;
  EXPECT_TRUE(contains(answer.out, "rest     ws      5 cpu")) << answer.out;
  const Json record = json_of(side_by_side());
  ASSERT_EQ(record["contexts"].size(), 2U);
  const Json& rest = record["contexts"][1];
  EXPECT_EQ(rest["name"], "rest");
  EXPECT_EQ(rest["policy"], "ws");
  EXPECT_EQ(rest["workers"], (Json{"cpu4", "cpu5", "cpu6", "cpu7", "cpu8"}));
  EXPECT_EQ(rest["tasks"], 28);
  EXPECT_EQ(record["contexts"][0]["tasks"], 120 - 28);
  const double all = 5 * record["makespan"].get<double>();
  EXPECT_NEAR(rest["busy"].get<double>() + rest["idle"].get<double>(), all, 1e-9);
  EXPECT_LE(rest["end"], record["makespan"]);
  EXPECT_EQ(rest["aborted_attempts"], 0);
}

TEST(ScheduleContexts, OneOfEverythingIsThePolicyAlone) {
  const auto record = [](std::vector<std::string> more) {
    std::vector<std::string> arguments{"schedule", "lu:tiles=6", "--platform", "mirage:links=measured"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_of(arguments);
  };
  for (const char* policy : {"dmdas", "heteroprio-dep:order=best", "auto"}) {
    const Json alone = record({"--policy", policy});
    const Json composed = record({"--contexts", "all:cpu=9,gpu=3:" + std::string(policy)});
    for (const char* field : {"makespan", "aborted_attempts", "transferred_bytes", "note", "classes"}) {
      EXPECT_EQ(composed[field], alone[field]) << policy << ' ' << field;
    }
    EXPECT_FALSE(alone.contains("contexts"));
    EXPECT_EQ(composed["contexts"].size(), 1U);
  }
}

TEST(ScheduleContexts, FilesKeepThem) {
  const Scratch scratch;
  const std::string instance = scratch.path("instance.json");
  const std::string schedule = scratch.path("schedule.json");
  const std::string page = scratch.path("page.html");
  ASSERT_EQ(heddle(side_by_side({"-o", schedule, "--gantt", page})).status, 0);
  EXPECT_TRUE(
      contains(read_file(page), R"("contexts":[{"name":"solver","policy":"dmdas","workers":[0,1,2,3,9,10,11],)"));
  ASSERT_EQ(heddle({"generate", "cholesky:tiles=8", "--platform", "mirage", "-o", instance}).status, 0);
  EXPECT_EQ(heddle({"validate", instance, schedule}).status, 0);
  // On a worker of the other context.
  Json document = Json::parse(read_file(schedule));
  for (Json& attempt : document["attempts"]) {
    if (attempt["context"] == "rest") attempt["context"] = "solver";
  }
  scratch.write("schedule.json", document.dump());
  const Answer moved = heddle({"validate", instance, schedule});
  EXPECT_EQ(moved.status, 1);
  EXPECT_TRUE(contains(moved.out + moved.err, "is on a worker that is not of its context 'solver'")) << moved.out;
  // An instance with contexts of its own.
  document = Json::parse(read_file(instance));
  document["contexts"] = {{{"name", "all"}, {"workers", {{"cpu", 9}, {"gpu", 3}}}, {"policy", "heft"}}};
  scratch.write("instance.json", document.dump());
  const Json own = json_of({"schedule", instance});
  EXPECT_EQ(own["policy"], "contexts");
  EXPECT_EQ(own["contexts"][0]["policy"], "heft");
  EXPECT_EQ(own["makespan"], json_of({"schedule", instance, "--policy", "heft"})["makespan"]);
  EXPECT_EQ(json_of({"schedule", instance, "--policy", "auto"})["policy"], "auto");
  // What other formats cannot hold is told.
  EXPECT_TRUE(contains(heddle({"convert", instance, "-o", scratch.path("plain.swf")}).err, ", contexts\n"));
  // Their workers are those of the file's machine.
  const Answer counts = heddle({"schedule", instance, "--platform", "counts:gpu=5"});
  EXPECT_EQ(counts.status, 2);
  EXPECT_TRUE(contains(counts.err, "has contexts of its workers, whose numbers --platform cannot change"))
      << counts.err;
}

TEST(ScheduleContexts, TakeAFileForTheAssignment) {
  const Scratch scratch;
  const std::string file = scratch.path("assignment.json");
  scratch.write("assignment.json", R"x({"POTRF(0,0)": "one"})x");
  const std::vector<std::string> arguments{"schedule",   "cholesky:tiles=3",    "--platform", "mirage",
                                           "--contexts", "one:cpu=1;two:gpu=1", "--assign",   file};
  EXPECT_EQ(json_of(arguments)["contexts"][0]["tasks"], 1);
  scratch.write("assignment.json", R"x({"POTRF(9,9)": "one"})x");
  const Answer answer = heddle(arguments);
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(contains(answer.err, "assignment.json: POTRF(9,9) names no task")) << answer.err;
}

TEST(ScheduleContexts, PoliciesReadFiles) {
  const Scratch scratch;
  const std::string lists = scratch.write("lists", "cpu: POTRF TRSM*11\ngpu: GEMM SYRK TRSM\n");
  const std::vector<std::string> start{"schedule", "cholesky:tiles=4", "--platform", "mirage"};
  const auto record = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> arguments = start;
    arguments.insert(arguments.end(), {option, value});
    return json_of(arguments);
  };
  const std::string policy = "heteroprio:lists=@" + lists;
  EXPECT_EQ(record("--contexts", "all:cpu=9,gpu=3:" + policy)["makespan"], record("--policy", policy)["makespan"]);
}

TEST(ScheduleContexts, FollowPlansAndAreReplayed) {
  const Scratch scratch;
  const std::string plan = scratch.path("plan.json");
  const std::string facts = scratch.path("facts.json");
  ASSERT_EQ(heddle(side_by_side({"-o", plan})).status, 0);
  const Json followed =
      json_of({"schedule", "cholesky:tiles=8", "--platform", "mirage", "--assign",
               "TRSM@rest+POTRF@solver+GEMM@solver+SYRK@solver", "--contexts",
               "solver:cpu=4,gpu=3:static:file=" + plan + "; rest:cpu=5:static:file=" + plan, "--facts", facts});
  EXPECT_EQ(followed["makespan"], json_of(side_by_side())["makespan"]);
  const Answer replayed = heddle({"replay", facts});
  EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
}

TEST(ScheduleContexts, RefuseWithOneSentence) {
  const auto refused = [](std::vector<std::string> more) {
    std::vector<std::string> arguments{"schedule", "cholesky:tiles=3", "--platform", "mirage"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2) << answer.err;
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"--contexts", "a"}, "--contexts: 'a'; expected NAME:CLASS=N,...:POLICY"},
      {{"--contexts", "a:cpu=10"}, "context 'a' wants 10 cpu, of which 9 are left"},
      {{"--contexts", "a:tpu=1"}, "context 'a' names class 'tpu', which the platform does not have"},
      {{"--contexts", "a:cpu=1:hefft"}, "context 'a': there is no policy 'hefft'; did you mean 'heft'?"},
      {{"--contexts", "a:cpu=1:contexts"}, "context 'a': policy 'contexts' cannot be that of a context"},
      {{"--contexts", "a:cpu=1:static"},
       "policy 'static' follows a given schedule; say which: static:file=SCHEDULE.json"},
      {{"--contexts", "a:cpu=1;a:cpu=1"}, "there are two contexts called 'a'"},
      {{"--contexts", "a:cpu=1", "--assign", "GEMM@b"}, "there is no context 'b'"},
      {{"--contexts", "a:cpu=1", "--assign", "GEMM@"}, "--assign: hint 'GEMM@'; expected TYPE@CONTEXT"},
      {{"--contexts", "a:cpu=1", "--assign", "nowhere.json"}, "nowhere.json"},
      {{"--contexts", "sockets:dmdas"}, "--contexts is 'sockets:dmdas', but a platform does not say on which sockets"},
      {{"--assign", "GEMM@b"}, "--assign is 'GEMM@b', but there are no contexts: --contexts says which"},
      {{"--contexts", "a:cpu=1", "--policy", "heft"}, "--policy is 'heft', but --contexts says which policies decide"},
      {{"--policy", "contexts"}, "policy 'contexts' needs scheduling contexts; instance 'cholesky:tiles=3' has none"},
      {{"--force", "GEMM@gpu", "--contexts", "a:cpu=1"}, "is of context 'a', none of whose workers can run it"},
  };
  for (const auto& [arguments, sentence] : mistakes) {
    const std::string error = refused(arguments);
    EXPECT_TRUE(contains(error, sentence)) << error;
  }
}

/// Two jobs that share no data, of which one has more to do, each with half of the machine.
std::vector<std::string> two_jobs(const std::string& command, std::vector<std::string> more) {
  std::vector<std::string> arguments{command,      "independent:tasks=800",
                                     "--platform", "kumar-2017:cpu=8,gpu=2",
                                     "--contexts", "a:cpu=4,gpu=1:dmdas; b:cpu=4,gpu=1:dmdas",
                                     "--assign",   "GEMM@a"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(ResizeContexts, MovesWorkersAndTellsSo) {
  const Scratch scratch;
  const std::string instance = scratch.path("instance.json");
  const std::string schedule = scratch.path("schedule.json");
  const std::string facts = scratch.path("facts.json");
  ASSERT_EQ(
      heddle({"generate", "independent:tasks=800", "--platform", "kumar-2017:cpu=8,gpu=2", "-o", instance}).status, 0);
  const Json fixed = json_of(two_jobs("schedule", {}));
  EXPECT_FALSE(fixed.contains("moves"));
  for (const std::string rule : {"idle", "speed", "lp", "simulate"}) {
    const Json resized = json_of(two_jobs("schedule", {"--resize", rule, "-o", schedule, "--facts", facts}));
    EXPECT_EQ(resized["policy"], "contexts:resize=" + rule);
    EXPECT_LT(resized["makespan"], fixed["makespan"]) << rule;
    ASSERT_FALSE(resized["moves"].empty()) << rule;
    const Json& move = resized["moves"].back();
    EXPECT_NE(move["from"], move["to"]);
    EXPECT_LE(move["at"], resized["makespan"]);
    EXPECT_EQ(heddle({"validate", instance, schedule}).status, 0) << rule;
    EXPECT_EQ(heddle({"replay", facts}).status, 0) << rule;
    EXPECT_EQ(json_of(two_jobs("schedule", {"--resize", rule}))["moves"], resized["moves"]) << rule;
  }
  // Without the moves, attempts are on workers of the other context.
  Json document = Json::parse(read_file(schedule));
  document.erase("moves");
  scratch.write("schedule.json", document.dump());
  const Answer unmoved = heddle({"validate", instance, schedule});
  EXPECT_EQ(unmoved.status, 1);
  EXPECT_TRUE(contains(unmoved.out + unmoved.err, "is on a worker that is not of its context")) << unmoved.out;
  const Answer answer = heddle(two_jobs("schedule", {"--resize", "lp"}));
  EXPECT_TRUE(contains(answer.out, "worker  from  to\n")) << answer.out;
}

TEST(ResizeContexts, AreComparedWithThoseThatDoNotChange) {
  const Json records = json_of(two_jobs("compare", {"--policies", "dmdas", "--resize", "lp"}));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1]["policy"], "contexts");
  EXPECT_EQ(records[2]["policy"], "contexts:resize=lp");
  EXPECT_FALSE(records[2]["moves"].empty());
}

TEST(ResizeContexts, RefuseWithOneSentence) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2) << answer.err;
    return answer.err;
  };
  EXPECT_TRUE(contains(refused({"schedule", "cholesky:tiles=3", "--platform", "mirage", "--resize", "lp"}),
                       "--resize is 'lp', but instance 'cholesky:tiles=3' has no contexts: --contexts says which"));
  EXPECT_TRUE(
      contains(refused({"schedule", "cholesky:tiles=3", "--platform", "mirage", "--policy", "heft", "--resize", "lp"}),
               "--policy is 'heft', but --resize is for contexts, whose policies decide; expected one of the two"));
  EXPECT_TRUE(contains(refused(two_jobs("schedule", {"--resize", "lpp"})), "did you mean 'lp'?"));
}

TEST(CompareContexts, HasThemBesideThePoliciesOfTheWholeMachine) {
  const Scratch scratch;
  const Json records = json_of({"compare", "cholesky:tiles=6", "--platform", "mirage", "--policies", "heft,dmdas",
                                "--contexts", kContexts, "--assign", "TRSM@rest+POTRF@solver+GEMM@solver+SYRK@solver"});
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0]["policy"], "heft");
  EXPECT_FALSE(records[0].contains("contexts"));
  EXPECT_EQ(records[2]["policy"], "contexts");
  EXPECT_EQ(records[2]["contexts"][0]["name"], "solver");
}

TEST(Energy, IsReportedWhereThePlatformSaysWhatWorkersDraw) {
  const Scratch scratch;
  const std::string machine = scratch.path("machine.json");
  ASSERT_EQ(heddle({"convert", "mirage", "-o", machine}).status, 0);
  Json document = Json::parse(read_file(machine));
  document["classes"][0]["watts"] = {{"busy", 10}, {"idle", 2}};
  scratch.write("machine.json", document.dump());
  const std::vector<std::string> arguments{"schedule", "cholesky:tiles=4", "--platform", machine, "--policy", "heft"};
  EXPECT_FALSE(json_of(arguments).contains("joules"));  // not of the GPUs
  EXPECT_FALSE(contains(heddle(arguments).out, "energy"));
  document["classes"][1]["watts"] = {{"busy", 200}, {"idle", 30}};
  scratch.write("machine.json", document.dump());
  const Json record = json_of(arguments);
  const auto joules = [&](std::size_t c, double busy, double idle) {
    return busy * record["classes"][c]["busy"].get<double>() + idle * record["classes"][c]["idle"].get<double>();
  };
  EXPECT_NEAR(record["classes"][0]["joules"].get<double>(), joules(0, 10, 2), 1e-9);
  EXPECT_NEAR(record["joules"].get<double>(), joules(0, 10, 2) + joules(1, 200, 30), 1e-9);
  EXPECT_TRUE(contains(heddle(arguments).out, "\nenergy    ")) << heddle(arguments).out;
}

const std::string kRunContexts = "solver:cpu=1:dmdas; rest:cpu=1:ws";

std::vector<std::string> run_side_by_side(std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{
      "run",      "cholesky:n=256,tile=64", "--workers", "cpu=2", "--contexts", kRunContexts,
      "--assign", "GEMM@solver+SYRK@solver"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(RunContexts, ExecutesJobsSideBySide) {
  const Scratch scratch;
  const std::string history = scratch.path("history.sqlite");
  const std::string instance = scratch.path("instance.json");
  const std::string schedule = scratch.path("schedule.json");
  const std::string facts = scratch.path("facts.json");
  const std::string page = scratch.path("page.html");
  const Json record = json_of(run_side_by_side(
      {"--history", history, "--instance", instance, "-o", schedule, "--gantt", page, "--facts", facts}));
  EXPECT_EQ(record["policy"], "contexts");
  ASSERT_EQ(record["contexts"].size(), 2U);
  EXPECT_EQ(record["contexts"][0]["policy"], "dmdas");
  EXPECT_EQ(record["contexts"][0]["tasks"], 4 + 6);
  EXPECT_EQ(record["contexts"][1]["tasks"], 4 + 6);
  EXPECT_EQ(record["contexts"][1]["workers"], Json{"cpu1"});
  EXPECT_TRUE(contains(read_file(page), R"("contexts":[{"name":"solver","policy":"dmdas","workers":[0],)"));
  EXPECT_EQ(heddle({"validate", instance, schedule}).status, 0);
  EXPECT_EQ(heddle({"replay", facts}).status, 0);
  // The instance has the contexts: they are simulated with the durations that were measured.
  EXPECT_EQ(json_of({"schedule", instance})["contexts"].size(), 2U);
  EXPECT_EQ(heddle(run_side_by_side({"--history", history})).status, 0);
  // Names of tasks in a file do the same.
  scratch.write("assign.json", R"x({"POTRF(0,0)": "solver"})x");
  const Json other = json_of({"run", "cholesky:n=256,tile=64", "--workers", "cpu=2", "--history", history, "--contexts",
                              kRunContexts, "--assign", scratch.path("assign.json")});
  EXPECT_EQ(other["contexts"][0]["tasks"], 1);
}

TEST(RunContexts, AreOnePerSocket) {
  const Scratch scratch;
  const std::string instance = scratch.path("instance.json");
  const std::string schedule = scratch.path("schedule.json");
  const std::string run =
      "HWLOC_SYNTHETIC='package:2 core:1 pu:1' $HEDDLE run cholesky:n=256,tile=64 --workers cpu=2 --json --history '" +
      scratch.path("history.sqlite") + "' --instance '" + instance + "' -o '" + schedule + "' --contexts sockets";
  const auto contexts_of = [&](const std::string& options) {
    const Answer answer = bash(run + options);
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_EQ(heddle({"validate", instance, schedule}).status, 0);
    return Json::parse(answer.out)["contexts"];
  };
  const Json sockets = contexts_of(":dmdas");
  ASSERT_EQ(sockets.size(), 2U);
  EXPECT_EQ(sockets[0]["name"], "socket0");
  EXPECT_EQ(sockets[0]["policy"], "dmdas");
  EXPECT_EQ(sockets[0]["workers"], Json{"cpu0"});
  EXPECT_EQ(sockets[1]["workers"], Json{"cpu1"});
  // The tiles of the lower triangle are met column by column, and dealt in turn.
  EXPECT_EQ(sockets[0]["tasks"].get<int>() + sockets[1]["tasks"].get<int>(), 20);
  EXPECT_GE(sockets[0]["tasks"], 7);
  EXPECT_GE(sockets[1]["tasks"], 7);
  EXPECT_EQ(contexts_of("")[1]["policy"], "eager");
  const Json assigned = contexts_of(":ws --assign GEMM@socket1+TRSM@socket1+SYRK@socket1+POTRF@socket1 --resize lp");
  EXPECT_EQ(assigned[0]["tasks"], 0);
  EXPECT_EQ(assigned[1]["tasks"], 20);
}

TEST(RunContexts, FollowsASchedule) {
  const Scratch scratch;
  const std::string history = scratch.path("history.sqlite");
  const std::string instance = scratch.path("instance.json");
  const std::string schedule = scratch.path("schedule.json");
  ASSERT_EQ(heddle(run_side_by_side({"--history", history, "--instance", instance, "-o", schedule})).status, 0);
  const Json record =
      json_of({"run", "cholesky:n=256,tile=64", "--workers", "cpu=2", "--history", history, "--contexts",
               "solver:cpu=1:static:file=" + schedule + "; rest:cpu=1", "--assign", "GEMM@solver+SYRK@solver"});
  EXPECT_EQ(record["contexts"][0]["tasks"], 10);
}

/// One of the two workers of the first context never has anything to do.
TEST(RunContexts, MovesWorkersByARule) {
  const Scratch scratch;
  const std::string history = scratch.path("history.sqlite");
  const std::string instance = scratch.path("instance.json");
  const std::string schedule = scratch.path("schedule.json");
  const std::string facts = scratch.path("facts.json");
  const std::vector<std::string> run{"run",        "cholesky:n=1024,tile=64",
                                     "--workers",  "cpu=3",
                                     "--contexts", "solver:cpu=2; rest:cpu=1",
                                     "--assign",   "POTRF@solver",
                                     "--history",  history,
                                     "--resize",   "idle",
                                     "--facts",    facts,
                                     "-o",         schedule,
                                     "--instance", instance};
  const Json record = json_of(run);
  EXPECT_EQ(record["policy"], "contexts:resize=idle,pause=1000");
  ASSERT_FALSE(record["moves"].empty());
  EXPECT_EQ(heddle({"validate", instance, schedule}).status, 0);
  EXPECT_EQ(heddle({"replay", facts}).status, 0);
}

TEST(RunContexts, RefusesWhatMakesNoSense) {
  const auto expect_refused = [](std::vector<std::string> arguments, const std::string& why) {
    arguments.insert(arguments.begin(), {"run", "cholesky:n=128,tile=64", "--workers", "cpu=2"});
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2) << why;
    EXPECT_TRUE(contains(answer.err, why)) << answer.err;
  };
  expect_refused({"--assign", "GEMM@solver"}, "but there are no contexts: --contexts says which");
  expect_refused({"--contexts", kRunContexts, "--policy", "dmdas"}, "but --contexts says which policies decide");
  expect_refused({"--contexts", "solver:cpu=3"}, "context 'solver' wants 3 cpu, of which 2 are left");
  expect_refused({"--contexts", "sockets:dmads"}, "there is no policy 'dmads'");
  expect_refused({"--contexts", "sockets:"}, "there is no policy ''");
  expect_refused({"--contexts", "sockets:static:file=plan.json"},
                 "a policy that follows a schedule cannot be that of each socket");
  expect_refused({"--contexts", "sockets", "--assign", "GEMM@socket9"}, "there is no context 'socket9'");
  expect_refused({"--contexts", "solver:cpu=1:dmads"}, "there is no policy 'dmads'");
  expect_refused({"--contexts", kRunContexts, "--assign", "GEMM@slover"}, "there is no context 'slover'");
  expect_refused({"--contexts", kRunContexts, "--resize", "lpp"}, "did you mean 'lp'?");
  expect_refused({"--resize", "lp"}, "--resize is 'lp', but there are no contexts: --contexts says which");
  expect_refused({"--contexts", kRunContexts, "--assign", "GEMMM@solver"}, "names type 'GEMMM', which no task has");
}

}  // namespace
}  // namespace heddle::test
