#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/partition/candidates.hpp"

/// What a set of tasks takes in given contexts, estimated from means alone (Gazolla 2017, section 4.2): the time does
/// not grow with the number of tasks, but for the moves.
namespace heddle::partition {

/// Seconds that a task takes where it cannot run.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// What is known of the tasks, in seconds, per type: means over its tasks.
struct Means {
  struct OnClass {
    double run = kNever;  ///< to fetch what a task reads, and to run it (Gazolla 2017, table 4.2)
    double output = 0;    ///< to bring home what it wrote; 0 where the workers compute in the memory of the program
  };

  Table<TypeId, std::size_t> tasks;           ///< how many there are
  Table<TypeId, Table<ClassId, OnClass>> of;  ///< by type and class
  Table<ClassId, bool> is_accelerator;        ///< whether its workers have a memory of their own
  double output_overhead = 0;                 ///< to bring home nothing ("initialOverhead" in Procedure 3)
};

/// Of the durations that are believed. On a platform with links, data comes from its home and goes back there, alone on
/// its way. Types without tasks cannot run anywhere.
[[nodiscard]] Means means_of(const Instance& instance);

/// The worked example of Gazolla 2017 (figure 4.3, table 4.3) and its Procedure 2 as printed differ in whether the mean
/// of a worker is in the divisor: 1 / sum(1 / mean), the time between two ends where all workers run tasks of the type,
/// or longest / sum(mean / shortest).
enum class Reading : std::uint8_t { example, printed };

/// The mean time that a task of the type takes in a context (Procedure 2), in seconds; kNever where it cannot run.
/// `workers`: how many of each class it has; where contexts share some, Candidate::worth.
[[nodiscard]] double length(const Means& means, const Table<ClassId, double>& workers, TypeId type, Reading reading);
/// The same of a context that shares none.
[[nodiscard]] double length(const Means& means, const Part& part, TypeId type, Reading reading);

/// The outcome of the published method for one candidate.
struct Estimate {
  std::vector<Table<TypeId, std::size_t>> tasks;  ///< of each context: how many tasks of each type
  std::vector<double> seconds;                    ///< of each context: to fetch data and run its tasks
  double run = 0;                                 ///< the longest of these
  double output = 0;                              ///< to bring the results home afterwards (Procedure 3)
  std::size_t moves = 0;
  std::size_t operations = 0;  ///< lengths computed and moves tried

  [[nodiscard]] double total() const { return run + output; }
};

/// Procedure 1, lines 46 to 57: each type goes to the context in which its mean is shortest; then single tasks are
/// moved from the context that takes longest to the one that takes shortest, or else to another one, as long as both
/// end earlier than the longest did. Among the types the one is moved after which the later of the two ends first. A
/// move that is tried takes constant time. The time is kNever where some task can run in no context.
[[nodiscard]] Estimate estimate(const Means& means, const Candidate& candidate, Reading reading = Reading::example);
/// The same where each type's mean in context i takes `slowdown[i]` times as long: what a run has shown.
[[nodiscard]] Estimate estimate(const Means& means, const Candidate& candidate, Reading reading,
                                const std::vector<double>& slowdown);

/// What the workers draw in that time, in joules, where all workers of a context are busy until it ends; nothing unless
/// every class with workers says what they draw.
[[nodiscard]] std::optional<double> joules(const Estimate& estimate, const Candidate& candidate,
                                           const Platform& platform);

/// The contexts with their tasks: in the order of submission each task goes to the context that lags most behind its
/// share of the type.
[[nodiscard]] Contexts assign_tasks(const TaskGraph& graph, Table<ContextId, Context> contexts,
                                    const std::vector<Table<TypeId, std::size_t>>& tasks);

}  // namespace heddle::partition
