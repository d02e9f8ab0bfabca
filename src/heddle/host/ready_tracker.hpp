#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/host/commute_queue.hpp"
#include "heddle/model/instance.hpp"

namespace heddle::host {

/// Which tasks have become ready: those whose predecessors are done and, where tasks commute, that got their data
/// (CommuteQueue). They come in batches, as the policy is told of them. A value.
class ReadyTracker {
 public:
  /// All tasks are to be done.
  explicit ReadyTracker(const TaskGraph& graph);

  /// How many predecessors of the task are not done.
  [[nodiscard]] std::uint32_t unmet(TaskId task) const { return unmet_[task]; }
  /// The task is done.
  void complete(const TaskGraph& graph, TaskId task) {
    for (const TaskId successor : graph.successors(task)) {
      if (--unmet_[successor] == 0) released_.push_back(successor);
    }
    if (takes_turns_) completed_.push_back(task);
  }
  /// The task was done before the run is looked at: nothing is released by it.
  void skip(const TaskGraph& graph, TaskId task) {
    for (const TaskId successor : graph.successors(task)) --unmet_[successor];
  }
  /// The task is ready, or more, though not all of its predecessors are done: they release it no more.
  void detach(TaskId task) {
    constexpr std::uint32_t kNever = std::uint32_t{1} << 31;
    unmet_[task] |= kNever;
  }
  /// The task, whose predecessors are done, is one of the next batch, or waits for what it commutes on.
  void release(TaskId task) { released_.push_back(task); }
  /// Whether there is nothing to make a batch of.
  [[nodiscard]] bool empty() const { return released_.empty() && completed_.empty(); }
  /// The tasks that have become ready since the last call, in their order, in room that is the caller's until the next
  /// call.
  [[nodiscard]] std::span<const TaskId> next_batch(const TaskGraph& graph) {
    batch_.clear();
    for (const TaskId task : released_) batch_.push_back(task);
    released_.clear();
    // Many at once mostly are in order: those that wait for nothing.
    if (takes_turns_ || !std::ranges::is_sorted(batch_)) [[unlikely]]
      settle_batch(graph);
    return batch_;
  }

  /// For a policy that keeps to an order of its own: tasks that commute are ready together, and take turns when they
  /// start, which is up to the engine.
  void take_turns_at_start(bool at_start) { takes_turns_ = !at_start && !commuting_.trivial(); }
  [[nodiscard]] bool turns_at_start() const { return !takes_turns_ && !commuting_.trivial(); }
  [[nodiscard]] CommuteQueue& commuting() { return commuting_; }

 private:
  void settle_batch(const TaskGraph& graph);

  Table<TaskId, std::uint32_t> unmet_;
  CommuteQueue commuting_;
  bool takes_turns_;               ///< tasks that commute do, before they are ready
  std::vector<TaskId> released_;   ///< since the last batch
  std::vector<TaskId> completed_;  ///< since then, where tasks commute
  /// The last batch: a copy, as most are short. To swap two vectors would have the processor wait: it reads their
  /// pointers in pairs, of which one was just written.
  std::vector<TaskId> batch_;
};

}  // namespace heddle::host
