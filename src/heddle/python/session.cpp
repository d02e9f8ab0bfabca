#include "heddle/python/session.hpp"

#include <unistd.h>

#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::python {
namespace {

/// Raises what Python code in the runtime raised, once more: the same object, with its traceback.
[[noreturn]] void raise_again(const Raised& raised, const std::string& task) {
  const py::object value = raised.error.value();
  if (raised.error.trace()) PyException_SetTraceback(value.ptr(), raised.error.trace().ptr());
  if (!task.empty()) {
    const py::str note("in task '" + task + "' of the runtime");
    const py::object notes = py::getattr(value, "__notes__", py::list());
    if (!notes.contains(note)) value.attr("add_note")(note);
  }
  PyErr_SetObject(py::type::handle_of(value).ptr(), value.ptr());
  throw py::error_already_set();
}

/// The same for what a task failed with, if that is of Python.
void raise_nested(const runtime::TaskFailure& failure) {
  if (!failure.nested_ptr()) return;
  try {
    failure.rethrow_nested();
  } catch (const Raised& raised) {
    raise_again(raised, failure.task());
  } catch (...) {
    return;  // it is told as C++ code would be
  }
}

/// With the interpreter's lock, which it gives up meanwhile.
void let_go(const std::vector<std::shared_ptr<ArrayDatum>>& data) {
  const py::gil_scoped_release release;
  for (const auto& datum : data) datum->handle = {};
}

/// Called now and then by the main thread while it waits.
void check_signals() {
  const Locked locked;
  if (PyErr_CheckSignals() != 0) throw Raised{py::error_already_set()};
}

}  // namespace

void Kept::add(Kept other) {
  const auto move = [](auto& into, auto& from) {
    into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
  };
  move(python, other.python);
  move(native, other.native);
}

Session::Session(const runtime::Config& config, policy::Spec spec)
    : runtime(std::make_unique<runtime::Runtime>(config)), process(getpid()), spec_(std::move(spec)) {}

Session*& Session::recording() {
  thread_local Session* session = nullptr;
  return session;
}

void Session::raise(const std::exception_ptr& thrown) const {
  try {
    std::rethrow_exception(thrown);
  } catch (const Raised& raised) {
    raise_again(raised, "");
  } catch (const runtime::TaskFailure& failure) {
    raise_nested(failure);
    throw;
  } catch (const InternalError&) {
    policy::blaming_plugin(spec_, [] { throw; });
    throw;
  }
}

void Session::wait() {
  Kept before = std::exchange(submitted, {});
  const bool heeds_signals = is_main_thread();
  std::exception_ptr thrown;
  bool all_ended = true;
  {
    const py::gil_scoped_release release;
    try {
      heeds_signals ? runtime->wait([](std::uint64_t) { check_signals(); }) : runtime->wait();
    } catch (const runtime::TaskFailure&) {
      thrown = std::current_exception();
    } catch (...) {
      thrown = std::current_exception();
      all_ended = false;  // perhaps: when the policy has failed, wait() does not wait for tasks that have begun
    }
    if (all_ended) before.native.clear();
  }
  if (all_ended) {
    before.python.clear();
  } else {
    submitted.add(std::move(before));
  }
  let_go(arrays.take_unused());
  if (thrown) raise(thrown);
}

void Session::end() {
  const bool heeds_signals = is_main_thread();
  std::exception_ptr interrupted;
  {
    const py::gil_scoped_release release;
    try {
      runtime->wait([&](std::uint64_t) {
        if (!heeds_signals) return;
        try {
          check_signals();
        } catch (...) {
          interrupted = std::current_exception();
          throw;
        }
      });
    } catch (...) {  // NOLINT(bugprone-empty-catch): what failed is not told
    }
    submitted.native.clear();
    recorded.native.clear();
  }
  let_go(arrays.take_all());
  {
    auto ending = std::move(runtime);  // Task.done looks whether it is there
    const py::gil_scoped_release release;
    ending.reset();
  }
  submitted.python.clear();
  recorded.python.clear();
  if (interrupted) raise(interrupted);
}

bool SessionCall::is_in(const Session& session) {
  for (const SessionCall* call = innermost(); call != nullptr; call = call->outer_) {
    if (call->session_.get() == &session) return true;
  }
  return false;
}

const SessionCall*& SessionCall::innermost() {
  thread_local const SessionCall* call = nullptr;
  return call;
}

}  // namespace heddle::python
