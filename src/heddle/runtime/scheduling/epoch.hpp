#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heddle/host/ready_tracker.hpp"
#include "heddle/host/session.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/runtime/submission/node.hpp"

namespace heddle::runtime {

/// A run of the policy on the tasks that are known and have not ended, with the durations believed when it began
/// (docs/runtime-design.md).
class Epoch {
 public:
  /// Tasks that are believed to last less are short.
  static constexpr Time kShort = 2 * kMicrosecond;

  /// What a task is called; empty: tasks have no names.
  using NameTask = std::function<std::string(const Node&)>;
  /// Makes the policy, which knows nothing yet.
  using MakePolicy = std::function<policy::Policy(const Instance&)>;

  /// `number`: of this one among all, from 1 on. `nodes`: in the order of submission, with all of their predecessors
  /// that have not ended. Tasks that wait for nothing are in the first batch of waiting().
  Epoch(std::uint64_t number, std::vector<Node*> nodes, const Platform& platform,
        const Table<ContextId, Context>& contexts, const NameTask& name, const MakePolicy& make_policy,
        host::Aborts aborts);

  /// Recorded tasks, of which none runs, as an epoch would know them, and which of their durations are guesses.
  [[nodiscard]] static std::pair<Instance, std::vector<std::string>> describe(std::uint64_t number,
                                                                              std::span<Node* const> nodes,
                                                                              const Platform& platform,
                                                                              const Table<ContextId, Context>& contexts,
                                                                              const NameTask& name);

  [[nodiscard]] const Instance& instance() const { return instance_; }
  [[nodiscard]] Node* node(TaskId task) const { return nodes_[index(task)]; }
  /// Which tasks wait for predecessors. Those that commute take turns elsewhere, as data outlives an epoch.
  [[nodiscard]] host::ReadyTracker& waiting() { return waiting_; }
  /// The task is about to be executed: fetches the nodes of some of those that wait for nothing else.
  void prefetch_successors(TaskId task) const {
    constexpr std::size_t kMost = 8;
    const std::span<const TaskId> successors = instance_.graph.successors(task);
    for (const TaskId successor : successors.first(std::min(successors.size(), kMost))) {
      if (waiting_.unmet(successor) == 1) prefetch(*node(successor), Node::kHotBytes);
    }
  }
  /// The task is given to a worker: fetches `bytes` of the node of one that is ready and may be next but a few, as
  /// policies take most tasks in the order of submission. Workers of several contexts take turns in it.
  void prefetch_ready(TaskId task, std::size_t bytes) const {
    constexpr std::size_t kAhead = 12;
    const auto later = make_id<TaskId>(index(task) + kAhead);
    if (index(later) < nodes_.size() && session_.status(later) == host::Status::ready) prefetch(*node(later), bytes);
  }
  /// Whether each of its tasks is ready as soon as its predecessors have ended: none commutes, and none has options of
  /// its own, which may have cancelled it.
  [[nodiscard]] bool is_plain() const { return tasks_.are_plain; }
  /// The task has ended; its node may hold another one soon.
  void forget(TaskId task) {
    nodes_[index(task)] = nullptr;
    --left_;
  }
  /// How many tasks have not ended.
  [[nodiscard]] std::size_t left() const { return left_; }
  /// The nodes of tasks that have not ended, which a next epoch will know.
  [[nodiscard]] std::vector<Node*> release_nodes();

  /// Whether all tasks are short, wherever they run; finds out when first asked.
  [[nodiscard]] bool is_short();
  /// Whether the durations believed now are much like those believed when it began.
  [[nodiscard]] bool still_believed() const;
  /// None of its tasks has ended, and those that wait for nothing are about to be ready; it is to be gone through
  /// again.
  void note_beginning() { beginning_ = waiting_; }
  /// The same tasks once more, numbered as before: none has ended, nothing runs. Its beginning was noted.
  void rewind(std::uint64_t number, std::vector<Node*> nodes, const policy::Policy& policy);

  /// What its tasks access, numbered as in the instance (Block::number), where data has to be moved; null: it is gone.
  [[nodiscard]] const std::vector<Block*>& blocks() const { return blocks_; }
  /// The datum, which has a number in this epoch, is no more: all tasks that use it have ended.
  void forget(const Block& block) { blocks_[index(block.number)] = nullptr; }

  [[nodiscard]] host::Session& session() { return session_; }
  [[nodiscard]] const host::Session& session() const { return session_; }
  [[nodiscard]] policy::HostView& view() { return session_.view(); }
  [[nodiscard]] const policy::HostView& view() const { return session_.view(); }

  /// What the instance does not tell of tasks.
  struct Tasks {
    std::vector<TaskType*> types;  ///< as in the instance
    bool are_plain = true;         ///< is_plain()
  };

 private:
  std::vector<Node*> nodes_;  ///< by task
  std::size_t left_;
  std::optional<bool> is_short_;
  Tasks tasks_;
  std::vector<Block*> blocks_;  ///< by number
  Instance instance_;
  host::ReadyTracker waiting_;
  host::Session session_;
  std::optional<host::ReadyTracker> beginning_;  ///< waiting_, when nothing had ended
};

}  // namespace heddle::runtime
