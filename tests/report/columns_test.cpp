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
  const PackedSchedule packed = pack_schedule(test::diamond(), test::diamond_schedule());
  EXPECT_EQ(packed.unit, kSecond / 2);
  ByteColumn expected;
  for (const std::uint64_t value : {1U, 2U << 2U, 2U, 2U}) expected.add(value);              // cpu0: b
  for (const std::uint64_t value : {1U, 4U << 2U | 1U, 2U, 1U}) expected.add(value);         // cpu1: c, aborted
  for (const std::uint64_t value : {3U, 0U, 0U, 1U, 4U << 2U, 2U, 1U}) expected.add(value);  // gpu0: a, c
  for (const std::uint64_t value : {2U << 2U, 0U, 1U}) expected.add(value);                  // gpu0: d
  EXPECT_EQ(packed.attempts.base64(), expected.base64());
}

}  // namespace
}  // namespace heddle::report
