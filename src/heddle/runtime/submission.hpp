#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "heddle/runtime/node.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::runtime {

/// What programs submit, until the engine takes it up. Any thread may submit; the order of submission is the order in
/// which this is called.
class Submission {
 public:
  /// `bind` finds the implementations of a kernel for the classes of the machine.
  using Bind = std::function<std::vector<const Implementation*>(const KernelInfo&)>;
  explicit Submission(Bind bind);

  /// Makes a node of a task, and finds what it depends on. `values`: plain arguments, laid out as Job::values. Throws
  /// InputError when no worker can run the kernel, or when a datum is accessed twice in ways that do not go together.
  Ref submit(const std::shared_ptr<const KernelInfo>& kernel, std::span<const BlockAccess> accesses,
             std::span<const std::byte> values, TaskOptions&& options);

  /// How many tasks were submitted and not yet taken. Sequentially consistent: a worker that finds none after it said
  /// that it waits is seen to wait by whoever submits one.
  [[nodiscard]] std::size_t pending() const { return pending_count_.load(); }
  /// Appends the tasks that were submitted to `tasks`, in order.
  void take(std::vector<Node*>& tasks);
  /// Takes back a node whose task has ended; any thread, one at a time.
  void give_back(Node* node);

  /// How often the datum was accessed so far.
  [[nodiscard]] std::uint64_t uses(const Block& block);

 private:
  [[nodiscard]] Node* new_node();
  [[nodiscard]] TaskType& type_of(const std::shared_ptr<const KernelInfo>& kernel,
                                  std::span<const BlockAccess> accesses);
  void depend_on(const Ref& ref, std::uint64_t own);
  void unify_predecessors();
  void fill(Node& node, std::span<const BlockAccess> accesses, std::span<const std::byte> values) const;

  Bind bind_;
  std::mutex mutex_;  ///< guards all but the atomics
  std::uint64_t next_sequence_ = 1;
  std::vector<Node*> pending_;
  std::atomic<std::size_t> pending_count_{0};
  std::vector<Ref> predecessors_;  ///< of the task being submitted
  std::deque<TaskType> types_;
  std::unordered_multimap<std::size_t, TaskType*> type_by_hash_;  ///< of kernel and shapes
  std::vector<std::unique_ptr<Node[]>> chunks_;
  Node* free_ = nullptr;
  std::atomic<Node*> returned_{nullptr};
};

}  // namespace heddle::runtime
