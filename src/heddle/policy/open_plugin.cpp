#include <dlfcn.h>

#include <exception>
#include <string_view>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/policy/plugin.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::policy {
namespace {

/// What dlopen and dlsym have to say, without the name of the file where it begins with that.
std::string loader_error(const std::string& path) {
  const char* reason = dlerror();
  const std::string text = reason != nullptr ? reason : "unknown error";
  return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw InputError("plug-in '" + file + "': " + why);
}

const Plugin& exported(const std::string& file) {
  // The loader would look for a name without a folder in folders of its own.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(file, "cannot be opened: " + loader_error(path));
  void* symbol = dlsym(library, "heddle_policy_plugin");
  if (symbol == nullptr) refuse(file, "is not a plug-in of Heddle: it exports no function heddle_policy_plugin");
  const Plugin* plugin = reinterpret_cast<const Plugin* (*)()>(symbol)();
  if (plugin == nullptr) refuse(file, "describes no policy");
  return *plugin;
}

void check(const std::string& file, const Plugin& plugin) {
  if (plugin.interface != kPluginInterface) {
    refuse(file, "was built for interface " + std::to_string(plugin.interface) + " of Heddle's policies, and this is " +
                     std::to_string(kPluginInterface) + "; build it again");
  }
  const auto same = [&](const char* what, std::string_view theirs, std::string_view ours) {
    if (theirs != ours)
      refuse(file, std::string("was built with ") + what + " '" + std::string(theirs) + "', and this is '" +
                       std::string(ours) + "'");
  };
  same("the compiler ABI", plugin.compiler_abi, kCompilerAbi);
  same("the standard library", plugin.standard_library, kStandardLibrary);
  if (plugin.sizes != Plugin().sizes) {
    refuse(file, "was built with other headers, or with options that change the layout of objects; build it again");
  }
  if (plugin.entry == nullptr) refuse(file, "describes no policy");
}

}  // namespace

void open_plugin(const std::string& file) {
  const Plugin& plugin = exported(file);
  check(file, plugin);
  try {
    Entry entry = plugin.entry();
    entry.plugin = file;
    add(std::move(entry));
  } catch (const std::exception& error) {
    refuse(file, error.what());
  }
}

}  // namespace heddle::policy
