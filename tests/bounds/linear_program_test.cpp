#include "heddle/bounds/linear_program.hpp"

#include <gtest/gtest.h>

#include "heddle/model/error.hpp"

namespace heddle::bounds {
namespace {

constexpr double kInfinity = LinearProgram::kInfinity;

/// A demand for 5, of which at most 3 come from y, the cheaper one.
struct TwoSources {
  LinearProgram program;
  LinearProgram::Column x = program.add_column(0, kInfinity, 2);
  LinearProgram::Column y = program.add_column(0, 3, 1);
  LinearProgram::Row demand = program.add_row(5, kInfinity);

  TwoSources() {
    program.set(demand, x, 1);
    program.set(demand, y, 1);
  }
};

TEST(LinearProgram, MinimisesAndDualValuesItsRows) {
  TwoSources sources;
  LinearProgram& program = sources.program;
  ASSERT_TRUE(program.minimise());
  EXPECT_NEAR(program.value(sources.x), 2, 1e-9);
  EXPECT_NEAR(program.value(sources.y), 3, 1e-9);
  EXPECT_NEAR(program.dual(sources.demand), 2, 1e-9);
}

TEST(LinearProgram, StopsWhenTimeIsUp) {
  TwoSources sources;
  EXPECT_FALSE(sources.program.minimise(Countdown({}, [] { return true; })));
  ASSERT_TRUE(sources.program.minimise());
  EXPECT_NEAR(sources.program.value(sources.x), 2, 1e-9);
}

TEST(LinearProgram, GrowsByRowsAndColumns) {
  LinearProgram program;
  const auto x = program.add_column(0, 10, -1);
  ASSERT_TRUE(program.minimise());
  EXPECT_NEAR(program.value(x), 10, 1e-9);
  const auto limit = program.add_row(-kInfinity, 4);
  const auto slack = program.add_column(0, 1, 0);
  program.set(limit, x, 1);
  program.set(limit, slack, -1);
  ASSERT_TRUE(program.minimise());
  EXPECT_NEAR(program.value(x), 5, 1e-9);
  EXPECT_NEAR(program.dual(limit), -1, 1e-9);
  program.set_column_upper(slack, 0.5);
  program.set_row_upper(limit, 3);
  ASSERT_TRUE(program.minimise());
  EXPECT_NEAR(program.value(x), 3.5, 1e-9);
}

TEST(LinearProgram, CoefficientsStayOnceMinimised) {
  LinearProgram program;
  const auto x = program.add_column(0, 1, 1);
  const auto row = program.add_row(0, 1);
  ASSERT_TRUE(program.minimise());
  EXPECT_THROW(program.set(row, x, 1), InternalError);
}

TEST(LinearProgram, WithoutAnOptimumItIsOurMistake) {
  LinearProgram unbounded;
  unbounded.add_column(0, kInfinity, -1);
  EXPECT_THROW(unbounded.minimise(), InternalError);
  LinearProgram infeasible;
  const auto x = infeasible.add_column(0, 1, 1);
  infeasible.set(infeasible.add_row(2, kInfinity), x, 1);
  EXPECT_THROW(infeasible.minimise(), InternalError);
}

}  // namespace
}  // namespace heddle::bounds
