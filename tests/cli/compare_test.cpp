// `heddle compare`, and the page that it and others write.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/program.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

TEST(Compare, SortsTheTableAndNamesTheBest) {
  const Answer answer = heddle(
      {"compare", "cholesky:tiles=12", "--platform", "mirage", "--policies", "eager,heft,heteroprio-dep:order=best"});
  const std::size_t best = answer.out.find("heteroprio-dep:order=best  372.4 ms");
  const std::size_t heft = answer.out.find("heft                       382.1 ms");
  EXPECT_LT(best, heft) << answer.out;
  EXPECT_LT(heft, answer.out.find("eager                      808.4 ms")) << answer.out;
  EXPECT_TRUE(contains(answer.out, "heteroprio-dep:order=best is best: 372.4 ms, 2.5 % better than heft\n"));
  // Machines get the order asked for.
  const Json records = json_of(
      {"compare", "cholesky:tiles=12", "--platform", "mirage", "--policies", "eager,heft,heteroprio-dep:order=best"});
  EXPECT_EQ(records[0]["policy"], "eager");
  EXPECT_EQ(records[0]["platform"], "mirage");
  EXPECT_TRUE(records[0]["version"].is_string());
}

TEST(Compare, TakesSeveralPlatforms) {
  const Json records = json_of({"compare", "cholesky:tiles=4", "lu:tiles=4", "--platform", "mirage", "--platform",
                                "mirage:gpu=5", "--policies", "heft"});
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[0]["platform"], "mirage");
  EXPECT_EQ(records[0]["classes"][1]["workers"], 3);
  EXPECT_EQ(records[1]["classes"][1]["workers"], 5);
  EXPECT_EQ(records[1]["platform"], "mirage:gpu=5");
  EXPECT_EQ(records[1]["instance"], records[0]["instance"]);
  EXPECT_NE(records[2]["instance"], records[0]["instance"]);
}

TEST(Compare, ThePageNamesThePlatformOfASkippedPolicy) {
  const Scratch scratch;
  const std::string html = scratch.path("report.html");
  ASSERT_EQ(heddle({"compare", "cholesky:tiles=2", "--platform", "mirage", "--platform", "mirage:gpu=5", "--policies",
                    "all", "--html", html})
                .status,
            0);
  EXPECT_TRUE(contains(read_file(html), R"("instance":"cholesky:tiles=2 on mirage:gpu=5","policy":"static")"));
}

TEST(Compare, SumsUpManyInstances) {
  std::vector<std::string> arguments{"compare"};
  for (const char* tiles : {"2", "3", "4", "5", "6"}) arguments.push_back("cholesky:tiles=" + std::string(tiles));
  for (const char* word : {"--platform", "mirage", "--policies", "eager,heft"}) arguments.emplace_back(word);
  const Answer many = heddle(arguments);
  EXPECT_TRUE(contains(many.out, "5 instances, makespans over the bound\n")) << many.out;
  EXPECT_FALSE(contains(many.out, "decided in")) << many.out;
  EXPECT_TRUE(contains(many.out, "heft has the lowest geometric mean ratio, ")) << many.out;
  EXPECT_TRUE(contains(many.out, "best on 5 of 5 instances")) << many.out;
  arguments.erase(arguments.begin() + 1, arguments.begin() + 4);
  const Answer few = heddle(arguments);
  EXPECT_TRUE(contains(few.out, "2 instances, makespans over the bound\n")) << few.out;
  EXPECT_TRUE(contains(few.out, "decided in")) << few.out;
}

TEST(Page, TellsInItsFootHowItWasMade) {
  const Scratch scratch;
  const std::string program = "cd '" + scratch.path("") + "' && SOURCE_DATE_EPOCH=1580608922 $HEDDLE ";
  const std::string input = " cholesky:tiles=3 --platform mirage";
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"compare" + input + " --policies heft --html page.html",
       "compare" + input + " --policies heft --html page.html"},
      {"schedule" + input + " --policy 'heft' --gantt 'page.html'",
       "schedule" + input + " --policy heft --gantt page.html"},
      {"search" + input + " --iterations 10 --gantt page.html",
       "search" + input + " --iterations 10 --gantt page.html"},
      {"compare" + input + " --policies heft --csv 'a file' --html page.html",
       "compare" + input + " --policies heft --csv 'a file' --html page.html"}};
  for (const auto& [line, shown] : commands) {
    const Answer answer = bash(program + line);
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_TRUE(contains(read_file(scratch.path("page.html")),
                         "on 2020-02-02 02:02 UTC with <code>heddle " + shown + "</code>"))
        << line;
  }
}

TEST(Page, IsTheSameToTheByteAtTheTimeThatIsGiven) {
  const Scratch scratch;
  const std::string line = "cd '" + scratch.path("") +
                           "' && SOURCE_DATE_EPOCH=1580608922 $HEDDLE compare cholesky:tiles=3 lu:tiles=3 --platform "
                           "mirage --policies heft,dmdas --html page.html";
  ASSERT_EQ(bash(line).status, 0);
  const std::string first = read_file(scratch.path("page.html"));
  ASSERT_EQ(bash(line).status, 0);
  EXPECT_EQ(read_file(scratch.path("page.html")), first);
}

TEST(Page, WantsATimeThatIsANumber) {
  const Scratch scratch;
  for (const std::string time : {"yesterday", "-1", "253402300800", ""}) {
    const Answer answer = bash("SOURCE_DATE_EPOCH='" + time + "' $HEDDLE compare cholesky:tiles=3 --platform mirage " +
                               "--policies heft --html '" + scratch.path("page.html") + "'");
    EXPECT_EQ(answer.status, 2) << time;
    EXPECT_EQ(answer.err, "heddle: SOURCE_DATE_EPOCH is '" + time +
                              "'; expected seconds since 1970 as a whole number up to 253402300799\n");
    EXPECT_EQ(answer.out, "") << "nothing is computed before";
  }
}

TEST(Compare, ListsEveryPolicyAndSaysWhatItSkipped) {
  const Scratch scratch;
  const std::string html = scratch.path("report.html");
  const std::string csv = scratch.path("runs.csv");
  const Answer answer = heddle({"compare", "lu:tiles=4", "qr:tiles=4", "--platform", "kumar-2017", "--policies", "all",
                                "--html", html, "--csv", csv, "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const std::string all = std::to_string(json_of({"policies"}).size());
  EXPECT_TRUE(contains(answer.err,
                       "heddle: skipped 1 of " + all + " policies, which cannot take some of the instances: static"))
      << answer.err;
  EXPECT_EQ(std::ranges::count(answer.err, '\n'), 1) << answer.err;
  std::size_t skipped = 0;
  for (const Json& entry : Json::parse(answer.out)) skipped += entry.contains("skipped") ? 1 : 0;
  EXPECT_EQ(skipped, 2U);
  EXPECT_TRUE(read_file(html).starts_with("<!"));
  EXPECT_TRUE(read_file(csv).starts_with("instance,platform,policy,"));
}

TEST(Compare, RunsUnderNoiseShareTheirDurations) {
  const Json runs = json_of({"compare", "cholesky:tiles=5", "--platform", "mirage", "--policies",
                             "heft:rank=avg,dmdas:priority=hint", "--noise", "uniform:0.2", "--runs", "3"});
  ASSERT_EQ(runs.size(), 6U);
  EXPECT_EQ(runs[0]["policy"], "heft:rank=avg");
  EXPECT_EQ(runs[3]["policy"], "dmdas:priority=hint");
  EXPECT_EQ(runs[1]["run"], 2);
  EXPECT_EQ(runs[1]["seed"], 2);
  EXPECT_NE(runs[0]["makespan"], runs[1]["makespan"]);
}

}  // namespace
}  // namespace heddle::test
