#pragma once

#include <pybind11/pybind11.h>

#include "heddle/model/platform.hpp"

/// The parts of the extension module `heddle._heddle`. It is thin: the package `heddle` (folder python) is what people
/// import.
namespace heddle::python {

/// How many workers each class has, by its name.
[[nodiscard]] pybind11::dict workers_of(const Platform& platform);

void bind_instances(pybind11::module_& module);
void bind_results(pybind11::module_& module);
void bind_policies(pybind11::module_& module);
void bind_runtime(pybind11::module_& module);
void bind_linalg(pybind11::module_& module);

}  // namespace heddle::python
