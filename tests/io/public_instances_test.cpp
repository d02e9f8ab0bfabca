#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "heddle/io/detect.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/timed_graph.hpp"
#include "heddle/io/workflow.hpp"
#include "heddle/model/validate.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// What the longest chain sums up to when each task counts `weight`.
template <class Weight>
Time longest_chain(const TaskGraph& graph, Weight weight) {
  Table<TaskId, Time> end(graph.task_count(), 0);
  Time longest = 0;
  for (const TaskId task : graph.topological_order()) {
    for (const TaskId before : graph.predecessors(task)) end[task] = std::max(end[task], end[before]);
    end[task] += weight(task);
    longest = std::max(longest, end[task]);
  }
  return longest;
}

/// The numbers of one row of expected.csv, found in a graph.
class Findings {
 public:
  explicit Findings(const io::TimedGraph& file) : file_(file) {}

  [[nodiscard]] std::size_t sources() const {
    return count([&](TaskId task) { return file_.graph.predecessors(task).empty(); });
  }
  [[nodiscard]] std::size_t sinks() const {
    return count([&](TaskId task) { return file_.graph.successors(task).empty(); });
  }
  [[nodiscard]] Time levels() const {
    return longest_chain(file_.graph, [](TaskId) { return 1; });
  }
  [[nodiscard]] Time critical_path() const {
    return longest_chain(file_.graph, [&](TaskId task) {
      Time least = kCannotRun;
      for (std::size_t c = 0; c < file_.columns; ++c) least = std::min(least, duration(task, c));
      return least;
    });
  }
  [[nodiscard]] Time work(std::size_t column) const {
    Time sum = 0;
    for (const TaskId task : file_.graph.tasks()) {
      if (duration(task, column) != kCannotRun) sum += duration(task, column);
    }
    return sum;
  }
  [[nodiscard]] std::size_t unavailable(std::size_t column) const {
    return count([&](TaskId task) { return duration(task, column) == kCannotRun; });
  }

 private:
  template <class Is>
  [[nodiscard]] std::size_t count(Is is) const {
    const auto tasks = file_.graph.tasks();
    return static_cast<std::size_t>(std::count_if(tasks.begin(), tasks.end(), is));
  }
  [[nodiscard]] Time duration(TaskId task, std::size_t column) const {
    return file_.duration(file_.graph.type(task), column);
  }

  const io::TimedGraph& file_;
};

/// file, tasks, edges, sources, sinks, levels, critical path, work per column, unavailable per column
void expect_row(const io::TimedGraph& file, const std::vector<std::string>& row) {
  const Findings found(file);
  EXPECT_EQ(std::to_string(file.graph.task_count()), row[1]);
  EXPECT_EQ(std::to_string(file.graph.edge_count()), row[2]);
  EXPECT_EQ(std::to_string(found.sources()), row[3]);
  EXPECT_EQ(std::to_string(found.sinks()), row[4]);
  EXPECT_EQ(std::to_string(found.levels()), row[5]);
  // Computed with doubles there.
  EXPECT_NEAR(to_seconds(found.critical_path()), std::stod(row[6]), 1e-6);
  const std::vector<std::string> work = split(row[7], '/');
  const std::vector<std::string> unavailable = split(row[8], '/');
  ASSERT_EQ(file.columns, work.size());
  for (std::size_t c = 0; c < file.columns; ++c) {
    const double expected = std::stod(work[c]);
    EXPECT_NEAR(to_seconds(found.work(c)), expected, expected * 5.1e-6);
    EXPECT_EQ(std::to_string(found.unavailable(c)), unavailable[c]);
  }
}

TEST(PublicInstances, HaveTheNumbersAnIndependentParserFound) {
  HEDDLE_REQUIRE_DATA(data);
  std::istringstream table(io::read_file(data / "instances/expected.csv"));
  std::size_t checked = 0;
  for (std::string line; std::getline(table, line);) {
    const std::vector<std::string> row = split(line, ',');
    const bool is_swf = row[0].starts_with("hetero-swf/");
    const bool is_stg = row[0].starts_with("stg/");
    if (!is_swf && !is_stg) continue;
    SCOPED_TRACE(row[0]);
    const std::string text = io::read_file(data / "instances" / row[0]);
    EXPECT_EQ(io::detect(text), is_swf ? io::Format::hetero_swf : io::Format::stg);
    expect_row(is_swf ? io::read_hetero_swf(text, row[0]) : io::read_stg(text, row[0]), row);
    ++checked;
  }
  EXPECT_GT(checked, 0u);
}

/// Workflows have no columns: one of them, then.
TEST(PublicInstances, WorkflowsHaveTheNumbersAnIndependentParserFound) {
  HEDDLE_REQUIRE_DATA(data);
  std::istringstream table(io::read_file(data / "instances/expected.csv"));
  std::size_t checked = 0;
  for (std::string line; std::getline(table, line);) {
    const std::vector<std::string> row = split(line, ',');
    if (!row[0].starts_with("wfinstances/")) continue;
    SCOPED_TRACE(row[0]);
    const std::string text = io::read_file(data / "instances" / row[0]);
    EXPECT_EQ(io::detect(text), io::Format::wfformat);
    const io::Workflow workflow = io::read_workflow(text, row[0]);
    EXPECT_EQ(std::to_string(workflow.graph.task_count()), row[1]);
    EXPECT_EQ(std::to_string(workflow.graph.edge_count()), row[2]);
    EXPECT_GT(workflow.graph.data_count(), 0u);
    const auto duration = [&](TaskId task) { return workflow.runs[task].duration; };
    EXPECT_NEAR(to_seconds(longest_chain(workflow.graph, duration)), std::stod(row[6]), 1e-6);
    const io::WorkflowExecution run = io::execution_of(workflow);
    EXPECT_EQ(validate_attempts(run.execution.instance, run.execution.schedule, Durations::exact),
              std::vector<std::string>());
    EXPECT_TRUE(run.is_replayed);
    EXPECT_GT(run.measured.value_or(0), 0);
    ++checked;
  }
  EXPECT_GT(checked, 0u);
}

}  // namespace
}  // namespace heddle::test
