#include "heddle/io/starpu/performance_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRegressions = "0 0 0 0 nan -nan 0 0 0\nnan nan NaN\n0\n";

std::string combination(const std::string& devices, const std::string& entries, int count) {
  return "# COMB\n1\n" + devices + "\n1\n# Model\n" + std::to_string(count) + "\n" + kRegressions + entries;
}

PerformanceModel read(const std::string& text) {
  return read_performance_model(text, "codelet.host");
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(read(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PerformanceModelFile, DevicesOfAClassArePooledByTheirSamples) {
  const PerformanceModel model =
      read("##\n# Performance Model Version\n45\n\n3\n" +
           combination("1\n1\n1", "24c84a50\t11059200 \t1.7e+09 \t2.000000e+01 \t1.0 \t0 \t0 \t3\n", 1) +
           combination("0\n0\n1", "24c84a50 11059200 1.7e9 87780.2 1 0 0 5\naa 8 0 1 0 0 0 1\n", 2) +
           combination("1\n0\n1", "# between\n24c84a50 11059200 1.7e9 10.00005 1 0 0 1\n", 1));
  ASSERT_EQ(model.timings.size(), 3U);
  EXPECT_EQ(model.timings[0].class_name, "cpu");
  EXPECT_EQ(model.timings[0].mean, 87'780'200'000);
  EXPECT_EQ(model.timings[1].class_name, "gpu");
  EXPECT_EQ(model.timings[1].mean, 17'500'000);  // (3 * 20 + 10.00005) / 4 = 17.5000125
  EXPECT_EQ(model.timings[1].samples, 4U);
  EXPECT_EQ(model.timings[1].bytes, 11059200);
  EXPECT_EQ(model.timings[2].footprint, "000000aa");
  EXPECT_THAT(model.warnings, IsEmpty());
}

TEST(PerformanceModelFile, MeansAreRoundedToATenthOfANanosecond) {
  const auto mean = [](const std::string& text) {
    return read("45 1\n" + combination("0 0 1", "aa 8 0 " + text + " 0 0 0 1\n", 1)).timings.at(0).mean;
  };
  EXPECT_EQ(mean("3.262643e+00"), 3'262'600);
  EXPECT_EQ(mean("0.00005"), 100);
  EXPECT_EQ(mean("0.000049"), 0);
}

TEST(PerformanceModelFile, OldEntriesHaveSevenFields) {
  const PerformanceModel model = read("45 1\n" + combination("0 0 1", "aa 8 2.5 0 0 0 1\n", 1));
  EXPECT_EQ(model.timings.at(0).mean, 2'500'000);
}

TEST(PerformanceModelFile, TheFastestImplementationOfADeviceCounts) {
  const PerformanceModel model = read(std::string("45 1 1 1 0 1 2\n1\n") + kRegressions + "aa 8 0 9 0 0 0 7\n1\n" +
                                      kRegressions + "aa 8 0 4 0 0 0 2\n");
  EXPECT_EQ(model.timings.at(0).mean, 4'000'000);
  EXPECT_EQ(model.timings.at(0).samples, 2U);
}

TEST(PerformanceModelFile, CoefficientsOfARegressionAreSkipped) {
  const PerformanceModel model =
      read("45 1 1 0 0 1 1\n1\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n3 1.5 nan 2\naa 8 0 9 0 0 0 7\n");
  EXPECT_EQ(model.timings.size(), 1U);
}

TEST(PerformanceModelFile, EntriesWithoutSamplesTellNothing) {
  const PerformanceModel model =
      read("45 1\n" + combination("0 0 1", "aa 8 0 nan nan 0 0 0\nbb 8 0 -nan 0 0 0 4\ncc 8 0 1 0 0 0 0\n", 3));
  EXPECT_THAT(model.timings, IsEmpty());
}

TEST(PerformanceModelFile, OtherDevicesAreLeftOutWithAWarning) {
  const std::string entry = "aa 8 0 9 0 0 0 7\n";
  const PerformanceModel model =
      read("45 4\n" + combination("2 0 1", entry, 1) + combination("0 0 4", entry, 1) +
           std::string("2 0 0 1 1 0 1 1\n1\n") + kRegressions + entry + combination("0 0 1", "aa 16 0 5 0 0 0 7\n", 1));
  ASSERT_EQ(model.timings.size(), 1U);
  EXPECT_EQ(model.timings[0].mean, 5'000'000);
  EXPECT_THAT(model.warnings, ElementsAre(HasSubstr("ignored 3 device combinations")));
}

TEST(PerformanceModelFile, MoreCombinationsThanAnnouncedAreIgnored) {
  const PerformanceModel model =
      read("45 1\n" + combination("0 0 1", "aa 8 0 9 0 0 0 7\n", 1) + combination("1 0 1", "aa 8 0 1 0 0 0 7\n", 1));
  EXPECT_EQ(model.timings.size(), 1U);
  EXPECT_THAT(model.warnings, ElementsAre("ignored what follows the 1 announced device combinations"));
}

TEST(PerformanceModelFile, MayBeEmpty) {
  EXPECT_THAT(read("").warnings, ElementsAre("the file is empty"));
  EXPECT_THAT(read("45\n0\n").timings, IsEmpty());
  EXPECT_THAT(read("45\n0\n").warnings, IsEmpty());
}

TEST(PerformanceModelFile, BrokenFilesAreToldByLine) {
  EXPECT_EQ(error_of("# v\n44\n"), "codelet.host:2: found '44'; expected 45, the version of the format that is read");
  EXPECT_EQ(error_of("45\n"), "codelet.host:1: the file ends; expected the number of device combinations");
  EXPECT_THAT(error_of("45\n99999999999999999\n1 0 0 1 0\n"),
              HasSubstr("the file ends; expected the number of devices"));
  EXPECT_THAT(error_of("45 1\n" + combination("0 0 1", "aa 8 0 9\n", 1)), HasSubstr("found 4 values; expected the 8"));
  EXPECT_THAT(error_of("45 1\n" + combination("0 0 1", "xx 8 0 9 0 0 0 1\n", 1)), HasSubstr("the footprint is 'xx'"));
  EXPECT_THAT(error_of("45 1\n" + combination("0 0 1", "aa 8 0 -9 0 0 0 1\n", 1)), HasSubstr("the duration is '-9'"));
  EXPECT_THAT(error_of("45 1\n" + combination("0 0 1", "aa 8 0 1e99 0 0 0 1\n", 1)), HasSubstr("does not fit"));
  EXPECT_THAT(error_of("45 1\n" + combination("0 0 1", "aa 8 0 9.22e12 0 0 0 1\n", 1)), HasSubstr("less than 53 days"));
  EXPECT_THAT(error_of("45 1\n" + combination("0 0 1", "aa 8 0 9 0 0 0 -1\n", 1)), HasSubstr("a number of samples"));
}

}  // namespace
}  // namespace heddle::io
