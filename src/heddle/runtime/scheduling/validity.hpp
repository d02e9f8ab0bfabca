#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>

#include "heddle/runtime/data/data_store.hpp"
#include "heddle/runtime/scheduling/failures.hpp"
#include "heddle/runtime/submission/node.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::runtime {

/// Which tasks can still run, and why the others cannot: what they read is poisoned (a task that should have written it
/// has failed), no class of workers can run their type, or they were cancelled. And which tasks have failed.
class Validity {
 public:
  /// Why the task, whose predecessors have ended, cannot run; null when it can. `before`: how many tasks were submitted
  /// before the run of recorded ones that it belongs to, otherwise 0.
  [[nodiscard]] std::exception_ptr poison_of(const Node& node, std::uint64_t before) const;
  /// Whether there may be a reason.
  [[nodiscard]] bool may_be_poisoned(const Node& node) const { return some_poisoned_ || node.extras != nullptr; }
  /// Whether tasks may be poisoned by other things than their own options.
  [[nodiscard]] bool some_poisoned() const { return some_poisoned_; }

  /// The tasks up to the one of this number are cancelled, but for those that have begun.
  void cancel(std::uint64_t last);
  /// No class runs tasks of the type any more.
  void lose(TaskType& type, std::exception_ptr why);
  /// No task of the context runs any more.
  void lose(ContextId context, const std::exception_ptr& why);
  /// The datum has no valid value.
  void poison(Block& block);
  /// The datum is no more.
  void forget(Block& block);
  /// Nothing is left, and data has the value that the program gives it.
  void renew();

  /// A task has ended; `failure` is null if it completed. What it writes has no valid value if it failed, and is valid
  /// again if it did not.
  void ended(const Node& node, const std::exception_ptr& failure, DataStore& data) {
    if (failure || !poisoned_.empty()) [[unlikely]]
      note_writes(node, failure, data);
  }
  /// The task of this number has failed. `name` tells what it is called.
  void failed(std::uint64_t number, const std::exception_ptr& failure, const std::function<std::string()>& name) {
    if (!first_) first_ = failure == cancelled_ ? task_failure(name(), failure) : failure;
    failed_.add(number, failure);
  }
  /// Something else has failed, which surfaces like the failure of a task.
  void note(const std::exception_ptr& failure) {
    if (!first_) first_ = failure;
  }
  /// The first failure since the last call; null when there was none.
  [[nodiscard]] std::exception_ptr take_first() { return std::exchange(first_, nullptr); }
  /// Why the task of this number, which has ended, failed; null when it did not.
  [[nodiscard]] std::exception_ptr failure_of(std::uint64_t number) const { return failed_.of(number); }
  /// The failure of all that is cancelled.
  [[nodiscard]] const std::exception_ptr& cancelled() const { return cancelled_; }

 private:
  void note_writes(const Node& node, const std::exception_ptr& failure, DataStore& data);
  void note_some() { some_poisoned_ = last_cancelled_ > 0 || some_lost_ || !poisoned_.empty(); }

  bool some_poisoned_ = false;
  std::uint64_t last_cancelled_ = 0;                    ///< task; 0: none is
  bool some_lost_ = false;                              ///< types or contexts
  Table<ContextId, std::exception_ptr> lost_contexts_;  ///< why tasks of a context do not run; may be short
  std::unordered_set<Block*> poisoned_;                 ///< data that may have no valid value
  Failures failed_;                                     ///< tasks, by number
  std::exception_ptr first_;                            ///< failure since the last wait
  const std::exception_ptr cancelled_ = std::make_exception_ptr(Cancelled());
};

}  // namespace heddle::runtime
