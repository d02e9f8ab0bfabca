#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// Which tasks are alike in where they can run: all tasks of a kind can run on the same classes. Mostly there is one
/// kind.
class Kinds {
 public:
  Kinds() = default;
  explicit Kinds(const Instance& instance);

  [[nodiscard]] std::size_t count() const { return runs_.size() / classes_; }
  /// The kind of the tasks of a row of costs.
  [[nodiscard]] std::size_t of(std::uint32_t row) const { return kind_[row]; }
  [[nodiscard]] bool can_run(std::size_t kind, ClassId c) const { return runs_[kind * classes_ + index(c)]; }

 private:
  std::size_t classes_ = 1;
  std::vector<std::size_t> kind_;  ///< by row
  std::vector<bool> runs_;         ///< by kind and class
};

/// Ready tasks by key, the smallest first, ties by task number. A class is given the first that it can run, in
/// O(kinds + log size) whatever stands before it.
class TaskQueue {
 public:
  TaskQueue() = default;
  explicit TaskQueue(const Kinds& kinds) : heaps_(kinds.count()) {}

  void push(std::size_t kind, TaskId task, std::int64_t key);
  /// Removes and returns the first task that a class can run; kNone when there is none.
  [[nodiscard]] TaskId pop(const Kinds& kinds, ClassId c);
  /// How many of the tasks a class can run.
  [[nodiscard]] std::size_t count(const Kinds& kinds, ClassId c) const;
  /// Removes and returns all tasks, by number.
  [[nodiscard]] std::vector<TaskId> take_all();

 private:
  struct Item {
    std::int64_t key;
    TaskId task;
    bool operator<(const Item& other) const { return key != other.key ? key > other.key : task > other.task; }
  };

  std::vector<std::vector<Item>> heaps_;  ///< by kind; the top is the first task
};

}  // namespace heddle::policy
