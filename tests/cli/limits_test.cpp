// The memory of the command: where it may have little, and how often it asks for some.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <sstream>
#include <string>

#include "tests/cli/program.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

/// The statuses with which the command ends under limits of virtual memory in MiB, from one that is too small to start
/// to one that is enough; it is ended after a while.
std::string statuses(const std::string& command) {
  std::ostringstream script;
  script
      << "unset OPENBLAS_NUM_THREADS\n"
      << "for mib in 40 60 80 100 120 140 160 180 200 220 240 260 280 300 350 400 500 600 700 800 1000 1500 3000; do\n"
      << "  (ulimit -v $((mib * 1024)); ulimit -c 0; timeout -s KILL 60 $HEDDLE " << command
      << " > /dev/null 2>&1; echo -n \"$? \")\n"
      << "done";
  return bash(script.str()).out;
}

/// 127: the loader could not map the program. 2: one sentence. 0: done.
void expect_orderly(const std::string& found) {
  std::istringstream in(found);
  std::string last;
  for (std::string status; in >> status; last = status) {
    EXPECT_TRUE(status == "127" || status == "2" || status == "0") << found;
  }
  EXPECT_EQ(last, "0") << found;
}

TEST(Limits, CommandsThatDoNotComputeStartNoThreadsOfBlas) {
  if constexpr (kSanitized) GTEST_SKIP() << "sanitizers want more memory than there is";
  expect_orderly(statuses("bound cholesky:tiles=3 --platform mirage"));
}

TEST(Limits, RunCountsTheWorkspaceOfBlas) {
  if constexpr (kSanitized) GTEST_SKIP() << "sanitizers want more memory than there is";
  expect_orderly(statuses("run cholesky:n=256,tile=64 --workers cpu=2"));
  const Answer little =
      bash("unset OPENBLAS_NUM_THREADS; ulimit -v 500000; $HEDDLE run cholesky:n=256,tile=64 --workers cpu=2");
  EXPECT_EQ(little.status, 2);
  EXPECT_NE(little.err.find("BLAS needs 128 MiB of memory for each of 3 threads"), std::string::npos) << little.err;
}

/// How often the system gave a page to a program that has ended.
long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_minflt;
}

TEST(Limits, SimulationsTakeMemoryThatOthersLeft) {
  if constexpr (kSanitized) GTEST_SKIP() << "sanitizers allocate in their own way";
  const long before = page_faults();
  // The settings that tests have would do the same.
  const Answer answer = bash(
      "unset GLIBC_TUNABLES; $HEDDLE schedule cholesky:tiles=64 --platform mirage:cpu=60,gpu=4 "
      "--policy heteroprio-dep:order=best");
  EXPECT_EQ(answer.status, 0);
  // 800 where Linux gives large pages, 3800 without; 5400 where what is freed goes back to it.
  EXPECT_LT(page_faults() - before, 4600);
}

}  // namespace
}  // namespace heddle::test
