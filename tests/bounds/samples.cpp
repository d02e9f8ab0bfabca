#include "tests/bounds/samples.hpp"

#include <map>

namespace heddle::test {
namespace {

TaskGraph sample_graph(const std::vector<SampleTask>& tasks) {
  TaskGraphBuilder builder;
  std::map<std::string, TypeId> types;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto [type, added] = types.try_emplace(tasks[i].type);
    if (added) type->second = builder.add_type(tasks[i].type);
    const TaskId task = builder.add_task("t" + std::to_string(i), type->second);
    for (const std::size_t before : tasks[i].after) builder.add_edge(make_id<TaskId>(before), task);
  }
  return builder.build();
}

}  // namespace

Instance sample_instance(const std::vector<std::uint32_t>& workers, const std::vector<SampleTask>& tasks) {
  std::vector<ResourceClass> classes;
  for (const std::uint32_t count : workers) {
    classes.push_back({std::string(1, static_cast<char>('a' + classes.size())), count, "ram", {}});
  }
  TaskGraph graph = sample_graph(tasks);
  Costs costs(graph, workers.size());
  for (const TaskId task : graph.tasks()) {
    const std::uint32_t row = costs.own_row(task);
    for (std::size_t c = 0; c < workers.size(); ++c) {
      costs.set_actual(row, make_id<ClassId>(c), tasks[index(task)].durations[c]);
    }
  }
  return make_instance("sample", std::move(graph), Platform(std::move(classes)), std::move(costs));
}

}  // namespace heddle::test
