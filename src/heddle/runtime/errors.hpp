#pragma once

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

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

}  // namespace heddle::runtime
