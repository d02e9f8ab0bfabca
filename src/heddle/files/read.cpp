#include <string>
#include <utility>

#include "heddle/files/source.hpp"
#include "heddle/io/detect.hpp"

namespace heddle::files {
namespace {

constexpr std::string_view kStandardInput = "-";

std::string read_text(const std::string& path, const Reading& reading) {
  if (path != kStandardInput) return io::read_file(path, reading.stop);
  static const std::string text = io::read_file("/dev/stdin", reading.stop);
  return text;
}

}  // namespace

io::PathKind kind_of(const std::string& path) {
  return path == kStandardInput ? io::PathKind::other : io::kind_of(path);
}

void tell(const Reading& reading, const std::vector<std::string>& warnings) {
  if (!reading.warn) return;
  for (const std::string& warning : warnings) reading.warn(warning);
}

File read(const std::string& path, std::string_view format, const Reading& reading) {
  std::string content = read_text(path, reading);
  if (format.empty()) {
    const io::Format detected = io::detect(content);
    if (detected != io::Format::unknown) format = io::to_string(detected);
  }
  return {path == kStandardInput ? "standard input" : path, std::move(content), std::string(format)};
}

}  // namespace heddle::files
