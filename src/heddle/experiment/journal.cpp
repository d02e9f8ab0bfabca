#include "heddle/experiment/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "heddle/io/cache.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/settings.hpp"

namespace heddle::experiment {
namespace {

/// journal := "heddle-journal 1" TAB study TAB edition LF, then lines; line := key (TAB name "=" number)* TAB "." LF.
/// The dot tells a whole line from one that was cut short.
constexpr std::string_view kMagic = "heddle-journal 1";
constexpr std::string_view kEnd = ".";

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

/// Nothing when the line was cut short.
std::optional<Values> parse_values(std::string_view text) {
  Values values;
  while (!text.empty()) {
    const std::string_view field = take(text, '\t');
    if (field == kEnd && text.empty()) return values;
    const auto value = parse_value(field);
    if (!value) return std::nullopt;
    values.insert(*value);
  }
  return std::nullopt;
}

std::string heading(std::string_view study, std::string_view edition) {
  return fmt::format("{}\t{}\t{}\n", kMagic, study, edition);
}

/// Whether a journal's first line is of this edition. Throws InputError when it is of something else altogether.
bool is_current(const std::string& path, std::string_view line, std::string_view study, std::string_view edition) {
  if (take(line, '\t') != kMagic) {
    throw InputError("'" + path + "' is no journal of an experiment, and is left as it is");
  }
  const std::string_view other = take(line, '\t');
  if (other != study) {
    throw InputError("'" + path + "' is the journal of the experiment '" + std::string(other) + "'; expected '" +
                     std::string(study) + "'");
  }
  return line == edition;
}

}  // namespace

Journal::Journal(std::string path, std::string_view study, std::string_view edition, bool fresh)
    : path_(std::move(path)) {
  io::make_folder_of(path_);
  const bool exists = std::filesystem::exists(path_);
  if (exists && !std::filesystem::is_regular_file(path_)) throw InputError("'" + path_ + "' is not a plain file");
  const std::string text = exists ? io::read_file(path_) : "";
  std::string_view rest = text;
  const bool keeps = !text.empty() && is_current(path_, take(rest, '\n'), study, edition) && !fresh;
  // A new file: whoever still appends to the old one, another edition perhaps, goes on there.
  keeps ? read(rest) : io::write_file(path_, heading(study, edition));
  file_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) throw InputError("'" + path_ + "' cannot be written: " + std::strerror(errno));
  if (keeps && text.back() != '\n') write("\n");  // what follows is not part of the line that was cut short
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

void Journal::read(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    const std::string_view key = take(line, '\t');
    if (auto values = parse_values(line)) cells_.insert_or_assign(std::string(key), std::move(*values));
  }
}

const Values* Journal::find(std::string_view key) const {
  const auto found = cells_.find(key);
  return found == cells_.end() ? nullptr : &found->second;
}

void Journal::append(std::string_view key, const Values& values) {
  std::string line(key);
  for (const auto& [name, value] : values) line += fmt::format("\t{}={}", name, value);
  write(line.append("\t").append(kEnd).append("\n"));
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
