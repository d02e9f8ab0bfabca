#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "heddle/io/starpu/program.hpp"
#include "heddle/io/starpu/recording.hpp"
#include "heddle/io/starpu/sampling.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::io {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr const char* kTraces[] = {"cholesky-n08", "cholesky-n12", "cholesky-n20", "lu-n08", "lu-n12"};

fs::path trace_file(const fs::path& data, const std::string& name) {
  return data / "traces" / (name + ".mirage-dmdas.tasks.rec");
}

Recording load(const fs::path& data, const std::string& name) {
  return load_recording(trace_file(data, name).string());
}

/// Which tasks reach which, row by row.
std::vector<std::vector<bool>> closure(const TaskGraph& graph) {
  const std::size_t n = graph.task_count();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
  const auto order = graph.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    for (const TaskId next : graph.successors(*task)) {
      reaches[index(*task)][index(next)] = true;
      for (std::size_t i = 0; i < n; ++i) {
        if (reaches[index(next)][i]) reaches[index(*task)][i] = true;
      }
    }
  }
  return reaches;
}

/// Adds the tasks of a tiled algorithm by what they access; `tiles` are named by row and column.
class TiledGraph {
 public:
  explicit TiledGraph(std::size_t tiles) : tiles_(tiles) {
    for (std::size_t i = 0; i < tiles * tiles; ++i) builder_.add_datum({"t" + std::to_string(i), 0, "ram"});
  }
  void task(const std::string& kind, const std::vector<std::size_t>& rows_and_columns) {
    if (!types_.contains(kind)) types_[kind] = builder_.add_type(kind);
    std::vector<Access> accesses;
    for (std::size_t i = 0; i < rows_and_columns.size(); i += 2) {
      const DataId tile = make_id<DataId>(rows_and_columns[i] * tiles_ + rows_and_columns[i + 1]);
      const bool last = i + 2 == rows_and_columns.size();
      accesses.push_back({tile, last ? AccessMode::read_write : AccessMode::read});
    }
    builder_.add_task(kind + std::to_string(builder_.task_count()), types_[kind], accesses);
  }
  TaskGraph build() { return builder_.build(); }

 private:
  std::size_t tiles_;
  std::map<std::string, TypeId> types_;
  TaskGraphBuilder builder_;
};

/// The loops of the applications that were recorded, in their order of submission.
TaskGraph cholesky(std::size_t n) {
  TiledGraph graph(n);
  for (std::size_t k = 0; k < n; ++k) {
    graph.task("POTRF", {k, k});
    for (std::size_t m = k + 1; m < n; ++m) graph.task("TRSM", {k, k, m, k});
    for (std::size_t m = k + 1; m < n; ++m) {
      graph.task("SYRK", {m, k, m, m});
      for (std::size_t j = m + 1; j < n; ++j) graph.task("GEMM", {j, k, m, k, j, m});
    }
  }
  return graph.build();
}

TaskGraph lu(std::size_t n) {
  const std::string prefix = "starpu_dlu_lu_model_";
  TiledGraph graph(n);
  for (std::size_t k = 0; k < n; ++k) {
    graph.task(prefix + "getrf", {k, k});
    for (std::size_t i = k + 1; i < n; ++i) {
      graph.task(prefix + "trsm_ll", {k, k, k, i});
      graph.task(prefix + "trsm_ru", {k, k, i, k});
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j) graph.task(prefix + "gemm", {i, k, k, j, i, j});
    }
  }
  return graph.build();
}

std::map<std::string, std::size_t> kinds_of(const TaskGraph& graph) {
  std::map<std::string, std::size_t> kinds;
  for (const TaskId task : graph.tasks()) ++kinds[std::string(graph.type_name(graph.type(task)))];
  return kinds;
}

TEST(RecordedTraces, CountsAreThoseOfTheCompanions) {
  HEDDLE_REQUIRE_DATA(data);
  for (const char* name : kTraces) {
    const auto facts = nlohmann::json::parse(test::read_file(data / "traces" / (std::string(name) + ".json")));
    const Recording recording = load(data, name);
    EXPECT_EQ(recording.graph.task_count(), facts["tasks"].get<std::size_t>()) << name;
    EXPECT_EQ(recording.graph.data_count(), facts["handles"].get<std::size_t>()) << name;
    EXPECT_EQ(kinds_of(recording.graph), (facts["kinds"].get<std::map<std::string, std::size_t>>())) << name;
    EXPECT_THAT(recording.warnings, IsEmpty()) << name;
    for (const Datum& datum : recording.graph.data()) EXPECT_EQ(datum.bytes % (960 * 960), 0) << name;
  }
}

TEST(RecordedTraces, RecordsThatAreNoTasksAreCountedToo) {
  HEDDLE_REQUIRE_DATA(data);
  for (const char* name : kTraces) {
    const auto facts = nlohmann::json::parse(test::read_file(data / "traces" / (std::string(name) + ".json")));
    const std::string text = test::read_file(trace_file(data, name));
    RecordReader reader(text, name);
    std::vector<TaskRecord> records;
    std::vector<Field> fields;
    while (const auto record = next_task_record(reader, fields)) records.push_back(*record);
    const Program program = make_program(records, {}, reader);
    const auto hints = static_cast<std::size_t>(std::ranges::count_if(records, &TaskRecord::control));
    const auto tasks = static_cast<std::size_t>(std::ranges::count_if(records, &TaskRecord::is_task));
    EXPECT_EQ(hints, facts["wontuse"].get<std::size_t>()) << name;
    EXPECT_EQ(records.size() - hints - tasks, facts["sync_tasks"].get<std::size_t>()) << name;
    EXPECT_EQ(program.dependencies.size(), facts["dependencies"].get<std::size_t>()) << name;
    EXPECT_EQ(facts["dangling"].get<std::size_t>(), 0U) << name;
  }
}

TEST(RecordedTraces, EveryWrittenDependencyBetweenTasksIsThere) {
  HEDDLE_REQUIRE_DATA(data);
  for (const char* name : kTraces) {
    const Recording recording = load(data, name);
    const auto reaches = closure(recording.graph);
    std::map<std::string, std::size_t> task_of_job;
    for (const TaskId task : recording.graph.tasks()) {
      const std::string_view full = recording.graph.name(task);
      task_of_job[std::string(full.substr(full.rfind('#') + 1))] = index(task);
    }
    std::ifstream file(trace_file(data, name));
    std::string job;
    std::size_t checked = 0;
    for (std::string word, line; std::getline(file, line);) {
      std::istringstream words(line);
      words >> word;
      if (word == "JobId:") words >> job;
      while (word == "DependsOn:" && words >> line) {
        if (!task_of_job.contains(job) || !task_of_job.contains(line)) continue;
        EXPECT_TRUE(reaches[task_of_job[line]][task_of_job[job]]) << name << ": " << line << " -> " << job;
        ++checked;
      }
    }
    EXPECT_GT(checked, recording.graph.task_count()) << name;
  }
}

void expect_graph(const Recording& recording, const TaskGraph& expected) {
  SCOPED_TRACE(recording.name);
  ASSERT_EQ(kinds_of(recording.graph), kinds_of(expected));
  for (const TaskId task : expected.tasks()) {
    ASSERT_EQ(recording.graph.type_name(recording.graph.type(task)), expected.type_name(expected.type(task)))
        << recording.graph.name(task);
  }
  EXPECT_TRUE(closure(recording.graph) == closure(expected));
}

TEST(RecordedTraces, CholeskyIsTheTiledCholesky) {
  HEDDLE_REQUIRE_DATA(data);
  expect_graph(load(data, "cholesky-n08"), cholesky(8));
  expect_graph(load(data, "cholesky-n12"), cholesky(12));
  if (!test::kSanitized) expect_graph(load(data, "cholesky-n20"), cholesky(20));
}

TEST(RecordedTraces, LuIsTheTiledLu) {
  HEDDLE_REQUIRE_DATA(data);
  expect_graph(load(data, "lu-n08"), lu(8));
  expect_graph(load(data, "lu-n12"), lu(12));
}

TEST(RecordedTraces, DurationsAreThoseOfTheSampledMachine) {
  HEDDLE_REQUIRE_DATA(data);
  for (const char* host : {"mirage", "sirocco"}) {
    const SampledMachine sampled = read_starpu_machine((data / "starpu-perfmodels").string(), host);
    EXPECT_THAT(sampled.warnings, IsEmpty());
    const auto facts = nlohmann::json::parse(test::read_file(data / "platforms" / (std::string(host) + ".json")));
    for (const char* name : kTraces) {
      const Recording recording = load(data, name);
      const Instance instance = place(recording, sampled.machine);
      for (const TaskId task : instance.graph.tasks()) {
        const CostKey& key = recording.cost_keys[instance.graph.type(task)];
        for (const auto& pooled : facts["codelets"][key.codelet]["pooled_by_class"]) {
          if (pooled["footprint"] != key.footprint) continue;
          const ClassId c = *instance.platform.find_class(pooled["class"] == "cuda" ? "gpu" : "cpu");
          EXPECT_EQ(instance.costs.actual(task, c), *parse_time(pooled["mean_us"].dump(), kMicrosecond)) << key.codelet;
        }
        EXPECT_TRUE(instance.costs.can_run(task, ClassId{0}) && instance.costs.can_run(task, ClassId{1}));
      }
    }
  }
}

/// The recorded machine was mirage, where the GPU's time of a task varies little: a check of units and of both sources.
TEST(RecordedTraces, RecordedDurationsAreNearThoseOfTheSampledMachine) {
  HEDDLE_REQUIRE_DATA(data);
  const Recording recording = load(data, "cholesky-n12");
  const Instance instance =
      place(recording, read_starpu_machine((data / "starpu-perfmodels").string(), "mirage").machine);
  for (const TaskId task : instance.graph.tasks()) {
    const RecordedRun& run = recording.runs[task];
    const double modelled = to_seconds(instance.costs.actual(task, run.worker < 3 ? ClassId{1} : ClassId{0}));
    EXPECT_NEAR(to_seconds(run.duration) / modelled, 1.0, 0.2) << instance.graph.name(task);
  }
}

TEST(RecordedTraces, SampledMachinesAreThoseOfThePlatformFacts) {
  HEDDLE_REQUIRE_DATA(data);
  for (const char* host : {"mirage", "sirocco"}) {
    const Machine machine = read_starpu_machine((data / "starpu-perfmodels").string(), host).machine;
    const auto facts = nlohmann::json::parse(test::read_file(data / "platforms" / (std::string(host) + ".json")));
    EXPECT_EQ(machine.classes[0].workers, facts["classes"][0]["workers_when_one_core_drives_each_gpu"]);
    EXPECT_EQ(machine.classes[1].workers, facts["classes"][1]["workers"]);
    std::set<std::string> codelets;
    std::size_t compared = 0;
    for (const KernelTiming& kernel : machine.kernels) {
      codelets.insert(kernel.codelet);
      for (const auto& pooled : facts["codelets"][kernel.codelet]["pooled_by_class"]) {
        if (pooled["footprint"] != kernel.footprint) continue;
        const ClassTime& time = kernel.seconds.at(pooled["class"] == "cpu" ? 0 : kernel.seconds.size() - 1);
        EXPECT_EQ(time.duration, *parse_time(pooled["mean_us"].dump(), kMicrosecond));
        EXPECT_EQ(kernel.tile, pooled["shape"]["tile"].get<std::int64_t>());
        EXPECT_EQ(kernel.precision, pooled["shape"]["element_bytes"] == 4 ? "single" : "double");
        ++compared;
      }
    }
    EXPECT_EQ(codelets.size(), 8U);
    EXPECT_GE(compared, 48U) << host;
    const auto& bandwidth = facts["bus"]["bandwidth_MBps"];
    // mirage's first GPU is no peer of the two others; what the driver staged in main memory is no link.
    const std::size_t staged = std::string_view(host) == "mirage" ? 4 : 0;
    ASSERT_EQ(machine.links.size(), bandwidth.size() * (bandwidth.size() - 1) - staged);
    EXPECT_DOUBLE_EQ(machine.links.front().bandwidth, bandwidth[0][1].get<double>() * 1e6);
    EXPECT_DOUBLE_EQ(machine.links.back().bandwidth, bandwidth.back()[bandwidth.size() - 2].get<double>() * 1e6);
  }
}

TEST(RecordedTraces, ThePackedExampleIsTheRecordedCholesky) {
  const Recording recording = load_recording(HEDDLE_SOURCE_DIR "/examples/cholesky-n08.tasks.rec.gz");
  EXPECT_EQ(recording.name, "cholesky-n08");
  EXPECT_EQ(recording.graph.task_count(), 120U);
  expect_graph(recording, cholesky(8));
}

}  // namespace
}  // namespace heddle::io
