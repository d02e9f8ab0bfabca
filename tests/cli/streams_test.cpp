// "-" as a file, records of --json, and how text for people fits where it goes.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/program.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

/// An instance, a schedule of it, a machine and a log, as files.
class Streams : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(heddle({"generate", "lu:tiles=3", "--platform", "mirage", "-o", instance_}).status, 0);
    ASSERT_EQ(heddle({"convert", "mirage", "-o", machine_}).status, 0);
    ASSERT_EQ(heddle({"schedule", instance_, "--policy", "heft", "-o", schedule_, "--facts", facts_}).status, 0);
  }

  /// What the command prints when `file` comes in as standard input.
  static Answer with_input(const std::string& file, const std::string& arguments) {
    return bash("\"$HEDDLE\" " + arguments + " < " + file);
  }

  Scratch scratch_;
  std::string instance_ = scratch_.path("lu.json");
  std::string machine_ = scratch_.path("machine.json");
  std::string schedule_ = scratch_.path("schedule.json");
  std::string facts_ = scratch_.path("facts.json");
};

TEST_F(Streams, DashIsStandardInput) {
  const std::pair<std::string, std::string> commands[] = {
      {instance_, "inspect -"},
      {instance_, "bound -"},
      {instance_, "schedule - --policy heft"},
      {instance_, "compare - --policies heft,eager"},
      {instance_, "validate - " + schedule_},
      {schedule_, "validate " + instance_ + " -"},
      {schedule_, "schedule " + instance_ + " --policy static:file=-"},
      {schedule_, "search " + instance_ + " --start - --iterations 10"},
      {machine_, "schedule lu:tiles=3 --platform - --policy heft"},
      {machine_, "schedule lu:tiles=3 --platform -:gpu=2 --policy heft"},
      {machine_, "compare lu:tiles=3 lu:tiles=4 --platform - --policies heft"},
      {facts_, "replay -"},
  };
  for (const auto& [file, arguments] : commands) {
    const Answer answer = with_input(file, arguments);
    EXPECT_EQ(answer.status, 0) << arguments << "\n" << answer.err;
    EXPECT_FALSE(answer.out.empty()) << arguments;
  }
  EXPECT_EQ(
      Json::parse(with_input(machine_, "schedule lu:tiles=3 --platform -:gpu=2 --json").out)["classes"][1]["workers"],
      2);
  // What is packed is unpacked.
  EXPECT_EQ(bash("gzip -c " + instance_ + " | \"$HEDDLE\" inspect -").out, with_input(instance_, "inspect -").out);
}

TEST_F(Streams, StandardInputSaysTheSameHoweverOftenItIsNamed) {
  const Answer answer = with_input(machine_, "compare lu:tiles=3 --platform - --platform - --policies heft --json");
  ASSERT_EQ(answer.status, 0) << answer.err;
  const Json records = Json::parse(answer.out);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0]["makespan"], records[1]["makespan"]);
  EXPECT_TRUE(contains(with_input(instance_, "validate - -").err, "heddle: standard input: format is "));
}

TEST_F(Streams, AFileOnStandardOutputHasItToItself) {
  const std::pair<std::string, std::string> commands[] = {
      {"schedule " + instance_ + " --policy heft", "-o"},
      {"search " + instance_ + " --iterations 10", "-o"},
      {"compare " + instance_ + " --policies heft", "--csv"},
      {"run synthetic:tasks=10", "--instance"},
      {"compare " + instance_ + " --policies heft", "--html"},
      {"generate lu:tiles=3 --platform mirage", "-o"},
      {"schedule " + instance_ + " --policy heft", "--facts"},
      {"run synthetic:tasks=10", "--facts"},
      {"convert " + instance_ + " --to dot", "-o"},
  };
  for (const auto& [command, option] : commands) {
    const Answer answer = bash("\"$HEDDLE\" " + command + " " + option + " -");
    EXPECT_EQ(answer.status, 0) << command << "\n" << answer.err;
    const bool is_page = answer.out.starts_with("<!doctype html>") || answer.out.starts_with("<!DOCTYPE html>");
    const bool is_json = Json::accept(answer.out);
    const bool is_graph = answer.out.starts_with("digraph");
    const bool is_table = answer.out.starts_with("instance,platform,policy");
    EXPECT_TRUE(is_page || is_json || is_graph || is_table) << command << "\n" << answer.out.substr(0, 200);
    EXPECT_FALSE(contains(answer.out, "aborted attempts;")) << command;
  }
  // The report for people is not lost.
  const Answer answer = bash("\"$HEDDLE\" schedule " + instance_ + " --policy heft -o -");
  EXPECT_TRUE(contains(answer.err, "makespan  ")) << answer.err;
  EXPECT_EQ(answer.out, read_file(schedule_));
  EXPECT_EQ(bash("\"$HEDDLE\" schedule " + instance_ + " --policy heft --facts -").out, read_file(facts_));
}

TEST_F(Streams, StandardOutputHasOtherNames) {
  for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    const std::string option = std::string("schedule ") + instance_ + " --policy heft -o " + name;
    EXPECT_EQ(bash("\"$HEDDLE\" " + option + " | cat").out, read_file(schedule_)) << name;
    // What the file had is kept, as with each program.
    const std::string kept = scratch_.path("kept");
    static_cast<void>(bash("echo first > " + kept + "; \"$HEDDLE\" " + option + " >> " + kept));
    EXPECT_EQ(read_file(kept), "first\n" + read_file(schedule_)) << name;
  }
}

TEST_F(Streams, CommandsFollowOneAnother) {
  const Answer answer = bash(
      "set -o pipefail; \"$HEDDLE\" generate lu:tiles=3 --platform mirage -o - | tee >(cat >/dev/null) |"
      " \"$HEDDLE\" schedule - --policy heft -o - 2>/dev/null | \"$HEDDLE\" validate " +
      instance_ + " -");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(answer.out.starts_with("valid: ")) << answer.out;
  const Answer replayed =
      bash("\"$HEDDLE\" schedule " + instance_ + " --policy heft --facts - 2>/dev/null | \"$HEDDLE\" replay -");
  EXPECT_EQ(replayed.status, 0) << replayed.err;
}

TEST_F(Streams, ASentenceTellsWhenStandardOutputIsFull) {
  const Answer answer = bash("\"$HEDDLE\" schedule " + instance_ + " -o - >/dev/full");
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(contains(answer.err, "heddle: standard output cannot be written\n")) << answer.err;
}

TEST_F(Streams, RecordsSayThePlatformAndTheVersion) {
  const std::vector<std::vector<std::string>> commands = {
      {"inspect", instance_},
      {"bound", instance_},
      {"schedule", instance_},
      {"validate", instance_, schedule_},
      {"search", instance_, "--iterations", "10"},
      {"replay", facts_},
      {"run", "synthetic:tasks=10"},
  };
  for (const std::vector<std::string>& command : commands) {
    const Json record = json_of(command);
    EXPECT_TRUE(record["instance"].is_string()) << command[0];
    EXPECT_TRUE(record["platform"].is_string() || command[0] == "replay") << command[0];
    EXPECT_TRUE(record.contains("platform")) << command[0];
    EXPECT_TRUE(record["version"].is_string()) << command[0];
  }
}

TEST_F(Streams, ValidateAnswersInJson) {
  const Json good = json_of({"validate", instance_, schedule_});
  EXPECT_EQ(good["valid"], true);
  EXPECT_EQ(good["policy"], "heft");
  EXPECT_TRUE(good["violations"].empty());
  EXPECT_EQ(good["tasks"], 14);
  EXPECT_EQ(good["makespan"], json_of({"schedule", instance_, "--policy", "heft"})["makespan"]);

  Json damaged = Json::parse(read_file(schedule_));
  damaged["attempts"].erase(damaged["attempts"].begin());
  const Answer answer = heddle({"validate", instance_, scratch_.write("bad.json", damaged.dump()), "--json"});
  EXPECT_EQ(answer.status, 1);
  const Json bad = Json::parse(answer.out);
  EXPECT_EQ(bad["valid"], false);
  EXPECT_FALSE(bad["violations"].empty());
}

TEST_F(Streams, PathsWithCommasAreQuoted) {
  const std::string plan = scratch_.write("a,b=c.json", read_file(schedule_));
  const std::string policy = "static:file=\"" + plan + "\"";
  EXPECT_EQ(json_of({"schedule", instance_, "--policy", policy})["policy"], policy);
  const Json records = json_of({"compare", instance_, "--policies", "heft," + policy + ",eager"});
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0]["makespan"], records[1]["makespan"]);
  const Answer answer = heddle({"schedule", instance_, "--policy", "static:file=\"" + plan});
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(contains(answer.err, "expected a quote at its end")) << answer.err;
}

TEST_F(Streams, TablesAreAsciiWhereTheLocaleIs) {
  const auto table = [&](const std::string& variables) {
    return bash("unset LC_ALL LC_CTYPE LANG; " + variables + " \"$HEDDLE\" inspect " + instance_).out;
  };
  const std::string ascii = table("LC_ALL=C");
  EXPECT_TRUE(contains(ascii, "-----")) << ascii;
  EXPECT_EQ(table(""), ascii);
  EXPECT_EQ(table("LANG=en_US.UTF-8 LC_CTYPE=C"), ascii);
  EXPECT_EQ(table("LC_CTYPE=en_US.UTF-8 LC_ALL=de_DE.ISO-8859-1"), ascii);
  const std::string utf8 = table("LANG=en_US.UTF-8");
  EXPECT_TRUE(contains(utf8, "─────")) << utf8;
  EXPECT_EQ(table("LC_ALL=C.utf8"), utf8);
}

TEST_F(Streams, OutputsKeepToOneUnit) {
  // The median of the durations is in milliseconds, and so is the work of some seconds.
  const std::string text = heddle({"inspect", "cholesky:tiles=12", "--platform", "mirage"}).out;
  EXPECT_TRUE(contains(text, " ms")) << text;
  EXPECT_FALSE(contains(text, " us")) << text;
  EXPECT_FALSE(contains(text, " s\n")) << text;
  const std::string judged = heddle({"schedule", "cholesky:tiles=12", "--platform", "mirage"}).out;
  EXPECT_FALSE(contains(judged, " s ")) << judged;
}

TEST_F(Streams, ProgressFitsTheTerminal) {
  const Answer answer = bash(
      "script -qec \"stty cols 60; LC_ALL=C $HEDDLE search cholesky:tiles=8 --platform mirage --time 2500ms\" "
      "/dev/null");
  ASSERT_EQ(answer.status, 0) << answer.err;
  std::size_t bars = 0;
  for (std::size_t at = answer.out.find("\r\033[K"); at != std::string::npos;
       at = answer.out.find("\r\033[K", at + 1)) {
    const std::size_t begin = at + 4;
    const std::size_t end = answer.out.find_first_of("\r\n", begin);
    const std::string line = answer.out.substr(begin, end - begin);
    if (!line.starts_with("search ")) continue;
    ++bars;
    EXPECT_LT(line.size(), 60U) << line;
    EXPECT_TRUE(contains(line, "s left")) << line;
  }
  EXPECT_GT(bars, 3U) << answer.out;
}

}  // namespace
}  // namespace heddle::test
