#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/model/ids.hpp"

namespace heddle {

/// How a task uses a datum. `commute`: read-write, in any order but never at once; `reduce`: read-write, may be
/// accumulated in private copies, so concurrently.
enum class AccessMode : std::uint8_t { read, write, read_write, commute, reduce };

/// Whether a task needs the present value of the datum; `reduce` starts a private copy of its own.
[[nodiscard]] constexpr bool reads(AccessMode mode) {
  return mode == AccessMode::read || mode == AccessMode::read_write || mode == AccessMode::commute;
}
/// Whether a task leaves a new value; what `reduce` leaves is a part of one.
[[nodiscard]] constexpr bool writes(AccessMode mode) {
  return mode == AccessMode::write || mode == AccessMode::read_write || mode == AccessMode::commute;
}

/// Whether accesses that follow each other on a datum form a group: none of its tasks waits for another one.
[[nodiscard]] constexpr bool is_grouped(AccessMode mode) {
  return mode == AccessMode::commute || mode == AccessMode::reduce;
}

struct Access {
  DataId data;
  AccessMode mode;

  bool operator==(const Access&) const = default;
};

/// The accesses of one datum so far, as far as a later one must wait for them (TaskGraphBuilder tells the rules).
/// `Task` is whatever names a task.
template <class Task>
class AccessHistory {
 public:
  /// Records an access; before, calls wait_for(tasks) with those that it must wait for.
  template <class WaitFor>
  void add(AccessMode mode, const Task& task, WaitFor&& wait_for) {
    if (mode == AccessMode::read) {
      wait_for(std::span<const Task>(writers_));
      readers_.push_back(task);
      return;
    }
    const bool grouped = is_grouped(mode);
    if (grouped && mode == mode_ && readers_.empty()) {
      wait_for(std::span<const Task>(before_));
      writers_.push_back(task);
      return;
    }
    before_.swap(readers_.empty() ? writers_ : readers_);
    wait_for(std::span<const Task>(before_));
    if (!grouped) before_.clear();
    readers_.clear();
    writers_.assign(1, task);
    mode_ = mode;
  }

  /// Forgets tasks for which no later task has to wait.
  template <class IsOver>
  void forget(IsOver&& is_over) {
    for (std::vector<Task>* tasks : {&before_, &writers_, &readers_}) std::erase_if(*tasks, is_over);
  }
  /// The last ones: all others come before one of them.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const std::vector<Task>* tasks : {&before_, &writers_, &readers_}) std::ranges::for_each(*tasks, visit);
  }
  [[nodiscard]] std::size_t size() const { return before_.size() + writers_.size() + readers_.size(); }

 private:
  AccessMode mode_ = AccessMode::write;  ///< of the last writers
  std::vector<Task> before_;             ///< what the present group of commuting (or reducing) tasks waits for
  std::vector<Task> writers_;            ///< the last writer, or the group
  std::vector<Task> readers_;            ///< since the last write
};

}  // namespace heddle
