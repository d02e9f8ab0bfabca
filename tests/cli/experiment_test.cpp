// `heddle experiment` as a user types it.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test::experiment_test {
namespace {

using Json = nlohmann::json;

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Experiment, ListsTheStudies) {
  const Answer answer = heddle({"experiment", "--list"});
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(contains(answer.out, "spoliation-orders\n    Which running task")) << answer.out;
  const Answer json = heddle({"experiment", "--list", "--json"});
  for (const Json& study : Json::parse(json.out)) {
    EXPECT_LT(study["quick"]["cells"], study["full"]["cells"]) << study["name"];
    EXPECT_TRUE(study.contains("publication"));
  }
}

TEST(Experiment, GoesOnAfterCtrlCAndWritesAllItFound) {
  const Scratch scratch;
  const std::string journal = scratch.path("cells.journal");
  const std::string interrupted = std::string("timeout --preserve-status -s INT 1 '") + HEDDLE_PROGRAM +
                                  "' experiment spoliation-orders --journal '" + journal + "' >/dev/null 2>&1";
  const int status = std::system(interrupted.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const std::string before = read_file(journal);
  EXPECT_GT(lines(before), 1U) << "nothing was kept";
  const std::vector<std::string> again{
      "experiment", "spoliation-orders",    "--quick", "--journal", journal, "--html", scratch.path("study.html"),
      "--csv",      scratch.path("all.csv")};
  const Answer text = heddle(again);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "published claims hold here")) << text.out;
  EXPECT_TRUE(contains(text.out, "Found: "));
  EXPECT_TRUE(read_file(journal).starts_with(before)) << "finished cells are kept";
  EXPECT_TRUE(contains(read_file(scratch.path("study.html")), "<title>spoliation-orders: "));

  std::vector<std::string> with_json = again;
  with_json.emplace_back("--json");
  const std::string known = read_file(journal);
  const Json document = Json::parse(heddle(with_json).out);
  EXPECT_EQ(read_file(journal), known) << "nothing is computed twice";
  EXPECT_EQ(document["claims"].size(), 4U);
  std::size_t values = 0;
  for (const Json& cell : document["cells"]) {
    values += cell["values"].size();
    EXPECT_GT(cell["values"][cell["measure"] == "bound" ? "bound" : "makespan"], 0.0);
  }
  EXPECT_EQ(lines(read_file(scratch.path("all.csv"))), values + 1);
}

TEST(Experiment, MistakesGetOneSentence) {
  const Scratch scratch;
  const Answer unknown = heddle({"experiment", "spoliation-order"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'spoliation-orders'?")) << unknown.err;
  EXPECT_TRUE(contains(heddle({"experiment"}).err, "--list"));
  const std::string thesis = scratch.write("thesis.tex", "\\chapter{One}\n");
  const Answer refused = heddle({"experiment", "spoliation-orders", "--quick", "--journal", thesis});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "is not a journal")) << refused.err;
  EXPECT_EQ(read_file(thesis), "\\chapter{One}\n");
}

}  // namespace
}  // namespace heddle::test::experiment_test
