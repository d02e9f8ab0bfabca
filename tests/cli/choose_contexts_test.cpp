// `heddle contexts`, and `--contexts auto`.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "heddle/io/file.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const std::string kMachine = "kumar-2017:cpu=4,gpu=2";

Json chosen(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"contexts", "independent:tasks=2000", "--platform", kMachine};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return json_of(std::move(arguments));
}

const Json& find(const Json& document, const std::string& name) {
  for (const Json& candidate : document["candidates"]) {
    if (candidate["name"] == name) return candidate;
  }
  ADD_FAILURE() << name;
  return document["candidates"][0];
}

TEST(ChooseContexts, TellsWhatItChoseAndWhy) {
  const Json document = chosen({"--candidates", "gazolla-2017"});
  EXPECT_EQ(document["instance"], "independent:tasks=2000");
  EXPECT_EQ(document["platform"], kMachine);
  EXPECT_EQ(document["candidates"].size(), 15U * 3);
  const Json& best = find(document, document["choice"]);
  EXPECT_LT(best["simulated"], find(document, "3:eager")["simulated"]);
  EXPECT_EQ(find(document, "5:ws")["contexts"][1], Json::parse(R"({"workers": {"cpu": 2, "gpu": 1}, "policy": "ws"})"));
  int tasks = 0;
  for (const auto& [type, contexts] : document["assignment"].items()) {
    EXPECT_EQ(contexts.size(), best["contexts"].size());
    for (const Json& count : contexts) tasks += count.get<int>();
  }
  EXPECT_EQ(tasks, 2000);
  Json again = chosen({"--candidates", "gazolla-2017"});
  again["wall_seconds"] = document["wall_seconds"];
  EXPECT_EQ(again, document);

  const Answer text =
      heddle({"contexts", "independent:tasks=2000", "--platform", kMachine, "--candidates", "gazolla-2017"});
  EXPECT_TRUE(contains(text.out, "choice: " + document["choice"].get<std::string>() + ": ")) << text.out;
  EXPECT_TRUE(contains(text.out, "less than in one context of all workers")) << text.out;
}

TEST(ChooseContexts, WritesWhatScheduleTakes) {
  const Scratch scratch;
  const std::string instance = scratch.path("divided.json");
  const std::string candidates = scratch.path("candidates.json");
  io::write_file(candidates, R"([{"name": "split", "contexts": [{"workers": {"gpu": 2}}, {"workers": {"cpu": 4}}]}])");
  const Json document = chosen({"--candidates", candidates, "--policies", "heft", "-o", instance});
  EXPECT_EQ(document["choice"], "split");
  const Answer answer = heddle({"schedule", instance, "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const Json schedule = Json::parse(answer.out);
  EXPECT_EQ(schedule["policy"], "contexts");
  EXPECT_EQ(schedule["contexts"].size(), 2U);
  // All tasks are in the sample, or an even part of them: the whole takes about as long.
  EXPECT_NEAR(schedule["makespan"].get<double>(), find(document, "split")["simulated"].get<double>(),
              0.02 * schedule["makespan"].get<double>());
}

TEST(ChooseContexts, TriesContextsThatShareWorkers) {
  const Scratch scratch;
  const std::string candidates = scratch.path("candidates.json");
  const std::string instance = scratch.path("joint.json");
  io::write_file(candidates, R"([{"name": "joint", "contexts": [{"workers": {"cpu": 2}, "shared": {"gpu": 2}},
                                                                {"workers": {"cpu": 2}, "shared": {"gpu": 1}}]}])");
  // One context of all workers, which is always looked at, is slower with this policy.
  const Json document = chosen({"--candidates", candidates, "--policies", "eager", "-o", instance});
  EXPECT_EQ(find(document, "joint")["contexts"][0]["shared"], Json::parse(R"({"gpu": 2})"));
  EXPECT_EQ(document["choice"], "joint");
  const Answer answer = heddle({"schedule", instance, "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(Json::parse(answer.out)["contexts"].size(), 2U);
  EXPECT_GT(chosen({"--candidates", "joint"})["candidates"].size(), chosen({})["candidates"].size());
}

TEST(ChooseContexts, FollowsTheMethodAndTheReading) {
  const Json published = chosen({"--candidates", "gazolla-2017", "--policies", "eager", "--method", "estimate"});
  const double least = find(published, published["choice"])["estimate"];
  int simulated = 0;
  for (const Json& candidate : published["candidates"]) {
    EXPECT_TRUE(candidate["estimate"].is_null() || candidate["estimate"].get<double>() >= least) << candidate;
    simulated += candidate["simulated"].is_number() ? 1 : 0;
  }
  EXPECT_EQ(simulated, 1);
  const Json printed =
      chosen({"--candidates", "gazolla-2017", "--policies", "eager", "--method", "estimate", "--reading", "printed"});
  EXPECT_NE(find(printed, "3")["estimate"], find(published, "3")["estimate"]);
}

TEST(ChooseContexts, IsWhatAutoMeans) {
  const Answer answer =
      heddle({"schedule", "independent:tasks=300", "--platform", kMachine, "--contexts", "auto", "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const Json document = Json::parse(answer.out);
  EXPECT_EQ(document["policy"], "contexts");
  EXPECT_GE(document["contexts"].size(), 1U);
  const Answer plain =
      heddle({"schedule", "independent:tasks=300", "--platform", kMachine, "--policy", "eager", "--json"});
  EXPECT_LE(document["makespan"], Json::parse(plain.out)["makespan"]);
}

TEST(ChooseContexts, CalibratesARunThatIsNotKnown) {
  const Scratch scratch;
  const std::vector<std::string> arguments{
      "run",       "cholesky:n=512,tile=64", "--workers", "cpu=2", "--contexts", "auto",
      "--history", scratch.path("history"),  "--json"};
  for (int time = 0; time < 2; ++time) {
    const Answer answer = heddle(arguments);
    ASSERT_EQ(answer.status, 0) << answer.err;
    const Json document = Json::parse(answer.out);
    EXPECT_GE(document["contexts"].size(), 1U);
    EXPECT_GT(document["expected"], 0);
  }
}

TEST(ChooseContexts, SplitsTasksOverMachines) {
  const Scratch scratch;
  const std::string instance = scratch.path("cluster.json");
  const std::vector<std::string> arguments{"contexts",     "independent:tasks=2000",
                                           "--platform",   "kumar-2017:cpu=12,gpu=3",
                                           "--machines",   "a:cpu=4,gpu=2; b:cpu=8,gpu=1",
                                           "-o",           instance,
                                           "--candidates", "all"};
  const Answer text = heddle(arguments);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "cpu=4,gpu=2")) << text.out;
  std::vector<std::string> with_json = arguments;
  with_json.push_back("--json");
  const Json document = json_of(with_json);
  ASSERT_EQ(document["machines"].size(), 2U);
  int tasks = 0;
  double longest = 0;
  for (const Json& machine : document["machines"]) {
    for (const auto& [type, count] : machine["tasks"].items()) tasks += count.get<int>();
    for (const Json& row : machine["candidates"]) {
      if (row["name"] == machine["choice"]) longest = std::max(longest, row["simulated"].get<double>());
    }
  }
  EXPECT_EQ(tasks, 2000);
  EXPECT_EQ(document["makespan"], longest);
  const Answer run = heddle({"schedule", instance, "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Json schedule = Json::parse(run.out);
  EXPECT_NEAR(schedule["makespan"].get<double>(), longest, 0.05 * longest);
  for (const Json& context : schedule["contexts"]) {
    const std::string name = context["name"];
    EXPECT_TRUE(name.starts_with("a.") || name.starts_with("b.")) << name;
  }
}

/// Where the counters of energy may be read the run is for energy; elsewhere a sentence says why it cannot be.
TEST(ChooseContexts, CountsEnergyOrSaysWhyNot) {
  const Scratch scratch;
  const Answer plain =
      heddle({"run", "cholesky:n=256,tile=64", "--workers", "cpu=2", "--history", scratch.path("plain"), "--json"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  const Json counters = Json::parse(plain.out)["energy"]["counters"];
  bool has_cores = false;
  for (const auto& [name, joules] : counters.items()) has_cores = has_cores || !name.starts_with("gpu-");
  const Answer answer = heddle({"run", "cholesky:n=256,tile=64", "--workers", "cpu=2", "--contexts", "auto",
                                "--objective", "energy", "--history", scratch.path("history"), "--json"});
  if (has_cores) {
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_GE(Json::parse(answer.out)["expected_joules"].get<double>(), 0);
  } else {
    EXPECT_EQ(answer.status, 2) << answer.out;
    EXPECT_TRUE(contains(answer.err, "--objective asks for energy")) << answer.err;
  }
}

TEST(ChooseContexts, RefusesWhatMakesNoSense) {
  const std::map<std::vector<std::string>, std::string> sentences{
      {{"contexts", "independent:tasks=9", "--platform", "mirage", "--candidates", "gazolla-2017"}, "cpu=4,gpu=2"},
      {{"contexts", "independent:tasks=9", "--platform", "mirage", "--candidates", "nowhere.json"}, "nowhere.json"},
      {{"contexts", "independent:tasks=9", "--platform", "mirage", "--policies", "eagre"}, "did you mean 'eager'"},
      {{"contexts", "independent:tasks=9", "--platform", "mirage", "--method", "guess"}, "simulate"},
      {{"contexts", "independent:tasks=9", "--platform", "mirage", "--objective", "energy"}, "watts"},
      {{"contexts", "independent:tasks=9", "--platform", "mirage", "--machines", "a:cpu=99"}, "of which"},
      {{"contexts", "cholesky:tiles=3", "--platform", "mirage", "--machines", "a:cpu=1; b:cpu=1"}, "depend"},
      {{"schedule", "independent:tasks=9", "--platform", "mirage", "--contexts", "auto", "--assign", "GEMM@a"}, "auto"},
      {{"run", "cholesky:n=256", "--objective", "energy"}, "--contexts auto"},
      {{"run", "cholesky:n=256", "--contexts", "auto", "--assign", "GEMM@a"}, "auto"}};
  for (const auto& [arguments, sentence] : sentences) {
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2) << answer.out;
    EXPECT_TRUE(contains(answer.err, sentence)) << answer.err;
    EXPECT_EQ(answer.out, "");
  }
}

}  // namespace
}  // namespace heddle::test
