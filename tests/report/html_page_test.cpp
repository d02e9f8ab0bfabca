#include "heddle/report/html_page.hpp"

#include <gtest/gtest.h>

#include "heddle/report/script_json.hpp"
#include "tests/report/samples.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::report {
namespace {

std::size_t occurrences(std::string_view text, std::string_view wanted) {
  std::size_t count = 0;
  for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) ++count;
  return count;
}

TEST(ScriptJson, EscapesWhatCouldLeaveAScript) {
  ScriptJson json;
  json.string("</script>&\"\\\n\u2028\u2029\xFFz");
  EXPECT_EQ(json.text(), R"("\u003c/script\u003e\u0026\u0022\u005c\u000a\u2028\u2029\ufffdz")");
}

TEST(ScriptJson, PutsCommasBetweenValues) {
  ScriptJson json;
  json.open_object();
  json.key("a");
  json.open_array();
  json.integer(1);
  json.number(0.5);
  json.null();
  json.number(1e300 * 1e300);
  json.string("[");
  json.string(":");
  json.open_object();
  json.close_object();
  json.close_array();
  json.key("b");
  json.string("");
  json.close_object();
  EXPECT_EQ(json.text(), R"({"a":[1,0.5,null,null,"[",":",{}],"b":""})");
}

TEST(Summarize, TellsEverythingAboutASchedule) {
  const Instance instance = test::diamond();
  const Schedule schedule = test::diamond_schedule();
  const ScheduleReport report = summarize(instance, schedule, {{"area", kSecond}, {"critical-path", 3 * kSecond / 2}});
  EXPECT_EQ(report.policy, "by-hand");
  EXPECT_EQ(report.makespan, 2 * kSecond);
  EXPECT_DOUBLE_EQ(report.ratio.value(), 4.0 / 3);
  EXPECT_EQ(report.aborted_attempts, 1U);
  EXPECT_EQ(report.classes.size(), 2U);
  EXPECT_FALSE(summarize(instance, schedule).ratio);
  EXPECT_FALSE(summarize(instance, schedule, {{"area", 0}}).ratio);
}

TEST(Summarize, TellsOfContextsAndEnergy) {
  const Instance instance = test::diamond();
  EXPECT_TRUE(summarize(instance, test::diamond_schedule()).contexts.empty());
  EXPECT_FALSE(summarize(instance, test::diamond_schedule()).joules);
  const Schedule schedule = test::diamond_schedule_in_contexts();
  const ScheduleReport report = summarize(test::diamond_with_watts(), schedule);
  ASSERT_EQ(report.contexts.size(), 2U);
  EXPECT_EQ(report.context_use[ContextId{0}].tasks, 3U);
  EXPECT_EQ(report.context_use[ContextId{0}].aborted, 1U);
  EXPECT_EQ(report.context_use[ContextId{1}].end, 3 * kSecond / 2);
  // Of 4 s on CPUs 1.5 s are busy, of 2 s on the GPU 1.5 s.
  EXPECT_DOUBLE_EQ(report.joules.value(), 1.5 * 10 + 2.5 * 1 + 1.5 * 100 + 0.5 * 20);
}

TEST(HtmlPage, HoldsNoNameThatCouldRun) {
  const Instance instance = test::hostile_instance();
  Schedule schedule = test::greedy_schedule(instance, test::hostile_names()[0]);
  schedule.noise = test::hostile_names()[1];
  test::add_transfers(schedule, instance);
  ScheduleReport report = summarize(instance, schedule, {{test::hostile_names()[2], kSecond}});
  report.platform = test::hostile_names()[3];
  const std::string page =
      html_page(test::hostile_names()[0], std::vector{report},
                {.skipped = {{test::hostile_names()[0], test::hostile_names()[1], test::hostile_names()[4]}},
                 .origin = {"1.0", "today", test::hostile_names()[0]}});
  EXPECT_EQ(occurrences(page, "<script"), 2U);  // the data and the scripts of the page itself
  EXPECT_EQ(occurrences(page, "</script"), 2U);
  EXPECT_EQ(occurrences(page, "<img"), 0U);
  EXPECT_EQ(occurrences(page, "<!--<"), 0U);
  EXPECT_EQ(occurrences(page, "\u2028"), 0U);
  EXPECT_EQ(occurrences(page, "\xFF"), 0U);
}

TEST(HtmlPage, HasATitleThatReadsAsItIsWritten) {
  const std::string page = html_page("a\u202Eb\u2066", {});
  EXPECT_EQ(occurrences(page, "<title>a?b?</title>"), 1U);
  EXPECT_EQ(occurrences(page, "\u202E"), 0U);
}

TEST(HtmlPage, NeedsNothingFromElsewhere) {
  const std::string page = html_page("empty", {});
  EXPECT_EQ(occurrences(page, "http:") + occurrences(page, "https:") + occurrences(page, " src="), 0U);
  EXPECT_EQ(occurrences(page, "{{"), 0U);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlPage, OfTheLargestCholeskyStaysBelowThreeMegabytes) {
  if constexpr (heddle::test::kSanitized) GTEST_SKIP() << "it is as large there";
  const Instance instance = test::cholesky(64);
  ASSERT_EQ(instance.graph.task_count(), 45'760U);
  const Schedule schedule = test::greedy_schedule(instance, "greedy", 100);
  const std::string page = html_page("large", std::vector{summarize(instance, schedule)});
  RecordProperty("bytes", static_cast<int>(page.size()));
  EXPECT_LT(page.size(), 3'000'000U);
}

TEST(HtmlPage, EmbedsChartsOfFirstRunsWithinTheBudget) {
  const Instance instance = test::diamond();
  const Schedule schedule = test::diamond_schedule();  // 5 attempts
  std::vector<ScheduleReport> reports(4, summarize(instance, schedule));
  reports[1].run = 1;
  reports[2].policy = "other";
  reports[3].policy = "another";
  reports[3].schedule = nullptr;
  const auto charts = [&](std::size_t budget) {
    return occurrences(html_page("runs", reports, {.attempt_budget = budget}), "\"chart\":{");
  };
  EXPECT_EQ(charts(0), 1U);
  EXPECT_EQ(charts(5), 1U);
  EXPECT_EQ(charts(10), 2U);
  EXPECT_EQ(charts(1'000), 3U);
  const std::string page = html_page("runs", reports, {.attempt_budget = 10});
  const std::size_t second_run = page.find("\"run\":1");
  EXPECT_LT(page.find("\"chart\":{"), second_run);
  EXPECT_GT(page.rfind("\"chart\":{"), page.find("\"policy\":\"other\""));
}

TEST(HtmlPage, CountsTransfersIntoTheBudget) {
  const Instance instance = test::diamond();
  const Schedule schedule = test::diamond_schedule_with_transfers();  // 5 attempts, 3 transfers
  const std::vector<ScheduleReport> reports(2, summarize(instance, schedule));
  const auto charts = [&](std::size_t budget) {
    return occurrences(html_page("transfers", reports, {.attempt_budget = budget}), "\"chart\":{");
  };
  EXPECT_EQ(charts(15), 1U);
  EXPECT_EQ(charts(16), 2U);
}

TEST(HtmlPage, TellsOfDataOnlyWhereItMoved) {
  const Instance instance = test::diamond();
  const Schedule still = test::diamond_schedule();
  const Schedule moving = test::diamond_schedule_with_transfers();
  for (const bool moves : {false, true}) {
    const std::string page = html_page("data", std::vector{summarize(instance, moves ? moving : still)});
    const std::size_t once = moves ? 1 : 0;
    EXPECT_EQ(occurrences(page, R"json("memories":["ram","gpu0"],"data":{"count":2,"patterns":[["A(",",",")"]])json"),
              once);
    EXPECT_EQ(occurrences(page, R"("transfers":{"count":3,"links":[[0,1],[1,0]],)"), once);
    EXPECT_EQ(occurrences(page, R"("memories":)"), once);
    EXPECT_EQ(occurrences(page, R"("transfers":)"), once);
  }
}

}  // namespace
}  // namespace heddle::report
