#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/runtime/data.hpp"

namespace heddle::runtime {

/// Why a task failed; names the task. Runtime::wait() and Task::wait() throw it. An exception of a kernel that derives
/// from it reaches them as it is, with the task's name in front of `what()`. Any other is nested in one, `what()` says
/// both, and std::rethrow_if_nested throws the original. InputError and InternalError keep their types, too.
class TaskFailure : public std::runtime_error, public std::nested_exception {
 public:
  /// `why`: what `what()` says behind the task's name.
  explicit TaskFailure(const std::string& why) : std::runtime_error(why) {}

  /// The task that failed first, by its name in traces: what named() gave it, else its kernel's name and number
  /// ("gemm#7"). Empty before the runtime knows.
  [[nodiscard]] std::string task() const { return task_ ? *task_ : ""; }
  /// Done once, by the runtime: later calls change nothing.
  void set_task(std::string task) {
    if (task_) return;
    std::runtime_error::operator=(std::runtime_error("task '" + task + "': " + what()));
    task_ = std::make_shared<const std::string>(std::move(task));
  }

 private:
  std::shared_ptr<const std::string> task_;  // copies of exceptions must not throw
};

/// A task did not run because it was cancelled, or one that it depends on was.
class Cancelled : public TaskFailure {
 public:
  Cancelled() : TaskFailure("the task was cancelled") {}
};

/// The data of a task does not fit into the memory of any device that could run it.
class OutOfMemory : public TaskFailure {
 public:
  using TaskFailure::TaskFailure;
};

class Engine;
struct Node;

/// A submitted task. A value; good as long as its runtime lives. One that is recorded (Runtime::record) serves only to
/// come before others of the same recording.
class Task {
 public:
  Task() = default;

  /// Whether it has ended. Throws InputError when it is recorded.
  [[nodiscard]] bool done() const;
  /// Returns when the task has ended. Throws what it failed with (TaskFailure), or what a task failed with that it
  /// depended on; Cancelled when one of them was cancelled. Throws InputError inside a task, and when it is recorded.
  void wait() const;

 private:
  friend class Engine;
  friend class Submission;

  Engine* engine_ = nullptr;
  Node* node_ = nullptr;
  std::uint64_t sequence_ = 0;
  std::uint64_t recording_ = 0;  ///< the number of its recording; 0: none
};

class Recording;

/// Recorded tasks (Runtime::record), to be run again and again by the runtime that recorded them, as long as their data
/// is registered. A value; copies are the same graph, which may go while it runs.
class Graph {
 public:
  /// How many tasks it has; none once it was moved from.
  [[nodiscard]] std::size_t size() const;

 private:
  friend class Engine;
  explicit Graph(std::shared_ptr<Recording> recording) : recording_(std::move(recording)) {}

  std::shared_ptr<Recording> recording_;
};

/// What can be said of a task beyond its arguments; stands behind them in Runtime::submit.
struct Priority {
  std::int64_t value;
};
/// The application's hint: larger is more urgent. Policies with `priority=hint` follow it.
template <class Number>
[[nodiscard]] Priority priority(Number value) {
  static_assert(std::is_integral_v<Number>, "a priority is an integer");
  return {static_cast<std::int64_t>(value)};
}

struct After {
  std::vector<Task> tasks;
};
/// Tasks to wait for that the data does not tell of: submitted to the same runtime, or recorded in the same recording.
[[nodiscard]] inline After after(std::initializer_list<Task> tasks) {
  return {tasks};
}
[[nodiscard]] inline After after(std::vector<Task> tasks) {
  return {std::move(tasks)};
}
template <class Other>
[[nodiscard]] After after(const Other&) {
  static_assert(std::is_same_v<Other, std::vector<Task>>, "after takes a list of tasks: after({task})");
  return {};
}

struct OnDone {
  std::function<void()> function;
};
/// Called once when the task has completed, on the thread of a worker; it must not wait, but may submit. Not called
/// when the task failed. Runtime::wait() returns after it, and throws what it throws as if the task had failed; the
/// task and its successors have completed all the same.
template <class F>
[[nodiscard]] OnDone on_done(F function) {
  constexpr bool kFits = std::is_invocable_v<F&> && std::is_copy_constructible_v<F>;
  static_assert(kFits, "on_done takes a function without parameters that can be copied");
  if constexpr (kFits) {
    return {std::move(function)};
  } else {
    return {};
  }
}

struct Until {
  std::stop_token token;
};
/// The task, and what depends on it, is cancelled if it has not begun when a stop is requested; so is one that has, and
/// whose function asks Job::stop_token().
[[nodiscard]] inline Until until(std::stop_token token) {
  return {std::move(token)};
}
template <class Other>
[[nodiscard]] Until until(const Other&) {
  static_assert(std::is_same_v<Other, std::stop_token>, "until takes a std::stop_token: until(source.get_token())");
  return {};
}

struct Named {
  std::string name;
};
/// What the task is called in traces and pictures; else its kernel's name and number.
[[nodiscard]] inline Named named(std::string name) {
  return {std::move(name)};
}

struct Also {
  std::vector<AnyUse> uses;
};
/// Data beyond the kernel's parameters, as many as this task needs: in Job::arguments() they stand behind the others.
[[nodiscard]] inline Also also(std::vector<AnyUse> uses) {
  return {std::move(uses)};
}

/// A scheduling context (Runtime::context). A value; good as long as its runtime lives. Its functions may be called by
/// any thread, also while tasks run, and throw InputError, in one sentence, when they make no sense.
class SchedulingContext {
 public:
  SchedulingContext() = default;

  [[nodiscard]] std::string name() const;
  /// The context has more workers from now on: "cpu=1" is one that no context has, "cpu3" may be another one's, too.
  void add(const std::string& workers) const;
  /// The context has fewer workers from now on: "cpu=1" is the last core that it has. They end what they run. Throws
  /// InputError as well when no worker would be left that can run a kernel that was submitted to the context.
  void remove(const std::string& workers) const;
  /// The context is given no more tasks, and its workers are the heir's as well: those that it was given still run.
  void close(const SchedulingContext& heir) const;

 private:
  friend class Engine;

  Engine* engine_ = nullptr;
  ContextId id_ = kNone<ContextId>;
};

struct In {
  SchedulingContext context;
};
/// The context that the task belongs to: only its workers run the task, as its policy says.
[[nodiscard]] inline In in(SchedulingContext context) {
  return {context};
}
template <class Other>
[[nodiscard]] In in(const Other&) {
  static_assert(std::is_same_v<Other, SchedulingContext>, "in takes what Runtime::context returns: in(solver)");
  return {};
}

/// All options of one task.
struct TaskOptions {
  std::int64_t priority = 0;
  std::vector<Task> after;
  std::function<void()> on_done;
  std::stop_token stop;
  std::string name;
  std::vector<AnyUse> also;
  SchedulingContext context;  ///< of no runtime: the one that tasks belong to whose submission names none

  void set(Priority option) { priority = option.value; }
  void set(After option) { after.insert(after.end(), option.tasks.begin(), option.tasks.end()); }
  void set(OnDone option) { on_done = std::move(option.function); }
  void set(Named option) { name = std::move(option.name); }
  void set(Also option) { also.insert(also.end(), option.uses.begin(), option.uses.end()); }
  void set(Until option) { stop = std::move(option.token); }
  void set(In option) { context = option.context; }
};

}  // namespace heddle::runtime
