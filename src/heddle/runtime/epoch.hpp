#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/runtime/node.hpp"

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
  /// that have not ended.
  Epoch(std::uint64_t number, std::vector<Node*> nodes, const Platform& platform, const NameTask& name,
        const MakePolicy& make_policy);

  [[nodiscard]] const Instance& instance() const { return instance_; }
  [[nodiscard]] Node* node(TaskId task) const { return nodes_[index(task)]; }
  /// How many predecessors of the task have not ended.
  [[nodiscard]] std::uint32_t unmet(TaskId task) const { return unmet_[index(task)]; }
  /// The task has ended: calls `released(successor)` for each task that waited for nothing else.
  template <class Released>
  void release_successors(TaskId task, Released&& released) {
    for (const TaskId successor : instance_.graph.successors(task)) {
      if (--unmet_[index(successor)] == 0) released(successor);
    }
  }
  /// The task is about to be executed: fetches the nodes of some of those that wait for nothing else.
  void prefetch_successors(TaskId task) const {
    constexpr std::size_t kMost = 8;
    const std::span<const TaskId> successors = instance_.graph.successors(task);
    for (const TaskId successor : successors.first(std::min(successors.size(), kMost))) {
      if (unmet(successor) == 1) prefetch(*node(successor), Node::kHotBytes);
    }
  }
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
  /// None of its tasks has ended; it is to be gone through again.
  void note_beginning();
  /// The tasks that wait for nothing when it begins; once that was noted.
  [[nodiscard]] std::span<const TaskId> sources() const { return sources_; }
  /// The same tasks once more, numbered as before: none has ended, nothing runs. Its beginning was noted.
  void rewind(std::uint64_t number, std::vector<Node*> nodes, const policy::Policy& policy);

  /// What its tasks access, numbered as in the instance (Block::number), where data has to be moved; null: it is gone.
  [[nodiscard]] const std::vector<Block*>& blocks() const { return blocks_; }
  /// The datum, which has a number in this epoch, is no more: all tasks that use it have ended.
  void forget(const Block& block) { blocks_[index(block.number)] = nullptr; }

  [[nodiscard]] policy::HostView& view() { return view_; }
  [[nodiscard]] policy::Policy& policy() { return policy_; }

 private:
  std::vector<Node*> nodes_;              ///< by task
  std::vector<std::uint32_t> unmet_;      ///< by task
  std::vector<std::uint32_t> all_unmet_;  ///< as unmet_ begins
  std::vector<TaskId> sources_;
  std::size_t left_;
  std::optional<bool> is_short_;
  std::vector<TaskType*> types_;  ///< of its tasks, as in the instance
  std::vector<Block*> blocks_;    ///< by number
  Instance instance_;
  policy::HostView view_;
  policy::Policy policy_;
};

}  // namespace heddle::runtime
