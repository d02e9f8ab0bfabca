#include "heddle/python/runtime.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/cli/compute_bounds.hpp"
#include "heddle/facts/replay.hpp"
#include "heddle/files/files.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/linalg/tiled_matrix.hpp"
#include "heddle/model/error.hpp"
#include "heddle/python/bindings.hpp"
#include "heddle/python/call.hpp"
#include "heddle/python/interpreter.hpp"
#include "heddle/python/results.hpp"
#include "heddle/python/session.hpp"

namespace heddle::python {
namespace {

/// Of a `what` ("task") of the session. Throws InputError when that is closed.
SessionCall begin_call(const std::weak_ptr<Session>& session, const std::string& what) {
  auto open = session.lock();
  if (!open || open->is_closing) throw InputError("the runtime of the " + what + " is closed");
  return SessionCall(std::move(open));
}

/// A submitted task.
class PyTask {
 public:
  PyTask(const std::shared_ptr<Session>& session, runtime::Task task) : session_(session), task_(task) {}

  [[nodiscard]] bool done() const {
    check_no_policy();
    // With the interpreter's lock, so that the runtime does not end meanwhile. It does not wait.
    const auto session = session_.lock();
    return !session || !session->runtime || task_.done();
  }
  void wait() const {
    check_outside("wait for tasks");
    const SessionCall session = begin_call(session_, "task");
    const bool heeds_signals = is_main_thread();
    session->natively([&](runtime::Runtime& runtime) { heeds_signals ? wait_heeding_signals(runtime) : task_.wait(); });
  }
  /// Throws InputError when it is of another runtime.
  [[nodiscard]] runtime::Task of(const Session& session) const {
    if (session_.lock().get() != &session) throw InputError("a task cannot wait for a task of another runtime");
    return task_;
  }

 private:
  /// Ctrl-C cancels what has not begun, as in Runtime::wait().
  void wait_heeding_signals(runtime::Runtime& runtime) const {
    std::atomic<bool> stopped = false;
    bool cancelled = false;
    auto result = std::async(std::launch::async, [this] { task_.wait(); });
    const auto done = [&](std::chrono::milliseconds time) {
      if (stopped && !std::exchange(cancelled, true)) runtime.cancel();
      return result.wait_for(time) == std::future_status::ready;
    };
    detail::wait_heeding_signals(done, stopped);
    result.get();
  }

  std::weak_ptr<Session> session_;
  runtime::Task task_;
};

/// Workers with a policy of their own.
class PyContext {
 public:
  PyContext(const std::shared_ptr<Session>& session, std::string name, runtime::SchedulingContext context)
      : session_(session), name_(std::move(name)), context_(context) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Throws InputError when it is of another runtime.
  [[nodiscard]] runtime::SchedulingContext of(const Session& asked) const {
    if (session_.lock().get() != &asked) throw InputError("tasks are submitted to a context of another runtime");
    return context_;
  }
  void add(const std::string& workers) const {
    call()->natively([&](runtime::Runtime&) { context_.add(workers); });
  }
  void remove(const std::string& workers) const {
    call()->natively([&](runtime::Runtime&) { context_.remove(workers); });
  }
  void close(const PyContext& heir) const {
    const SessionCall called = call();
    if (heir.session_.lock() != called.shared()) throw InputError("the heir of a context is of another runtime");
    called->natively([&](runtime::Runtime&) { context_.close(heir.context_); });
  }

 private:
  [[nodiscard]] SessionCall call() const {
    check_no_policy();
    return begin_call(session_, "context");
  }

  std::weak_ptr<Session> session_;
  std::string name_;
  runtime::SchedulingContext context_;
};

/// Tasks that were recorded.
struct PyGraph {
  std::weak_ptr<Session> session;
  runtime::Graph graph;
};

AccessMode mode_of(const std::string& name) {
  if (name == "read") return AccessMode::read;
  if (name == "write") return AccessMode::write;
  if (name == "rw") return AccessMode::read_write;
  return name == "commute" ? AccessMode::commute : AccessMode::reduce;
}

struct SubmitOptions {
  std::string name;
  std::int64_t priority;
  std::vector<PyTask> after;
  std::optional<PyContext> context;
};

std::shared_ptr<Call> call_of(Session& session, const py::object& function, const py::args& arguments,
                              const std::string& type) {
  auto call = std::make_shared<Call>(function);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const py::object argument = arguments[i];
    const std::string what = "argument " + std::to_string(i + 1) + " of '" + type + "'";
    if (!py::isinstance<ArrayUse>(argument)) {
      if (py::isinstance<py::array>(argument)) {
        throw InputError(what +
                         " is an array without an access; expected read(a), write(a), rw(a), commute(a) or "
                         "reduce(a)");
      }
      call->add_value(argument);
      continue;
    }
    const auto& [array, mode] = argument.cast<const ArrayUse&>();
    if (array.size() == 0) {
      call->add_value(array);
    } else {
      call->add_array(array, mode, datum_of(session, array, mode, what));
    }
  }
  return call;
}

PyTask submit(const PyRuntime& self, const py::object& function, const py::args& arguments, const std::string& type,
              const SubmitOptions& options) {
  const auto session = self.session();
  const std::shared_ptr<Call> call = call_of(*session, function, arguments, type);
  std::vector<runtime::Task> after;
  for (const PyTask& task : options.after) after.push_back(task.of(*session));
  const auto kernel = kernel_of_calls(type);
  const auto context = options.context ? options.context->of(*session) : runtime::SchedulingContext();
  const runtime::Task task = session->natively([&](runtime::Runtime& runtime) {
    return runtime.submit(kernel, CallPointer{call.get()}, runtime::also(call->uses()),
                          runtime::priority(options.priority), runtime::named(options.name), runtime::after(after),
                          runtime::in(context));
  });
  session->kept().python.push_back(call);
  return PyTask(session.shared(), task);
}

/// Calls a function of Python where the runtime calls back, without the interpreter's lock.
void call_back(const py::object& function) {
  const Locked locked;
  try {
    function();
  } catch (py::error_already_set& error) {
    throw Raised{std::move(error)};
  }
}

/// What a Python function submits, recorded.
PyGraph record(const PyRuntime& self, const py::object& submit_tasks) {
  const auto session = self.session();
  runtime::Graph graph = session->natively([&](runtime::Runtime& runtime) {
    return runtime.record([&] {
      struct Recording {
        explicit Recording(Session& session) : before(std::exchange(Session::recording(), &session)) {}
        ~Recording() { Session::recording() = before; }
        Session* before;
      };
      const Recording recording(*session);
      call_back(submit_tasks);
    });
  });
  return {session.shared(), std::move(graph)};
}

PyContext make_context(const PyRuntime& self, const std::string& name, const std::string& workers,
                       const std::string& policy) {
  const auto session = self.session();
  return {session.shared(), name, session->natively([&](runtime::Runtime& runtime) {
            return runtime.context({.name = name, .workers = workers, .policy = policy});
          })};
}

std::vector<PyContext> make_contexts_by_socket(const PyRuntime& self, const std::string& policy) {
  const auto session = self.session();
  std::vector<PyContext> contexts;
  for (const runtime::SchedulingContext& context :
       session->natively([&](runtime::Runtime& runtime) { return runtime.contexts_by_socket(policy); })) {
    contexts.emplace_back(session.shared(), context.name(), context);
  }
  return contexts;
}

/// What a Python function submits belongs to the context, where it does not say otherwise.
void within(const PyRuntime& self, const PyContext& context, const py::object& submit_tasks) {
  const auto session = self.session();
  const runtime::SchedulingContext entered = context.of(*session);
  session->natively([&](runtime::Runtime& runtime) { runtime.within(entered, [&] { call_back(submit_tasks); }); });
}

void run(const PyRuntime& self, const PyGraph& graph) {
  const auto session = self.session();
  if (graph.session.lock() != session.shared())
    throw InputError("a graph was recorded by another runtime than the one to run it");
  session->natively([&](runtime::Runtime& runtime) { runtime.run(graph.graph); });
}

void wait(const PyRuntime& self) {
  check_outside("wait for tasks");
  const auto session = self.session();
  if (Session::recording() == &*session)
    throw InputError("tasks that are recorded do not run yet; run the graph, then wait");
  session->wait();
}

/// What happened so far, judged as any other schedule.
std::shared_ptr<JudgedSchedule> trace(const PyRuntime& self, const std::string& name, const std::string& bound) {
  check_outside("ask for the trace");
  const auto session = self.session();
  runtime::Trace trace = session->natively([](runtime::Runtime& runtime) { return runtime.trace(); });
  return unlocked([&](const auto& stop) {
    trace.instance.name = name;
    trace.schedule.instance = name;
    const auto loaded = std::make_shared<files::LoadedInstance>(
        files::LoadedInstance{.instance = std::move(trace.instance), .platform = "this machine"});
    const auto kinds = bounds::parse_kinds(bound, loaded->instance);
    const bounds::Bounds bounds = cli::compute_bounds(loaded->instance, kinds, {}, stop);
    judge::Judged judged = judge::judge_schedule(loaded->instance, trace.schedule, bounds, Durations::free);
    judged.report.platform = loaded->platform;
    judged.report.run = 1;
    judged.note = trace.note;
    return std::make_shared<JudgedSchedule>(JudgedSchedule{loaded, std::move(judged), {}, true});
  });
}

/// As a warning of Python. It must not throw: where a filter makes an exception of it, that is printed.
void warn(const std::string& sentence) {
  if (Py_IsInitialized() == 0) return;
  const Locked locked;
  if (PyErr_WarnEx(PyExc_UserWarning, sentence.c_str(), 1) != 0) PyErr_WriteUnraisable(nullptr);
}

std::unique_ptr<PyRuntime> make_runtime(const std::string& workers, const std::string& policy, std::uint64_t seed,
                                        const std::optional<std::string>& history, bool trace, const std::string& facts,
                                        bool bind, std::optional<std::uint64_t> device_memory,
                                        const std::string& resize) {
  runtime::Config config;
  config.workers = workers;
  config.seed = seed;
  config.history = history;
  config.trace = trace;
  config.facts = facts;
  config.bind = bind;
  config.resize = resize;
  if (device_memory) config.device_memory = *device_memory;
  config.warn = warn;
  return std::make_unique<PyRuntime>(std::move(config), policy);
}

/// (decisions, epochs, the first difference or None).
py::tuple replay(const std::string& path, const std::string& policy) {
  const facts::Replayed replayed = unlocked([&](const auto& stop) {
    const auto make = [&](const std::string& logged, const facts::Origin& origin, const Instance& instance) {
      const std::string& name = policy.empty() ? logged : policy;
      return name.empty() ? facts::make_registered(name, origin, instance)
                          : facts::make_again(files::load_policy(name), origin, instance);
    };
    const files::File log = files::read(path, "heddle-facts");
    return facts::replay(log.content, log.path, {.make = make, .other = policy, .watch = [&](std::size_t, std::size_t) {
                                                   if (stop()) throw InputError("interrupted");
                                                 }});
  });
  return py::make_tuple(replayed.decisions, replayed.epochs, replayed.difference);
}

void bind_exceptions(py::module_& module) {
  const auto failure = py::register_exception<runtime::TaskFailure>(module, "TaskFailure", PyExc_RuntimeError);
  py::register_exception<runtime::Cancelled>(module, "Cancelled", failure);
  py::register_exception<runtime::OutOfMemory>(module, "OutOfMemory", failure);
  py::register_exception<linalg::Breakdown>(module, "Breakdown", failure);
}

}  // namespace

void check_no_policy() {
  if (InCallback::current() == Callback::policy) throw InputError("a policy cannot use a runtime");
}

void check_outside(const std::string& what) {
  check_no_policy();
  if (InCallback::current() == Callback::kernel) {
    throw InputError("a task cannot " + what + "; submit what comes after as a task");
  }
}

PyRuntime::PyRuntime(runtime::Config config, const std::string& policy) {
  check_no_policy();
  session_ = unlocked([&](const auto&) {
    const policy::Spec spec = files::load_policy(policy);
    config.policy = policy;
    config.plan = files::load_plan(spec);
    return std::make_shared<Session>(config, spec);
  });
}

PyRuntime::~PyRuntime() {
  if (!session_) return;
  try {
    close(false);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("heddle.Runtime");
  } catch (...) {
    // In use on this thread, which would wait for itself: it stays as it is.
    static_cast<void>(new std::shared_ptr<Session>(session_));  // NOLINT(cppcoreguidelines-owning-memory)
  }
}

SessionCall PyRuntime::session() const {
  check_no_policy();
  if (!session_) throw InputError("the runtime is closed");
  return SessionCall(session_);
}

bool PyRuntime::is_in_use_here() const {
  return InCallback::current() != Callback::none || (session_ && SessionCall::is_in(*session_));
}

void PyRuntime::close(bool cancel) {
  if (!session_) return;
  check_outside("close a runtime");
  if (Session::recording() == session_.get()) {
    throw InputError("a runtime cannot be closed while its tasks are recorded");
  }
  if (SessionCall::is_in(*session_)) {
    throw InputError(
        "a runtime cannot be closed in a call of its own, such as within() or wait(); cancel() works there, and close "
        "it afterwards");
  }
  const std::shared_ptr<Session> session = std::move(session_);
  if (session->process != getpid()) {
    // In the child after fork() there are none of its threads, and nothing to end.
    static_cast<void>(new std::shared_ptr<Session>(session));  // NOLINT(cppcoreguidelines-owning-memory)
    return;
  }
  session->is_closing = true;
  if (cancel) session->natively([](runtime::Runtime& runtime) { runtime.cancel(); });
  // Other threads may be in a call. This one is not, and none begins one: that takes the interpreter's lock.
  while (session.use_count() > 1) {
    const py::gil_scoped_release release;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  session->end();
}

std::shared_ptr<ArrayDatum> datum_of(Session& session, const py::array& array, AccessMode mode,
                                     const std::string& what) {
  if (mode != AccessMode::read && !array.writeable()) {
    throw InputError(what + " is an array that cannot be written; expected read(a) or a writeable array");
  }
  std::shared_ptr<ArrayDatum> datum = session.arrays.at(*session.runtime, array, what);
  if (mode == AccessMode::reduce) make_reducible(*datum, array, what);
  return datum;
}

void bind_runtime(py::module_& module) {
  bind_exceptions(module);
  py::class_<ArrayUse>(module, "Use").def_property_readonly("array", [](const ArrayUse& self) { return self.array; });
  module.def(
      "use", [](const py::array& array, const std::string& mode) { return ArrayUse{array, mode_of(mode)}; },
      py::arg("array"), py::arg("mode"));
  py::class_<PyTask>(module, "Task").def_property_readonly("done", &PyTask::done).def("wait", &PyTask::wait);
  py::class_<PyContext>(module, "Context")
      .def_property_readonly("name", &PyContext::name)
      .def("add", &PyContext::add, py::arg("workers"))
      .def("remove", &PyContext::remove, py::arg("workers"))
      .def("close", &PyContext::close, py::arg("heir"));
  py::class_<PyGraph>(module, "RecordedGraph").def("__len__", [](const PyGraph& self) { return self.graph.size(); });
  py::class_<PyRuntime>(module, "Runtime")
      .def(py::init(&make_runtime), py::arg("workers"), py::arg("policy"), py::arg("seed"), py::arg("history"),
           py::arg("trace"), py::arg("facts"), py::arg("bind"), py::arg("device_memory"), py::arg("resize"))
      .def(
          "submit",
          [](const PyRuntime& self, const py::object& function, const py::args& arguments, const std::string& type,
             const std::string& name, std::int64_t priority, std::vector<PyTask> after,
             std::optional<PyContext> context) {
            return submit(self, function, arguments, type, {name, priority, std::move(after), std::move(context)});
          },
          py::arg("function"), py::kw_only(), py::arg("type"), py::arg("name"), py::arg("priority"), py::arg("after"),
          py::arg("context"))
      .def("context", &make_context, py::arg("name"), py::arg("workers"), py::arg("policy"))
      .def("contexts_by_socket", &make_contexts_by_socket, py::arg("policy"))
      .def("within", &within, py::arg("context"), py::arg("submit_tasks"))
      .def("record", &record, py::arg("submit_tasks"))
      .def("run", &run, py::arg("graph"))
      .def("wait", &wait)
      .def("cancel",
           [](const PyRuntime& self) { self.session()->natively([](runtime::Runtime& runtime) { runtime.cancel(); }); })
      .def("close", &PyRuntime::close, py::arg("cancel"))
      .def("trace", &trace, py::arg("name"), py::arg("bound"))
      .def_property_readonly("unfinished", [](const PyRuntime& self) { return self.session()->runtime->unfinished(); })
      .def_property_readonly("workers",
                             [](const PyRuntime& self) { return workers_of(self.session()->runtime->platform()); })
      .def_property_readonly("closed", &PyRuntime::is_closed)
      .def_property_readonly("in_use_here", &PyRuntime::is_in_use_here);
  module.def("replay", &replay, py::arg("path"), py::arg("policy"));
}

}  // namespace heddle::python
