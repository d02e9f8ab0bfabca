#include "heddle/report/text_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/model/error.hpp"

namespace heddle::report {
namespace {

TextTable policies() {
  TextTable table({{"policy", Align::left, true}, {"makespan", Align::right}, {"ratio", Align::right}});
  table.add_row({"heft", "1.234 s", "1.164"});
  table.add_row({"heteroprio-dep:order=acceleration", "35.10 ms", "1.021"}, Tone::good);
  return table;
}

TEST(TextTable, AlignsColumnsToTheirWidestCell) {
  EXPECT_EQ(policies().text(),
            "policy                             makespan  ratio\n"
            "──────────────────────────────────────────────────\n"
            "heft                                1.234 s  1.164\n"
            "heteroprio-dep:order=acceleration  35.10 ms  1.021\n");
}

TEST(TextTable, CutsTheColumnThatShrinksToFit) {
  EXPECT_EQ(policies().text({.width = 34, .ascii = true}),
            "policy             makespan  ratio\n"
            "----------------------------------\n"
            "heft                1.234 s  1.164\n"
            "heteroprio-dep...  35.10 ms  1.021\n");
  EXPECT_NE(policies().text({.width = 34}).find("heteroprio-dep:o…  35.10 ms  1.021\n"), std::string::npos);
}

TEST(TextTable, LeavesSixteenColumnsOfWhatItCuts) {
  EXPECT_NE(policies().text({.width = 5}).find("heteroprio-dep:…  35.10 ms\n"), std::string::npos);
}

TEST(TextTable, BreaksIntoBlocksWhereItIsTooWide) {
  TextTable table(
      {{"policy", Align::left, true}, {"makespan", Align::right}, {"ratio", Align::right}, {"idle", Align::right}});
  table.add_row({"heft", "372.4 ms", "1.203", "41.9 %"});
  EXPECT_EQ(table.text({.width = 24, .ascii = true}),
            "policy  makespan  ratio\n"
            "-----------------------\n"
            "heft    372.4 ms  1.203\n"
            "\n"
            "policy    idle\n"
            "--------------\n"
            "heft    41.9 %\n");
  // At least one column beside the first, even where that is too wide.
  const std::string narrowest = table.text({.width = 1, .ascii = true});
  EXPECT_EQ(std::ranges::count(narrowest, '\n'), 3 * 3 + 2);
  EXPECT_EQ(table.text({.ascii = true}), table.text({.width = 31, .ascii = true}));
}

TEST(TextTable, UsesColourOnlyWhenTold) {
  EXPECT_EQ(policies().text().find('\x1b'), std::string::npos);
  const std::string coloured = policies().text({.colour = true});
  EXPECT_NE(coloured.find("\x1b[32mheteroprio-dep"), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[1mpolicy"), std::string::npos);
  EXPECT_EQ(coloured.find("\x1b[0m\x1b"), std::string::npos);
}

TEST(TextTable, CountsCodePointsNotBytes) {
  TextTable table({{"name"}, {"n", Align::right}});
  table.add_row({"Größe", "1"});
  table.add_row({"12345", "2"});
  EXPECT_EQ(table.text({.ascii = true}), "name   n\n--------\nGröße  1\n12345  2\n");
}

TEST(TextTable, KeepsNamesFromWritingOnTheTerminal) {
  TextTable table({{"name"}});
  table.add_row({"a\x1b[31m\nb\xFF\u009Bc"});
  table.add_row({"\u202A\u202E\u2066\u2069\u2029\u206A"});  // changes of direction, and their neighbours
  EXPECT_EQ(table.text({.ascii = true}), "name\n-----------\na?[31m?b??c\n????\u2029\u206A\n");
}

TEST(TextTable, DrawsRulesBetweenRowsAndFillsMissingCells) {
  TextTable table({{"a"}, {"b"}});
  table.add_row({"1"});
  table.add_rule();
  table.add_row({"2", "3"});
  EXPECT_EQ(table.text({.ascii = true}), "a  b\n----\n1\n----\n2  3\n");
  EXPECT_THROW(table.add_row({"1", "2", "3"}), InternalError);
}

}  // namespace
}  // namespace heddle::report
