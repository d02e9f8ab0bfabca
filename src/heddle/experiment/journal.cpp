#include "heddle/experiment/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "heddle/io/cache.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"

namespace heddle::experiment {
namespace {

/// journal := "heddle-journal 2" TAB study TAB edition LF, then lines; line := key (TAB name "=" number)* TAB checksum
/// LF. The checksum, of what is before it, tells a whole line from one that was cut short or damaged.
constexpr std::string_view kMagic = "heddle-journal";
constexpr std::string_view kVersion = "2";

/// Takes the part up to the next `separator` off the front of `text`.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::optional<std::pair<std::string, double>> parse_value(std::string_view text) {
  const std::string_view name = take(text, '=');
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  return std::pair(std::string(name), *number);
}

/// CRC-32, which finds every error in up to 32 successive bits, and all but one of four thousand million others.
std::string checksum(std::string_view text) {
  return fmt::format("{:08x}", crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

/// What the checksum is of; nothing when it is another.
std::optional<std::string_view> checked(std::string_view line) {
  const std::size_t end = line.rfind('\t');
  if (end == std::string_view::npos || line.substr(end + 1) != checksum(line.substr(0, end))) return std::nullopt;
  return line.substr(0, end);
}

std::optional<Values> parse_values(std::string_view text) {
  Values values;
  while (!text.empty()) {
    const auto value = parse_value(take(text, '\t'));
    if (!value) return std::nullopt;
    values.insert(*value);
  }
  return values;
}

std::string heading(std::string_view study, std::string_view edition) {
  return fmt::format("{} {}\t{}\t{}\n", kMagic, kVersion, study, edition);
}

/// Whether a journal's first line is of this edition. Throws InputError when it is of something else altogether.
bool is_current(const std::string& path, std::string_view line, std::string_view study, std::string_view edition) {
  std::string_view version = take(line, '\t');
  if (take(version, ' ') != kMagic) {
    throw InputError("'" + path + "' is not a journal of an experiment; it is unchanged");
  }
  const std::string_view other = take(line, '\t');
  if (other != study) {
    throw InputError("'" + path + "' is the journal of the experiment '" + std::string(other) + "'; expected '" +
                     std::string(study) + "'");
  }
  return version == kVersion && line == edition;
}

}  // namespace

Journal::Journal(std::string path, std::string_view study, std::string_view edition, bool fresh)
    : path_(std::move(path)) {
  io::make_folder_of(path_);
  const io::PathKind kind = io::kind_of(path_);
  if (kind == io::PathKind::folder || kind == io::PathKind::other)
    throw InputError("'" + path_ + "' is not a plain file");
  const std::string text = kind == io::PathKind::nothing ? "" : io::read_file(path_);
  std::string_view rest = text;
  const bool keeps = !text.empty() && is_current(path_, take(rest, '\n'), study, edition) && !fresh;
  // A new file: a process that still appends to the old one, another edition perhaps, goes on there.
  keeps ? read(rest) : io::write_file(path_, heading(study, edition));
  io::keep_private(path_);
  file_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) throw InputError("'" + path_ + "' cannot be written: " + std::strerror(errno));
  if (keeps && text.back() != '\n') write("\n");  // what follows is not part of the line that was cut short
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

void Journal::read(std::string_view text) {
  while (!text.empty()) {
    auto line = checked(take(text, '\n'));
    if (!line) continue;
    const std::string_view key = take(*line, '\t');
    if (auto values = parse_values(*line)) cells_.insert_or_assign(std::string(key), std::move(*values));
  }
}

const Values* Journal::find(std::string_view key) const {
  const auto found = cells_.find(key);
  return found == cells_.end() ? nullptr : &found->second;
}

void Journal::append(std::string_view key, const Values& values) {
  std::string line(key);
  for (const auto& [name, value] : values) line += fmt::format("\t{}={}", name, value);
  write(fmt::format("{}\t{}\n", line, checksum(line)));
}

void Journal::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InputError("'" + path_ + "' cannot be written: " + std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string default_journal_path(std::string_view study) {
  const auto path = io::cache_file("experiments/" + std::string(study) + ".journal");
  if (path) return *path;
  throw InputError(
      "there is no place for the journal: neither XDG_CACHE_HOME nor HOME is set; name one with --journal");
}

}  // namespace heddle::experiment
