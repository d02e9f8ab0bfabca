#include "heddle/report/study_page.hpp"

#include <gtest/gtest.h>

#include "tests/report/samples.hpp"

namespace heddle::report {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST(StudyPage, IsSelfContainedAndCarriesTheLicenceOfItsPlots) {
  const std::string page =
      study_page(test::sample_study({"a study", "b", "c", "d", "e"}), {"1.0", "today", "heddle experiment a"});
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(has(page, "<title>a study: b</title>"));
  EXPECT_TRUE(has(page, "Copyright (c) 2022 Leon Sorokin"));
  EXPECT_TRUE(has(page, R"("values":[3,null,1])"));
  EXPECT_TRUE(has(page, R"("level":1.2,)"));
  EXPECT_TRUE(has(page, R"("level":null,)"));
  for (const char* outside : {"src=", "@import", "url(", "<link rel=\"stylesheet"}) EXPECT_FALSE(has(page, outside));
}

TEST(StudyPage, HoldsNoNameThatCouldRun) {
  const std::string page = study_page(test::sample_study(test::hostile_names()), {.command = test::hostile_names()[0]});
  for (const std::string& name : test::hostile_names()) {
    EXPECT_FALSE(has(name, "<") && has(page, name)) << name;
  }
}

TEST(StudyText, PutsClaimsBesideFindings) {
  const std::string text = study_text(test::sample_study({"one", "two", "three", "four", "five"}));
  EXPECT_TRUE(has(text, "holds          two (one)\n               Found: four\n")) << text;
  EXPECT_TRUE(has(text, "does not hold  three (two)\n")) << text;
  EXPECT_TRUE(has(text, "1 of 2 published claims hold here")) << text;
  EXPECT_FALSE(has(text, "\x1b"));
  EXPECT_TRUE(has(study_text(test::sample_study({"one"}), {.colour = true}), "\x1b[31mdoes not hold"));
}

TEST(StudyText, BreaksLinesAtTheWidthOfTheTerminal) {
  StudyReport report;
  std::string sentence;
  for (int i = 0; i < 60; ++i) sentence += "word ";
  report.claims = {{"source", sentence, "it does", sentence, true}};
  const std::string whole = study_text(report, {.width = 60});
  for (std::size_t begin = 0; begin < whole.size();) {
    const std::size_t end = whole.find('\n', begin);
    EXPECT_LE(end - begin, 60U) << whole.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace heddle::report
