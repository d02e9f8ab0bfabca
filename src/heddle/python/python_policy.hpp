#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "heddle/policy/policy.hpp"

namespace heddle::python {

/// What a Python policy sees of a run, during the call that it is passed to; afterwards each use of it is an error.
class PyView {
 public:
  explicit PyView(const policy::View* view) : view_(view) {}
  /// Throws InputError after the call.
  [[nodiscard]] const policy::View& get() const;
  void end() { view_ = nullptr; }

 private:
  const policy::View* view_;
};

/// A policy that a Python object decides: ready() and next(), and the other facts for which it has methods. Its copy is
/// made with copy.deepcopy. What the object raises is thrown as Raised.
class PythonPolicy {
 public:
  /// The caller holds the interpreter's lock.
  explicit PythonPolicy(const pybind11::object& object);
  /// Of a copy of the object; the caller holds the interpreter's lock.
  [[nodiscard]] static PythonPolicy copy_of(const pybind11::object& object);

  PythonPolicy(const PythonPolicy& other);
  PythonPolicy(PythonPolicy&&) noexcept = default;
  PythonPolicy& operator=(const PythonPolicy& other) { return *this = PythonPolicy(other); }
  PythonPolicy& operator=(PythonPolicy&&) noexcept = default;
  ~PythonPolicy() = default;

  void start(const policy::View& view);
  void ready(const policy::View& view, std::span<const TaskId> tasks);
  void started(const policy::View& view, TaskId task, WorkerId worker);
  void finished(const policy::View& view, std::span<const policy::Completion> completions);
  void aborted(const policy::View& view, TaskId task, WorkerId worker);
  void refused(const policy::View& view, policy::Action action);
  void workers_changed(const policy::View& view);
  [[nodiscard]] policy::Action next(const policy::View& view);

 private:
  struct Methods;
  struct Release {
    void operator()(Methods* methods) const;
  };

  std::unique_ptr<Methods, Release> methods_;
};

}  // namespace heddle::python
