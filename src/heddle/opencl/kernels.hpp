#pragma once

#include <CL/opencl.hpp>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>

#include "heddle/runtime/kernel.hpp"

namespace heddle::opencl {

/// The kernels in OpenCL C that one device has run; each text is compiled once. Once there are many, it forgets those
/// that the runtime has forgotten.
class Kernels {
 public:
  Kernels(cl::Context context, cl::Device device) : context_(std::move(context)), device_(std::move(device)) {}

  /// Compiles the text, if that was not done yet.
  void compile(const std::shared_ptr<const runtime::OpenClSource>& source) { static_cast<void>(entry(source)); }
  /// The kernel with the job's arguments in place. Throws InputError when the text does not compile (with what the
  /// compiler says), has no such function, or the function other parameters.
  [[nodiscard]] cl::Kernel& prepare(const std::shared_ptr<const runtime::OpenClSource>& source,
                                    const runtime::Job& job);

 private:
  struct Entry {
    cl::Kernel kernel{};
    std::exception_ptr failure{};  ///< instead
  };

  [[nodiscard]] Entry& entry(const std::shared_ptr<const runtime::OpenClSource>& source);
  [[nodiscard]] Entry make(const runtime::OpenClSource& source);
  [[nodiscard]] const cl::Program& compiled(const runtime::OpenClSource& source);

  cl::Context context_;
  cl::Device device_;
  std::unordered_map<std::string, cl::Program> programs_;
  std::unordered_map<std::shared_ptr<const runtime::OpenClSource>, Entry> entries_;
  static constexpr std::size_t kFew = 256;
  std::size_t forget_at_ = kFew;
};

}  // namespace heddle::opencl
