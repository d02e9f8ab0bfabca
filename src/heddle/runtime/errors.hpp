#pragma once

#include <stdexcept>

namespace heddle::runtime {

/// A task did not run because it was cancelled, or something that it depends on was.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("the task was cancelled") {}
};

}  // namespace heddle::runtime
