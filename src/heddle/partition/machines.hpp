#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/partition/choose.hpp"

/// The framework of Gazolla 2017 on several machines (named as future work in section 7.2.2): independent tasks are
/// divided among the machines by computing power, and each machine chooses contexts for its own.
namespace heddle::partition {

/// One of several machines. Their workers are those of one platform: machines of other cores have classes of their own.
struct Machine {
  std::string name;
  std::vector<WorkerId> workers;  ///< ascending, each once; no other machine has them
};

/// Reads machines as the command spells them, like contexts without policies: "a:cpu=4,gpu=2; b:cpu=8". Throws
/// InputError for bad spelling, unknown classes and workers, too many of them, a policy, and machines that share
/// workers.
[[nodiscard]] std::vector<Machine> parse_machines(std::string_view text, const Platform& platform);

/// How many tasks of each type each machine gets; entry i of the result is part i. A machine computes so many tasks of
/// a type per second as its workers do together (length()), and gets its share of the tasks of each type in proportion;
/// where that is no whole number, machines with the largest remainders get one more. Then single tasks are moved as
/// between contexts (estimate()). The same is done from the greedy start of Procedure 1, which is better where machines
/// suit different types. The result is the shorter one; it is never longer than the shares by computing power.
/// `slowdown`: as in estimate(), by machine.
[[nodiscard]] Estimate split(const Means& means, const Candidate& machines, Reading reading = Reading::example,
                             const std::vector<double>& slowdown = {});

/// What a machine is to do.
struct MachineChoice {
  std::string name;
  std::vector<TaskId> tasks;  ///< of the instance, ascending
  Instance instance;          ///< of these on the workers of the machine
  Choice choice;              ///< contexts of that instance; without rows if there are no tasks

  [[nodiscard]] double seconds() const;  ///< as simulated; kNever if it could not be
};

struct ClusterChoice {
  Estimate split;  ///< entry i is machine i
  std::vector<MachineChoice> machines;
  Contexts contexts;  ///< of all machines, "a.1", "a.2", "b.1", ..., with the tasks of the instance

  [[nodiscard]] double makespan() const;  ///< of the machine that takes longest, in seconds, as simulated
};

/// The candidates of one machine.
using CandidatesOf = std::function<std::vector<Candidate>(const Platform&)>;

/// Splits the tasks over the machines, then chooses contexts in each. By simulation and for time, machines that take
/// longer or shorter than estimated are corrected, and the tasks split again, as long as the makespan gets shorter.
/// Moving data between machines counts as nothing.
///
/// Throws InputError where choose() does, and when tasks depend on each other, which the split does not foresee.
[[nodiscard]] ClusterChoice choose(const Instance& instance, std::span<const Machine> machines,
                                   const CandidatesOf& candidates, const Options& options = {});

}  // namespace heddle::partition
