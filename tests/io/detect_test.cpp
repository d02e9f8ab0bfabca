#include "heddle/io/detect.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "tests/io/toy.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using io::detect;
using io::Format;

TEST(Detect, FindsTheFormatOfADocumentWhereverItStands) {
  EXPECT_EQ(detect(kToy), Format::heddle_instance);
  EXPECT_EQ(detect(R"({"tasks": [{"format": "x"}], "meta": {"format": "y"}, "format": "heddle-schedule"})"),
            Format::heddle_schedule);
  EXPECT_EQ(detect("\n\t {\"format\":\"heddle-platform\""), Format::heddle_platform)
      << "the rest is the reader's affair";
}

TEST(Detect, DoesNotTakeOtherJsonForOurs) {
  EXPECT_EQ(detect(R"({"name": "toy", "schemaVersion": "1.5", "workflow": {}})"), Format::wfformat);
  EXPECT_EQ(detect(R"({"format": "stg"})"), Format::unknown);
  EXPECT_EQ(detect(R"({"format": ["heddle-instance"]})"), Format::unknown);
  EXPECT_EQ(detect(R"(["format", "heddle-instance"])"), Format::unknown);
}

TEST(Detect, TellsTablesOfNumbersApart) {
  EXPECT_EQ(detect("7 3.0 -1\n9 10.5 0.75 7\n"), Format::hetero_swf);
  EXPECT_EQ(detect("\r\n1 1 2 3\r\n"), Format::hetero_swf);
  EXPECT_EQ(detect("3\n 0 0 0\n 1 4 1 0\n# note"), Format::stg);
  EXPECT_EQ(detect("45\n45 0 0\n"), Format::stg);
  EXPECT_EQ(detect("45\n1\n1\n0\n0\n1\n1\n0\n"), Format::starpu_perfmodel);
  EXPECT_EQ(detect("1.5 2 3\n"), Format::unknown);
  EXPECT_EQ(detect("1 2\n"), Format::unknown);
}

TEST(Detect, KnowsStarPUsFiles) {
  EXPECT_EQ(detect("Name: POTRF\nJobId: 1\n\n"), Format::starpu_tasks);
  EXPECT_EQ(detect("Handle: a00\nSize: 8\n\n"), Format::starpu_data);
  EXPECT_EQ(detect("12 # Number of CPUs\n3 # Number of CUDA devices\n"), Format::starpu_bus_config);
  EXPECT_EQ(detect("# to 0\tto 1\n0.0\t1.0\n"), Format::starpu_bus_matrix);
}

TEST(Detect, SurvivesWhatIsNoText) {
  constexpr std::size_t kMany = rounds(std::size_t{10'000'000});
  EXPECT_EQ(detect(""), Format::unknown);
  EXPECT_EQ(detect(" \n\n"), Format::unknown);
  EXPECT_EQ(detect(std::string(1000, '\0')), Format::unknown);
  EXPECT_EQ(detect(std::string(kMany, '1')), Format::unknown);
  EXPECT_EQ(detect(std::string(kMany, '{')), Format::unknown);
  EXPECT_EQ(detect("{\"a\":" + std::string(kMany, '[')), Format::unknown);
  EXPECT_EQ(detect("\xFF\xFE{\"format\""), Format::unknown);
}

TEST(Detect, NamesEachFormatOnce) {
  for (std::uint8_t number = 1; number <= static_cast<std::uint8_t>(Format::starpu_bus_matrix); ++number) {
    const auto format = static_cast<Format>(number);
    EXPECT_NE(to_string(format), "unknown");
    EXPECT_EQ(io::find_format(to_string(format)), format);
  }
  EXPECT_EQ(to_string(Format::unknown), "unknown");
  EXPECT_EQ(io::find_format("unknown"), Format::unknown);
}

TEST(ExplainUnknown, SaysWhatTheContentLooksLike) {
  const std::string known =
      "; what is read: heddle-instance, heddle-schedule, heddle-platform, heddle-facts, hetero-swf, stg, wfformat, "
      "starpu-tasks, "
      "starpu-data, "
      "starpu-perfmodel, starpu-bus-config, starpu-bus-matrix";
  EXPECT_EQ(io::explain_unknown(" \n", "f"), "f: the file is empty" + known);
  EXPECT_EQ(io::explain_unknown("a\0b", "f"), "f: the content is of no known format" + known);
  EXPECT_EQ(io::explain_unknown(std::string("a\0b", 3), "f"), "f: the file is binary" + known);
  EXPECT_EQ(io::explain_unknown("{\"fromat\": \"heddle-instance\"}", "f"),
            "f: the file is JSON, but its \"format\" names none of Heddle's" + known);
  EXPECT_EQ(io::explain_unknown("{\"format\" = 1}", "f"),
            "f:1:11: the text cannot be read as JSON: invalid literal; expected ':'");
}

}  // namespace
}  // namespace heddle::test
