#include "heddle/model/settings.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "heddle/model/error.hpp"

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

TEST(ParseCount, ReadsWholeNumbersOnly) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "0x1", "1e2", "18446744073709551616"}) {
    EXPECT_EQ(parse_count(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace heddle
