// heddle analyze: where the time of a run went.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test::analyze_test {
namespace {

using Json = nlohmann::json;

/// A schedule of `pair`: x is aborted on the cpu after 3 s, and y and x run on the gpu.
constexpr const char* kRun = R"({"format": "heddle-schedule", "version": 1, "instance": "pair", "policy": "by hand",
  "attempts": [
    {"task": "y", "worker": "gpu0", "start": 0.0, "end": 3.0, "outcome": "completed"},
    {"task": "x", "worker": "cpu0", "start": 0.0, "end": 3.0, "outcome": "aborted"},
    {"task": "x", "worker": "gpu0", "start": 3.0, "end": 7.0, "outcome": "completed"}]})";

TEST(Analyze, TellsTheStoryOfThePair) {
  const Scratch scratch;
  const std::string instance = scratch.write("pair.json", kPair);
  const std::string run = scratch.write("run.json", kRun);
  const Json answer = json_of({"analyze", instance, run});
  EXPECT_EQ(answer["run"], run);
  EXPECT_EQ(answer["instance"], "pair");
  EXPECT_EQ(answer["policy"], "by hand");
  EXPECT_EQ(answer["makespan"], 7.0);
  EXPECT_GE(answer["ratio"], 1.0);
  const Json& cpu = answer["classes"][0];
  EXPECT_EQ(cpu["kernels"], 0.0);
  EXPECT_EQ(cpu["losses"]["aborted"], 3.0);
  EXPECT_EQ(cpu["losses"]["end"], 4.0);
  EXPECT_EQ(answer["classes"][1]["kernels"], 7.0);
  const Json& chain = answer["chain"];
  ASSERT_EQ(chain.size(), 2U);
  EXPECT_EQ(chain[0], (Json{{"task", "x"},
                            {"type", "X"},
                            {"worker", "gpu0"},
                            {"start", 3.0},
                            {"end", 7.0},
                            {"waited", 0.0},
                            {"for", "worker"}}));
  EXPECT_TRUE(chain[1]["for"].is_null());

  const std::string text = heddle({"analyze", instance, run}).out;
  for (const char* part : {"makespan  7.000 s", "aborted work", "3.000 s  42.9 %", "The chain that decided, 2 attempts",
                           "its longest links"}) {
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  }
  EXPECT_FALSE(contains(text, "waiting for data")) << text;
}

TEST(Analyze, WritesAPageOfTheRun) {
  const Scratch scratch;
  const std::string instance = scratch.write("pair.json", kPair);
  const std::string run = scratch.write("run.json", kRun);
  const std::string page = scratch.path("page.html");
  const std::string out = heddle({"analyze", instance, run, "--html", page}).out;
  EXPECT_TRUE(contains(out, "page: " + page)) << out;
  const std::string html = read_file(page);
  const std::string verdict = json_of({"analyze", instance, run})["verdict"];
  ASSERT_FALSE(verdict.empty());
  for (const std::string& part : {std::string(R"("analysis":{"verdict":")") + verdict, std::string("aborted work"),
                                  std::string(R"("what":"policy )"), std::string(R"("waits":{)")}) {
    EXPECT_TRUE(contains(html, part)) << part;
  }
  // With --json the document has standard output to itself.
  EXPECT_EQ(json_of({"analyze", instance, run, "--html", page, "--what-if-time", "0"})["makespan"], 7.0);
  EXPECT_TRUE(contains(read_file(page), R"("changes":[])"));
  EXPECT_EQ(heddle({"analyze", instance, run, "--json", "--html", "-"}).status, 2);
}

TEST(Analyze, ThePageOfTwoRunsHoldsBoth) {
  const Scratch scratch;
  const std::string instance = scratch.write("pair.json", kPair);
  const std::string before = scratch.write("before.json", kRun);
  const std::string after = scratch.write("after.json", kRun);
  const std::string page = scratch.path("page.html");
  EXPECT_EQ(heddle({"analyze", instance, before, after, "--html", page}).status, 0);
  const std::string html = read_file(page);
  EXPECT_TRUE(contains(html, R"("policy":")" + before));
  EXPECT_TRUE(contains(html, R"("policy":")" + after));
}

TEST(Analyze, WritesTheRunForOtherPrograms) {
  const Scratch scratch;
  const std::string instance = scratch.write("pair.json", kPair);
  const std::string run = scratch.write("run.json", kRun);
  const std::string csv = scratch.path("run.csv");
  const std::string paje = scratch.path("run.trace");
  const std::string perfetto = scratch.path("run.perfetto.json");
  const std::vector<std::string> plain{"analyze", instance, run, "--what-if-time", "0"};
  std::vector<std::string> all = plain;
  all.insert(all.end(), {"--csv", csv, "--paje", paje, "--perfetto", perfetto});
  const std::string out = heddle(all).out;
  EXPECT_TRUE(contains(out, "csv: " + csv)) << out;
  EXPECT_TRUE(contains(read_file(csv), "attempt,3.0,7.0,gpu0,x,X,completed,0.0,worker,"));
  EXPECT_TRUE(contains(read_file(csv), "idle,3.0,7.0,cpu0,,,,,,end,"));
  EXPECT_TRUE(read_file(paje).starts_with("%EventDef "));
  EXPECT_EQ(Json::parse(read_file(perfetto))["traceEvents"].size(), 8U);

  std::vector<std::string> streamed = plain;
  streamed.insert(streamed.end(), {"--csv", "-"});
  EXPECT_EQ(heddle(streamed).out, read_file(csv));
  const Answer two = heddle({"analyze", instance, run, run, "--paje", paje});
  EXPECT_EQ(two.status, 2);
  EXPECT_EQ(two.err, "heddle: --paje writes one run; found two\n");
}

TEST(Analyze, CausesAddUpToTheTimeOfTheWorkers) {
  const Scratch scratch;
  const std::string run = scratch.path("run.json");
  const std::string machine = "mirage:links=measured";
  ASSERT_EQ(
      heddle({"schedule", "cholesky:tiles=8", "--platform", machine, "--policy", "heteroprio-dep", "-o", run}).status,
      0);
  const Json answer = json_of({"analyze", "cholesky:tiles=8", run, "--platform", machine});
  EXPECT_EQ(answer["platform"], machine);
  for (const Json& c : answer["classes"]) {
    double sum = c["kernels"];
    ASSERT_EQ(c["losses"].size(), 8U);
    for (const auto& [cause, seconds] : c["losses"].items()) sum += seconds.get<double>();
    EXPECT_NEAR(sum, c["workers"].get<double>() * answer["makespan"].get<double>(), 1e-9);
    EXPECT_EQ(c["losses"]["unexplained"], 0.0);
    double data = 0;
    for (const Json& link : c["data_by_link"]) data += link["seconds"].get<double>();
    EXPECT_NEAR(data, c["losses"]["data"].get<double>(), 1e-9);
    EXPECT_GT(data, 0);
  }
  EXPECT_TRUE(contains(heddle({"analyze", "cholesky:tiles=8", run, "--platform", machine}).out, "from ram to gpu0"));
  EXPECT_GT(answer["linked_bound"], answer["bounds"]["critical-path"]);
  EXPECT_NEAR(answer["linked_ratio"].get<double>() * answer["linked_bound"].get<double>(), answer["makespan"], 1e-9);
}

/// A recording of StarPU has no transfers, and brings its machine.
TEST(Analyze, TakesARecordingAsARun) {
  const std::string recording = HEDDLE_EXAMPLES "/cholesky-n08.tasks.rec.gz";
  const Json answer = json_of({"analyze", recording});
  EXPECT_EQ(answer["run"], recording);
  EXPECT_EQ(answer["platform"], "recorded");
  EXPECT_EQ(answer["tasks"], 120);
  EXPECT_NEAR(answer["makespan"].get<double>(), 0.201884339, 1e-9);  // as StarPU says
  EXPECT_TRUE(answer["policy"].is_null());
  ASSERT_EQ(answer["classes"].size(), 1U);
  EXPECT_EQ(answer["classes"][0]["workers"], 3);
  EXPECT_GT(answer["classes"][0]["losses"]["data-or-overhead"].get<double>(), 0);
  EXPECT_EQ(answer["classes"][0]["losses"]["data"], 0.0);

  const Json on_mirage = json_of({"analyze", recording, "--platform", "mirage"});
  EXPECT_EQ(on_mirage["platform"], "mirage");
  EXPECT_EQ(on_mirage["makespan"], answer["makespan"]);
  EXPECT_EQ(on_mirage["classes"][0]["kernels"], 0.0);
  EXPECT_EQ(on_mirage["classes"][1]["kernels"], answer["classes"][0]["kernels"]);
  EXPECT_LT(on_mirage["bounds"]["area"], answer["bounds"]["area"]);

  const Answer small = heddle({"analyze", recording, "--platform", "mirage:gpu=2"});
  EXPECT_EQ(small.status, 2);
  EXPECT_TRUE(contains(small.err, "tasks ran on 3 gpu workers; the machine has 2")) << small.err;
  const Answer forced = heddle({"analyze", recording, "--force", "GEMM@gpu"});
  EXPECT_EQ(forced.status, 2);
}

/// Transfers come from the trace beside it; without them, what must have been for data is told where links are known.
TEST(Analyze, KnowsWhatARecordingWaitedFor) {
  const std::string recording = HEDDLE_RECORDINGS "/simulated.tasks.rec.gz";
  const Json traced = json_of({"analyze", recording, "--what-if-time", "0"});
  const Json& losses = traced["classes"][0]["losses"];
  EXPECT_GT(losses["data"].get<double>(), 10 * losses["data-or-overhead"].get<double>());
  EXPECT_FALSE(traced["classes"][0]["data_by_link"].empty());
  EXPECT_TRUE(traced["classes"][0]["least_data"].is_null());

  const Scratch scratch;
  for (const char* name : {"a.tasks.rec.gz", "a.data.rec.gz"}) {
    std::filesystem::copy_file(std::string(HEDDLE_RECORDINGS "/simulated") + (name + 1), scratch.path(name));
  }
  const std::string bare = scratch.path("a.tasks.rec.gz");
  const Json unknown = json_of({"analyze", bare, "--what-if-time", "0"});
  EXPECT_EQ(unknown["classes"][0]["losses"]["data"], 0.0);
  EXPECT_TRUE(unknown["classes"][0]["least_data"].is_null());
  const Json gpu =
      json_of({"analyze", bare, "--what-if-time", "0", "--platform", "mirage:links=measured"})["classes"][1];
  EXPECT_GT(gpu["least_data"].get<double>(), 0);
  EXPECT_LT(gpu["least_data"].get<double>(), losses["data"].get<double>());
}

/// Without starts, it says that the makespan is a replay's.
TEST(Analyze, TakesAWorkflowAsARun) {
  const Scratch scratch;
  const std::string text = read_file(HEDDLE_CORPUS "/wfformat/toy.json");
  const std::string recorded = scratch.write("recorded.json", text);
  const Json answer = json_of({"analyze", recorded});
  EXPECT_EQ(answer["platform"], "recorded");
  EXPECT_EQ(answer["replayed"], false);
  EXPECT_EQ(answer["measured"], 9.5);
  EXPECT_EQ(answer["makespan"], 5.25);
  Json without = Json::parse(text);
  for (Json& task : without["workflow"]["execution"]["tasks"]) task.erase("executedAt");
  const std::string replayed = scratch.write("replayed.json", without.dump());
  EXPECT_EQ(json_of({"analyze", replayed})["replayed"], true);
  const std::string said = heddle({"analyze", replayed}).out;
  EXPECT_TRUE(contains(said, "makespan  5.500 s (replayed)\nmeasured  9.500 s\n")) << said;
  EXPECT_TRUE(contains(said, "Order and waiting were not recorded")) << said;
  const Answer elsewhere = heddle({"analyze", replayed, "--platform", "mirage"});
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_TRUE(contains(elsewhere.err, "ran on the machines that it names; expected --platform recorded"))
      << elsewhere.err;
  EXPECT_EQ(json_of({"schedule", replayed, "--platform", "counts:cpu=1", "--policy", "eager"})["makespan"], 7.5);
}

TEST(Analyze, SaysWhatWouldHaveChangedTheMakespan) {
  const Scratch scratch;
  const std::string instance = scratch.write("pair.json", kPair);
  const std::string run = scratch.write("run.json", kRun);
  const Json answer = json_of({"analyze", instance, run});
  EXPECT_EQ(answer["model"], "replay");
  EXPECT_EQ(answer["model_error"], 0.0);
  EXPECT_EQ(answer["not_simulated"], Json::array());
  double last = 1;
  for (const Json& change : answer["what_if"]) {
    EXPECT_LE(change["gain"].get<double>(), last) << "sorted by gain";
    last = change["gain"];
    EXPECT_NEAR(change["makespan"].get<double>(), 7 * (1 - last), 1e-9);
  }
  const auto gain = [&](const std::string& what) {
    for (const Json& change : answer["what_if"]) {
      if (change["change"] == what) return change["gain"].get<double>();
    }
    return -1e9;
  };
  EXPECT_DOUBLE_EQ(gain("X 50 % faster"), 2.0 / 7);
  EXPECT_DOUBLE_EQ(gain("one more gpu"), 3.0 / 7);
  EXPECT_EQ(json_of({"analyze", instance, run}), answer) << "the budget is no time";

  const std::string text = heddle({"analyze", instance, run}).out;
  EXPECT_TRUE(contains(text, "the model's error is\n0.0 %.") || contains(text, "the model's error is 0.0 %.")) << text;
  EXPECT_TRUE(contains(text, "one more gpu")) << text;
  EXPECT_FALSE(contains(heddle({"analyze", instance, run, "--what-if-time", "0"}).out, "what if"));
  const Answer bad = heddle({"analyze", instance, run, "--what-if-time", "soon"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(bad.err, "heddle: --what-if-time is 'soon'; expected a duration such as 2s or 500ms\n");
}

TEST(Analyze, SaysWhatChangedBetweenTwoRuns) {
  const Scratch scratch;
  const std::string instance = scratch.write("pair.json", kPair);
  const std::string before = scratch.write("before.json", kRun);
  // x stays on the cpu.
  const std::string after = scratch.write("after.json", R"({"format": "heddle-schedule", "version": 1, "attempts": [
    {"task": "y", "worker": "gpu0", "start": 0, "end": 3, "outcome": "completed"},
    {"task": "x", "worker": "cpu0", "start": 0, "end": 9, "outcome": "completed"}]})");
  const Json answer = json_of({"analyze", instance, before, after});
  EXPECT_EQ(answer["before"]["makespan"], 7.0);
  EXPECT_EQ(answer["after"]["makespan"], 9.0);
  EXPECT_EQ(answer["before"]["classes"][0]["losses"]["aborted"], 3.0);
  EXPECT_EQ(answer["after"]["classes"][0]["losses"]["aborted"], 0.0);
  const Json x_on_cpu{{"type", "X"},
                      {"class", "cpu"},
                      {"before", {{"tasks", 0}, {"seconds", 0.0}}},
                      {"after", {{"tasks", 1}, {"seconds", 9.0}}}};
  EXPECT_EQ(answer["kernels"][0], x_on_cpu);
  EXPECT_EQ(answer["kernels"].size(), 3U);

  const std::string text = heddle({"analyze", instance, before, after}).out;
  for (const char* part :
       {"before  ", "+2.000 s", "+28.6 %", "cpu: aborted work", "-100.0 %", "X on gpu (1 -> 0 tasks)"}) {
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  }
  const std::string recording = HEDDLE_EXAMPLES "/cholesky-n08.tasks.rec.gz";
  const Json same = json_of({"analyze", recording, recording});
  EXPECT_EQ(same["before"], same["after"]);
}

TEST(Analyze, TakesRunsThatTakeNoTime) {
  const Scratch scratch;
  const std::string classes =
      R"("platform": {"classes": [{"name": "cpu", "workers": 1}, {"name": "none", "workers": 0}]})";
  const std::string head = R"({"format": "heddle-instance", "version": 1, "name": "short", )" + classes;
  const std::string empty = scratch.write("empty.json", head + R"(, "types": [], "tasks": []})");
  const std::string nothing =
      scratch.write("nothing.json", R"({"format": "heddle-schedule", "version": 1, "attempts": []})");
  EXPECT_EQ(json_of({"analyze", empty, nothing})["makespan"], 0.0);
  EXPECT_EQ(heddle({"analyze", empty, nothing}).status, 0);
  const std::string zero = scratch.write(
      "zero.json",
      head + R"(, "types": [{"name": "Z", "seconds": {"cpu": 0}}], "tasks": [{"name": "z", "type": "Z"}]})");
  const std::string run = scratch.write("run.json", R"({"format": "heddle-schedule", "version": 1, "attempts": [
    {"task": "z", "worker": "cpu0", "start": 0, "end": 0, "outcome": "completed"}]})");
  EXPECT_EQ(json_of({"analyze", zero, run})["chain"].size(), 1U);
  EXPECT_EQ(heddle({"analyze", zero, run}).status, 0);
  EXPECT_EQ(heddle({"analyze", zero, run, run}).status, 0);
}

TEST(Analyze, RefusesWhatIsNoRun) {
  const Scratch scratch;
  const std::string instance = scratch.write("pair.json", kPair);
  const std::string run = scratch.write("run.json", kRun);
  const auto refusal = [](const std::vector<std::string>& arguments) {
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2);
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  EXPECT_EQ(refusal({"analyze", instance}),
            "heddle: " + instance + " is an instance; expected a schedule of it as well\n");
  EXPECT_EQ(refusal({"analyze", run}),
            "heddle: " + run + " is a schedule; expected the instance that it is of before it\n");
  EXPECT_EQ(refusal({"analyze", instance, run, run, run}),
            "heddle: expected an instance and one or two schedules of it; found 4 arguments\n");
  EXPECT_EQ(refusal({"analyze", instance, HEDDLE_EXAMPLES "/cholesky-n08.tasks.rec.gz"}),
            "heddle: " + instance + " is not a recording; expected two of them\n");
  EXPECT_TRUE(contains(refusal({"analyze", instance, run, "--platform", "recorded"}),
                       "--platform recorded takes the machine from a recording"));
  EXPECT_EQ(refusal({"analyze", "cholesky:tiles=4"}),
            "heddle: cholesky:tiles=4 is an instance; expected a schedule of it as well\n");
  EXPECT_TRUE(contains(refusal({"analyze", "cholexky:tiles=4"}), "did you mean 'cholesky'?"));
  EXPECT_TRUE(contains(refusal({"analyze", scratch.write("page.md", "# A page\n")}), "page.md"));
  EXPECT_TRUE(contains(refusal({"analyze", scratch.path("nothing.json")}), "cannot read"));
  Json early = Json::parse(kRun);
  early["attempts"][2]["start"] = 2.0;
  const std::string overlapping = scratch.write("early.json", early.dump());
  const std::string said = refusal({"analyze", instance, overlapping});
  EXPECT_TRUE(contains(said, "early.json is not a valid schedule of 'pair' (2 violations): ")) << said;
}

}  // namespace
}  // namespace heddle::test::analyze_test
