#include "heddle/model/time.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

TEST(ParseTime, ReadsDecimalsExactly) {
  EXPECT_EQ(parse_time("0"), 0);
  EXPECT_EQ(parse_time("7"), 7 * kSecond);
  EXPECT_EQ(parse_time("7.0"), 7 * kSecond);
  EXPECT_EQ(parse_time("0.010615983"), 10'615'983'000);
  EXPECT_EQ(parse_time("1e-12"), 1);
  EXPECT_EQ(parse_time("1.5E+2"), 150 * kSecond);
  EXPECT_EQ(parse_time(".5"), kSecond / 2);
  EXPECT_EQ(parse_time("-3.25"), -3 * kSecond - kSecond / 4);
  EXPECT_EQ(parse_time("5474.6167", kMicrosecond), 5'474'616'700);
}

TEST(ParseTime, RoundsHalfAwayFromZero) {
  EXPECT_EQ(parse_time("0.0000000000005"), 1);
  EXPECT_EQ(parse_time("0.00000000000049999"), 0);
  EXPECT_EQ(parse_time("-0.0000000000005"), -1);
  EXPECT_EQ(parse_time("0.0000000000015"), 2);
  EXPECT_EQ(parse_time("1e-2000000000"), 0);
}

TEST(ParseTime, RefusesWhatIsNoNumber) {
  for (const char* text : {"", ".", "-", "e5", "1e", "1x", "0x10", "nan", "inf", "1,5", " 1", "--1", "1e+-5"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(ParseTime, RefusesWhatDoesNotFit) {
  EXPECT_EQ(parse_time("9223372.036854775806"), kMaxTime - 1);
  for (const char* text : {"9223372.036854775807", "1e7", "1e300", "1e99999999999999999999", "-1e9"}) {
    EXPECT_THROW((void)parse_time(text), std::out_of_range) << text;
  }
}

TEST(FormatSeconds, WritesExactDecimals) {
  EXPECT_EQ(format_seconds(0), "0.0");
  EXPECT_EQ(format_seconds(7 * kSecond), "7.0");
  EXPECT_EQ(format_seconds(1), "0.000000000001");
  EXPECT_EQ(format_seconds(-kSecond / 4), "-0.25");
  EXPECT_EQ(format_seconds(std::numeric_limits<Time>::min()), "-9223372.036854775808");
}

TEST(FormatSeconds, ReadsBackTheSame) {
  Random random(51);
  for (int round = 0; round < rounds(100'000); ++round) {
    const Time time = static_cast<Time>(random()) >> draw(random, 0, 60);
    if (time >= kMaxTime - 1 || time <= -kMaxTime) continue;
    ASSERT_EQ(parse_time(format_seconds(time)), time);
  }
}

}  // namespace
}  // namespace heddle::test
