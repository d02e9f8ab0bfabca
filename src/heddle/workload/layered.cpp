#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/workload/generators.hpp"

/// Random layered graphs, our own family for tests and benchmarks on any platform: `layers` layers of `width` tasks.
/// Each task waits for each task of the layer before with probability `density`, and for one drawn uniformly where that
/// gave none. There are `kernels` kernels; a task's is drawn uniformly. A kernel's time on the class listed first is
/// drawn from U[shortest, longest] seconds, and on every other class it is that divided by a factor of its own from
/// U[weakest, strongest].
namespace heddle::workload {
namespace {

enum Purpose : std::uint64_t { kKernelTimes, kTaskKernel, kPredecessors };

void check(const Options& options) {
  const std::uint64_t width = options.integer("width");
  const std::uint64_t layers = options.integer("layers");
  check_order(options, "shortest", "longest");
  check_order(options, "weakest", "strongest");
  check_task_count(options, layers * width);
  const double tasks = static_cast<double>(layers) * static_cast<double>(width);
  const double dependencies = tasks * (static_cast<double>(width) * options.number("density"));
  constexpr double kMaxDependencies = 2e8;
  if (dependencies > kMaxDependencies) {
    throw InputError(options.owner() + " would have about " + std::to_string(static_cast<std::uint64_t>(dependencies)) +
                     " dependencies (layers * width^2 * density); at most 200000000 are possible");
  }
}

/// Calls visit(i) for each i below `count` with probability `density`, in time proportional to the calls: how many to
/// skip has a geometric distribution (Batagelj and Brandes, "Efficient generation of large random networks", Physical
/// Review E 71, 2005, doi:10.1103/PhysRevE.71.036113).
template <class Visit>
void choose(Random& random, std::uint64_t count, double density, Visit&& visit) {
  const double miss = 1 - density;
  if (miss == 1) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (miss > 0) {
      const double skipped = deterministic_log(1 - random.uniform()) / deterministic_log(miss);
      if (skipped >= static_cast<double>(count - i)) return;
      i += static_cast<std::uint64_t>(skipped);
    }
    visit(i);
  }
}

void add_predecessors(TaskGraphBuilder& builder, const Options& options, TaskId task, std::size_t layer_begin) {
  const std::uint64_t width = options.integer("width");
  const auto wait_for = [&](std::uint64_t i) { builder.add_edge(make_id<TaskId>(layer_begin - width + i), task); };
  Random random = draws(options, Stream::layered, kPredecessors, index(task));
  bool has_one = false;
  choose(random, width, options.number("density"), [&](std::uint64_t i) {
    wait_for(i);
    has_one = true;
  });
  if (!has_one) wait_for(random.below(width));
}

TaskGraph layered_graph(const Options& options) {
  const std::uint64_t width = options.integer("width");
  const std::uint64_t kernels = options.integer("kernels");
  TaskGraphBuilder builder;
  std::vector<TypeId> types;
  for (std::uint64_t kernel = 0; kernel < kernels; ++kernel) {
    types.push_back(builder.add_type("K" + std::to_string(kernel)));
  }
  for (std::uint64_t layer = 0; layer < options.integer("layers"); ++layer) {
    const std::size_t begin = builder.task_count();
    for (std::uint64_t i = 0; i < width; ++i) {
      const TypeId type = types[draws(options, Stream::layered, kTaskKernel, builder.task_count()).below(kernels)];
      const TaskId task = builder.add_task("t(" + std::to_string(layer) + "," + std::to_string(i) + ")", type);
      if (layer > 0) add_predecessors(builder, options, task, begin);
    }
  }
  return builder.build();
}

Costs layered_costs(const TaskGraph& graph, const Options& options, std::size_t classes) {
  Costs costs(graph, classes);
  for (const TypeId type : graph.types()) {
    Random random = draws(options, Stream::layered, kKernelTimes, index(type));
    const double base = random.uniform(options.number("shortest"), options.number("longest"));
    for (const ClassId c : ids<ClassId>(classes)) {
      const double factor =
          index(c) == 0 ? 1.0 : random.uniform(options.number("weakest"), options.number("strongest"));
      costs.set_actual(Costs::row(type), c, to_time(base / factor));
    }
  }
  return costs;
}

Instance make_layered(const Options& options, const Machine& machine) {
  check(options);
  TaskGraph graph = layered_graph(options);
  Costs costs = layered_costs(graph, options, machine.classes.size());
  return make_instance("", std::move(graph), platform_of(machine), std::move(costs));
}

}  // namespace

Entry layered() {
  constexpr double kShortest = 1e-9;
  constexpr double kLongest = 1e4;
  constexpr double kWeakest = 0.01;
  constexpr double kStrongest = 1000;
  return {"layered",
          "Random graph of layers, with random durations for any platform.",
          {integer("layers", "10", 1, 1'000'000, "Number of layers."),
           integer("width", "20", 1, 100'000, "Tasks in a layer."),
           number("density", "0.2", 0, 1, "Probability that a task waits for a given task of the layer before."),
           integer("kernels", "4", 1, 10'000, "Number of kernels among which each task's is drawn."),
           number("shortest", "0.01", kShortest, kLongest, "Least seconds of a kernel on the class listed first."),
           number("longest", "0.1", kShortest, kLongest, "Most seconds of a kernel on the class listed first."),
           number("weakest", "0.5", kWeakest, kStrongest, "Least factor by which another class is faster."),
           number("strongest", "30", kWeakest, kStrongest, "Largest factor by which another class is faster."),
           seed_option()},
          make_layered};
}

}  // namespace heddle::workload
