#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "heddle/runtime/job.hpp"
#include "heddle/runtime/scheduling/epoch.hpp"
#include "heddle/runtime/submission/node.hpp"
#include "heddle/runtime/submission/node_pool.hpp"

namespace heddle::runtime {

/// Data whose last tasks reduce into it, and the context of the last of these.
using Reduced = std::map<Block*, ContextId>;

/// Tasks that were recorded to be run again and again: their nodes, and the epoch that they make.
/// While it is made it is guarded by the lock of Submission; afterwards by the engine's, but for its data and
/// `last_run`.
class Recording {
 public:
  /// `engine`: its number, which no other of the process ever has. `number`: of this one among all of its engine, from
  /// 1 on.
  Recording(std::uint64_t engine, std::uint64_t number) : engine_(engine), number_(number) {}

  [[nodiscard]] bool is_of(std::uint64_t engine) const { return engine_ == engine; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] Node& add_node() { return *nodes_.emplace_back(&pool_.add()); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] AccessHistory<Ref>& history(Block* block) { return histories_[block]; }
  /// The datum is no more. A program that records tasks on it has to keep it until they have run for the last time.
  /// Whether such tasks may be running: watch() and is_done_with() tell.
  [[nodiscard]] bool forget(Block* block) {
    if (!histories_.contains(block)) return false;
    is_whole_ = false;
    reduced.erase(block);
    if (!is_finished_) histories_.erase(block);
    return is_finished_;
  }
  /// Whether all that its tasks access is still there.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

  /// All tasks are there.
  void finish() { is_finished_ = true; }
  /// From now on threads that wait are told when no task of a run uses the datum any more.
  void watch(Block* block);
  /// Whether that is so of the present run.
  [[nodiscard]] bool is_done_with(Block* block) const;
  /// The nodes of all tasks, in the order of submission.
  [[nodiscard]] const std::vector<Node*>& nodes() const { return nodes_; }
  /// Once, when all tasks are there, and no value ever leaves its home: each task is given the same arguments in each
  /// run (Node::arguments), but for those that reduce, or bring together what others reduced.
  void settle_arguments();

  Reduced reduced;             ///< while it is made: whose last tasks reduce into them
  std::uint64_t last_run = 0;  ///< the number, among all of its engine, of the last that was submitted; 0: none
  std::uint32_t runs = 0;      ///< begun so far
  /// The epoch of the last run, to go through again, and the policy as it was when it had started; nothing before.
  std::shared_ptr<Epoch> epoch;
  std::optional<policy::Policy> started;

 private:
  const std::uint64_t engine_;
  const std::uint64_t number_;
  NodePool pool_;
  std::vector<Node*> nodes_;
  std::vector<const Argument*> arguments_;
  std::unordered_map<Block*, AccessHistory<Ref>> histories_;
  bool is_finished_ = false;
  bool is_whole_ = true;
};

}  // namespace heddle::runtime
