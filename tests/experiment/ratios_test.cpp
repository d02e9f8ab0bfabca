#include "heddle/experiment/ratios.hpp"

#include <gtest/gtest.h>

namespace heddle::experiment {
namespace {

const std::vector<Contender> kTwo{{"slow", "eager"}, {"quick", "heft"}};

/// Two instances of A, one of B.
const std::vector<Ratios> kFound{
    {{"A", 4, 1, "", ""}, {1.5, 1.5}}, {{"A", 8, 1, "", ""}, {2.0, 1.25}}, {{"B", 4, 1, "", ""}, {1.1, 1.2}}};

TEST(Ratios, TheBestMayBeSeveral) {
  EXPECT_DOUBLE_EQ(share_of_best(kFound, 0), 2.0 / 3);
  EXPECT_DOUBLE_EQ(share_of_best(kFound, 1), 2.0 / 3);
  EXPECT_EQ(ratios_of(kFound, 0), (std::vector<double>{1.5, 2.0, 1.1}));
}

TEST(Ratios, TableOfContendersBeginsWithTheBest) {
  const report::StudyTable table = contender_table("", kFound, kTwo);
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.columns[1].title, "A (2)");
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"quick", "1.375 / 1.500 / 100 %", "1.200 / 1.200 / 0 %"}));
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"slow", "1.750 / 2.000 / 50 %", "1.100 / 1.100 / 100 %"}));
}

}  // namespace
}  // namespace heddle::experiment
