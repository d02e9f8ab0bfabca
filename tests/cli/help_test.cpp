// What the command says of itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/program.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

const std::vector<std::vector<std::string>> kCommands{{"schedule"},
                                                      {"compare"},
                                                      {"search"},
                                                      {"run"},
                                                      {"replay"},
                                                      {"experiment"},
                                                      {"inspect"},
                                                      {"bound"},
                                                      {"adversary"},
                                                      {"generate"},
                                                      {"convert"},
                                                      {"validate"},
                                                      {"devices"},
                                                      {"calibrate"},
                                                      {"history"},
                                                      {"history", "show"},
                                                      {"history", "export"},
                                                      {"history", "clear"},
                                                      {"policies"},
                                                      {"platforms"},
                                                      {"workloads"},
                                                      {"help"}};

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto begins = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
    longest = std::max(longest, static_cast<std::size_t>(std::ranges::count_if(line, begins)));
  }
  return longest;
}

TEST(Help, IsThereForEveryCommandWithAnExample) {
  for (const std::vector<std::string>& command : kCommands) {
    std::vector<std::string> asked = command;
    asked.emplace_back("--help");
    const Answer answer = heddle(asked);
    EXPECT_EQ(answer.status, 0) << command.back();
    const std::size_t example = answer.out.find("\nExample:\n  heddle ");
    ASSERT_NE(example, std::string::npos) << answer.out;
    EXPECT_TRUE(contains(answer.out.substr(example), "heddle " + command.front())) << answer.out;
    asked = command;
    asked.insert(asked.begin(), "help");
    EXPECT_EQ(heddle(asked).out, answer.out);
  }
}

TEST(Help, OfTheProgramListsTheCommandsAndPointsToTheGlossary) {
  const Answer answer = heddle({"--help"});
  EXPECT_EQ(answer.status, 0);
  for (const std::vector<std::string>& command : kCommands) {
    EXPECT_TRUE(contains(answer.out, "\n  " + command.front() + " ")) << command.front();
  }
  EXPECT_TRUE(contains(answer.out, "normalized idle and acceleration: heddle help glossary"));
  EXPECT_EQ(heddle({"help"}).out, answer.out);
}

TEST(Help, SaysWhatMayBeWritten) {
  const std::string text = heddle({"schedule", "--help"}).out;
  for (const char* title : {"  INSTANCE  ", "  --platform PLATFORM  ", "  --unit s|ms  ", "  -o, --output FILE  "}) {
    EXPECT_TRUE(contains(text, title)) << title << text;
  }
  EXPECT_TRUE(contains(text, "Default: auto."));
  EXPECT_FALSE(contains(text, "TEXT"));
  EXPECT_TRUE(contains(heddle({"generate", "--help"}).out, "The file to write. Required."));
  EXPECT_TRUE(contains(heddle({"validate", "--help"}).out, "Exit status 1: the schedule is invalid."));
}

TEST(Help, FitsEightyColumns) {
  for (const std::vector<std::string>& command : kCommands) {
    std::vector<std::string> asked = command;
    asked.emplace_back("--help");
    std::string text = heddle(asked).out;
    text.erase(text.find("Example:"));  // to be copied, so not broken
    EXPECT_LE(longest_line(text), 80U) << text;
  }
}

TEST(Help, OfTheGlossaryIsPlainText) {
  const Answer answer = heddle({"help", "glossary"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(contains(answer.out, "\nnormalized idle\n    idle time of a class over the work"));
  EXPECT_TRUE(contains(answer.out, "\n    Where: "));
  EXPECT_TRUE(contains(answer.out, "U[1 - a, 1 + a]")) << "no link";
  EXPECT_TRUE(contains(answer.out, "--unit s|ms"));
  EXPECT_LE(longest_line(answer.out), 80U);
  for (const char* mark : {"`", "](", "|--", "| ", "\\", "#", "**"}) {
    EXPECT_FALSE(contains(answer.out, mark)) << mark;
  }
  // Each line of a table is an entry.
  std::istringstream page(read_file(HEDDLE_GLOSSARY));
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ") || line.starts_with("| term")) continue;
    const std::string term = line.substr(2, line.find(" |") - 2);
    EXPECT_TRUE(contains(answer.out, "\n" + term + "\n    ")) << term;
  }
}

TEST(Help, OfTheGlossaryIsInAsciiWhereTheLocaleIs) {
  const auto glossary = [](const std::string& locale) {
    return bash("LC_ALL=" + locale + " \"$HEDDLE\" help glossary").out;
  };
  const auto is_ascii = [](const std::string& text) {
    return std::ranges::all_of(text, [](unsigned char letter) { return letter < 0x80; });
  };
  EXPECT_TRUE(is_ascii(glossary("C")));
  EXPECT_TRUE(contains(glossary("C"), "workers x makespan - busy"));
  EXPECT_TRUE(contains(glossary("C.UTF-8"), "workers × makespan - busy"));
}

TEST(Help, ExplainsOneTermOfTheGlossary) {
  const Answer answer = heddle({"help", "glossary", "normalized", "idle"});
  EXPECT_TRUE(answer.out.starts_with("normalized idle\n    idle time")) << answer.out;
  EXPECT_EQ(heddle({"help", "glossary", "Normalized idle"}).out, answer.out);
  EXPECT_TRUE(heddle({"help", "glossary", "sink"}).out.starts_with("source, sink\n"));
  EXPECT_TRUE(heddle({"help", "glossary", "acceleration"}).out.starts_with("acceleration (of a class)\n"));
}

TEST(Help, MistakesGetOneSentence) {
  const struct {
    std::vector<std::string> arguments;
    std::string expected;
  } mistakes[] = {
      {{"help", "shedule"}, "there is no command 'shedule'; did you mean 'schedule'?"},
      {{"help", "glosary"}, "did you mean 'glossary'?"},
      {{"help", "history", "shwo"}, "there is no command 'history shwo'; did you mean 'show'?"},
      {{"help", "schedule", "now"}, "heddle schedule has no commands; found 'now'"},
      {{"help", "glossary", "normalised", "idle"}, "no term 'normalised idle'; did you mean 'normalized idle'?"},
      {{"--hepl"}, "heddle has no option '--hepl'; did you mean '--help'?"},
      {{"inspect", "cholesky:tile=4", "--platform", "mirage"}, "did you mean tiles=4?"},
      {{"inspect", "cholesky:tiles=4", "--platform", "mirage:gpus=3"}, "did you mean 'gpu'?"},
      {{"schedule", "lu:tiles=2", "--platform", "mirage", "--policy", "heteroprio-dep:order=bst"},
       "expected latest|priority|acceleration|best; did you mean 'best'?"},
      {{"calibrate", "--precision", "singel"}, "did you mean 'single'?"},
      {{"inspect", "lu:tiles=2", "--unit", "m"}, "did you mean 'ms'?"},
      {{"schedule", "lu:tiles=2", "--aborts", "never"}, "is 'never'; possible: allowed, hold-back, none"},
      {{"schedule", "lu:tiles=2", "--ahead", "1000001"}, "expected a whole number in 0..1000000"},
      {{"compare", "lu:tiles=2", "--runs", "0"}, "is '0'; expected a whole number in 1..1000000"},
      {{"experiment", "spoliation"}, "did you mean 'spoliation-orders'?"},
      {{"convert", "x", "--from", "hedle-instance", "-o", "y"}, "did you mean 'heddle-instance'?"},
  };
  for (const auto& [arguments, expected] : mistakes) {
    const Answer answer = heddle(arguments);
    EXPECT_EQ(answer.status, 2) << expected;
    EXPECT_EQ(answer.out, "") << expected;
    EXPECT_TRUE(contains(answer.err, expected)) << answer.err;
    EXPECT_EQ(std::ranges::count(answer.err, '\n'), 1) << answer.err;
  }
}

}  // namespace
}  // namespace heddle::test
