// Machines with links: other numbers of workers, and what convert keeps of them.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/program.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

double makespan(const std::string& instance, const std::string& platform) {
  std::vector<std::string> arguments{"schedule", instance, "--policy", "dmdas", "--bound", "none"};
  if (!platform.empty()) arguments.insert(arguments.end(), {"--platform", platform});
  return json_of(arguments)["makespan"];
}

Json convert(const std::string& input, const std::string& output) {
  const Answer answer = heddle({"convert", input, "-o", output});
  EXPECT_EQ(answer.status, 0) << answer.err;
  return Json::parse(read_file(output));
}

/// A folder of StarPU's with a machine of 4 cores and one GPU.
std::string sampling(const Scratch& scratch) {
  std::filesystem::create_directories(scratch.path("sampling/bus"));
  scratch.write("sampling/bus/toy.config", "4 # CPUs\n1 # CUDA\n");
  scratch.write("sampling/bus/toy.bandwidth", "# to\n0\t6000\n5000\t0\n");
  scratch.write("sampling/bus/toy.latency", "# to\n0\t10\n12\t0\n");
  return scratch.path("sampling");
}

TEST(MoreDevices, MoveDataOverLinksLikeTheOthers) {
  const Scratch scratch;
  const std::string instance = scratch.path("instance.json");
  const std::string schedule = scratch.path("schedule.json");
  const std::string platform = "mirage:cpu=9,gpu=5,links=measured";
  ASSERT_EQ(heddle({"generate", "cholesky:tiles=12", "--platform", platform, "-o", instance}).status, 0);
  ASSERT_EQ(heddle({"schedule", instance, "--policy", "dmdas", "-o", schedule}).status, 0);
  EXPECT_EQ(heddle({"validate", instance, schedule}).status, 0);
  std::set<std::string> reached;
  const Json written = Json::parse(read_file(schedule));
  for (const Json& transfer : written["transfers"]) reached.insert(transfer["to"]);
  for (const char* memory : {"gpu3", "gpu4"}) EXPECT_TRUE(reached.contains(memory)) << memory;
  EXPECT_LT(makespan("cholesky:tiles=12", platform), makespan("cholesky:tiles=12", "mirage:links=measured"));
}

TEST(MoreDevices, AreTheSameInAPlatformAnInstanceAndAPlatformFile) {
  const Scratch scratch;
  const std::string instance = scratch.path("instance.json");
  const std::string mirage = scratch.path("mirage.json");
  ASSERT_EQ(heddle({"generate", "lu:tiles=6", "--platform", "mirage:links=measured", "-o", instance}).status, 0);
  convert("mirage", mirage);
  for (const std::string counts : {"gpu=1", "cpu=9,gpu=5", "cpu=2,gpu=3"}) {
    const double expected = makespan("lu:tiles=6", "mirage:links=measured," + counts);
    EXPECT_EQ(makespan(instance, "counts:" + counts), expected) << counts;
    EXPECT_EQ(makespan("lu:tiles=6", mirage + ":links=measured," + counts), expected) << counts;
    EXPECT_EQ(makespan("lu:tiles=6", mirage + ":" + counts), expected) << counts;
  }
  EXPECT_EQ(makespan(instance, "counts:links=off"), makespan("lu:tiles=6", "mirage"));
  EXPECT_EQ(makespan("lu:tiles=6", mirage + ":links=off"), makespan("lu:tiles=6", "mirage"));
}

TEST(MoreDevices, AreThereInAFolderOfStarPU) {
  const Scratch scratch;
  const Json machine = convert(sampling(scratch) + ":host=toy,gpu=2", scratch.path("toy.json"));
  ASSERT_EQ(machine["links"].size(), 4U);
  for (const Json& link : machine["links"]) {
    EXPECT_EQ(link["bandwidth"], link["from"] == "ram" ? 6'000'000'000 : 5'000'000'000);
  }
  EXPECT_EQ(machine["links"][1]["to"], "gpu1");
}

TEST(MoreDevices, MayBeClassesOfTheirOwnInAFolderOfStarPU) {
  const Scratch scratch;
  const std::string folder = sampling(scratch) + ":devices=";
  const Json apart = convert(folder + "apart", scratch.path("apart.json"));
  EXPECT_EQ(apart["classes"][1]["name"], "gpu0");
  EXPECT_EQ(apart["classes"][1]["memory"], "gpu0");
  const Json pooled = convert(folder + "pooled", scratch.path("pooled.json"));
  EXPECT_EQ(pooled["classes"][1]["name"], "gpu");
  const Answer wrong = heddle({"convert", folder + "split", "-o", scratch.path("wrong.json")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "devices=split; expected devices=pooled or devices=apart")) << wrong.err;
}

TEST(MoreDevices, AreTheSameInAMeasuredFolderAndItsFile) {
  HEDDLE_REQUIRE_DATA(data);
  const Scratch scratch;
  const std::string folder = (data / "starpu-perfmodels").string() + ":host=mirage";
  const std::string file = scratch.path("mirage.json");
  convert(folder, file);
  const double expected = makespan("cholesky:tiles=6", folder + ",gpu=5,links=measured");
  EXPECT_EQ(makespan("cholesky:tiles=6", file + ":gpu=5,links=measured"), expected);
  EXPECT_NE(expected, makespan("cholesky:tiles=6", folder + ",gpu=5"));
}

TEST(Convert, KeepsTheLinksOfAMachineAndSaysSoWhereNobodyAsked) {
  const Scratch scratch;
  const std::string out = scratch.path("machine.json");
  const std::string remark =
      "heddle: warning: the file holds the measured links of mirage, and --platform FILE uses them; --platform "
      "FILE:links=off does not\n";
  EXPECT_EQ(heddle({"convert", "mirage", "-o", out}).err, remark);
  EXPECT_EQ(Json::parse(read_file(out))["links"].size(), 8U);
  EXPECT_EQ(heddle({"convert", "mirage:links=measured", "-o", out}).err, "");
  EXPECT_EQ(Json::parse(read_file(out))["links"].size(), 8U);
  EXPECT_EQ(heddle({"convert", "mirage:gpu=0", "-o", out}).err, "");
  EXPECT_EQ(heddle({"convert", "mirage:links=off", "-o", out}).err, "");
  EXPECT_FALSE(Json::parse(read_file(out)).contains("links"));
  EXPECT_TRUE(contains(heddle({"convert", sampling(scratch), "-o", out}).err, "the measured links of toy"));
}

TEST(Convert, TakesAPlatformFileWithOtherNumbersOfWorkers) {
  const Scratch scratch;
  const std::string first = scratch.path("first.json");
  convert("mirage", first);
  const Json more = convert(first + ":cpu=2,gpu=5", scratch.path("second.json"));
  EXPECT_EQ(more["classes"][1]["workers"], 5);
  EXPECT_EQ(more["links"].size(), 16U);
}

TEST(Convert, KeepsTheClassesWithoutWorkers) {
  const Scratch scratch;
  const std::string kumar = scratch.path("kumar.json");
  convert("kumar-2017", kumar);
  EXPECT_EQ(makespan("qr:tiles=4", kumar + ":cpu=0,cpu10=2"), makespan("qr:tiles=4", "kumar-2017:cpu=0,cpu10=2"));
  EXPECT_EQ(json_of({"inspect", "qr:tiles=4", "--platform", kumar})["classes"].size(), 2U);
}

TEST(Convert, SaysWhatTheFormatCannotHold) {
  const Scratch scratch;
  const std::string rich = scratch.write("rich.json", R"({"format": "heddle-instance", "version": 1, "name": "rich",
    "platform": {"classes": [{"name": "cpu", "workers": 1},
                             {"name": "gpu", "workers": 1, "memory": "each", "memory_bytes": 1000}],
                 "links": [{"from": "ram", "to": "gpu0", "bandwidth": 1e9}, {"from": "gpu0", "to": "ram", "bandwidth": 1e9}]},
    "types": [{"name": "X", "seconds": {"cpu": 9, "gpu": 4}, "estimates": {"cpu": 8}}],
    "data": [{"name": "d", "bytes": 8}],
    "tasks": [{"name": "x", "type": "X", "priority": 1, "access": [["d", "rw"]]}]})");
  const std::string parts = "numbers of workers, sizes of memories, links, data, priorities, estimates\n";
  EXPECT_EQ(heddle({"convert", rich, "-o", scratch.path("rich.swf")}).err,
            "heddle: warning: hetero-swf keeps durations and dependencies only; left out: names, types, " + parts);
  EXPECT_EQ(heddle({"convert", rich, "-o", scratch.path("rich.dot")}).err,
            "heddle: warning: DOT keeps names, types and dependencies only; left out: durations, " + parts);
  const std::string again = scratch.path("again.json");
  EXPECT_EQ(heddle({"convert", rich, "-o", again}).err, "");
  EXPECT_EQ(Json::parse(read_file(again))["platform"]["links"].size(), 2U);
  const std::string plain = scratch.write("plain.swf", "1 9.0 4.0\n");
  EXPECT_EQ(heddle({"convert", plain, "--platform", "counts:cpu=1,gpu=1", "-o", scratch.path("plain.dot")}).err,
            "heddle: warning: DOT keeps names, types and dependencies only; left out: durations, numbers of workers\n");
}

TEST(Convert, SaysThatAnInstanceHasNoLinksWhereItsMachineHas) {
  const Scratch scratch;
  const auto remark = [&](const std::string& platform) {
    return heddle({"convert", "lu:tiles=2", "--platform", platform, "-o", scratch.path("lu.json")}).err;
  };
  EXPECT_EQ(remark("mirage"),
            "heddle: warning: the measured links of mirage are left out; links=measured in --platform keeps them\n");
  EXPECT_EQ(remark("mirage:links=off"), "");
  EXPECT_EQ(remark("mirage:links=measured"), "");
  EXPECT_EQ(remark("kumar-2017"), "");
}

TEST(Platforms, SettingsOfAnInstanceAreChecked) {
  const Scratch scratch;
  const std::string lu = scratch.path("lu.json");
  ASSERT_EQ(heddle({"generate", "lu:tiles=2", "--platform", "mirage", "-o", lu}).status, 0);
  const auto error = [&](const std::string& platform) {
    const Answer answer = heddle({"schedule", lu, "--policy", "heft", "--platform", platform});
    EXPECT_EQ(answer.status, 2);
    return answer.err;
  };
  EXPECT_TRUE(contains(error("counts:gpus=2"), "did you mean 'gpu'?"));
  EXPECT_TRUE(contains(error("counts:gpu=two"), "expected a whole number in 0..1000000"));
  EXPECT_TRUE(contains(error("counts:cpu=0,gpu=0"), "has no worker left"));
  EXPECT_TRUE(contains(error("counts:links=measured"), "has no measured links"));
}

}  // namespace
}  // namespace heddle::test
