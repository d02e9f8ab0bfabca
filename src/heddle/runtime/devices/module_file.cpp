#include "heddle/runtime/devices/module_file.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace heddle::runtime {
namespace {

using Path = std::filesystem::path;

/// The file that has this code: the program, or what it has loaded, as an interpreter loads the Python module.
Path own_file() {
  static const char here = 0;
  Dl_info info{};
  std::error_code error;
  if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::canonical(info.dli_fname, error);
}

/// In the order in which they are looked through.
std::vector<Path> module_folders() {
  if (const char* chosen = std::getenv("HEDDLE_MODULES")) return {chosen};
  std::vector<Path> folders;
  std::error_code error;
  const Path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back((program.parent_path() / HEDDLE_MODULES_FROM_PROGRAM).lexically_normal());
  const bool is_built = !error && program.string().starts_with(HEDDLE_BUILD);
  if (is_built || own_file().string().starts_with(HEDDLE_BUILD)) folders.emplace_back(HEDDLE_BUILT_MODULES);
  folders.emplace_back(HEDDLE_INSTALLED_MODULES);
  return folders;
}

/// Without a folder where it is in none of those: the loader looks where the program was linked to look, unless the
/// user has said where.
std::string find(const std::string& module) {
  std::vector<Path> folders = module_folders();
  for (const Path& folder : folders) {
    std::error_code error;
    if (std::filesystem::exists(folder / module, error)) return folder / module;
  }
  return std::getenv("HEDDLE_MODULES") != nullptr ? folders.front() / module : Path(module);
}

/// What dlopen has to say, without the name of the file where it begins with that.
std::string dlopen_error(const std::string& file) {
  const char* reason = dlerror();
  const std::string text = reason != nullptr ? reason : "unknown error";
  return text.starts_with(file + ": ") ? text.substr(file.size() + 2) : text;
}

}  // namespace

ModuleFile::ModuleFile(const std::string& name, const std::string& purpose)
    : file_(find("heddle_" + name + ".so")), library_(dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ != nullptr) return;
  const std::string why = dlopen_error(file_);
  if (why.starts_with("cannot open shared object file: No such file"))  // itself, not one that it needs
    throw InputError("this installation of Heddle has no module for " + purpose + " (heddle_" + name + ".so)");
  throw InputError("the module '" + file_ + "' cannot be loaded: " + why);
}

InputError ModuleFile::other_version() const {
  return InputError("the module '" + file_ + "' was built for another version of Heddle");
}

void* ModuleFile::address(const char* symbol) const {
  void* found = dlsym(library_, symbol);
  if (found == nullptr) throw other_version();
  return found;
}

}  // namespace heddle::runtime
