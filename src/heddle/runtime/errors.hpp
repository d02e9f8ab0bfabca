#pragma once

#include <stdexcept>

namespace heddle::runtime {

/// A task did not run because it was cancelled, or something that it depends on was.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("the task was cancelled") {}
};

/// The data of a task does not fit into the memory of any device that could run it.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace heddle::runtime
