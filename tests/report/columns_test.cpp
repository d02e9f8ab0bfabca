#include "heddle/report/columns.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/report/samples.hpp"

namespace heddle::report {
namespace {

TEST(ByteColumn, PacksSevenBitsAByte) {
  ByteColumn column;
  for (const std::uint64_t value : {0U, 127U, 128U, 300U}) column.add(value);
  EXPECT_EQ(column.base64(), "AH+AAawC");  // 00 7f 80 01 ac 02
}

TEST(ByteColumn, PadsBase64) {
  ByteColumn column;
  EXPECT_EQ(column.base64(), "");
  column.add(1);
  EXPECT_EQ(column.base64(), "AQ==");
  column.add(2);
  EXPECT_EQ(column.base64(), "AQI=");
}

TEST(ByteColumn, FoldsSignsIntoSmallNumbers) {
  EXPECT_EQ(ByteColumn::zigzag(0), 0U);
  EXPECT_EQ(ByteColumn::zigzag(-1), 1U);
  EXPECT_EQ(ByteColumn::zigzag(1), 2U);
  EXPECT_EQ(ByteColumn::zigzag(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::uint64_t>::max());
}

TEST(PackNames, SharesOnePatternBetweenTasksOfAKind) {
  const PackedNames names = pack_names(test::cholesky(5).graph);
  EXPECT_EQ(names.patterns, (std::vector<std::vector<std::string>>{
                                {"POTRF(", ")"}, {"TRSM(", ",", ")"}, {"SYRK(", ",", ")"}, {"GEMM(", ",", ",", ")"}}));
}

TEST(PackNames, KeepsNumbersThatWouldChangeAsText) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("t");
  for (const char* name : {"x007", "x0", "12345678901234567890",
                           "bad\xFF"
                           "1"})
    builder.add_task(name, type);
  const PackedNames names = pack_names(builder.build());
  EXPECT_EQ(names.patterns,
            (std::vector<std::vector<std::string>>{{"x007"}, {"x", ""}, {"12345678901234567890"}, {"bad\uFFFD", ""}}));
}

TEST(PackSchedule, CountsTimesInTheirLargestCommonUnit) {
  const Grid grid = grid_of(test::diamond_schedule());
  EXPECT_EQ(grid.unit, kSecond / 2);
  EXPECT_FALSE(grid.rounds);
  const PackedSchedule packed = pack_schedule(test::diamond(), test::diamond_schedule(), grid);
  ByteColumn expected;
  for (const std::uint64_t value : {1U, 1U, 3U}) expected.add(value);  // attempts of cpu0, cpu1 and gpu0
  for (const std::uint64_t value : {2U << 2U, 4U << 2U | 1U, 0U, 4U << 2U, 2U << 2U})
    expected.add(value);                                                       // b; c; a, c, d
  for (const std::uint64_t value : {2U, 2U, 0U, 2U, 0U}) expected.add(value);  // idle before
  for (const std::uint64_t value : {2U, 1U, 1U, 1U, 1U}) expected.add(value);
  EXPECT_EQ(packed.attempts.base64(), expected.base64());
}

TEST(Grid, RoundsToTheNearestInstantWhereThereAreMany) {
  const Grid grid{10, true};
  EXPECT_EQ(grid(0), 0);
  EXPECT_EQ(grid(14), 1);
  EXPECT_EQ(grid(15), 2);
  Schedule schedule;
  schedule.attempts.assign(500'001, {TaskId{0}, WorkerId{0}, 0, 7, Outcome::completed});
  schedule.attempts.back().end = (Time{1} << 33) + 8;
  EXPECT_EQ(grid_of(schedule).unit, 8);
  EXPECT_TRUE(grid_of(schedule).rounds);
  schedule.attempts.pop_back();
  EXPECT_EQ(grid_of(schedule).unit, 7);
  EXPECT_FALSE(grid_of(schedule).rounds);
}

}  // namespace
}  // namespace heddle::report
