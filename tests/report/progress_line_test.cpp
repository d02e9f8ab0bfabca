#include "heddle/report/progress_line.hpp"

#include <gtest/gtest.h>

#include "heddle/report/text_width.hpp"

namespace heddle::report {
namespace {

const Headway kSearch{"search", 0.25, "372.4 ms, 2.1 % above the bound", 9'960};

TEST(ProgressLine, ShowsNameBarDetailAndTimeLeft) {
  EXPECT_EQ(progress_line(kSearch, 0, false),
            "search [######..................] 372.4 ms, 2.1 % above the bound  2 h 46 min left");
  EXPECT_EQ(progress_line({"runs", 2, "5/5", {}}, 0, false), "runs [########################] 5/5");
}

TEST(ProgressLine, FitsTheTerminal) {
  const Headway headway{"heteroprio-dep on a long name", 0.5, "12/24  4.5/min", 160};
  EXPECT_EQ(progress_line(headway, 80, false),
            "heteroprio-dep on a… [############............] 12/24  4.5/min  2 min 40 s left");
  EXPECT_EQ(progress_line(headway, 61, true), "heteroprio-dep on a long ... 12/24  4.5/min  2 min 40 s left");
  for (std::size_t width = 1; width < 120; ++width) {
    for (const bool ascii : {false, true}) {
      EXPECT_LT(width_of(progress_line(headway, width, ascii)), width) << width;
      EXPECT_LT(width_of(progress_line(kSearch, width, ascii)), width) << width;
    }
  }
}

TEST(CutTo, MarksWhatIsMissing) {
  EXPECT_EQ(cut_to("größer", 6, false), "größer");
  EXPECT_EQ(cut_to("größer", 5, false), "größ…");
  EXPECT_EQ(cut_to("größer", 5, true), "gr...");
  EXPECT_EQ(cut_to("größer", 2, true), "..");
  EXPECT_EQ(cut_to("größer", 0, false), "");
}

}  // namespace
}  // namespace heddle::report
