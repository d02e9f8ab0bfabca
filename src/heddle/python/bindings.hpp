#pragma once

#include <pybind11/pybind11.h>

/// The parts of the extension module `heddle._heddle`. It is thin: the package `heddle` (folder python) is what people
/// import.
namespace heddle::python {

void bind_instances(pybind11::module_& module);
void bind_results(pybind11::module_& module);
void bind_policies(pybind11::module_& module);

}  // namespace heddle::python
