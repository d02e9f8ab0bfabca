#include "heddle/linalg/cuda_functions.hpp"

#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/devices/module.hpp"
#include "heddle/runtime/devices/module_file.hpp"

namespace heddle::linalg::cuda {
namespace {

const runtime::ModuleFile& module() {
  static const runtime::ModuleFile file("cuda_linalg", "linear algebra on CUDA devices");
  return file;
}

const Function& find(const std::string& name, std::size_t element_bytes) {
  static auto* const exported = module().function<FindFunction>("heddle_cuda_function");
  const Function* found = exported(runtime::kModuleInterface, name.c_str(), element_bytes);
  if (found == nullptr) throw module().other_version();
  return *found;
}

}  // namespace

Function function(std::string name, std::size_t element_bytes) {
  return [name = std::move(name), element_bytes](const runtime::Job& job) { find(name, element_bytes)(job); };
}

std::string missing(const std::string& name, std::size_t element_bytes) {
  try {
    static_cast<void>(find(name, element_bytes));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace heddle::linalg::cuda
