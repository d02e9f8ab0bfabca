#include <pybind11/pybind11.h>

#include "heddle/cli/interrupt.hpp"
#include "heddle/model/error.hpp"
#include "heddle/python/bindings.hpp"

PYBIND11_MODULE(_heddle, module) {
  namespace py = pybind11;
  module.doc() = "The compiled part of heddle; import heddle instead.";
  module.attr("version") = HEDDLE_VERSION;
  py::register_exception<heddle::InputError>(module, "InputError", PyExc_ValueError).doc() =
      "Something that was given cannot be used. The message is one sentence: where, what was found, what was expected.";
  py::register_exception<heddle::InternalError>(module, "InternalError", PyExc_RuntimeError).doc() =
      "A mistake in Heddle itself, never caused by input; please report it.";
  heddle::python::bind_instances(module);
  heddle::python::bind_results(module);
  heddle::python::bind_policies(module);
  heddle::python::bind_runtime(module);
  heddle::python::bind_linalg(module);
}
