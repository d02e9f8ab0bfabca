#include "heddle/runtime/devices/backends.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/runtime/devices/module.hpp"
#include "heddle/runtime/devices/module_file.hpp"

namespace heddle::runtime {
namespace {

std::unique_ptr<Backend> load(const std::string& name) {
  const ModuleFile module(name, name + " devices");
  std::unique_ptr<Backend> backend(module.function<MakeBackend>("heddle_backend")(kModuleInterface));
  if (!backend) throw module.other_version();
  return backend;
}

}  // namespace

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names{"opencl", "cuda"};
  return names;
}

std::shared_ptr<Backend> find_backend(std::string_view name) {
  if (std::ranges::count(backend_names(), name) == 0) {
    throw InputError("there are no devices of the kind '" + std::string(name) + "'" + suggest(name, backend_names()));
  }
  static std::mutex mutex;
  // Never destroyed: at exit, what a module stands on may be gone before the statics of this library.
  static auto& loaded = *new std::map<std::string, std::shared_ptr<Backend>, std::less<>>;
  const std::lock_guard lock(mutex);
  auto found = loaded.find(name);
  if (found == loaded.end()) found = loaded.emplace(name, load(std::string(name))).first;
  if (found->second->devices().empty()) throw InputError("there is no " + std::string(name) + " device");
  return found->second;
}

}  // namespace heddle::runtime
