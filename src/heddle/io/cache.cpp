#include "heddle/io/cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace heddle::io {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Whether it is the user's own, and no link to something else.
bool withdraw_rights_of_others(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode) || status.st_uid != ::geteuid()) return false;
  const bool open = (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  return !open || ::chmod(path.c_str(), status.st_mode & S_IRWXU) == 0;
}

}  // namespace

std::optional<std::string> cache_file(std::string_view name) {
  std::string folder = variable("XDG_CACHE_HOME");
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") + "/.cache";
  if (folder.empty()) return std::nullopt;
  return folder + "/heddle/" + std::string(name);
}

void keep_private(const std::string& path) {
  const auto any = cache_file("any");
  if (!any) return;
  const auto folder = std::filesystem::path(*any).lexically_normal().parent_path().string();
  if (!std::filesystem::path(path).lexically_normal().string().starts_with(folder + "/")) return;
  if (withdraw_rights_of_others(folder)) static_cast<void>(withdraw_rights_of_others(path));
}

}  // namespace heddle::io
