#include "heddle/report/format.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::report {
namespace {

TEST(FormatTime, ChoosesTheLargestUnitAndFourDigits) {
  EXPECT_EQ(format_time(1'234 * kMillisecond), "1.234 s");
  EXPECT_EQ(format_time(35'100 * kMicrosecond), "35.10 ms");
  EXPECT_EQ(format_time(820 * kMicrosecond), "820.0 us");
  EXPECT_EQ(format_time(7 * kMicrosecond), "7.000 us");
  EXPECT_EQ(format_time(1'500), "1.500 ns");
  EXPECT_EQ(format_time(12), "12 ps");
  EXPECT_EQ(format_time(999), "999 ps");
}

TEST(FormatTime, RoundsIntoTheNextUnit) {
  EXPECT_EQ(format_time(999'960 * kMicrosecond), "1.000 s");
  EXPECT_EQ(format_time(999'940 * kMicrosecond), "999.9 ms");
}

TEST(FormatTime, KeepsWholeSecondsOfLongTimes) {
  EXPECT_EQ(format_time(86'400 * kSecond), "86,400 s");
  EXPECT_EQ(format_time(1'234'567 * kMillisecond), "1,235 s");
}

TEST(FormatTime, TakesZeroNegativeAndExtremeTimes) {
  EXPECT_EQ(format_time(0), "0 s");
  EXPECT_EQ(format_time(-35'100 * kMicrosecond), "-35.10 ms");
  EXPECT_EQ(format_time(kMaxTime), "9,223,372 s");
  EXPECT_EQ(format_time(std::numeric_limits<Time>::min()), "-9,223,372 s");
}

TEST(FormatRate, TakesTheSpanInWhichItHappensOnce) {
  EXPECT_EQ(format_rate(1'234.4), "1,234/s");
  EXPECT_EQ(format_rate(1), "1/s");
  EXPECT_EQ(format_rate(0.075), "4.5/min");
  EXPECT_EQ(format_rate(0.001), "3.6/h");
  EXPECT_EQ(format_rate(0), "0.0/h");
}

TEST(FormatWait, KeepsTwoUnits) {
  EXPECT_EQ(format_wait(0), "0 s");
  EXPECT_EQ(format_wait(59.4), "59 s");
  EXPECT_EQ(format_wait(59.6), "1 min 0 s");
  EXPECT_EQ(format_wait(320), "5 min 20 s");
  EXPECT_EQ(format_wait(9'960), "2 h 46 min");
  EXPECT_EQ(format_wait(3 * 86'400 + 4 * 3'600 + 59), "3 d 4 h");
  EXPECT_EQ(format_wait(1e300), "11,574 d 1 h");
  EXPECT_EQ(format_wait(-1), "0 s");
}

TEST(TimeFormat, KeepsToTheUnitAndDecimalsOfItsReference) {
  const TimeFormat format(372'400 * kMicrosecond);
  EXPECT_EQ(format(372'400 * kMicrosecond), "372.4 ms");
  EXPECT_EQ(format(5 * kSecond), "5,000.0 ms");
  EXPECT_EQ(format(-20 * kMicrosecond), "-0.0 ms");
  EXPECT_EQ(format(0), "0 ms");
  EXPECT_EQ(TimeFormat(999'960 * kMicrosecond)(10 * kMillisecond), "0.010 s");
  EXPECT_EQ(TimeFormat(-12)(1'500), "1,500 ps");
  EXPECT_EQ(TimeFormat(0)(2 * kSecond), "2 s");
}

TEST(FormatRatio, HasThreeDecimals) {
  EXPECT_EQ(format_ratio(1.1644), "1.164");
  EXPECT_EQ(format_ratio(12), "12.000");
  EXPECT_EQ(format_ratio(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(format_ratio(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(45'760), "45,760");
  EXPECT_EQ(format_count(-1'000'000), "-1,000,000");
  EXPECT_EQ(format_count(0, "task"), "0 tasks");
  EXPECT_EQ(format_count(1, "task"), "1 task");
  EXPECT_EQ(format_count(45'760, "task"), "45,760 tasks");
}

TEST(FormatPercent, HasOneDecimal) {
  EXPECT_EQ(format_percent(0.8734), "87.3 %");
  EXPECT_EQ(format_percent(1), "100.0 %");
  EXPECT_EQ(format_percent(-0.0004), "0.0 %");
  EXPECT_EQ(format_percent(-0.0006), "-0.1 %");
}

TEST(FormatJoules, ChoosesAUnit) {
  EXPECT_EQ(format_joules(0), "0 J");
  EXPECT_EQ(format_joules(12.5), "12.50 J");
  EXPECT_EQ(format_joules(1234567), "1.235 MJ");
  EXPECT_EQ(format_joules(999.96), "1.000 kJ");
  EXPECT_EQ(format_joules(0.0002), "0.2000 mJ");
}

TEST(FormatBytes, ChoosesABinaryUnit) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1'536), "1.500 KiB");
  EXPECT_EQ(format_bytes(1'048'575), "1.000 MiB");
  EXPECT_EQ(format_bytes(std::int64_t{3} << 29), "1.500 GiB");
  EXPECT_EQ(format_bytes(-2'048), "-2.000 KiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::int64_t>::min()), "-8,192 PiB");
}

}  // namespace
}  // namespace heddle::report
