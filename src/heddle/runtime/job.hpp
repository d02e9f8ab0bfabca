#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "heddle/model/ids.hpp"
#include "heddle/runtime/team.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

/// One copy of a datum that a task works on.
struct Argument {
  Piece piece;
  Shape shape;
};

/// One execution of a task, as an implementation sees it. A function that wants to know more than its arguments
/// declares `const Job&` as its first parameter.
class Job {
 public:
  /// `asked`: becomes true when stop_token() is called.
  Job(WorkerId worker, Team& team, std::span<const Argument> arguments, const std::byte* values, std::stop_token stop,
      std::atomic<bool>* asked = nullptr)
      : worker_(worker), team_(&team), arguments_(arguments), values_(values), stop_(std::move(stop)), asked_(asked) {}
  /// The same with other addresses of the data, or on a queue.
  [[nodiscard]] Job with(std::span<const Argument> arguments, void* queue = nullptr) const {
    Job other = *this;
    other.arguments_ = arguments;
    other.queue_ = queue;
    return other;
  }

  [[nodiscard]] WorkerId worker() const { return worker_; }
  /// The cores of the worker: more than one where it is a group (class cpu2 and the like).
  [[nodiscard]] Team& team() const { return *team_; }
  /// On which an implementation for a device asks for its work: a cudaStream_t, a cl_command_queue; else null.
  [[nodiscard]] void* queue() const { return queue_; }
  /// The data, in the order of the kernel's parameters, then that of also().
  [[nodiscard]] std::span<const Argument> arguments() const { return arguments_; }
  /// The plain values, in the order of the kernel's parameters, each at the next multiple of its alignment.
  [[nodiscard]] const std::byte* values() const { return values_; }
  /// Asked to stop when nobody waits for the result any more, or when the program says so (until): a function that
  /// returns early then loses nothing. Of a task whose function has asked for this, and that ends after the program has
  /// said so, the result is believed not to be whole: it is cancelled.
  [[nodiscard]] const std::stop_token& stop_token() const {
    if (asked_ != nullptr) asked_->store(true, std::memory_order_relaxed);
    return stop_;
  }

 private:
  WorkerId worker_;
  Team* team_;
  void* queue_ = nullptr;
  std::span<const Argument> arguments_;
  const std::byte* values_;
  std::stop_token stop_;
  std::atomic<bool>* asked_;
};

}  // namespace heddle::runtime
