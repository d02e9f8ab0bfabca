// The commands about this machine: what it has, what was measured on it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test::history_test {
namespace {

using Json = nlohmann::json;

/// How often a kernel on square tiles was measured.
int count_of(const Json& history, const std::string& kernel, int tile, int element_bytes, const std::string& on) {
  int count = 0;
  for (const Json& entry : history["durations"]) {
    const Json& shape = entry["shapes"].at(0);
    const bool same = entry["kernel"] == kernel && entry["class"] == on && shape["rows"] == tile &&
                      shape["element_bytes"] == element_bytes;
    if (same) count += entry["count"].get<int>();
  }
  return count;
}

TEST(Devices, AreListedWithWhatIsMissing) {
  const Json devices = json_of({"devices"});
  const Answer text = heddle({"devices"});
  std::map<std::string, int> numbers;
  for (const Json& device : devices) {
    const auto kind = device["kind"].get<std::string>();
    if (device["found"] == true) {
      EXPECT_EQ(device["number"], numbers[kind]++);
      EXPECT_GE(device["cores"], 1);
      EXPECT_GT(device["memory_bytes"], 1 << 20);
      EXPECT_NE(text.out.find(device["name"].get<std::string>()), std::string::npos) << text.out;
    } else {
      EXPECT_EQ(numbers.count(kind), 0U);
      numbers[kind] = 0;
      EXPECT_NE(text.out.find(" none: " + device["reason"].get<std::string>()), std::string::npos);
    }
  }
  EXPECT_EQ(devices[0]["kind"], "cpu");
  EXPECT_EQ(devices[0]["accelerator"], false);
  EXPECT_EQ(numbers.size(), 3U) << "cpu, opencl and cuda are there or missing";
}

TEST(Devices, AreTheCoresThatTheCommandMayUse) {
  const Answer one = bash("taskset -c \"$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')\" \"$HEDDLE\" devices --json");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(Json::parse(one.out)[0]["cores"], 1);
}

TEST(Devices, AreMissingWithoutModules) {
  const Scratch scratch;
  setenv("HEDDLE_MODULES", scratch.path("").c_str(), 1);
  const Json devices = json_of({"devices"});
  const Answer text = heddle({"devices"});
  unsetenv("HEDDLE_MODULES");
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_EQ(devices[0]["found"], true);
  EXPECT_EQ(devices[1], (Json{{"kind", "opencl"},
                              {"found", false},
                              {"reason",
                               "this installation of Heddle has no module for opencl devices "
                               "(heddle_opencl.so)"}}));
  EXPECT_EQ(devices[2]["found"], false);
  EXPECT_NE(text.out.find("\ncuda    none: this installation"), std::string::npos) << text.out;
}

TEST(Calibrate, TellsTheHistoryWhatTheSimulatorCanUse) {
  const Scratch scratch;
  const std::string file = scratch.path("history.sqlite");
  const std::string platform = scratch.path("here.json");
  const Json measured =
      json_of({"calibrate", "--workers", "cpu=1,cpu2=1", "--tiles", "8,16", "--runs", "2", "--history", file});
  EXPECT_EQ(json_of({"history", "show", "--history", file}), measured);
  // A Cholesky factorization of 4 x 4 tiles has 4 POTRF, a QR factorization 14 TSMQR.
  for (const char* on : {"cpu", "cpu2"}) {
    for (const int tile : {8, 16}) {
      for (const int element : {4, 8}) {
        EXPECT_EQ(count_of(measured, "POTRF", tile, element, on), 2 * 4);
        EXPECT_EQ(count_of(measured, "TSMQR", tile, element, on), 2 * 14);
      }
    }
  }
  for (const Json& entry : measured["durations"]) EXPECT_GT(entry["mean"], 0.0);
  const Answer shown = heddle({"history", "show", "--history", file});
  EXPECT_NE(shown.out.find("GETRF_PIVOTED"), std::string::npos) << shown.out;

  const Answer exported = heddle({"history", "export", "--workers", "cpu=3,cpu2=1", "-o", platform, "--history", file});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_NE(exported.err.find("have no place in a platform"), std::string::npos) << "pivots are no square tiles";
  for (const char* workload : {"cholesky:tiles=4,tile=16", "lu:tiles=4,tile=8", "qr:tiles=4,precision=single"}) {
    const Json schedule = json_of({"schedule", workload, "--platform", platform, "--policy", "heft"});
    EXPECT_GT(schedule["makespan"], 0.0);
    EXPECT_EQ(schedule["classes"][0]["workers"], 3);
    EXPECT_EQ(schedule["classes"][1]["name"], "cpu2");
  }

  const std::size_t entries = measured["durations"].size();
  EXPECT_EQ(heddle({"history", "clear", "--history", file}).out,
            std::to_string(entries) + " entries of " + measured["machine"].get<std::string>() + " forgotten\n");
  EXPECT_TRUE(json_of({"history", "show", "--history", file})["durations"].empty());
}

TEST(Calibrate, MeasuresTheClassesAndSizesThatAreAskedFor) {
  const Scratch scratch;
  const Json measured = json_of({"calibrate", "--workers", "cpu=2", "--tiles", "12", "--precision", "single", "--runs",
                                 "1", "--history", scratch.path("h")});
  for (const Json& entry : measured["durations"]) {
    EXPECT_EQ(entry["class"], "cpu");
    EXPECT_EQ(entry["shapes"].back()["columns"], 12) << entry;
    EXPECT_EQ(entry["shapes"].back()["element_bytes"], 4) << entry;
  }
  EXPECT_EQ(count_of(measured, "POTRF", 12, 4, "cpu"), 4);
}

/// It reads the links only in the end, and set aside then what it had measured.
TEST(Calibrate, KeepsItsMeasurementsWhereOtherTablesWereDamaged) {
  const Scratch scratch;
  const std::string file = scratch.path("h");
  std::vector<std::string> calibrate{"calibrate", "--workers", "cpu=1", "--tiles",   "4", "--precision",
                                     "single",    "--runs",    "1",     "--history", file};
  const std::size_t entries = json_of(calibrate)["durations"].size();
  constexpr std::size_t kPage = 4096;
  const std::string bytes = read_file(file);
  ASSERT_GE(bytes.size(), 3 * kPage);
  // The third page is where the links begin.
  scratch.write("h", bytes.substr(0, 2 * kPage) + std::string(kPage, '#') + bytes.substr(3 * kPage));
  calibrate.emplace_back("--json");
  const Answer again = heddle(calibrate);
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.err.find("it was set aside as '" + file + ".damaged'"), std::string::npos) << again.err;
  EXPECT_EQ(Json::parse(again.out)["durations"].size(), entries);
  EXPECT_EQ(json_of({"history", "show", "--history", file})["durations"].size(), entries);
}

TEST(Calibrate, BeginsWithWhatCouldGoWrong) {
  const Scratch scratch;
  const std::string file = scratch.write("file", "");
  const Answer nowhere = heddle({"calibrate", "--workers", "cpu=1", "--tiles", "4", "--history", file + "/h"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_EQ(std::ranges::count(nowhere.err, '\n'), 1) << nowhere.err;
  const Json measured = json_of({"calibrate", "--workers", "auto", "--tiles", "4", "--precision", "double", "--runs",
                                 "1", "--history", scratch.path("h")});
  EXPECT_FALSE(measured["durations"].empty());
}

TEST(History, IsInTheCacheFolder) {
  const Scratch scratch;
  const std::string before = std::getenv("XDG_CACHE_HOME");
  setenv("XDG_CACHE_HOME", scratch.path("cache").c_str(), 1);
  const Json history = json_of({"history", "show"});
  setenv("XDG_CACHE_HOME", before.c_str(), 1);
  EXPECT_EQ(history["history"], scratch.path("cache") + "/heddle/history-2.sqlite");
  EXPECT_TRUE(history["durations"].empty());
  EXPECT_TRUE(scratch.files().empty()) << "nothing is made by looking";
}

TEST(History, ThatIsDamagedIsSetAsideByWhoChangesIt) {
  const Scratch scratch;
  const std::string file = scratch.path("h");
  ASSERT_EQ(heddle({"calibrate", "--tiles", "4", "--runs", "1", "--history", file}).status, 0);
  std::filesystem::resize_file(file, 3000);
  for (const std::vector<std::string>& looks : {std::vector<std::string>{"show"}, {"export", "-o", file + ".json"}}) {
    std::vector<std::string> arguments{"history", "--history", file};
    arguments.insert(arguments.begin() + 1, looks.begin(), looks.end());
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2);
    EXPECT_NE(answer.err.find("; it is unchanged"), std::string::npos) << answer.err;
    EXPECT_EQ(scratch.files(), std::vector<std::string>{"h"});
  }
  const Answer cleared = heddle({"history", "clear", "--history", file});
  EXPECT_EQ(cleared.status, 0);
  EXPECT_NE(cleared.err.find("it was set aside as '" + file + ".damaged'"), std::string::npos) << cleared.err;
  const Answer shown = heddle({"history", "show", "--history", file});
  EXPECT_EQ(shown.err, "");
  EXPECT_NE(shown.out.find("nothing measured yet"), std::string::npos) << shown.out;
}

TEST(History, LeavesOtherFilesWhereTheyAre) {
  const Scratch scratch;
  const std::string file = scratch.write("instance.json", R"({"format": "heddle-instance", "version": 1})");
  const std::vector<std::vector<std::string>> commands{
      {"history", "show"}, {"history", "clear"}, {"calibrate", "--tiles", "4"}, {"run", "synthetic:tasks=4"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--history", file});
    const Answer answer = heddle(command);
    EXPECT_EQ(answer.status, 2);
    EXPECT_EQ(answer.err, "heddle: '" + file + "' is not a history of durations; it is unchanged\n");
    EXPECT_EQ(scratch.files(), std::vector<std::string>{"instance.json"});
  }
}

TEST(History, MistakesGetOneSentence) {
  const Scratch scratch;
  const std::string none = scratch.path("none");
  const struct {
    std::vector<std::string> arguments;
    std::string expected;
  } mistakes[] = {
      {{"history"}, "heddle history needs a command; possible: show, export, clear (see heddle history --help)"},
      {{"history", "shwo"}, "there is no command 'history shwo'; did you mean 'show'?"},
      {{"history", "show", "--jsn"}, "did you mean '--json'?"},
      {{"history", "export", "-o", none, "--history", none}, "heddle calibrate does"},
      {{"history", "export", "-o", none, "--history", none, "--workers", "cpuu=1"}, "did you mean 'cpu'?"},
      {{"calibrate", "--workers", "gpu=1", "--history", none}, "there is no class 'gpu'"},
      {{"calibrate", "--workers", "opencl=99", "--history", none}, "opencl"},
      {{"calibrate", "--tiles", "0", "--history", none}, "--tiles"},
      {{"calibrate", "--precision", "half", "--history", none}, "--precision"},
      {{"devices", "all"}, "heddle devices has no use for the argument 'all'"},
  };
  for (const auto& [arguments, expected] : mistakes) {
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2) << expected;
    EXPECT_EQ(answer.out, "");
    EXPECT_NE(answer.err.find(expected), std::string::npos) << answer.err;
  }
  EXPECT_EQ(scratch.files(), std::vector<std::string>{});
}

}  // namespace
}  // namespace heddle::test::history_test
