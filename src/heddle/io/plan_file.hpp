#pragma once

#include <memory>
#include <string>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::io {

/// A schedule in a file that is to be followed by tasks which become known while they run: each is found by its name
/// (runtime::Config::plan). Copies share what was read.
class PlanFile {
 public:
  /// `text`: of a file in Heddle's format; `source` names it in errors.
  PlanFile(std::string text, std::string source);

  /// What the file plans for the tasks of the instance. The first instance that is asked for has all tasks of the file;
  /// later ones have those that are left. Throws InputError when the file cannot be read, or plans for other tasks or
  /// workers.
  [[nodiscard]] Schedule operator()(const Instance& instance) const;

 private:
  struct Inside;
  std::shared_ptr<Inside> inside_;
};

}  // namespace heddle::io
