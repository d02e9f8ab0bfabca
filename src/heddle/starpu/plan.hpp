#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::starpu {

/// A schedule in a file that is to be followed by tasks which arrive one by one (`static:file=`): each is found by its
/// name (TaskNames). Copies share what was read.
class Plan {
 public:
  /// Throws InputError when the file cannot be read, or is for other workers.
  Plan(const std::string& file, const Platform& platform);

  [[nodiscard]] bool knows(std::string_view task) const;
  /// What is planned for the tasks of the instance, later where they wait for more than was planned for. Those that are
  /// not in the plan, or cannot run where it says, shall run once their predecessors have, on a worker for which little
  /// is planned.
  [[nodiscard]] Schedule operator()(const Instance& instance) const;

 private:
  struct Inside;
  std::shared_ptr<const Inside> inside_;
};

}  // namespace heddle::starpu
