// A graph of three tasks on two CPU cores and a GPU, scheduled by HeteroPrioDep.
#include <heddle/model/instance.hpp>
#include <heddle/policy/registry.hpp>
#include <heddle/sim/simulation.hpp>
#include <iostream>

int main() {
  heddle::TaskGraphBuilder builder;
  const heddle::TypeId load = builder.add_type("load");
  const heddle::TypeId multiply = builder.add_type("multiply");
  const heddle::TaskId source = builder.add_task("source", load);
  builder.add_edge(source, builder.add_task("left", multiply));
  builder.add_edge(source, builder.add_task("right", multiply));
  heddle::TaskGraph graph = builder.build();

  heddle::Platform platform({{.name = "cpu", .workers = 2}, {.name = "gpu", .workers = 1}});
  const heddle::ClassId cpu{0};
  const heddle::ClassId gpu{1};
  heddle::Costs costs(graph, platform.class_count());
  costs.set_actual(heddle::Costs::row(load), cpu, 1 * heddle::kSecond);
  costs.set_actual(heddle::Costs::row(load), gpu, 2 * heddle::kSecond);
  costs.set_actual(heddle::Costs::row(multiply), cpu, 8 * heddle::kSecond);
  costs.set_actual(heddle::Costs::row(multiply), gpu, 1 * heddle::kSecond);

  const heddle::Instance instance =
      heddle::make_instance("toy", std::move(graph), std::move(platform), std::move(costs));
  const heddle::Schedule schedule = heddle::sim::simulate(instance, heddle::policy::Spec("heteroprio-dep"));
  std::cout << "makespan " << heddle::format_seconds(schedule.makespan()) << " s, aborted attempts "
            << schedule.aborted_attempts() << '\n';
}
