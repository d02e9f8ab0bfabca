// Policies from outside: `heddle --plugin FILE`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/program.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

std::string plugin(const std::string& name) {
  return std::string(HEDDLE_TEST_PLUGINS) + "/" + name + ".so";
}

/// The command with a plug-in, and more arguments.
Answer with_plugin(const std::string& file, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--plugin", file});
  return heddle(arguments);
}

TEST(Plugin, IsAPolicyLikeAnyOther) {
  const Scratch scratch;
  const std::string schedule = scratch.path("schedule.json");
  const std::string file = plugin("newest_first");
  const std::vector<std::string> instance{"cholesky:tiles=8", "--platform", "mirage"};
  const auto on_instance = [&](std::vector<std::string> command) {
    command.insert(command.begin() + 1, instance.begin(), instance.end());
    return command;
  };
  const Answer scheduled =
      with_plugin(file, on_instance({"schedule", "--policy", "newest-first", "-o", schedule, "--json"}));
  ASSERT_EQ(scheduled.status, 0) << scheduled.err;
  const Json report = Json::parse(scheduled.out);
  EXPECT_EQ(report["policy"], "newest-first");
  EXPECT_GE(report["ratio"], 1.0);
  EXPECT_EQ(heddle({"validate", "cholesky:tiles=8", schedule, "--platform", "mirage"}).status, 0);

  const Json compared =
      Json::parse(with_plugin(file, on_instance({"compare", "--policies", "heft,newest-first", "--json"})).out);
  ASSERT_EQ(compared.size(), 2U);
  const Json all = Json::parse(with_plugin(file, on_instance({"compare", "--policies", "all", "--json"})).out);
  EXPECT_TRUE(std::ranges::any_of(all, [](const Json& one) { return one["policy"] == "newest-first"; }));
  EXPECT_THAT(with_plugin(file, {"policies"}).out, testing::HasSubstr("newest-first"));
  EXPECT_EQ(
      with_plugin(file, {"run", "cholesky:n=128,tile=32", "--workers", "cpu=2", "--policy", "newest-first"}).status, 0);
  EXPECT_EQ(heddle(on_instance({"schedule", "--policy", "newest-first"})).status, 2) << "without the plug-in";
}

TEST(Plugin, FindsTheKitInTheCommand) {
  const auto makespan = [](const std::string& policy) {
    const Answer answer = with_plugin(plugin("from_kit"), {"schedule", "lu:tiles=8", "--platform",
                                                           "sirocco:links=measured", "--policy", policy, "--json"});
    EXPECT_EQ(answer.status, 0) << answer.err;
    return answer.status == 0 ? Json::parse(answer.out)["makespan"] : Json();
  };
  EXPECT_EQ(makespan("from-kit"), makespan("dmdas"));
  EXPECT_EQ(makespan("from-kit:offline=true"), makespan("heft"));
  EXPECT_NE(makespan("from-kit"), makespan("heft"));
}

/// What the plug-in `mistaken` does wrong.
class WithMistake {
 public:
  explicit WithMistake(const std::string& what) { setenv("MISTAKE", what.c_str(), 1); }
  ~WithMistake() { unsetenv("MISTAKE"); }
  WithMistake(const WithMistake&) = delete;
  WithMistake& operator=(const WithMistake&) = delete;
};

/// With one sentence, and nothing else.
void expect_refused_plugin(const std::string& file, const std::string& reason) {
  const Answer answer =
      with_plugin(file, {"schedule", "cholesky:tiles=3", "--platform", "mirage", "--policy", "mistaken"});
  EXPECT_EQ(answer.status, 2) << reason;
  EXPECT_THAT(answer.err, testing::StartsWith("heddle: plug-in '" + file + "': "));
  EXPECT_THAT(answer.err, testing::HasSubstr(reason));
  EXPECT_EQ(std::ranges::count(answer.err, '\n'), 1) << answer.err;
  EXPECT_EQ(answer.out, "");
}

TEST(Plugin, IsRefusedWithTheReason) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"no plug-in", "describes no policy"},
      {"other interface", "was built for interface 999 of Heddle's policies"},
      {"other ABI", "was built with the compiler ABI 'Martian', and this is 'Itanium C++ ABI'"},
      {"other library", "was built with the standard library 'libmartian'"},
      {"other sizes", "was built with other headers"},
      {"no entry", "describes no policy"},
      {"name taken", "there is a policy 'heft' already"},
      {"bad name", "a policy cannot be called 'Mine, too'"},
      {"no make", "policy 'mistaken' has no function that makes it"},
      {"throws at once", "not today"}};
  for (const auto& [what, reason] : mistakes) {
    const WithMistake mistake(what);
    expect_refused_plugin(plugin("mistaken"), reason);
  }
  expect_refused_plugin(plugin("without_function"),
                        "is not a plug-in of Heddle: it exports no function heddle_policy_plugin");
  expect_refused_plugin(plugin("unknown_symbol"), "cannot be opened: undefined symbol");
  expect_refused_plugin(plugin("not_there"),
                        "cannot be opened: cannot open shared object file: No such file or directory");
  const std::string file = plugin("newest_first");
  const Answer twice = heddle({"--plugin", file, "--plugin", file, "policies"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, testing::HasSubstr("there is a policy 'newest-first' already"));
}

/// What a foreign policy does wrong is not an error of Heddle's own.
TEST(Plugin, IsNamedWhenItsPolicyFails) {
  const std::string file = plugin("mistaken");
  const std::string who = "heddle: plug-in '" + file + "': policy 'mistaken': ";
  const std::vector<std::vector<std::string>> commands{
      {"schedule", "cholesky:tiles=3", "--platform", "mirage", "--policy", "mistaken"},
      {"search", "cholesky:tiles=3", "--platform", "mirage", "--policies", "mistaken", "--iterations", "5"}};
  for (const std::vector<std::string>& command : commands) {
    const Answer waits = with_plugin(file, command);
    EXPECT_EQ(waits.status, 2) << waits.err;
    EXPECT_THAT(waits.err, testing::StartsWith(who + "the policy waits for ever"));
  }
  const WithMistake mistake("throws");
  for (const std::vector<std::string>& command : commands) {
    const Answer throws = with_plugin(file, command);
    EXPECT_EQ(throws.status, 2) << throws.err;
    EXPECT_EQ(throws.err, who + "no place for tasks\n");
  }
  const Answer ran = with_plugin(file, {"run", "cholesky:n=64,tile=32", "--workers", "cpu=2", "--policy", "mistaken"});
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_EQ(ran.err, who + "no place for tasks\n");
}

TEST(Plugin, IsNamedWhenItsPolicyFailsInAContext) {
  const std::string file = plugin("mistaken");
  const std::string who = "heddle: plug-in '" + file + "': policy 'mistaken': ";
  const std::vector<std::vector<std::string>> commands{
      {"schedule", "cholesky:tiles=3", "--platform", "mirage", "--contexts", "job: cpu=2: mistaken"},
      {"run", "cholesky:n=64,tile=32", "--workers", "cpu=2", "--contexts", "job: cpu=2: mistaken"}};
  for (const std::vector<std::string>& command : commands) {
    {
      const WithMistake mistake("throws");
      const Answer throws = with_plugin(file, command);
      EXPECT_EQ(throws.status, 2) << throws.err;
      EXPECT_EQ(throws.err, who + "no place for tasks\n");
    }
    const WithMistake mistake("no such worker");
    const Answer asks = with_plugin(file, command);
    EXPECT_EQ(asks.status, 2) << asks.err;
    EXPECT_THAT(asks.err, testing::StartsWith(who + "context 'job': the policy asked for what cannot be done"));
  }
}

/// Where the loader looks for libraries is of no matter: a name without a folder is a file of the current one.
TEST(Plugin, IsAFileOfTheCurrentFolder) {
  const Answer there =
      bash("cd '" + std::string(HEDDLE_TEST_PLUGINS) + "' && $HEDDLE --plugin newest_first.so policies");
  EXPECT_EQ(there.status, 0) << there.err;
  const Answer elsewhere = bash("cd / && LD_LIBRARY_PATH='" + std::string(HEDDLE_TEST_PLUGINS) +
                                "' $HEDDLE --plugin newest_first.so policies");
  EXPECT_EQ(elsewhere.status, 2);
}

}  // namespace
}  // namespace heddle::test
