#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "heddle/partition/machines.hpp"
#include "heddle/starpu/cluster/cluster.hpp"

namespace heddle::starpu::cluster {
namespace {

using Json = nlohmann::ordered_json;

/// With the fewest contexts: many small ones seldom help.
constexpr std::size_t kMostPartitions = 300;

/// All tasks on all machines, the cores of each of which are a class, as they may be of different speed.
Instance describe(const Settings& settings, const std::vector<Machine>& machines) {
  TaskGraphBuilder builder;
  for (const Kernel& kernel : kernels()) builder.add_type(kernel.name);
  for (std::size_t task = 0; task < settings.tasks; ++task)
    builder.add_task(fmt::format("task {}", task), make_id<TypeId>(kernel_of(task)));
  TaskGraph graph = builder.build();
  std::vector<ResourceClass> classes;
  for (std::size_t rank = 0; rank < machines.size(); ++rank)
    classes.push_back({fmt::format("rank{}_cpu", rank), static_cast<std::uint32_t>(machines[rank].workers)});
  Costs costs(graph, classes.size());
  for (const TypeId type : graph.types()) {
    for (std::size_t rank = 0; rank < machines.size(); ++rank) {
      const double picoseconds = machines[rank].seconds[index(type)] * static_cast<double>(kSecond);
      costs.set_actual(Costs::row(type), make_id<ClassId>(rank), std::max<Time>(1, std::llround(picoseconds)));
    }
  }
  return make_instance("the tasks", std::move(graph), Platform(std::move(classes)), std::move(costs));
}

Json choose(const Settings& settings, const std::vector<Machine>& machines) {
  const Instance instance = describe(settings, machines);
  const Platform& platform = instance.platform;
  std::vector<partition::Machine> ranks;
  std::vector<WorkerId> first;  // of each rank
  for (const ClassId rank : platform.classes()) {
    const auto workers = platform.workers(rank);
    ranks.push_back({platform.class_name(rank), {workers.begin(), workers.end()}});
    first.push_back(*workers.begin());
  }
  const auto candidates = [](const Platform& machine) {
    auto found = partition::all_partitions(machine, kMostPartitions).candidates;
    // StarPU has a context of its own, too.
    std::erase_if(found, [](const auto& one) { return one.parts.size() >= STARPU_NMAX_SCHED_CTXS; });
    return found;
  };
  const partition::ClusterChoice choice =
      partition::choose(instance, ranks, candidates, {.policies = settings.policies, .seed = settings.seed});
  Json plan{{"contexts", Json::array()}, {"context", Json::array()}, {"expected", Json::array()}};
  for (const Context& context : choice.contexts.all) {
    const std::size_t rank = index(platform.class_of(context.workers.front()));
    Json workers = Json::array();
    for (const WorkerId worker : context.workers) workers.push_back(index(worker) - index(first[rank]));
    plan["contexts"].push_back({{"rank", rank}, {"workers", std::move(workers)}, {"policy", context.policy}});
  }
  for (const TaskId task : instance.graph.tasks()) plan["context"].push_back(index(choice.contexts.of[task]));
  for (const partition::MachineChoice& machine : choice.machines) plan["expected"].push_back(machine.seconds());
  return plan;
}

/// The text of rank 0, on all ranks.
std::string tell(MPI_Comm comm, std::string text) {
  auto size = static_cast<unsigned long long>(text.size());
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, comm);
  text.resize(size);
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
  return text;
}

}  // namespace

Plan decide(MPI_Comm comm, const Settings& settings, const std::vector<Machine>& machines) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const Json told = Json::parse(tell(comm, rank == 0 ? choose(settings, machines).dump() : ""));
  Plan plan;
  for (const Json& context : told["contexts"])
    plan.contexts.push_back({context["rank"], context["workers"], context["policy"]});
  plan.context = told["context"].get<std::vector<int>>();
  plan.expected = told["expected"].get<std::vector<double>>();
  return plan;
}

}  // namespace heddle::starpu::cluster
