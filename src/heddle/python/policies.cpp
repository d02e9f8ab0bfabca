#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/levels.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/python/bindings.hpp"
#include "heddle/python/interpreter.hpp"
#include "heddle/python/python_policy.hpp"

namespace heddle::python {
namespace {

using policy::Action;
using policy::View;

/// Times as policies in Python see them: whole picoseconds, so that sums are exact, infinite where a class cannot run a
/// task.
py::object time_of(Time time) {
  if (time == kCannotRun) return py::float_(std::numeric_limits<double>::infinity());
  return py::int_(time);
}

template <StrongId Id>
std::optional<std::uint32_t> number_or_none(Id id) {
  if (id == kNone<Id>) return std::nullopt;
  return static_cast<std::uint32_t>(id);
}

/// Numbers from Python; an IndexError when there is no such thing.
TaskId task_of(const View& view, std::size_t number) {
  if (number >= view.graph().task_count()) throw py::index_error("there is no task " + std::to_string(number));
  return make_id<TaskId>(number);
}
WorkerId worker_of(const View& view, std::size_t number) {
  if (number >= view.platform().worker_count()) throw py::index_error("there is no worker " + std::to_string(number));
  return make_id<WorkerId>(number);
}
ClassId class_of(const View& view, std::size_t worker) {
  return view.platform().class_of(worker_of(view, worker));
}

std::vector<std::uint32_t> idle_workers(const View& view) {
  std::vector<std::uint32_t> workers;
  view.visit_idle([&](WorkerId worker) {
    workers.push_back(static_cast<std::uint32_t>(worker));
    return false;
  });
  return workers;
}

std::vector<std::uint32_t> numbers(std::span<const TaskId> tasks) {
  std::vector<std::uint32_t> result(tasks.size());
  std::ranges::transform(tasks, result.begin(), [](TaskId task) { return static_cast<std::uint32_t>(task); });
  return result;
}

std::vector<std::int64_t> bottom_levels_of(const View& view, const std::string& rank) {
  if (rank != "min" && rank != "avg") throw InputError("rank is '" + rank + "'; expected 'min' or 'avg'");
  const auto levels = bottom_levels(view.instance(), rank == "min" ? Rank::min : Rank::avg);
  return {levels.begin(), levels.end()};
}

/// Simulates a copy of the policy, or one of the registry, from the present to the end.
Time makespan_with(const PyView& self, const py::object& other) {
  const View& view = self.get();
  const policy::Lookahead* lookahead = view.lookahead();
  if (lookahead == nullptr) {
    throw InputError(
        "this call cannot look ahead: only start() and next() can, and the policy has to say needs = "
        "{'lookahead'}");
  }
  const bool named = py::isinstance<py::str>(other);
  policy::Policy asked =
      named ? policy::Spec(other.cast<std::string>()).make(1) : policy::Policy(PythonPolicy::copy_of(other));
  try {
    const py::gil_scoped_release release;
    return lookahead->makespan(std::move(asked));
  } catch (Raised& raised) {
    throw std::move(raised.error);
  }
}

template <class Function>
auto viewing(Function function) {
  return [function](const PyView& self) { return function(self.get()); };
}
template <class Function>
auto viewing_one(Function function) {
  return [function](const PyView& self, std::size_t number) { return function(self.get(), number); };
}
template <class Function>
auto viewing_two(Function function) {
  return [function](const PyView& self, std::size_t task, std::size_t worker) {
    return function(self.get(), task, worker);
  };
}

void bind_view(py::module_& module) {
  py::class_<PyView, std::shared_ptr<PyView>>(module, "View")
      .def_property_readonly("now", viewing([](const View& view) { return view.now(); }))
      .def_property_readonly("tasks", viewing([](const View& view) { return view.graph().task_count(); }))
      .def_property_readonly("workers", viewing([](const View& view) { return view.platform().worker_count(); }))
      .def_property_readonly("classes", viewing([](const View& view) {
                               std::vector<std::string> names;
                               for (const ClassId c : view.platform().classes())
                                 names.push_back(view.platform().class_name(c));
                               return names;
                             }))
      .def_property_readonly("asks_ahead", viewing([](const View& view) { return view.asks_ahead(); }))
      .def_property_readonly("moves_data", viewing([](const View& view) { return view.moves_data(); }))
      .def("idle", viewing(&idle_workers))
      .def("is_idle", viewing_one([](const View& view, std::size_t w) { return view.is_idle(worker_of(view, w)); }))
      .def("is_available",
           viewing_one([](const View& view, std::size_t w) { return view.is_available(worker_of(view, w)); }))
      .def("may_abort", viewing_one([](const View& view, std::size_t w) { return view.may_abort(worker_of(view, w)); }))
      .def("running", viewing_one([](const View& view, std::size_t w) {
             return number_or_none(view.running(worker_of(view, w)));
           }))
      .def("expected_end",
           viewing_one([](const View& view, std::size_t w) { return view.expected_end(worker_of(view, w)); }))
      .def("class_of", viewing_one([](const View& view, std::size_t w) { return index(class_of(view, w)); }))
      .def("worker_name",
           viewing_one([](const View& view, std::size_t w) { return view.platform().worker_name(worker_of(view, w)); }))
      .def("can_run", viewing_two([](const View& view, std::size_t t, std::size_t w) {
             return view.can_run(task_of(view, t), class_of(view, w));
           }))
      .def("estimate", viewing_two([](const View& view, std::size_t t, std::size_t w) {
             return time_of(view.estimate(task_of(view, t), class_of(view, w)));
           }))
      .def("transfer_estimate", viewing_two([](const View& view, std::size_t t, std::size_t w) {
             return time_of(view.transfer_estimate(task_of(view, t), view.memory_of(worker_of(view, w))));
           }))
      .def("missing_bytes", viewing_two([](const View& view, std::size_t t, std::size_t w) {
             return view.missing_bytes(task_of(view, t), view.memory_of(worker_of(view, w)));
           }))
      .def("name", viewing_one([](const View& view, std::size_t t) {
             return std::string(view.graph().name(task_of(view, t)));
           }))
      .def("type", viewing_one([](const View& view, std::size_t t) {
             return std::string(view.graph().type_name(view.graph().type(task_of(view, t))));
           }))
      .def("priority",
           viewing_one([](const View& view, std::size_t t) { return view.graph().priority(task_of(view, t)); }))
      .def("predecessors", viewing_one([](const View& view, std::size_t t) {
             return numbers(view.graph().predecessors(task_of(view, t)));
           }))
      .def("successors", viewing_one([](const View& view, std::size_t t) {
             return numbers(view.graph().successors(task_of(view, t)));
           }))
      .def(
          "bottom_levels",
          [](const PyView& self, const std::string& rank) { return bottom_levels_of(self.get(), rank); },
          py::arg("rank") = "min")
      .def("makespan", &makespan_with, py::arg("policy"));
}

void bind_actions(py::module_& module) {
  py::class_<Action>(module, "Action")
      .def_property_readonly("task", [](const Action& self) { return number_or_none(self.task); })
      .def_property_readonly("worker", [](const Action& self) { return number_or_none(self.worker); })
      .def("__eq__", [](const Action& self, const Action& other) { return self == other; });
  const auto task = [](std::size_t number) { return make_id<TaskId>(std::min(number, kMaxIds)); };
  const auto worker = [](std::size_t number) { return make_id<WorkerId>(std::min(number, kMaxIds)); };
  module.def(
      "run", [=](std::size_t t, std::size_t w) { return policy::run(task(t), worker(w)); }, py::arg("task"),
      py::arg("worker"));
  module.def(
      "restart", [=](std::size_t t, std::size_t w) { return policy::restart(task(t), worker(w)); }, py::arg("task"),
      py::arg("worker"));
  module.def("preempt", [=](std::size_t t) { return policy::preempt(task(t)); }, py::arg("task"));
  module.def(
      "prefetch", [=](std::size_t t, std::size_t w) { return policy::prefetch(task(t), worker(w)); }, py::arg("task"),
      py::arg("worker"));
  module.def("wait", [] { return policy::wait(); });
}

/// An option from the default of a keyword: what Python's kinds of values can be.
Option option_of(const std::string& name, const py::object& fallback) {
  const std::string meaning = "of the policy's class";
  if (py::isinstance<py::bool_>(fallback)) return flag(name, fallback.cast<bool>(), meaning);
  const std::string text = py::str(fallback);
  if (py::isinstance<py::int_>(fallback))
    return integer(name, text, 0, std::numeric_limits<std::int64_t>::max(), meaning);
  if (py::isinstance<py::float_>(fallback)) return number(name, text, -1e300, 1e300, meaning);
  return heddle::text(name, text, meaning);
}

py::object value_of(const Option& option, const Options& options) {
  switch (option.kind) {
    case Option::Kind::flag:
      return py::bool_(options.flag(option.name));
    case Option::Kind::integer:
      return py::int_(options.integer(option.name));
    case Option::Kind::number:
      return py::float_(options.number(option.name));
    default:
      return py::str(options.text(option.name));
  }
}

policy::Needs needs_of(const std::vector<std::string>& names) {
  policy::Needs needs;
  // Each may look ahead. So `auto` and the search, which try policies that do not, leave alone what the user works on.
  needs.lookahead = true;
  const std::array known{std::pair("whole_graph", &policy::Needs::whole_graph),
                         std::pair("abort", &policy::Needs::abort),
                         std::pair("two_classes", &policy::Needs::two_classes)};
  for (const std::string& name : names) {
    const auto* const found = std::ranges::find_if(known, [&](const auto& one) { return name == one.first; });
    if (found == known.end()) {
      throw InputError("a policy cannot need '" + name + "'; possible: abort, two_classes, whole_graph");
    }
    needs.*(found->second) = true;
  }
  return needs;
}

/// Adds a policy whose objects `factory(seed, **options)` makes, or replaces the one of this name. What Python owns of
/// it lives as long as the process: the registry outlives the interpreter.
void add_policy(const std::string& name, const py::object& factory, const py::dict& defaults,
                const std::vector<std::string>& needs, const std::string& summary, const std::string& file,
                bool replaces) {
  policy::Entry entry;
  entry.name = name;
  entry.summary = summary;
  entry.publication = "a Python class";
  for (const auto& [key, fallback] : defaults) {
    entry.options.push_back(option_of(key.cast<std::string>(), py::reinterpret_borrow<py::object>(fallback)));
  }
  entry.needs = [needs = needs_of(needs)](const Options&) { return needs; };
  entry.make = [made_by = py::object(factory).release(), options = entry.options](const policy::Setup& setup) {
    const Locked locked;
    try {
      py::dict values;
      for (const Option& option : options) values[py::str(option.name)] = value_of(option, setup.options);
      return policy::Policy(PythonPolicy(py::reinterpret_borrow<py::object>(made_by)(setup.seed, **values)));
    } catch (py::error_already_set& error) {
      throw Raised{std::move(error)};
    }
  };
  entry.plugin = file;
  replaces ? policy::replace(std::move(entry)) : policy::add(std::move(entry));
}

py::list policies() {
  py::list list;
  for (const policy::Entry& entry : policy::entries()) list.append(py::make_tuple(entry.name, entry.summary));
  return list;
}

}  // namespace

void bind_policies(py::module_& module) {
  bind_view(module);
  bind_actions(module);
  module.def("add_policy", &add_policy, py::arg("name"), py::arg("factory"), py::arg("defaults"), py::arg("needs"),
             py::arg("summary"), py::arg("file"), py::arg("replaces"));
  module.def("policies", &policies);
}

}  // namespace heddle::python
