#include "heddle/workload/workload.hpp"

#include <gtest/gtest.h>

#include "heddle/model/error.hpp"
#include "tests/workload/toy_machine.hpp"

namespace heddle::workload {
namespace {

using test::input_error;
using test::toy_machine;

std::string error_of(std::string_view workload, const Machine& machine = toy_machine()) {
  return input_error([&] { (void)generate(workload, machine); });
}

TEST(Generate, MakesEveryWorkloadWithItsDefaults) {
  for (const Entry& entry : entries()) {
    const Instance instance = generate(entry.name, toy_machine());
    EXPECT_EQ(instance.name, entry.name);
    EXPECT_GT(instance.graph.task_count(), 0U);
    EXPECT_EQ(instance.platform.worker_count(), 3U);
  }
}

TEST(Generate, GivesEachKernelItsTimes) {
  const Instance instance = generate("cholesky:tiles=2", toy_machine());
  EXPECT_EQ(instance.name, "cholesky:tiles=2");
  ASSERT_EQ(instance.graph.task_count(), 4U);
  const TaskId trsm{1};
  EXPECT_EQ(instance.graph.name(trsm), "TRSM(1,0)");
  EXPECT_EQ(instance.costs.actual(trsm, ClassId{0}), 2 * kMillisecond);
  EXPECT_EQ(instance.costs.actual(trsm, ClassId{1}), 2 * kMicrosecond);
  EXPECT_EQ(instance.graph.datum(DataId{0}).bytes, 960 * 960 * 8);
  EXPECT_EQ(instance.graph.priority(trsm), 0);
}

TEST(Generate, ClassWithoutATimeCannotRunTheKernel) {
  Machine machine = toy_machine();
  machine.kernels[0].seconds.pop_back();
  const Instance instance = generate("cholesky:tiles=2", machine);
  EXPECT_EQ(instance.costs.actual(TaskId{0}, ClassId{1}), kCannotRun);
}

TEST(Generate, ProductsNeedNotBeSquare) {
  EXPECT_EQ(generate("gemm:m=2,n=3,k=5", toy_machine()).graph.task_count(), 30U);
  EXPECT_EQ(generate("gemm:tiles=2,k=5", toy_machine()).graph.task_count(), 20U);
}

TEST(Generate, ErrorsNameTheNearestAndThePossible) {
  EXPECT_EQ(error_of("cholseky:tiles=3"),
            "there is no workload 'cholseky'; did you mean 'cholesky'? (possible: cholesky, lu, qr, gemm, fork-join, "
            "independent, layered, predecessor-matrix)");
  EXPECT_EQ(error_of("lu:tile=960,tils=3"),
            "workload 'lu' has no option 'tils'; did you mean 'tiles'? (possible: tiles, tile, precision)");
  EXPECT_EQ(error_of("lu:precision=half"), "workload 'lu': option 'precision' is 'half'; expected single|double");
  EXPECT_EQ(error_of("lu:precision=singel"),
            "workload 'lu': option 'precision' is 'singel'; expected single|double; did you mean 'single'?");
  EXPECT_EQ(error_of("lu:3"), "workload 'lu': '3' is not an option; expected key=value");
  EXPECT_EQ(error_of("lu:tiles=3,tiles=4"), "workload 'lu': option 'tiles' is given twice");
}

TEST(Generate, RefusesNumbersOutOfRange) {
  const std::string range = "; expected a whole number in 1..65535";
  for (const std::string bad : {"0", "-1", "", "1e3", "3.5", "65536", "99999999999999999999", "4 "}) {
    EXPECT_EQ(error_of("cholesky:tiles=" + bad), "workload 'cholesky': option 'tiles' is '" + bad + "'" + range);
  }
  EXPECT_EQ(error_of("layered:density=nan"),
            "workload 'layered': option 'density' is 'nan'; expected a number in 0..1");
}

TEST(Generate, RefusesMoreTasksThanFit) {
  EXPECT_EQ(error_of("cholesky:tiles=5000"),
            "workload 'cholesky' would have 20845835000 tasks; at most 20000000 are possible");
  EXPECT_EQ(error_of("gemm:tiles=65535"),
            "workload 'gemm' would have 281462092005375 tasks; at most 20000000 are possible");
  EXPECT_EQ(error_of("fork-join:width=1000000,phases=100000"),
            "workload 'fork-join' would have 100000100001 tasks; at most 20000000 are possible");
}

TEST(Find, TellsAWorkloadFromAFile) {
  EXPECT_EQ(find("lu")->name, "lu");
  EXPECT_EQ(find("lu:tiles=3")->name, "lu");
  EXPECT_EQ(find("lu.json"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

}  // namespace
}  // namespace heddle::workload
