#pragma once

#include <algorithm>
#include <array>
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
      if (--unmet_[successor] == 0) released().push_back(successor);
    }
    if (takes_turns()) completed_.push_back(task);
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
  void release(TaskId task) { released().push_back(task); }
  /// Whether there is nothing to make a batch of.
  [[nodiscard]] bool empty() const { return released().empty() && completed_.empty(); }
  /// The tasks that have become ready since the last call, in their order, in room that is the caller's until the next
  /// call.
  [[nodiscard]] std::span<TaskId> next_batch(const TaskGraph& graph) {
    std::vector<TaskId>& batch = released();
    fills_second_ = !fills_second_;
    released().clear();
    if (takes_turns()) {
      commuting_.settle(graph, completed_, batch);
      completed_.clear();
    } else if (!std::ranges::is_sorted(batch)) {  // many at once mostly are: those that wait for nothing
      std::ranges::sort(batch);
    }
    return batch;
  }

  /// For a policy that keeps to an order of its own: tasks that commute are ready together, and take turns when they
  /// start, which is up to the engine.
  void take_turns_at_start(bool at_start) { turns_at_start_ = at_start && !commuting_.trivial(); }
  [[nodiscard]] bool turns_at_start() const { return turns_at_start_; }
  [[nodiscard]] CommuteQueue& commuting() { return commuting_; }

 private:
  [[nodiscard]] std::vector<TaskId>& released() { return lists_[fills_second_ ? 1 : 0]; }
  [[nodiscard]] const std::vector<TaskId>& released() const { return lists_[fills_second_ ? 1 : 0]; }
  [[nodiscard]] bool takes_turns() const { return !commuting_.trivial() && !turns_at_start_; }

  Table<TaskId, std::uint32_t> unmet_;
  CommuteQueue commuting_;
  bool turns_at_start_ = false;
  /// One is the last batch, the other collects the next. To swap two vectors would have the processor wait: it reads
  /// their pointers in pairs, of which one was just written.
  std::array<std::vector<TaskId>, 2> lists_;
  bool fills_second_ = false;
  std::vector<TaskId> completed_;
};

}  // namespace heddle::host
