#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/starpu/cluster/kernels.hpp"

/// The framework of Gazolla 2017 (Procedure 1) on several machines, each a rank of StarPU-MPI: calibrate, decide,
/// execute.
namespace heddle::starpu::cluster {

struct Settings {
  std::size_t tasks = 400;  ///< of all kernels, in turn
  std::vector<std::string> policies{"eager", "lws", "ws"};
  std::size_t side = 128;  ///< rows of a matrix; vectors have as many numbers as a matrix
  std::uint64_t seed = 1;

  [[nodiscard]] std::size_t numbers() const { return side * side; }
};

/// What a rank has measured.
struct Machine {
  int workers = 0;                         ///< cores
  std::array<double, kKernels> seconds{};  ///< mean of a task, by kernel
};

/// Lines 14 to 19 and 33 to 36: runs some tasks of each kernel in contexts of one worker each, dealt evenly. All ranks
/// call it; each gets what all of them found, by rank.
[[nodiscard]] std::vector<Machine> calibrate(MPI_Comm comm, const Settings& settings);

/// A context of a rank.
struct PlannedContext {
  int rank = 0;
  std::vector<int> workers;  ///< StarPU's numbers
  std::string policy;
};

struct Plan {
  std::vector<PlannedContext> contexts;
  std::vector<int> context;      ///< by task
  std::vector<double> expected;  ///< by rank: seconds

  [[nodiscard]] int rank_of(std::size_t task) const { return contexts[static_cast<std::size_t>(context[task])].rank; }
};

/// Which kernel a task runs.
[[nodiscard]] constexpr std::size_t kernel_of(std::size_t task) {
  return task % kKernels;
}

/// Line 21: splits the tasks over the ranks by computing power, and chooses contexts in each (partition::choose). Rank
/// 0 decides, and tells the others.
[[nodiscard]] Plan decide(MPI_Comm comm, const Settings& settings, const std::vector<Machine>& machines);

/// What happened on a rank.
struct Executed {
  double seconds = 0;                  ///< until its last task had ended
  std::array<long, kKernels> tasks{};  ///< that ran there
  std::vector<long> in_contexts;       ///< the same by context of the plan
  long elsewhere = 0;                  ///< that ran on a worker of another context
};

/// What rank 0 has in the end.
struct Outcome {
  std::vector<Executed> ranks;
  std::size_t wrong = 0;  ///< results that are not what the kernel computes
};

/// Lines 22 to 24: makes the contexts, executes the tasks, whose data is at home on rank 0, and gathers the results
/// there. All ranks call it; the outcome is that of rank 0, and empty elsewhere.
[[nodiscard]] Outcome execute(MPI_Comm comm, const Settings& settings, const Plan& plan);

}  // namespace heddle::starpu::cluster
