#pragma once

#include <CL/opencl.hpp>
#include <exception>
#include <string>

namespace heddle::opencl {

/// "clCreateKernel failed with CL_OUT_OF_HOST_MEMORY".
[[nodiscard]] std::string describe(const cl::Error& error);

/// The exception that is being handled; instead of one of OpenCL, which is a name and a number, one with a sentence.
[[nodiscard]] std::exception_ptr current_failure();

/// What the status of an event says; null when it is not that of a failure.
[[nodiscard]] std::exception_ptr failure_of(cl_int status);

}  // namespace heddle::opencl
