#include "heddle/python/python_policy.hpp"

#include <string>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/python/interpreter.hpp"

namespace heddle::python {

using policy::Action;
using policy::View;

/// The object and its methods, looked up once; null where there is none.
struct PythonPolicy::Methods {
  explicit Methods(const py::object& policy)
      : object(policy),
        ready(policy.attr("ready")),
        next(policy.attr("next")),
        start(optional("start")),
        started(optional("started")),
        finished(optional("finished")),
        aborted(optional("aborted")),
        refused(optional("refused")),
        workers_changed(optional("workers_changed")) {}

  [[nodiscard]] py::object optional(const char* name) const { return py::getattr(object, name, py::object()); }

  py::object object;
  py::object ready;
  py::object next;
  py::object start;
  py::object started;
  py::object finished;
  py::object aborted;
  py::object refused;
  py::object workers_changed;
  py::object view{};               ///< of the last call, to be used again when nothing but this holds it
  std::shared_ptr<PyView> seen{};  ///< what is behind it
};

namespace {

py::object number(std::uint32_t value) {
  return py::reinterpret_steal<py::object>(PyLong_FromUnsignedLong(value));
}
template <StrongId Id>
py::object number(Id id) {
  return number(static_cast<std::uint32_t>(id));
}

py::list list_of(std::span<const TaskId> tasks) {
  py::list list(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    PyList_SET_ITEM(list.ptr(), static_cast<py::ssize_t>(i), number(tasks[i]).release().ptr());
  }
  return list;
}

/// method(view, arguments...): by far the quickest way to call Python.
template <class... Arguments>
py::object call(const py::object& method, const py::object& view, const Arguments&... arguments) {
  // One place before the arguments is for the method's object.
  const std::array<PyObject*, 2 + sizeof...(arguments)> all{nullptr, view.ptr(), arguments.ptr()...};
  PyObject* result =
      PyObject_Vectorcall(method.ptr(), all.data() + 1, (all.size() - 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

Action action_of(const py::object& answer) {
  if (answer.is_none()) return policy::wait();
  if (py::isinstance<Action>(answer)) return answer.cast<Action>();
  const std::string type = py::str(py::type::of(answer).attr("__name__"));
  throw InputError("next() answers with '" + type +
                   "'; expected run(task, worker), restart(task, worker), preempt(task), prefetch(task, worker), "
                   "wait() or None");
}

}  // namespace

const View& PyView::get() const {
  if (view_ == nullptr) throw InputError("a view can be used only during the call of the policy that it is passed to");
  return *view_;
}

void PythonPolicy::Release::operator()(Methods* methods) const {
  if (Py_IsInitialized() == 0) return;  // the interpreter took all with it
  const Locked locked;
  delete methods;  // NOLINT(cppcoreguidelines-owning-memory): of a unique_ptr
}

PythonPolicy::PythonPolicy(const py::object& object) : methods_(new Methods(object)) {}

PythonPolicy PythonPolicy::copy_of(const py::object& object) {
  return PythonPolicy(py::module_::import("copy").attr("deepcopy")(object));
}

PythonPolicy::PythonPolicy(const PythonPolicy& other) {
  const Locked locked;
  try {
    *this = copy_of(other.methods_->object);
  } catch (py::error_already_set& error) {
    throw Raised{std::move(error)};
  }
}

/// Calls use(view as Python sees it) with the interpreter's lock. The view dies with the call.
template <class Methods, class Use>
static auto with_view(Methods& methods, const View& view, Use&& use) {
  const Locked locked;
  const InCallback in_callback(Callback::policy);
  try {
    // Who kept the last view keeps a dead one.
    if (!methods.view || Py_REFCNT(methods.view.ptr()) > 1) {
      methods.seen = std::make_shared<PyView>(&view);
      methods.view = py::cast(methods.seen);
    } else {
      *methods.seen = PyView(&view);
    }
    struct End {
      std::shared_ptr<PyView> seen;  // calls may be nested: of a policy that simulates itself
      ~End() { seen->end(); }
    };
    const End end{methods.seen};
    return use(methods.view);
  } catch (py::error_already_set& error) {
    throw Raised{std::move(error)};
  }
}

void PythonPolicy::start(const View& view) {
  if (!methods_->start) return;
  with_view(*methods_, view, [&](const py::object& seen) { call(methods_->start, seen); });
}

void PythonPolicy::ready(const View& view, std::span<const TaskId> tasks) {
  with_view(*methods_, view, [&](const py::object& seen) { call(methods_->ready, seen, list_of(tasks)); });
}

void PythonPolicy::started(const View& view, TaskId task, WorkerId worker) {
  if (!methods_->started) return;
  with_view(*methods_, view,
            [&](const py::object& seen) { call(methods_->started, seen, number(task), number(worker)); });
}

void PythonPolicy::finished(const View& view, std::span<const policy::Completion> completions) {
  if (!methods_->finished) return;
  with_view(*methods_, view, [&](const py::object& seen) {
    py::list list;
    for (const auto& [task, worker] : completions) list.append(py::make_tuple(number(task), number(worker)));
    call(methods_->finished, seen, list);
  });
}

void PythonPolicy::aborted(const View& view, TaskId task, WorkerId worker) {
  if (!methods_->aborted) return;
  with_view(*methods_, view,
            [&](const py::object& seen) { call(methods_->aborted, seen, number(task), number(worker)); });
}

void PythonPolicy::refused(const View& view, Action action) {
  if (!methods_->refused) return;
  with_view(*methods_, view, [&](const py::object& seen) { call(methods_->refused, seen, py::cast(action)); });
}

void PythonPolicy::workers_changed(const View& view) {
  if (!methods_->workers_changed) return;
  with_view(*methods_, view, [&](const py::object& seen) { call(methods_->workers_changed, seen); });
}

Action PythonPolicy::next(const View& view) {
  return with_view(*methods_, view, [&](const py::object& seen) { return action_of(call(methods_->next, seen)); });
}

}  // namespace heddle::python
