#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>

namespace heddle::runtime {

/// The failure of a task, whose kernel has thrown `thrown`, as the program is told of it (TaskFailure).
[[nodiscard]] std::exception_ptr task_failure(const std::string& task, const std::exception_ptr& thrown);

/// Why tasks failed, for those who ask later. Tasks that follow each other and failed with the same exception, as those
/// that are cancelled together, take the room of one.
class Failures {
 public:
  /// Each task once.
  void add(std::uint64_t sequence, const std::exception_ptr& failure);
  /// Null when the task did not fail.
  [[nodiscard]] std::exception_ptr of(std::uint64_t sequence) const;
  /// How many are kept.
  [[nodiscard]] std::size_t size() const { return runs_.size(); }

 private:
  struct Run {
    std::uint64_t last;
    std::exception_ptr failure;
  };

  std::map<std::uint64_t, Run> runs_;  ///< by their first task
};

}  // namespace heddle::runtime
