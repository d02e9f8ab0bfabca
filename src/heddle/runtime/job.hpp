#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

/// The cores of one worker: its thread and, for a worker that is a group of cores, helpers that sleep when no kernel
/// follows within some microseconds.
class Team {
 public:
  /// `enter(member)`: what each helper does first, from 1 on; it binds itself to its core. Throws std::system_error.
  Team(std::size_t size, const std::function<void(std::size_t member)>& enter);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Calls work(0), ..., work(parts - 1), each once, on all members, and returns when all have returned; inside a part,
  /// all on the thread that calls. Otherwise only the worker's thread may call it. Throws what the first part that
  /// failed threw; the others are done nevertheless.
  void run(std::size_t parts, const std::function<void(std::size_t part)>& work);

 private:
  class Helpers;

  std::size_t size_;
  std::unique_ptr<Helpers> helpers_;
};

/// Pointers to all of them.
[[nodiscard]] inline std::vector<const Argument*> pointers_to(std::span<const Argument> arguments) {
  std::vector<const Argument*> pointers;
  for (const Argument& one : arguments) pointers.push_back(&one);
  return pointers;
}

/// One execution of a task, as an implementation sees it. A function that wants to know more than its arguments
/// declares `const Job&` as its first parameter.
class Job {
 public:
  /// Arguments and values must outlive it. `asked`: becomes true when stop_token() is called.
  Job(WorkerId worker, Team& team, std::span<const Argument* const> arguments, const std::byte* values,
      std::stop_token stop, std::atomic<bool>* asked = nullptr)
      : worker_(worker), team_(&team), arguments_(arguments), values_(values), stop_(std::move(stop)), asked_(asked) {}
  /// The same with other addresses of the data.
  [[nodiscard]] Job with(std::span<const Argument* const> arguments) const {
    Job other = *this;
    other.arguments_ = arguments;
    return other;
  }
  /// The same on a queue.
  [[nodiscard]] Job on(void* queue) const {
    Job other = *this;
    other.queue_ = queue;
    return other;
  }

  [[nodiscard]] WorkerId worker() const { return worker_; }
  /// The cores of the worker: more than one where it is a group (class cpu2 and the like).
  [[nodiscard]] Team& team() const { return *team_; }
  /// On which an implementation for a device asks for its work: a cudaStream_t, a cl_command_queue; else null.
  [[nodiscard]] void* queue() const { return queue_; }
  /// The data, in the order of the kernel's parameters, then that of also(): a range of `const Argument&`.
  [[nodiscard]] auto arguments() const {
    return arguments_ | std::views::transform([](const Argument* one) -> const Argument& { return *one; });
  }
  /// One of them.
  [[nodiscard]] const Argument& argument(std::size_t number) const { return *arguments_[number]; }
  /// The plain values, in the order of the kernel's parameters, each at the next multiple of its alignment.
  [[nodiscard]] const std::byte* values() const { return values_; }
  /// Asked to stop when the result is not needed any more, or when the program says so (until): a function that
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
  std::span<const Argument* const> arguments_;
  const std::byte* values_;
  std::stop_token stop_;
  std::atomic<bool>* asked_;
};

}  // namespace heddle::runtime
