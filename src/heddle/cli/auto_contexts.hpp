#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/real_workload.hpp"
#include "heddle/model/contexts.hpp"
#include "heddle/partition/choose.hpp"

/// `--contexts auto`: which contexts is decided by simulations of the tasks (partition::choose).
namespace heddle::cli {

inline constexpr const char* kAuto = "auto";

/// The instance in the contexts that suit it best.
[[nodiscard]] Instance with_auto_contexts(Instance instance, std::uint64_t seed);

/// What was chosen for a run on this machine.
struct AutoContexts {
  std::vector<ContextRequest> requests;
  std::map<std::string, std::string> of;  ///< by the name of the task: the name of its context
  double simulated = 0;                   ///< makespan in seconds
  std::optional<double> joules{};         ///< the same for energy, where that is the objective or part of it
  bool calibrated = false;                ///< all tasks were run before, to measure what was not known
  std::string text;                       ///< for people: the contexts, and why these
};

/// Chooses contexts for a workload by the durations measured in runs before. Where some were not (Gazolla 2017,
/// Procedure 1, lines 14 to 19 and 33 to 36), the tasks are first run in contexts of one worker each, dealt evenly.
/// So they are when energy is asked for: the counters then tell what workers draw. Throws InputError without counters.
[[nodiscard]] AutoContexts choose_for_run(const RunOptions& options, const ChosenWorkload& chosen);

/// Puts each task where it was chosen to be.
void assign_tasks(const AutoContexts& chosen, const TaskGraph& tasks, Contexts& contexts);

/// What to say when the run took much longer or shorter than simulated (Procedure 1, line 25); mostly nothing.
[[nodiscard]] std::string reevaluate(const AutoContexts& chosen, double seconds);

}  // namespace heddle::cli
