#include "heddle/opencl/errors.hpp"

#include <CL/cl_ext.h>

#include <stdexcept>
#include <string_view>

namespace heddle::opencl {
namespace {

struct Code {
  cl_int number;
  std::string_view name;
};

#define HEDDLE_CODE(name) {name, #name}
constexpr Code kCodes[] = {
    HEDDLE_CODE(CL_DEVICE_NOT_FOUND),
    HEDDLE_CODE(CL_DEVICE_NOT_AVAILABLE),
    HEDDLE_CODE(CL_COMPILER_NOT_AVAILABLE),
    HEDDLE_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    HEDDLE_CODE(CL_OUT_OF_RESOURCES),
    HEDDLE_CODE(CL_OUT_OF_HOST_MEMORY),
    HEDDLE_CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    HEDDLE_CODE(CL_MEM_COPY_OVERLAP),
    HEDDLE_CODE(CL_BUILD_PROGRAM_FAILURE),
    HEDDLE_CODE(CL_MAP_FAILURE),
    HEDDLE_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    HEDDLE_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    HEDDLE_CODE(CL_COMPILE_PROGRAM_FAILURE),
    HEDDLE_CODE(CL_LINKER_NOT_AVAILABLE),
    HEDDLE_CODE(CL_LINK_PROGRAM_FAILURE),
    HEDDLE_CODE(CL_DEVICE_PARTITION_FAILED),
    HEDDLE_CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    HEDDLE_CODE(CL_INVALID_VALUE),
    HEDDLE_CODE(CL_INVALID_DEVICE_TYPE),
    HEDDLE_CODE(CL_INVALID_PLATFORM),
    HEDDLE_CODE(CL_INVALID_DEVICE),
    HEDDLE_CODE(CL_INVALID_CONTEXT),
    HEDDLE_CODE(CL_INVALID_QUEUE_PROPERTIES),
    HEDDLE_CODE(CL_INVALID_COMMAND_QUEUE),
    HEDDLE_CODE(CL_INVALID_HOST_PTR),
    HEDDLE_CODE(CL_INVALID_MEM_OBJECT),
    HEDDLE_CODE(CL_INVALID_BINARY),
    HEDDLE_CODE(CL_INVALID_BUILD_OPTIONS),
    HEDDLE_CODE(CL_INVALID_PROGRAM),
    HEDDLE_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    HEDDLE_CODE(CL_INVALID_KERNEL_NAME),
    HEDDLE_CODE(CL_INVALID_KERNEL_DEFINITION),
    HEDDLE_CODE(CL_INVALID_KERNEL),
    HEDDLE_CODE(CL_INVALID_ARG_INDEX),
    HEDDLE_CODE(CL_INVALID_ARG_VALUE),
    HEDDLE_CODE(CL_INVALID_ARG_SIZE),
    HEDDLE_CODE(CL_INVALID_KERNEL_ARGS),
    HEDDLE_CODE(CL_INVALID_WORK_DIMENSION),
    HEDDLE_CODE(CL_INVALID_WORK_GROUP_SIZE),
    HEDDLE_CODE(CL_INVALID_WORK_ITEM_SIZE),
    HEDDLE_CODE(CL_INVALID_GLOBAL_OFFSET),
    HEDDLE_CODE(CL_INVALID_EVENT_WAIT_LIST),
    HEDDLE_CODE(CL_INVALID_EVENT),
    HEDDLE_CODE(CL_INVALID_OPERATION),
    HEDDLE_CODE(CL_INVALID_BUFFER_SIZE),
    HEDDLE_CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    HEDDLE_CODE(CL_INVALID_PROPERTY),
    HEDDLE_CODE(CL_INVALID_COMPILER_OPTIONS),
    HEDDLE_CODE(CL_INVALID_LINKER_OPTIONS),
    HEDDLE_CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
    HEDDLE_CODE(CL_PLATFORM_NOT_FOUND_KHR),
    HEDDLE_CODE(CL_CONTEXT_TERMINATED_KHR),
};
#undef HEDDLE_CODE

std::string name_of(cl_int number) {
  for (const Code& code : kCodes) {
    if (code.number == number) return std::string(code.name);
  }
  return "error " + std::to_string(number);
}

}  // namespace

std::string describe(const cl::Error& error) {
  return std::string(error.what()) + " failed with " + name_of(error.err());
}

std::exception_ptr current_failure() {
  try {
    throw;
  } catch (const cl::Error& error) {
    return std::make_exception_ptr(std::runtime_error("OpenCL: " + describe(error)));
  } catch (...) {
    return std::current_exception();
  }
}

std::exception_ptr failure_of(cl_int status) {
  if (status >= 0) return nullptr;
  return std::make_exception_ptr(std::runtime_error("OpenCL: the device ended with " + name_of(status)));
}

}  // namespace heddle::opencl
