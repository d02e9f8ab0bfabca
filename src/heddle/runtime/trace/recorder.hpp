#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/runtime/data/memory_places.hpp"
#include "heddle/runtime/data/transfer.hpp"
#include "heddle/runtime/runtime.hpp"
#include "heddle/runtime/scheduling/execution.hpp"
#include "heddle/runtime/submission/node.hpp"
#include "heddle/runtime/trace/context_changes.hpp"

namespace heddle::runtime {

/// Writes down what happens, to make a Trace of it. Guarded by the engine's lock.
class Recorder {
 public:
  /// Of every task, after those that it waits for. `before`: how many were submitted before the run of recorded tasks
  /// that it belongs to, otherwise 0.
  void submitted(const Node& node, std::uint64_t before);
  void attempted(const Node& node, std::uint64_t before, const Execution& execution, Time start, Time end,
                 Outcome outcome);
  /// The kernel of an attempt that was aborted ended: maybe before the engine, which aborted it, knew.
  void returned(WorkerId worker, Time end);
  void transferred(const Transfer& transfer, const MemoryPlaces& places, Time start, Time end);

  /// Types of tasks that were not known before.
  void know(std::span<TaskType* const> types) { types_.insert(types_.end(), types.begin(), types.end()); }
  [[nodiscard]] ContextChanges& contexts() { return contexts_; }

  /// Of the tasks that have ended; time counts from `begin` on.
  [[nodiscard]] Trace trace(const Platform& platform, Time begin) const;

 private:
  struct Task {
    std::uint64_t sequence;
    const TaskType* type;
    std::int64_t priority;
    std::string name;
    std::vector<Access> accesses;
    std::vector<std::uint64_t> after;
  };
  struct Attempt {
    std::uint64_t sequence;
    const TaskType* type;
    WorkerId worker;
    const Implementation* implementation;
    Time start;
    Time end;
    Outcome outcome;
  };

  std::vector<TaskType*> types_;  ///< all, in the order of first submission
  ContextChanges contexts_;
  std::vector<Task> tasks_;
  std::vector<Attempt> attempts_;
  std::vector<heddle::Transfer> transfers_;
  std::vector<std::int64_t> bytes_;  ///< by datum
};

}  // namespace heddle::runtime
