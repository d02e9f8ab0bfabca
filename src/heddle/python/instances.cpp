#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "heddle/cli/output.hpp"
#include "heddle/files/files.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/python/bindings.hpp"
#include "heddle/python/interpreter.hpp"
#include "heddle/python/results.hpp"
#include "heddle/report/format.hpp"

namespace heddle::python {
namespace {

files::InstanceOptions options_of(const std::string& platform, const std::string& unit, const std::string& contexts,
                                  const std::string& assign) {
  files::InstanceOptions options;
  options.platform = platform;
  options.unit = unit;
  options.contexts = contexts;
  options.assign = assign;
  return options;
}

/// Warnings of the readers, as those of Python.
files::Reading reading_until(const std::function<bool()>& stop) {
  return {.stop = stop, .warn = [](const std::string& sentence) {
            const Locked locked;
            if (PyErr_WarnEx(PyExc_UserWarning, sentence.c_str(), 1) != 0) throw Raised{py::error_already_set()};
          }};
}

SharedInstance load(const std::string& text, const files::InstanceOptions& options) {
  return unlocked([&](const auto& stop) -> SharedInstance {
    return std::make_shared<files::LoadedInstance>(files::load_instance(text, options, reading_until(stop)));
  });
}

/// A document of the format heddle-instance. `platform`: how reports call its machine.
SharedInstance parse(const std::string& name, const std::string& content, const std::string& platform) {
  return unlocked([&](const auto& stop) -> SharedInstance {
    const files::File file{.path = name, .content = content, .format = "heddle-instance"};
    files::LoadedInstance loaded = files::load_instance(file, {}, std::nullopt, reading_until(stop));
    loaded.platform = platform;
    return std::make_shared<files::LoadedInstance>(std::move(loaded));
  });
}

/// Seconds by task and class; infinite where the class cannot run the task.
py::array_t<double> durations_of(const Instance& instance, bool estimates) {
  const std::size_t classes = instance.platform.class_count();
  py::array_t<double> table({instance.graph.task_count(), classes});
  auto cells = table.mutable_unchecked<2>();
  for (const TaskId task : instance.graph.tasks()) {
    const auto row = estimates ? instance.costs.estimate_row(task) : instance.costs.actual_row(task);
    for (std::size_t c = 0; c < classes; ++c) {
      cells(static_cast<py::ssize_t>(index(task)), static_cast<py::ssize_t>(c)) =
          row[c] == kCannotRun ? std::numeric_limits<double>::infinity() : to_seconds(row[c]);
    }
  }
  return table;
}

/// A row (from, to) per dependency.
py::array_t<std::uint32_t> edges_of(const TaskGraph& graph) {
  py::array_t<std::uint32_t> table({graph.edge_count(), std::size_t{2}});
  auto cells = table.mutable_unchecked<2>();
  py::ssize_t row = 0;
  for (const TaskId from : graph.tasks()) {
    for (const TaskId to : graph.successors(from)) {
      cells(row, 0) = static_cast<std::uint32_t>(from);
      cells(row++, 1) = static_cast<std::uint32_t>(to);
    }
  }
  return table;
}

template <class Text>
std::vector<std::string> texts(const TaskGraph& graph, Text&& text) {
  std::vector<std::string> all;
  all.reserve(graph.task_count());
  for (const TaskId task : graph.tasks()) all.emplace_back(text(task));
  return all;
}

/// The machine of an instance that names it, with the links that it asks for.
Platform platform_of(const std::string& text) {
  return unlocked([&](const auto& stop) {
    files::LoadedMachine loaded = files::load_machine(text, reading_until(stop));
    Machine& machine = loaded.machine;
    if (loaded.links_undecided) return Platform(std::move(machine.classes));
    return Platform(std::move(machine.classes), std::move(machine.links), std::move(machine.buses));
  });
}

/// It as an instance's file has it.
std::string platform_json(const std::string& text) {
  const Instance empty = make_instance("", TaskGraph(), platform_of(text), Costs());
  return nlohmann::ordered_json::parse(io::write_instance(empty))["platform"].dump();
}

/// (class, worker) by the numbers of the workers.
py::list worker_classes_of(const Platform& platform) {
  py::list workers;
  for (const WorkerId worker : platform.workers()) {
    workers.append(py::make_tuple(platform.class_name(platform.class_of(worker)), platform.worker_name(worker)));
  }
  return workers;
}

py::list built_in(const std::vector<files::BuiltIn>& all) {
  py::list list;
  for (const files::BuiltIn& one : all) list.append(py::make_tuple(one.name, one.summary));
  return list;
}

}  // namespace

py::dict workers_of(const Platform& platform) {
  py::dict workers;
  for (const ClassId c : platform.classes()) workers[py::str(platform.class_name(c))] = platform.worker_count(c);
  return workers;
}

void bind_instances(py::module_& module) {
  using files::LoadedInstance;
  py::class_<LoadedInstance, std::shared_ptr<LoadedInstance>>(module, "Instance")
      .def_property_readonly("name", [](const LoadedInstance& self) { return self.instance.name; })
      .def_property_readonly("platform", [](const LoadedInstance& self) { return self.platform; })
      .def_property_readonly("workers", [](const LoadedInstance& self) { return workers_of(self.instance.platform); })
      .def_property_readonly("worker_classes",
                             [](const LoadedInstance& self) { return worker_classes_of(self.instance.platform); })
      .def("__len__", [](const LoadedInstance& self) { return self.instance.graph.task_count(); })
      .def_property_readonly("task_names",
                             [](const LoadedInstance& self) {
                               const TaskGraph& graph = self.instance.graph;
                               return texts(graph, [&](TaskId task) { return graph.name(task); });
                             })
      .def_property_readonly("task_types",
                             [](const LoadedInstance& self) {
                               const TaskGraph& graph = self.instance.graph;
                               return texts(graph, [&](TaskId task) { return graph.type_name(graph.type(task)); });
                             })
      .def_property_readonly("edges", [](const LoadedInstance& self) { return edges_of(self.instance.graph); })
      .def_property_readonly("durations", [](const LoadedInstance& self) { return durations_of(self.instance, false); })
      .def_property_readonly("estimates", [](const LoadedInstance& self) { return durations_of(self.instance, true); })
      .def("__repr__",
           [](const LoadedInstance& self) {
             return fmt::format("<heddle.Instance {}: {} on {}>", self.instance.name,
                                report::format_count(self.instance.graph.task_count(), "task"),
                                cli::describe_workers(self.instance.platform));
           })
      .def("to_json", [](const LoadedInstance& self) { return io::write_instance(self.instance); })
      .def(
          "save", [](const LoadedInstance& self, const std::string& path) { files::save(self.instance, path); },
          py::call_guard<py::gil_scoped_release>());
  module.def(
      "load",
      [](const std::string& text, const std::string& platform, const std::string& unit, const std::string& contexts,
         const std::string& assign) {
        return std::const_pointer_cast<LoadedInstance>(load(text, options_of(platform, unit, contexts, assign)));
      },
      py::arg("text"), py::arg("platform"), py::arg("unit"), py::arg("contexts"), py::arg("assign"));
  module.def(
      "parse",
      [](const std::string& name, const std::string& content, const std::string& platform) {
        return std::const_pointer_cast<LoadedInstance>(parse(name, content, platform));
      },
      py::arg("name"), py::arg("content"), py::arg("platform"));
  module.def(
      "platform_workers", [](const std::string& text) { return workers_of(platform_of(text)); }, py::arg("text"));
  module.def("platform_json", &platform_json, py::arg("text"));
  module.def("platforms", [] { return built_in(files::built_in_machines()); });
  module.def("workloads", [] { return built_in(files::built_in_workloads()); });
}

}  // namespace heddle::python
