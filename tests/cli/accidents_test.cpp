// What the world does to a command: files that may not be read, limits of the system, signals.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

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

/// What a command in the background ends with when it is sent one signal as soon as `waits` is true of it. One that
/// goes on is killed in the end.
std::string end_of(const std::string& command, const std::string& waits, const std::string& signal) {
  const Scratch scratch;
  return bash("cd '" + scratch.path("") + "'; mkfifo pipe; " + command + " > out 2> err & waiting=$!; " + waits +
              "; kill -" + signal + " $waiting; { sleep 20; kill -KILL $waiting; } 2> err & " +
              "wait $waiting 2> err; echo $?; cat out; kill $!; ls")
      .out;
}

TEST(Signals, EndACommandThatWaitsForAPipe) {
  const std::string opened = "exec 3> pipe";
  const std::string soon =
      "sleep 0.3";  // long enough for all but a very slow machine, where the signal is no less right
  EXPECT_EQ(end_of("$HEDDLE inspect pipe", opened, "INT"), "130\nerr\nout\npipe\n");
  EXPECT_EQ(end_of("$HEDDLE inspect pipe", soon, "TERM"), "143\nerr\nout\npipe\n");
  const std::string mirage = " cholesky:tiles=3 --platform mirage ";
  const std::vector<std::string> commands{"schedule" + mirage + "--policy static:file=pipe",
                                          "search" + mirage + "--start pipe --time 1s", "validate" + mirage + "pipe",
                                          "schedule cholesky:tiles=3 --platform pipe", "replay pipe"};
  for (const std::string& command : commands) {
    EXPECT_EQ(end_of("$HEDDLE " + command, opened, "TERM"), "143\nerr\nout\npipe\n") << command;
  }
  EXPECT_EQ(end_of("$HEDDLE generate" + mirage + "-o pipe", soon, "TERM"), "143\nerr\nout\npipe\n");
}

/// The other one holds the lock with which a history is opened.
TEST(Signals, EndACommandThatWaitsForALock) {
  const std::string locked = "$HEDDLE run synthetic:tasks=1 --workers cpu=1 --history h > out; exec 9< .; flock 9; ";
  EXPECT_EQ(end_of(locked + "$HEDDLE history show --history h", "sleep 0.3", "TERM"), "143\nerr\nh\nout\npipe\n");
}

/// The search answers a signal with its best schedule, but no process reads the pipe.
TEST(Signals, EndASearchWhoseResultNobodyReads) {
  const std::string search = "$HEDDLE search cholesky:tiles=3 --platform mirage -o pipe ";
  const std::string begun = end_of(search + "--time 100s", "sleep 0.5", "TERM");
  EXPECT_TRUE(begun.starts_with("143\n")) << begun;
  const std::string done = end_of(search + "--iterations 1", "until [ -s out ]; do sleep 0.1; done", "TERM");
  EXPECT_TRUE(done.starts_with("143\n")) << done;
  EXPECT_TRUE(contains(done, "makespan")) << done;
}

/// A write that meets the limit fails, and what it has begun is removed.
TEST(Accidents, OfTooLargeFilesGetOneSentence) {
  const Scratch scratch;
  const Answer answer = bash("cd '" + scratch.path("") +
                             "'; ulimit -f 4; $HEDDLE generate cholesky:tiles=12 "
                             "--platform mirage -o large.json");
  EXPECT_EQ(answer.err, "heddle: cannot write 'large.json': File too large\n");
  EXPECT_EQ(answer.status, 2);
  EXPECT_TRUE(scratch.files().empty());
}

}  // namespace
}  // namespace heddle::test
