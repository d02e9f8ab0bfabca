#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heddle/python/session.hpp"

namespace heddle::python {

/// Throws InputError when Python code calls this that a runtime calls: a policy never may, a kernel may not `what`, as
/// it would wait for itself.
void check_outside(const std::string& what);
void check_no_policy();

/// The runtime as Python has it, until it is closed.
class PyRuntime {
 public:
  PyRuntime(runtime::Config config, const std::string& policy);
  /// As close(), where that was not called.
  ~PyRuntime();
  PyRuntime(const PyRuntime&) = delete;
  PyRuntime& operator=(const PyRuntime&) = delete;

  /// Begins a call. Throws InputError when it is closed, and in a policy.
  [[nodiscard]] SessionCall session() const;
  [[nodiscard]] bool is_closed() const { return !session_; }
  /// Whether close() would make this thread wait for itself: it is in a task, a policy, or a call of the runtime.
  [[nodiscard]] bool is_in_use_here() const;
  /// Waits for the tasks, or cancels those that have not begun, and ends the runtime. Throws InputError where this
  /// thread uses it.
  void close(bool cancel);

 private:
  std::shared_ptr<Session> session_;
};

/// Registers what the task is to do with an array, and checks that it may. `what` names the argument in errors.
[[nodiscard]] std::shared_ptr<ArrayDatum> datum_of(Session& session, const py::array& array, AccessMode mode,
                                                   const std::string& what);

}  // namespace heddle::python
