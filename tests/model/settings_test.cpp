#include <gtest/gtest.h>

#include <limits>

#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"

namespace heddle {
namespace {

std::string error_of(std::string_view text) {
  try {
    (void)parse_spec("workload", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseSpec, TakesNameAndSettingsApart) {
  const NamedSettings spec = parse_spec("workload", "lu:tiles=8,name=a:b=c");
  EXPECT_EQ(spec.name, "lu");
  ASSERT_EQ(spec.settings.size(), 2U);
  EXPECT_EQ(spec.settings[0].key, "tiles");
  EXPECT_EQ(spec.settings[0].value, "8");
  EXPECT_EQ(spec.settings[1].value, "a:b=c");
}

TEST(ParseSpec, TheSettingsMayBeMissing) {
  EXPECT_TRUE(parse_spec("workload", "lu").settings.empty());
  EXPECT_TRUE(parse_spec("workload", "lu:").settings.empty());
  EXPECT_EQ(parse_spec("workload", "lu:tiles=").settings[0].value, "");
}

TEST(ParseSpec, RefusesWhatIsNoSetting) {
  EXPECT_EQ(error_of("lu:tiles"), "workload 'lu': 'tiles' is not an option; expected key=value");
  EXPECT_EQ(error_of("lu:=3"), "workload 'lu': '=3' is not an option; expected key=value");
  EXPECT_EQ(error_of("lu:a=1,,b=2"), "workload 'lu': '' is not an option; expected key=value");
  EXPECT_EQ(error_of("lu:a=1,a=2"), "workload 'lu': option 'a' is given twice");
}

TEST(ParseSpec, QuotedValuesMayHoldCommas) {
  const NamedSettings spec = parse_spec("policy", R"(static:file="a,b=""c"".json",order=fixed,note="")");
  ASSERT_EQ(spec.settings.size(), 3U);
  EXPECT_EQ(spec.settings[0].value, R"(a,b="c".json)");
  EXPECT_EQ(spec.settings[1].value, "fixed");
  EXPECT_EQ(spec.settings[2].value, "");
  EXPECT_EQ(parse_spec("policy", R"(p:a=b"c)").settings[0].value, R"(b"c)");
}

TEST(ParseSpec, RefusesQuotesWithoutAnEnd) {
  const std::string expected = "; expected a quote at its end, and \"\" for each quote in it";
  EXPECT_EQ(error_of(R"(lu:a="x,b=2)"), R"(workload 'lu': option 'a' is "x,b=2)" + expected);
  EXPECT_EQ(error_of(R"(lu:a=")"), R"(workload 'lu': option 'a' is ")" + expected);
  EXPECT_EQ(error_of(R"(lu:a="x"y,b=2)"), R"(workload 'lu': option 'a' is "x"y)" + expected);
}

TEST(SettingEnd, IsTheFirstCommaOutsideQuotes) {
  EXPECT_EQ(setting_end("a=1,b=2"), 3U);
  EXPECT_EQ(setting_end("a,b=\"x\""), 1U);
  EXPECT_EQ(setting_end(R"(name:a="x,y",b=2)"), 12U);
  EXPECT_EQ(setting_end(R"(a="x""",b)"), 7U);
  EXPECT_EQ(setting_end(R"(a="x,y)"), 6U);
  EXPECT_EQ(setting_end(""), 0U);
}

TEST(ParseCount, ReadsWholeNumbersOnly) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "0x1", "1e2", "18446744073709551616"}) {
    EXPECT_EQ(parse_count(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace heddle
