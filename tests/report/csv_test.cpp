#include "heddle/report/csv.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::report {
namespace {

TEST(CsvRow, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_row(std::vector<std::string>{"heft", "1.5", ""}), "heft,1.5,\n");
  EXPECT_EQ(csv_row(std::vector<std::string>{"a,b", "say \"x\"", "two\nlines", "cr\r"}),
            "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"cr\r\"\n");
  EXPECT_EQ(csv_row({}), "\n");
}

}  // namespace
}  // namespace heddle::report
