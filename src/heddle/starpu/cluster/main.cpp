// Independent tasks of four kernels on several machines: mpirun -np 4 heddle_starpu_cluster --tasks 4000
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <starpu_mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/starpu/cluster/cluster.hpp"

namespace heddle::starpu::cluster {
namespace {

using Json = nlohmann::ordered_json;

struct Program {
  Settings settings;
  bool json = false;
};

/// The status to end with, or -1 to go on. Rank 0 speaks for all.
int read_command(int argc, char** argv, bool speaks, Program& program) {
  CLI::App app("Executes independent tasks on several machines, each a rank of StarPU-MPI");
  app.add_option("--tasks", program.settings.tasks, "The number of tasks, of four kernels in turn.")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--side", program.settings.side, "The rows of a matrix; a vector has as many numbers as a matrix.")
      ->check(CLI::Range(1, 10'000));
  app.add_option("--policies", program.settings.policies, "The policies to try in contexts.")
      ->delimiter(',')
      ->check(CLI::IsMember({"eager", "lws", "prio", "random", "ws"}));  // those of StarPU that need no measurements
  app.add_option("--seed", program.settings.seed, "For the data of the tasks, and random policies.");
  app.add_flag("--json", program.json, "Prints JSON.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (speaks) fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    if (speaks) fmt::print(stderr, "heddle_starpu_cluster: {}\n", error.what());
    return 2;
  }
  return -1;
}

bool is_of(const Plan& plan, std::size_t context, std::size_t rank) {
  return plan.contexts[context].rank == static_cast<int>(rank);
}

/// How many tasks a context shall execute.
long planned_in(const Plan& plan, std::size_t context) {
  return std::ranges::count(plan.context, static_cast<int>(context));
}

/// Each context has executed its tasks, on its rank and its workers.
bool is_as_planned(const Plan& plan, const Outcome& outcome) {
  for (std::size_t rank = 0; rank < outcome.ranks.size(); ++rank) {
    const Executed& executed = outcome.ranks[rank];
    if (executed.elsewhere > 0) return false;
    for (std::size_t c = 0; c < plan.contexts.size(); ++c) {
      if (executed.in_contexts[c] != (is_of(plan, c, rank) ? planned_in(plan, c) : 0)) return false;
    }
  }
  return true;
}

Json to_json(const std::vector<Machine>& machines, const Plan& plan, const Outcome& outcome) {
  Json document{{"tasks", plan.context.size()}, {"wrong", outcome.wrong}, {"ranks", Json::array()}};
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    const Executed& executed = outcome.ranks[rank];
    std::array<long, kKernels> planned{};
    for (std::size_t task = 0; task < plan.context.size(); ++task) {
      if (plan.rank_of(task) == static_cast<int>(rank)) ++planned[kernel_of(task)];
    }
    Json tasks = Json::object();
    for (std::size_t k = 0; k < kKernels; ++k) {
      tasks[kernels()[k].name] = {
          {"mean", machines[rank].seconds[k]}, {"planned", planned[k]}, {"executed", executed.tasks[k]}};
    }
    Json contexts = Json::array();
    for (std::size_t c = 0; c < plan.contexts.size(); ++c) {
      if (!is_of(plan, c, rank)) continue;
      contexts.push_back({{"workers", plan.contexts[c].workers},
                          {"policy", plan.contexts[c].policy},
                          {"planned", planned_in(plan, c)},
                          {"executed", executed.in_contexts[c]}});
    }
    document["ranks"].push_back({{"workers", machines[rank].workers},
                                 {"kernels", std::move(tasks)},
                                 {"contexts", std::move(contexts)},
                                 {"elsewhere", executed.elsewhere},
                                 {"expected", plan.expected[rank]},
                                 {"seconds", executed.seconds}});
  }
  return document;
}

void print(const std::vector<Machine>& machines, const Plan& plan, const Outcome& outcome) {
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    std::vector<std::string> contexts;
    for (std::size_t c = 0; c < plan.contexts.size(); ++c) {
      if (!is_of(plan, c, rank)) continue;
      contexts.push_back(fmt::format("cpu={} {} ({} tasks)", plan.contexts[c].workers.size(), plan.contexts[c].policy,
                                     outcome.ranks[rank].in_contexts[c]));
    }
    fmt::print("rank {}, {} cores: {}; {:.1f} ms, expected {:.1f} without transfers\n", rank, machines[rank].workers,
               fmt::join(contexts, " | "), 1e3 * outcome.ranks[rank].seconds, 1e3 * plan.expected[rank]);
  }
  fmt::print("{} tasks, {} wrong results\n", plan.context.size(), outcome.wrong);
}

/// 0, or 1 when a task was not executed as planned or its result is wrong.
int run(const Program& program, bool speaks) {
  const std::vector<Machine> machines = calibrate(MPI_COMM_WORLD, program.settings);
  const Plan plan = decide(MPI_COMM_WORLD, program.settings, machines);
  const Outcome outcome = execute(MPI_COMM_WORLD, program.settings, plan);
  if (!speaks) return 0;
  if (program.json) {
    fmt::print("{}\n", to_json(machines, plan, outcome).dump(2));
  } else {
    print(machines, plan, outcome);
  }
  return outcome.wrong == 0 && is_as_planned(plan, outcome) ? 0 : 1;
}

int start(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {  // StarPU-MPI has a thread that sends and receives while this one does
    fmt::print(stderr, "heddle_starpu_cluster: this MPI cannot be called by several threads at the same time\n");
    MPI_Finalize();
    return 2;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Program program;
  int status = read_command(argc, argv, rank == 0, program);
  if (status < 0) {
    // Cores only, so that all tasks can run on all workers.
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncuda = 0;
    conf.nopencl = 0;
    STARPU_CHECK_RETURN_VALUE(starpu_init(&conf), "starpu_init");
    STARPU_CHECK_RETURN_VALUE(starpu_mpi_init_comm(&argc, &argv, 0, MPI_COMM_WORLD), "starpu_mpi_init_comm");
    try {
      status = run(program, rank == 0);
    } catch (const std::exception& error) {
      // The other ranks wait for this one.
      fmt::print(stderr, "heddle_starpu_cluster: {}\n", error.what());
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    starpu_mpi_shutdown();
    starpu_shutdown();
  }
  MPI_Finalize();
  return status;
}

}  // namespace
}  // namespace heddle::starpu::cluster

int main(int argc, char** argv) {
  return heddle::starpu::cluster::start(argc, argv);
}
