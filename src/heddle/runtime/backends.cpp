#include "heddle/runtime/backends.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/runtime/module.hpp"

namespace heddle::runtime {
namespace {

using Path = std::filesystem::path;

/// In the order in which they are looked through.
std::vector<Path> module_folders() {
  if (const char* chosen = std::getenv("HEDDLE_MODULES")) return {chosen};
  std::vector<Path> folders;
  std::error_code error;
  const Path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back((program.parent_path() / HEDDLE_MODULES_FROM_PROGRAM).lexically_normal());
  folders.emplace_back(HEDDLE_BUILT_MODULES);
  folders.emplace_back(HEDDLE_INSTALLED_MODULES);
  return folders;
}

/// What dlopen has to say, without the name of the file where it begins with that.
std::string dlopen_error(const std::string& file) {
  const char* reason = dlerror();
  const std::string text = reason != nullptr ? reason : "unknown error";
  return text.starts_with(file + ": ") ? text.substr(file.size() + 2) : text;
}

std::unique_ptr<Backend> open_module(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw InputError("the module '" + file + "' cannot be loaded: " + dlopen_error(file));
  auto* make = reinterpret_cast<MakeBackend*>(dlsym(library, "heddle_backend"));
  std::unique_ptr<Backend> backend(make != nullptr ? make(kModuleInterface) : nullptr);
  if (!backend) throw InputError("the module '" + file + "' was built for another version of Heddle");
  return backend;
}

std::unique_ptr<Backend> load(const std::string& name) {
  const std::string module = "heddle_" + name + ".so";
  for (const Path& folder : module_folders()) {
    std::error_code error;
    if (std::filesystem::exists(folder / module, error)) return open_module(folder / module);
  }
  throw InputError("this installation of Heddle has no module for " + name + " devices (" + module + ")");
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
