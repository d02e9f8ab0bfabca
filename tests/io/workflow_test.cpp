#include "heddle/io/workflow.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heddle/io/detect.hpp"
#include "heddle/io/instant.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"

namespace heddle::io::workflow_test {
namespace {

using Json = nlohmann::json;

/// b and c wait for a; a and b ran on n0, which has two cores, and c on n1.
Json toy() {
  return Json::parse(R"({"name": "toy", "schemaVersion": "1.5", "workflow": {
    "specification": {"tasks": [
      {"id": "a", "name": "cut", "parents": [], "children": ["b"], "inputFiles": []},
      {"id": "b", "name": "join", "parents": ["a"], "children": []},
      {"id": "c", "name": "join", "parents": ["a"], "children": []}], "files": []},
    "execution": {"makespanInSeconds": 9.5, "executedAt": "2020-01-01T00:00:00Z",
      "tasks": [
        {"id": "a", "runtimeInSeconds": 1.5, "machines": ["n0"], "executedAt": "2020-01-01T00:00:02Z"},
        {"id": "b", "runtimeInSeconds": 2, "machines": ["n0"], "executedAt": "2020-01-01T00:00:04Z"},
        {"id": "c", "runtimeInSeconds": 4, "machines": ["n1"], "executedAt": "2020-01-01T01:00:03.25+01:00"}],
      "machines": [{"nodeName": "n0", "cpu": {"coreCount": 2, "speedInMHz": 2400}},
                   {"nodeName": "n1", "cpu": {"coreCount": 2, "speedInMHz": 2400}}]}}})");
}

Json& ran(Json& file, std::size_t task) {
  return file["workflow"]["execution"]["tasks"][task];
}

WorkflowExecution execution(const Json& file) {
  return execution_of(read_workflow(file.dump(), "toy.json"));
}

/// "task worker start-end", in the order in which they ended.
std::vector<std::string> story(const Execution& run) {
  std::vector<std::string> told;
  EXPECT_EQ(validate_attempts(run.instance, run.schedule, Durations::exact), std::vector<std::string>());
  for (const Attempt& attempt : run.schedule.attempts) {
    told.push_back(std::string(run.instance.graph.name(attempt.task)) + " " +
                   run.instance.platform.worker_name(attempt.worker) + " " + format_seconds(attempt.start) + "-" +
                   format_seconds(attempt.end));
  }
  return told;
}

std::string error_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Workflow, WithStartsIsARun) {
  const WorkflowExecution found = execution(toy());
  EXPECT_FALSE(found.is_replayed);
  EXPECT_EQ(found.measured, 9 * kSecond + kSecond / 2);
  EXPECT_EQ(found.execution.instance.name, "toy");
  EXPECT_EQ(found.execution.instance.graph.type_name(make_id<TypeId>(1)), "join");
  EXPECT_EQ(found.execution.instance.platform.class_name(make_id<ClassId>(0)), "cpu");
  EXPECT_EQ(found.execution.instance.platform.worker_count(), 4U);
  EXPECT_EQ(found.execution.confined, 0U);
  // c starts before a has ended by its duration: starts are rounded.
  EXPECT_EQ(story(found.execution),
            (std::vector<std::string>{"a cpu0 0.0-1.25", "b cpu0 2.0-4.0", "c cpu2 1.25-5.25"}));
}

TEST(Workflow, WithoutStartsIsReplayedOnItsMachines) {
  Json file = toy();
  for (std::size_t task = 0; task < 3; ++task) ran(file, task).erase("executedAt");
  ran(file, 2)["machines"] = {"n0"};
  file["workflow"]["execution"]["machines"][0]["cpu"]["coreCount"] = 1;
  const WorkflowExecution found = execution(file);
  EXPECT_TRUE(found.is_replayed);
  // The two machines are of different kinds now.
  EXPECT_EQ(story(found.execution), (std::vector<std::string>{"a n00 0.0-1.5", "b n00 1.5-3.5", "c n00 3.5-7.5"}));
  EXPECT_EQ(found.execution.confined, 3U);
}

TEST(Workflow, TypesAreNamesWithoutTheNumberOfTheTask) {
  Json file = toy();
  Json& tasks = file["workflow"]["specification"]["tasks"];
  tasks[0]["name"] = "split_ID0000001";
  tasks[1]["name"] = "split_00017";
  tasks[2]["name"] = "level_2x";
  const TaskGraph graph = read_workflow(file.dump(), "toy.json").graph;
  ASSERT_EQ(graph.type_count(), 2U);
  EXPECT_EQ(graph.type_name(make_id<TypeId>(0)), "split");
  EXPECT_EQ(graph.type_name(make_id<TypeId>(1)), "level_2x");
}

TEST(Workflow, AMachineHasRoomForItsTasks) {
  Json file = toy();
  ran(file, 1)["coreCount"] = 1.5;
  EXPECT_EQ(execution(file).execution.instance.platform.worker_count(), 3U);  // one on n0
  ran(file, 1)["executedAt"] = ran(file, 0)["executedAt"];  // side by side, which its cores do not allow
  file["workflow"]["specification"]["tasks"][0]["children"] = Json::array();
  file["workflow"]["specification"]["tasks"][1]["parents"] = Json::array();
  EXPECT_EQ(execution(file).execution.instance.platform.worker_count(), 4U);
}

TEST(Workflow, OfVersion14TellsAllInItsTasks) {
  const Json file = Json::parse(R"({"name": "old", "schemaVersion": "1.4", "workflow": {"makespanInSeconds": 3,
    "tasks": [{"name": "x", "type": "compute", "runtimeInSeconds": 1, "machine": "n"},
              {"name": "y", "parents": ["x"], "runtimeInSeconds": 1.5, "cores": 2, "machine": "n"}],
    "machines": [{"nodeName": "n", "cpu": {"count": 4, "speed": 2400}}]}})");
  EXPECT_EQ(detect(file.dump()), Format::wfformat);
  const WorkflowExecution found = execution(file);
  EXPECT_TRUE(found.is_replayed);
  EXPECT_EQ(story(found.execution), (std::vector<std::string>{"x cpu0 0.0-1.0", "y cpu1 1.0-2.5"}));
  EXPECT_EQ(found.execution.instance.platform.worker_count(), 2U);
}

TEST(Workflow, IsAnInstanceOnAnyMachineOfOneClass) {
  const Instance instance = place(read_workflow(toy().dump(), "toy.json"), Platform({{"core", 3, "ram", {}}}));
  EXPECT_EQ(instance.costs.actual(make_id<TaskId>(2), make_id<ClassId>(0)), 4 * kSecond);
  EXPECT_EQ(error_of([] {
              static_cast<void>(place(read_workflow(toy().dump(), "toy.json"), Platform({{"a", 1}, {"b", 1}})));
            }),
            "toy.json: the file gives 1 duration per task, but the platform has 2 classes; expected one class, e.g. "
            "--platform counts:cpu=16");
}

/// The accesses of a task: "r x.dat" or "w x.dat", with the size.
std::vector<std::string> accesses(const TaskGraph& graph, std::string_view task) {
  std::vector<std::string> told;
  for (const TaskId t : graph.tasks()) {
    if (graph.name(t) != task) continue;
    for (const Access access : graph.accesses(t)) {
      const Datum& datum = graph.datum(access.data);
      told.push_back((access.mode == AccessMode::read ? "r " : "w ") + datum.name + " " + std::to_string(datum.bytes));
    }
  }
  return told;
}
using Strings = std::vector<std::string>;

TEST(Workflow, FilesThatTasksReadAreData) {
  Json file = toy();
  Json& specification = file["workflow"]["specification"];
  Json& tasks = specification["tasks"];
  specification["files"] = Json::parse(R"([{"id": "in", "sizeInBytes": 100}, {"id": "cut", "sizeInBytes": 60},
    {"id": "twice", "sizeInBytes": 7}, {"id": "late", "sizeInBytes": 8}, {"id": "out", "sizeInBytes": 9}])");
  tasks[0]["inputFiles"] = {"in"};
  tasks[0]["outputFiles"] = {"cut", "twice"};
  tasks[1]["inputFiles"] = {"cut", "in", "in", "twice", "late"};
  tasks[1]["outputFiles"] = {"out"};
  tasks[2]["inputFiles"] = {"cut"};
  tasks[2]["outputFiles"] = {"twice", "late"};
  const TaskGraph graph = read_workflow(file.dump(), "toy.json").graph;
  // Two tasks write `twice`, b does not wait for the writer of `late`, and no task reads `out`.
  EXPECT_EQ(graph.data_count(), 2u);
  EXPECT_EQ(accesses(graph, "a"), (Strings{"w cut 60", "r in 100"}));
  EXPECT_EQ(accesses(graph, "b"), (Strings{"r cut 60", "r in 100"}));
  EXPECT_EQ(accesses(graph, "c"), (Strings{"r cut 60"}));
  EXPECT_EQ(graph.edge_count(), 2u);
}

TEST(Workflow, FilesOfVersion14AreThoseOfTheTasks) {
  Json file = toy();
  Json& tasks = file["workflow"]["specification"]["tasks"];
  const auto used = [](const char* link, int bytes) {
    return Json::array({{{"link", link}, {"name", "cut"}, {"sizeInBytes", bytes}}});
  };
  tasks[0]["files"] = used("output", 60);
  tasks[2]["files"] = used("input", 60);
  const TaskGraph graph = read_workflow(file.dump(), "toy.json").graph;
  EXPECT_EQ(accesses(graph, "a"), (Strings{"w cut 60"}));
  EXPECT_EQ(accesses(graph, "b"), Strings());
  EXPECT_EQ(accesses(graph, "c"), (Strings{"r cut 60"}));
}

TEST(Workflow, AChildBeforeItsParentReadsWhatThatWrites) {
  Json file = toy();
  Json& tasks = file["workflow"]["specification"]["tasks"];
  tasks[0]["outputFiles"] = {"cut"};
  tasks[1]["inputFiles"] = {"cut"};
  std::swap(tasks[0], tasks[2]);
  const Workflow read = read_workflow(file.dump(), "toy.json");
  EXPECT_EQ(accesses(read.graph, "a"), (Strings{"w cut 0"}));
  EXPECT_EQ(accesses(read.graph, "b"), (Strings{"r cut 0"}));
  EXPECT_EQ(read.graph.edge_count(), 2u);
  // What ran follows the tasks to their new numbers.
  for (const TaskId task : read.graph.tasks()) {
    const Time expected = read.graph.name(task) == "a"   ? 3 * kSecond / 2
                          : read.graph.name(task) == "b" ? 2 * kSecond
                                                         : 4 * kSecond;
    EXPECT_EQ(read.runs[task].duration, expected) << read.graph.name(task);
  }
}

TEST(Workflow, SaysWhatIsWrong) {
  const auto error = [](const std::function<void(Json&)>& change) {
    Json file = toy();
    change(file);
    return error_of([&] { static_cast<void>(execution(file)); });
  };
  EXPECT_EQ(error([](Json& file) { file["workflow"].erase("execution"); }),
            "toy.json: workflow has no execution; expected one, which tells the durations of the tasks");
  EXPECT_EQ(error([](Json& file) { ran(file, 1).erase("runtimeInSeconds"); }),
            "toy.json: workflow.execution.tasks[1] has no 'runtimeInSeconds'; expected the duration of the task in "
            "seconds");
  EXPECT_EQ(error([](Json& file) { ran(file, 1)["executedAt"] = "noon"; }),
            "toy.json: workflow.execution.tasks[1].executedAt is the string 'noon'; expected an instant in ISO 8601, "
            "e.g. 2020-04-01T15:10:53-08:00");
  EXPECT_EQ(error([](Json& file) { ran(file, 1)["machines"] = {"n0", "n1"}; }),
            "toy.json: task 'b' ran on 2 machines; expected one");
  EXPECT_EQ(error([](Json& file) { ran(file, 1).erase("machines"); }),
            "toy.json: task 'b' names none of the machines; expected one");
  EXPECT_EQ(error([](Json& file) { file["workflow"]["execution"]["tasks"].erase(2); }),
            "toy.json: workflow.execution.tasks does not tell of task 'c'; expected its duration");
  EXPECT_EQ(error([](Json& file) { ran(file, 1)["executedAt"] = "2021-01-01T00:00:02Z"; }),
            "toy.json: tasks start more than 100 days after each other");
  const auto with_file = [&](const char* used) {
    return error([&](Json& file) { file["workflow"]["specification"]["tasks"][0]["files"] = Json::parse(used); });
  };
  EXPECT_EQ(with_file(R"([{"name": "x", "link": "sideways"}])"),
            "toy.json: workflow.specification.tasks[0].files[0].link is the string 'sideways'; expected \"input\" or "
            "\"output\"");
  EXPECT_NE(with_file(R"([{"name": "x", "link": "input", "sizeInBytes": -1}])"), "no error");
  EXPECT_NE(with_file(R"([{"link": "input"}])"), "no error");
  EXPECT_NE(with_file(R"([7])"), "no error");
  EXPECT_NE(error([](Json& file) { ran(file, 1)["id"] = "a"; }), "no error");
  EXPECT_NE(error([](Json& file) { ran(file, 1)["coreCount"] = 0; }), "no error");
  EXPECT_NE(error([](Json& file) { file["workflow"]["specification"]["tasks"][0]["parents"] = {"b"}; }), "no error");
  EXPECT_NE(error([](Json& file) { file["workflow"]["specification"]["tasks"][0]["parents"] = {"z"}; }), "no error");
}

TEST(Instant, IsReadFromIso8601) {
  const auto seconds = [](std::string_view text) { return parse_instant(text).value_or(Instant{-1}).seconds; };
  EXPECT_EQ(seconds("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(seconds("2020-04-01T15:10:53-08:00"), 1585782653);
  EXPECT_EQ(seconds("2020-04-01 23:10:53"), 1585782653);
  EXPECT_EQ(seconds("2020-04-02T00:40:53+0130"), 1585782653);
  EXPECT_EQ(seconds("2020-04-02T00:10:53+01"), 1585782653);
  EXPECT_EQ(parse_instant("1970-01-01T00:00:01.0000000000019Z"), (Instant{1, 1}));
  for (const char* wrong :
       {"", "2020", "2020-04-01", "2020-02-30T00:00:00Z", "2020-04-01T24:00:00Z", "2020-04-01T15:60:00Z",
        "2020-04-01T15:10:53.Z", "2020-04-01T15:10:53Zz", "2020-04-01T15:10:53+1", "x"}) {
    EXPECT_EQ(parse_instant(wrong), std::nullopt) << wrong;
  }
  EXPECT_EQ(parse_instant("2020-01-01T00:00:01.25Z")->since(*parse_instant("2020-01-01T00:00:00.5Z")), kSecond * 3 / 4);
}

}  // namespace
}  // namespace heddle::io::workflow_test
