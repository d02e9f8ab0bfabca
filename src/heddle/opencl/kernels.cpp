#include "heddle/opencl/kernels.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/opencl/errors.hpp"

namespace heddle::opencl {
namespace {

using runtime::OpenClSource;
using Form = OpenClSource::Form;

/// How many parameters of a function in OpenCL C stand for one of the kernel's.
cl_uint width(Form form) {
  switch (form) {
    case Form::vector:
      return 2;
    case Form::matrix:
      return 3;
    case Form::object:
    case Form::value:
      return 1;
  }
  return 0;
}

/// The arguments of a kernel, one after the other.
class ArgumentList {
 public:
  explicit ArgumentList(cl::Kernel& kernel) : kernel_(&kernel) {}

  void add(const void* value, std::size_t bytes) { kernel_->setArg(next_++, bytes, value); }
  void add_memory(void* memory) { add(static_cast<const void*>(&memory), sizeof(cl_mem)); }
  void add_count(std::size_t count) {
    if (count > std::numeric_limits<cl_uint>::max()) {
      throw InputError("a datum of " + std::to_string(count) +
                       " rows or columns is too large for a kernel in OpenCL C");
    }
    const auto number = static_cast<cl_uint>(count);
    add(&number, sizeof(number));
  }

 private:
  cl::Kernel* kernel_;
  cl_uint next_ = 0;
};

void set_arguments(cl::Kernel& kernel, const OpenClSource& source, const runtime::Job& job) {
  ArgumentList list(kernel);
  for (const OpenClSource::Parameter& parameter : source.parameters) {
    if (parameter.form == Form::value) {
      list.add(job.values() + parameter.number, parameter.bytes);
      continue;
    }
    const runtime::Argument& data = job.argument(parameter.number);
    list.add_memory(data.piece.address);
    if (parameter.form != Form::object) list.add_count(data.shape.rows);
    if (parameter.form == Form::matrix) list.add_count(data.shape.columns);
  }
}

void check_parameters(const cl::Kernel& kernel, const OpenClSource& source) {
  cl_uint expected = 0;
  for (const OpenClSource::Parameter& parameter : source.parameters) expected += width(parameter.form);
  const auto found = kernel.getInfo<CL_KERNEL_NUM_ARGS>();
  if (found == expected) return;
  throw InputError("the OpenCL function '" + source.entry + "' has " + std::to_string(found) +
                   " parameters, and the kernel's come to " + std::to_string(expected) +
                   ": a vector is its memory and its size, a matrix its memory, rows and columns");
}

}  // namespace

cl::Kernel& Kernels::prepare(const std::shared_ptr<const OpenClSource>& source, const runtime::Job& job) {
  Entry& found = entry(source);
  if (found.failure) std::rethrow_exception(found.failure);
  set_arguments(found.kernel, *source, job);
  return found.kernel;
}

Kernels::Entry& Kernels::entry(const std::shared_ptr<const OpenClSource>& source) {
  const auto found = entries_.find(source);
  if (found != entries_.end()) return found->second;
  if (entries_.size() >= forget_at_) {
    std::erase_if(entries_, [](const auto& entry) { return entry.first.use_count() == 1; });
    forget_at_ = std::max(2 * entries_.size(), kFew);
  }
  return entries_.emplace(source, make(*source)).first->second;
}

Kernels::Entry Kernels::make(const OpenClSource& source) {
  try {
    const cl::Program& program = compiled(source);
    Entry entry{cl::Kernel(program, source.entry.c_str())};
    check_parameters(entry.kernel, source);
    return entry;
  } catch (const cl::Error& error) {
    const bool no_such = error.err() == CL_INVALID_KERNEL_NAME;
    return {.failure = no_such ? std::make_exception_ptr(
                                     InputError("the OpenCL source has no kernel function '" + source.entry + "'"))
                               : current_failure()};
  } catch (...) {
    return {.failure = current_failure()};
  }
}

const cl::Program& Kernels::compiled(const OpenClSource& source) {
  const auto found = programs_.find(source.text);
  if (found != programs_.end()) return found->second;
  const cl::Program program(context_, source.text);
  try {
    program.build(device_);
  } catch (const cl::BuildError& error) {
    throw InputError("the OpenCL source of '" + source.entry + "' does not compile: " + describe(error) + "\n" +
                     error.getBuildLog().front().second);
  }
  return programs_.emplace(source.text, program).first->second;
}

}  // namespace heddle::opencl
