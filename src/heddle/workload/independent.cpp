#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/workload/generators.hpp"
#include "heddle/workload/tiled_generators.hpp"

/// Independent tasks with the durations of a tiled algorithm's kernels, as in S. Kumar, "Scheduling of Dense Linear
/// Algebra Kernels on Heterogeneous Resources" (PhD thesis, Universite de Bordeaux, 2017, section 5.6): without
/// `tasks` exactly the tasks of the algorithm, kernel by kernel, and no dependencies. With `tasks` that many, each of a
/// kernel drawn with the frequency that it has there, or equally often.
namespace heddle::workload {
namespace {

struct Source {
  std::string name;
  Algorithm algorithm;
};

const std::vector<Source>& sources() {
  static const std::vector<Source> all{
      {"cholesky", Algorithm::cholesky}, {"lu", Algorithm::lu}, {"qr", Algorithm::qr}, {"gemm", Algorithm::gemm}};
  return all;
}

Algorithm algorithm_of(const Options& options) {
  for (const Source& source : sources()) {
    if (source.name == options.text("of")) return source.algorithm;
  }
  return Algorithm::cholesky;
}

/// The kernel of each task, as positions in `counts`.
std::vector<std::size_t> drawn_kernels(const Options& options, const std::vector<std::uint64_t>& counts,
                                       std::uint64_t total) {
  std::vector<std::size_t> kernels;
  for (std::uint64_t task = 0; task < options.integer("tasks"); ++task) {
    std::uint64_t ticket = draws(options, Stream::independent, 0, task).below(total);
    std::size_t kernel = 0;
    while (ticket >= counts[kernel]) ticket -= counts[kernel++];
    kernels.push_back(kernel);
  }
  return kernels;
}

std::vector<std::size_t> all_kernels(const std::vector<std::uint64_t>& counts) {
  std::vector<std::size_t> kernels;
  for (std::size_t kernel = 0; kernel < counts.size(); ++kernel) kernels.insert(kernels.end(), counts[kernel], kernel);
  return kernels;
}

Instance make_independent(const Options& options, const Machine& machine) {
  const Algorithm algorithm = algorithm_of(options);
  const TileSize size = chosen_size(options, machine, algorithm);
  auto counts = kernel_counts(algorithm, TileCounts::square(static_cast<std::int32_t>(options.integer("tiles"))));
  if (options.text("share") == "equal") {
    if (!options.has("tasks"))
      throw InputError(options.owner() + ": share=equal needs a number of tasks, e.g. tasks=1000");
    std::ranges::fill(counts, 1);
  }
  const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  check_task_count(options, options.has("tasks") ? options.integer("tasks") : total);

  TaskGraphBuilder builder;
  std::vector<TypeId> types;
  for (const Kernel kernel : kernels_of(algorithm).kernels) types.push_back(builder.add_type(to_string(kernel)));
  std::size_t number = 0;
  for (const std::size_t kernel : options.has("tasks") ? drawn_kernels(options, counts, total) : all_kernels(counts)) {
    const std::string name(to_string(kernels_of(algorithm).kernels[kernel]));
    builder.add_task(name + "(" + std::to_string(number++) + ")", types[kernel]);
  }
  TaskGraph graph = builder.build();
  Costs costs = tiled_costs(graph, algorithm, size, machine);
  return make_instance("", std::move(graph), platform_of(machine), std::move(costs));
}

std::vector<std::string> source_names() {
  std::vector<std::string> names;
  for (const Source& source : sources()) names.push_back(source.name);
  return names;
}

}  // namespace

Entry independent() {
  std::vector<Option> options{
      integer("tasks", "", 1, kMaxTasks, "Number of tasks, drawn; by default all tasks of the algorithm."),
      choice("of", "cholesky", source_names(), "The tiled algorithm whose kernels the tasks are."),
      integer("tiles", "12", 1, kMaxTiles, "Its size, on which the frequency of each kernel depends."),
      choice("share", "algorithm", {"algorithm", "equal"},
             "How often each kernel is drawn: as often as the algorithm calls it, or equally often."),
      seed_option()};
  for (Option& option : size_options()) options.push_back(std::move(option));
  return {"independent", "Tasks of a tiled algorithm without its dependencies.", std::move(options), make_independent};
}

}  // namespace heddle::workload
