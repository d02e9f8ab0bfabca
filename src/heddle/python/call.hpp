#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "heddle/python/arrays.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::python {

/// A Python function and what a task calls it with. Made, destroyed and moved with the interpreter's lock, and kept
/// until all attempts of its task have ended: aborted ones may still run when the task has completed.
class Call {
 public:
  explicit Call(py::object function) : function_(std::move(function)) {}

  void add_value(py::object value) { arguments_.push_back({std::move(value), {}, AccessMode::read, nullptr}); }
  void add_array(py::array array, AccessMode mode, std::shared_ptr<ArrayDatum> datum);

  /// What the task does with the arrays, in their order.
  [[nodiscard]] std::vector<runtime::AnyUse> uses() const;
  /// Takes the lock and calls the function. Throws Raised when that raises something.
  void run(const runtime::Job& job) const;

 private:
  struct Argument {
    py::object value;  ///< or the array
    ArrayLayout layout;
    AccessMode mode;
    std::shared_ptr<ArrayDatum> datum;  ///< null: a value
  };
  /// What the function gets for an array.
  struct Passed;

  [[nodiscard]] static Passed pass(const Argument& argument, const runtime::Argument& there);
  void call(const runtime::Job& job) const;

  py::object function_;
  std::vector<Argument> arguments_;
};

/// The plain value of the kernels that run calls.
struct CallPointer {
  const Call* call;
};

/// The kernel that runs calls under this name: tasks of equal names share their history of durations.
[[nodiscard]] runtime::Kernel<CallPointer> kernel_of_calls(const std::string& name);

}  // namespace heddle::python
