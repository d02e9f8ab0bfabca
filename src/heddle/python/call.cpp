#include "heddle/python/call.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "heddle/python/interpreter.hpp"

namespace heddle::python {

struct Call::Passed {
  py::array array;
  py::array away{};  ///< the memory that `array` is a copy of; none: it is on the memory itself
};

void Call::add_array(py::array array, AccessMode mode, std::shared_ptr<ArrayDatum> datum) {
  const ArrayLayout layout = datum->layout;
  arguments_.push_back({std::move(array), layout, mode, std::move(datum)});
}

std::vector<runtime::AnyUse> Call::uses() const {
  std::vector<runtime::AnyUse> uses;
  for (const Argument& argument : arguments_) {
    if (argument.datum) uses.push_back(use_of(*argument.datum, argument.mode));
  }
  return uses;
}

/// An array on the program's memory can be kept by the function. The runtime's own copies (replicas of attempts that
/// may be aborted, private copies of reductions) are used again, so the function gets a copy that is Python's.
Call::Passed Call::pass(const Argument& argument, const runtime::Argument& there) {
  const py::array array = py::reinterpret_borrow<py::array>(argument.value);
  const bool writes = argument.mode != AccessMode::read;
  if (there.piece.address == argument.layout.piece.address) return {view_of(array, writes)};
  Passed passed{py::array(), array_at(array, argument.layout, there)};
  const py::object numpy = py::module_::import("numpy");
  passed.array = numpy.attr("empty_like")(passed.away);
  if (argument.mode != AccessMode::write) numpy.attr("copyto")(passed.array, passed.away);
  if (!writes) {
    passed.array.attr("setflags")(py::arg("write") = false);
    passed.away = py::array();
  }
  return passed;
}

void Call::call(const runtime::Job& job) const {
  py::tuple arguments(arguments_.size());
  std::vector<Passed> copies;  // to be written back
  std::size_t number = 0;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (!arguments_[i].datum) {
      arguments[i] = arguments_[i].value;
      continue;
    }
    Passed passed = pass(arguments_[i], job.argument(number++));
    arguments[i] = passed.array;
    if (passed.away.size() > 0) copies.push_back(std::move(passed));
  }
  const py::object result = py::reinterpret_steal<py::object>(PyObject_CallObject(function_.ptr(), arguments.ptr()));
  if (!result) throw py::error_already_set();
  for (const auto& [array, away] : copies) py::module_::import("numpy").attr("copyto")(away, array);
}

void Call::run(const runtime::Job& job) const {
  const Locked locked;
  if (job.stop_token().stop_requested()) return;  // aborted while this thread waited for the lock
  const InCallback in_callback(Callback::kernel);
  try {
    call(job);
  } catch (py::error_already_set& error) {
    throw Raised{std::move(error)};
  }
}

runtime::Kernel<CallPointer> kernel_of_calls(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, runtime::Kernel<CallPointer>> kernels;
  const std::lock_guard lock(mutex);
  const auto found = kernels.find(name);
  if (found != kernels.end()) return found->second;
  const auto run = [](const runtime::Job& job, CallPointer call) { call.call->run(job); };
  return kernels.emplace(name, runtime::Kernel<CallPointer>(name, runtime::on_cpu(run))).first->second;
}

}  // namespace heddle::python
