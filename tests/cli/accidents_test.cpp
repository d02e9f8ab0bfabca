// What the world does to a command: files that may not be read, limits of the system, signals.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/program.hpp"

namespace heddle::test {
namespace {

/// What a line of bash says to a user in a folder where `locked` and `sampling/bus` may not be entered and `loop` is a
/// link to itself.
Answer in_trouble(const std::string& line) {
  const Scratch scratch;
  std::filesystem::permissions(scratch.path(""), std::filesystem::perms::all);
  return bash_of_a_user("cd '" + scratch.path("") + "' && mkdir -p locked sampling/bus && touch locked/x && " +
                        "ln -s loop loop && chmod 000 locked sampling/bus && { " + line + "; }; " +
                        "status=$?; chmod 700 locked sampling/bus; exit $status");
}

/// That the line gets this sentence and status 2.
void expect_refusal(const std::string& line, const std::string& sentence) {
  const Answer answer = in_trouble(line);
  EXPECT_EQ(answer.err, "heddle: " + sentence + "\n") << line;
  EXPECT_EQ(answer.status, 2) << line;
  EXPECT_EQ(answer.out, "") << line;
}

TEST(Accidents, OfPathsGetOneSentence) {
  ASSERT_NE(in_trouble("cat locked/x").status, 0) << "this user reads what it must not";
  const std::string schedule = "$HEDDLE schedule cholesky:tiles=3 --platform ";
  const std::string journal = "$HEDDLE experiment spoliation-orders --quick --journal ";
  const std::string convert = "$HEDDLE convert -o /dev/null --to dot ";
  for (const auto& [path, why] : {std::pair<std::string, std::string>{"locked/x", "Permission denied"},
                                  {"loop", "Too many levels of symbolic links"}}) {
    const std::string unreadable = "cannot read '" + path + "': " + why;
    expect_refusal("$HEDDLE inspect " + path, unreadable);
    expect_refusal(convert + path, unreadable);
    expect_refusal(schedule + path, unreadable);
    expect_refusal(schedule + "mirage --policy static:file=" + path, unreadable);
    expect_refusal(schedule + "mirage -o " + path, "cannot write '" + path + "': " + why);
    expect_refusal(journal + path, "cannot write '" + path + "': " + why);
  }
  const std::string long_name(300, 'x');
  expect_refusal("$HEDDLE inspect " + long_name + ".json", "cannot read '" + long_name + ".json': File name too long");
  expect_refusal(schedule + "mirage -o " + long_name, "cannot write '" + long_name + "': File name too long");
  expect_refusal(journal + long_name, "cannot write '" + long_name + "': File name too long");
  expect_refusal(schedule + "sampling", "cannot read the folder 'sampling/bus': Permission denied");
}

TEST(Accidents, OfTheCurrentFolderDoNotConcernWorkloads) {
  const Answer answer = in_trouble(
      "mkdir here && cd here && chmod 000 . && $HEDDLE inspect cholesky:tiles=3 "
      "--platform mirage; status=$?; chmod 700 .; cd ..; (exit $status)");
  EXPECT_EQ(answer.status, 0) << answer.err;
}

TEST(Accidents, OfThreadsGetOneSentence) {
  const std::string limit = "export OPENBLAS_NUM_THREADS=1; ulimit -u 1; exec ";
  const std::string refusal = "Resource temporarily unavailable";
  expect_refusal(limit + "$HEDDLE compare cholesky:tiles=3 --platform mirage --policies heft,eager",
                 "the system refuses a thread or a file: " + refusal + " (ulimit -a)");
  expect_refusal(limit + "$HEDDLE run cholesky:n=100,tile=25 --workers cpu=1 --history history.sqlite",
                 "the threads of 1 workers cannot be started: " + refusal);
}

}  // namespace
}  // namespace heddle::test
