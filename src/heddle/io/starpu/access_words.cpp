#include "heddle/io/starpu/access_words.hpp"

#include <string>

namespace heddle::io {
namespace {

/// A mode is a row of letters: R read, W write, S scratch, X reduction ("X-mpi" among ranks), C commutes.
struct ModeLetters {
  bool read = false, write = false, scratch = false, reduce = false, commute = false;
};

std::optional<ModeLetters> letters_of(std::string_view word) {
  ModeLetters letters;
  if (word.ends_with("-mpi")) word.remove_suffix(4);
  for (const char letter : word) {
    switch (letter) {
      case 'R':
        letters.read = true;
        break;
      case 'W':
        letters.write = true;
        break;
      case 'S':
        letters.scratch = true;
        break;
      case 'X':
        letters.reduce = true;
        break;
      case 'C':
        letters.commute = true;
        break;
      default:
        return std::nullopt;
    }
  }
  const bool says_something = letters.read || letters.write || letters.scratch || letters.reduce;
  return says_something ? std::optional(letters) : std::nullopt;
}

AccessMode mode_of(const ModeLetters& letters) {
  if (letters.reduce) return AccessMode::reduce;
  if (!letters.write) return AccessMode::read;
  if (letters.commute) return AccessMode::commute;
  return letters.read ? AccessMode::read_write : AccessMode::write;
}

void expect_count(const Field& field, std::size_t found, std::size_t expected, const RecordReader& reader) {
  if (found == expected) return;
  reader.fail_at(field.line, std::string(field.name) + " has " + std::to_string(found) + " words; expected " +
                                 std::to_string(expected) + ", one per mode");
}

}  // namespace

void AccessWords::read(const TaskRecord& record, const RecordReader& reader) {
  items_.clear();
  split(record.modes.value, kRecordBlanks, modes_);
  if (modes_.empty()) return;
  split(record.handles.value, kRecordBlanks, handles_);
  split(record.sizes.value, kRecordBlanks, sizes_);
  expect_count(record.handles.name.empty() ? record.modes : record.handles, handles_.size(), modes_.size(), reader);
  if (!sizes_.empty()) expect_count(record.sizes, sizes_.size(), modes_.size(), reader);
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const std::optional<ModeLetters> letters = letters_of(modes_[i]);
    if (!letters) reader.fail(record.modes, "words of the letters R, W, S, X, C, as in RW");
    if (letters->scratch) continue;
    const std::optional<std::int64_t> bytes = sizes_.empty() ? 0 : parse_integer(sizes_[i]);
    if (!bytes || *bytes < 0) reader.fail(record.sizes, "numbers of bytes");
    items_.push_back({handles_[i], mode_of(*letters), *bytes});
  }
}

}  // namespace heddle::io
