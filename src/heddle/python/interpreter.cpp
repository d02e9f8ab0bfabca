#include "heddle/python/interpreter.hpp"

#include <exception>
#include <optional>

namespace heddle::python {
namespace {

/// What Python knows of a thread that it did not start, from the first call to the thread's end.
class Attachment {
 public:
  Attachment() {
    if (PyGILState_GetThisThreadState() != nullptr) return;
    state_ = PyGILState_Ensure();
    saved_ = PyEval_SaveThread();
  }
  ~Attachment() {
    if (saved_ == nullptr) return;
    PyEval_RestoreThread(saved_);
    PyGILState_Release(state_);
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  PyGILState_STATE state_{};
  PyThreadState* saved_ = nullptr;
};

PyGILState_STATE lock() {
  thread_local const Attachment attachment;
  return PyGILState_Ensure();
}

}  // namespace

Locked::Locked() : state_(lock()) {}

Callback& InCallback::current() {
  thread_local Callback callback = Callback::none;
  return callback;
}

bool is_main_thread() {
  const py::object main = py::module_::import("threading").attr("main_thread")();
  return main.attr("ident").cast<unsigned long>() == PyThread_get_thread_ident();
}

void detail::wait_heeding_signals(const std::function<bool(std::chrono::milliseconds)>& done,
                                  std::atomic<bool>& stopped) {
  constexpr std::chrono::milliseconds kTick(50);
  std::optional<py::error_already_set> raised;
  while (!done(kTick)) {
    if (raised) continue;
    const Locked locked;
    if (PyErr_CheckSignals() == 0) continue;
    raised.emplace();
    stopped = true;
  }
  if (raised) throw Raised{std::move(*raised)};
}

}  // namespace heddle::python
