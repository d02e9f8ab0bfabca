#include "heddle/model/hints.hpp"

#include <gtest/gtest.h>

#include "heddle/model/error.hpp"

namespace heddle::test {
namespace {

/// Two TRSMs, 1 and 6 tiles from the diagonal, and a GEMM; POTRF runs on the CPU only.
Instance tiles() {
  TaskGraphBuilder builder;
  builder.add_task("POTRF(0,0)", builder.add_type("POTRF"));
  const TypeId trsm = builder.add_type("TRSM");
  builder.add_task("TRSM(1,0)", trsm);
  builder.add_task("TRSM(7,1)", trsm);
  builder.add_task("GEMM(5,3,1)", builder.add_type("GEMM"));
  builder.add_task("odd", builder.add_type("odd"));
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (const TypeId type : graph.types()) {
    costs.set_actual(Costs::row(type), make_id<ClassId>(0), 7);
    if (index(type) > 0) costs.set_actual(Costs::row(type), make_id<ClassId>(1), 2);
  }
  Platform platform({{.name = "cpu", .workers = 2}, {.name = "gpu", .workers = 1}});
  return make_instance("tiles", std::move(graph), std::move(platform), std::move(costs));
}

/// For each task c (CPU only), g (GPU only) or b (both).
std::string where(const std::string& hints) {
  const Instance instance = with_hints(tiles(), parse_hints("--force", hints));
  std::string text;
  for (const TaskId task : instance.graph.tasks()) {
    const bool cpu = instance.costs.can_run(task, make_id<ClassId>(0));
    const bool gpu = instance.costs.can_run(task, make_id<ClassId>(1));
    text += cpu && gpu ? 'b' : cpu ? 'c' : 'g';
  }
  return text;
}

TEST(Hints, SendTypesToAClass) {
  EXPECT_EQ(where("odd@gpu"), "cbbbg");
  EXPECT_EQ(where("GEMM@gpu+TRSM@cpu"), "cccgb");
}

TEST(Hints, SendTilesFarFromTheDiagonalToAClass) {
  EXPECT_EQ(where("TRSM:6@cpu"), "cbcbb");
  EXPECT_EQ(where("TRSM:7@cpu"), "cbbbb");
  EXPECT_EQ(where("GEMM:2@cpu"), "cbbcb");
}

TEST(Hints, TheLastOneRules) {
  EXPECT_EQ(where("TRSM@gpu+TRSM:6@cpu"), "cgcbb");
}

TEST(Hints, KeepTheRowsOfTypesThatGoToOneClass) {
  const Instance instance = with_hints(tiles(), parse_hints("--force", "TRSM@gpu"));
  EXPECT_EQ(instance.costs.row(make_id<TaskId>(1)), instance.costs.row(make_id<TaskId>(2)));
}

std::string error_of(const std::string& hints) {
  try {
    where(hints);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Hints, SayWhatIsWrong) {
  EXPECT_EQ(error_of("GEMM"),
            "--force: hint 'GEMM'; expected TYPE@CLASS or TYPE:TILES@CLASS, e.g. GEMM@gpu or TRSM:6@cpu");
  EXPECT_NE(error_of("TRSM:x@cpu").find("hint 'TRSM:x@cpu'; expected"), std::string::npos);
  EXPECT_NE(error_of("GEMM@gpu+").find("hint ''; expected"), std::string::npos);
  EXPECT_NE(error_of("GEMN@gpu").find("did you mean 'GEMM'?"), std::string::npos);
  EXPECT_NE(error_of("GEMM@cuda").find("class 'cuda', which the platform does not have"), std::string::npos);
  EXPECT_NE(error_of("POTRF@gpu").find("'POTRF(0,0)' to class 'gpu', which cannot run it"), std::string::npos);
  EXPECT_NE(error_of("odd:1@gpu").find("task 'odd' does not say which tile it updates"), std::string::npos);
}

TEST(Inflation, LeavesTheLastClassAlone) {
  const Instance instance = inflated(tiles(), 15);
  EXPECT_EQ(instance.costs.actual(make_id<TaskId>(1), make_id<ClassId>(0)), 8) << "7 x 1.15 = 8.05";
  EXPECT_EQ(instance.costs.actual(make_id<TaskId>(1), make_id<ClassId>(1)), 2);
  EXPECT_FALSE(instance.costs.can_run(TaskId{}, make_id<ClassId>(1)));
}

}  // namespace
}  // namespace heddle::test
