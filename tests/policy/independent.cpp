#include "tests/policy/independent.hpp"

#include <string>

namespace heddle::test {

Instance independent(const std::vector<std::pair<Time, Time>>& durations, std::uint32_t cpus, std::uint32_t gpus) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    const std::string name = "t" + std::to_string(i);
    builder.add_task(name, builder.add_type(name));
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (std::uint32_t row = 0; row < durations.size(); ++row) {
    costs.set_actual(row, make_id<ClassId>(0), durations[row].first);
    costs.set_actual(row, make_id<ClassId>(1), durations[row].second);
  }
  Platform platform({{.name = "cpu", .workers = cpus}, {.name = "gpu", .workers = gpus}});
  return make_instance("independent", std::move(graph), std::move(platform), std::move(costs));
}

Instance random_independent(Random& random, const IndependentShape& shape) {
  std::vector<std::pair<Time, Time>> durations(
      static_cast<std::size_t>(draw(random, 1, static_cast<std::int64_t>(shape.max_tasks))));
  for (auto& [cpu, gpu] : durations) {
    cpu = draw(random, 1, shape.max_duration);
    gpu = draw(random, 1, shape.max_duration);
  }
  const auto workers = [&] { return static_cast<std::uint32_t>(draw(random, 1, shape.max_workers)); };
  const std::uint32_t cpus = workers();
  return independent(durations, cpus, workers());
}

}  // namespace heddle::test
