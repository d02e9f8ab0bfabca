#include "graphs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "heddle/model/random.hpp"
#include "heddle/workload/tiled.hpp"

namespace heddle::bench {
namespace {

constexpr std::int32_t kTiles = 40;
constexpr std::uint32_t kTasks = 10'000;
constexpr std::uint32_t kWidth = 100;  ///< of a layer

/// Whole numbers below 2^20: every order of tasks that break a dependency leaves something else, but for chance.
void trace(TypeId kernel, std::span<const ConstTile> read, const Tile& written) {
  double sum = 3 * *written.data + static_cast<double>(index(kernel)) + 1;
  for (std::size_t i = 0; i < read.size(); ++i) sum += static_cast<double>(5 + i) * *read[i].data;
  *written.data = std::fmod(sum, 1'048'573);
}

EmptyGraph make(std::string name, TaskGraph graph) {
  auto elements = std::make_unique<double[]>(graph.data_count());
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < graph.data_count(); ++i) tiles.push_back({&elements[i], 1, 1, 1});
  return {std::move(name), std::move(elements), {std::move(graph), std::move(tiles)}};
}

void add_data(TaskGraphBuilder& builder, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) builder.add_datum({std::to_string(i), sizeof(double)});
}

TaskGraph chain(std::uint32_t tasks) {
  TaskGraphBuilder builder;
  add_data(builder, 1);
  const TypeId type = builder.add_type("link");
  for (std::uint32_t i = 0; i < tasks; ++i) {
    builder.add_task(std::to_string(i), type, std::array{Access{DataId{0}, AccessMode::read_write}});
  }
  return builder.build();
}

TaskGraph independent(std::uint32_t tasks) {
  TaskGraphBuilder builder;
  add_data(builder, tasks);
  const TypeId type = builder.add_type("task");
  for (std::uint32_t i = 0; i < tasks; ++i) {
    builder.add_task(std::to_string(i), type, std::array{Access{DataId{i}, AccessMode::read_write}});
  }
  return builder.build();
}

TaskGraph layered() {
  TaskGraphBuilder builder;
  add_data(builder, kTasks);
  const TypeId type = builder.add_type("task");
  Random random(1);
  for (std::uint32_t i = 0; i < kTasks; ++i) {
    std::vector<Access> accesses;
    if (i >= kWidth) {
      const std::uint32_t before = i / kWidth * kWidth - kWidth;
      const std::uint64_t reads = 1 + random.below(Problem::kMostReads);
      for (std::uint64_t r = 0; r < reads; ++r) {
        const Access read{DataId{before + static_cast<std::uint32_t>(random.below(kWidth))}, AccessMode::read};
        if (std::ranges::find(accesses, read) == accesses.end()) accesses.push_back(read);
      }
    }
    accesses.push_back({DataId{i}, AccessMode::read_write});
    builder.add_task(std::to_string(i), type, accesses);
  }
  return builder.build();
}

TaskGraph cholesky(std::int32_t tiles) {
  return workload::tiled_graph(workload::Algorithm::cholesky, workload::TileCounts::square(tiles), sizeof(double));
}

}  // namespace

void EmptyGraph::start_tracing() {
  std::fill_n(elements.get(), problem.graph.data_count(), 0);
  problem.body = trace;
}

void EmptyGraph::stop_tracing() {
  const std::vector<double> left(elements.get(), elements.get() + problem.graph.data_count());
  start_tracing();
  for (const TaskId task : problem.graph.tasks()) problem.run(task);
  problem.body = nullptr;
  if (!std::ranges::equal(left, std::span(elements.get(), left.size()))) {
    throw std::runtime_error(name + ": the tasks did not wait for each other as their accesses say");
  }
}

std::vector<EmptyGraph> empty_graphs() {
  std::vector<EmptyGraph> graphs;
  graphs.push_back(make("cholesky", cholesky(kTiles)));
  graphs.push_back(make("chain", chain(kTasks)));
  graphs.push_back(make("independent", independent(kTasks)));
  graphs.push_back(make("layered", layered()));
  return graphs;
}

std::vector<EmptyGraph> small_graphs() {
  std::vector<EmptyGraph> graphs;
  graphs.push_back(make("chain", chain(100)));
  graphs.push_back(make("independent", independent(20)));
  graphs.push_back(make("cholesky", cholesky(12)));
  return graphs;
}

}  // namespace heddle::bench
