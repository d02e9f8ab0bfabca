// A golden scenario per policy, as text: instance in, attempts out, compared to the letter (scenarios/*.txt).

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "heddle/sim/simulation.hpp"
#include "tests/policy/registered.hpp"

namespace heddle::test {
namespace {

const std::filesystem::path kFolder = HEDDLE_SCENARIOS;

/// Lines of a scenario: "# comment", "policy SPEC", "class NAME WORKERS", "task NAME [type=TYPE] CLASS=DURATION...
/// [after=A,B]", then "expect" and the attempts in the order in which they end: "START END WORKER TASK OUTCOME". Times
/// are picoseconds.
class Scenario {
 public:
  explicit Scenario(const std::filesystem::path& file) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      if (line.empty() || line[0] == '#') continue;
      if (expecting_) {
        expected += line + "\n";
      } else {
        read(line);
      }
    }
  }

  [[nodiscard]] Instance instance() {
    Platform platform(classes_);
    TaskGraph graph = builder_.build();
    Costs costs(graph, platform.class_count());
    for (const TaskId task : graph.tasks()) {
      const std::uint32_t row = costs.own_row(task);
      for (const auto& [name, duration] : durations_[index(task)]) {
        costs.set_actual(row, platform.find_class(name).value(), duration);
      }
    }
    return make_instance("scenario", std::move(graph), std::move(platform), std::move(costs));
  }

  std::string policy;
  std::string expected;

 private:
  void read(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "policy") {
      words >> policy;
    } else if (verb == "class") {
      ResourceClass c;
      words >> c.name >> c.workers;
      classes_.push_back(c);
    } else if (verb == "task") {
      read_task(words);
    } else {
      expecting_ = verb == "expect";
    }
  }

  void read_task(std::istringstream& words) {
    std::string name;
    words >> name;
    std::string word;
    words >> word;
    const bool typed = word.starts_with("type=");
    const TaskId task = builder_.add_task(name, type_of(typed ? word.substr(5) : name));
    if (typed) words >> word;
    tasks_[name] = task;
    durations_.emplace_back();
    for (; words; words >> word) {
      const std::string key = word.substr(0, word.find('='));
      std::string value = word.substr(word.find('=') + 1);
      if (key != "after") {
        durations_.back()[key] = std::stoll(value);
        continue;
      }
      std::istringstream names(value);
      for (std::string before; std::getline(names, before, ',');) builder_.add_edge(tasks_.at(before), task);
    }
  }

  [[nodiscard]] TypeId type_of(const std::string& name) {
    const auto known = types_.find(name);
    return known != types_.end() ? known->second : types_[name] = builder_.add_type(name);
  }

  bool expecting_ = false;
  std::vector<ResourceClass> classes_;
  std::map<std::string, TypeId> types_;
  TaskGraphBuilder builder_;
  std::map<std::string, TaskId> tasks_;
  std::vector<std::map<std::string, Time>> durations_;
};

std::string describe(const Instance& instance, const std::vector<Attempt>& attempts) {
  std::ostringstream text;
  for (const Attempt& attempt : attempts) {
    text << attempt.start << ' ' << attempt.end << ' ' << instance.platform.worker_name(attempt.worker) << ' '
         << instance.graph.name(attempt.task) << ' ' << to_string(attempt.outcome) << '\n';
  }
  return text.str();
}

class ScenarioTest : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, HappensAsWritten) {
  const std::filesystem::path file = kFolder / (GetParam() + ".txt");
  ASSERT_TRUE(std::filesystem::exists(file))
      << "policy " << GetParam() << " has no scenario that shows its idea: " << file;
  Scenario scenario(file);
  const Instance instance = scenario.instance();
  const Schedule plan = plan_for(instance);
  const Schedule schedule = sim::simulate(instance, policy::Spec(scenario.policy), {}, &plan);
  EXPECT_EQ(describe(instance, schedule.attempts), scenario.expected);
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const policy::Entry& entry : policy::entries()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registered, ScenarioTest, testing::ValuesIn(policy_names()), [](const auto& tested) {
  std::string name = tested.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace heddle::test
