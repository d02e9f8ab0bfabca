#include "heddle/io/cache.hpp"

#include <cstdlib>

namespace heddle::io {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::optional<std::string> cache_file(std::string_view name) {
  std::string folder = variable("XDG_CACHE_HOME");
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") + "/.cache";
  if (folder.empty()) return std::nullopt;
  return folder + "/heddle/" + std::string(name);
}

}  // namespace heddle::io
