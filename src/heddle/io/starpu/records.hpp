#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/io/text.hpp"

namespace heddle::io {

/// One "Name: value" of a record.
struct Field {
  std::string_view name;
  std::string_view value;  ///< without blanks around it
  std::size_t line;
};

/// What separates the words of a value: also the line ends of a value that was continued.
inline constexpr std::string_view kRecordBlanks = " \t\r\f\v\n";

/// Reads GNU recutils text, record by record: fields "Name: value", continued by lines that begin with '+', comments
/// with '#', records ended by an empty line; records about records ("%rec: ...") are skipped.
class RecordReader {
 public:
  RecordReader(std::string_view text, std::string_view source) : lines_(text, source) {}

  /// The next record that has fields, false at the end. The views live as long as the text and the reader.
  [[nodiscard]] bool next(std::vector<Field>& fields);

  /// The value, which must be UTF-8 because it may end up in files that are; throws InputError otherwise.
  [[nodiscard]] std::string_view text(const Field& field) const;

  /// Throws InputError: file, line of the field, what it holds, and what was expected.
  [[noreturn]] void fail(const Field& field, std::string_view expected) const;
  [[noreturn]] void fail_at(std::size_t line, std::string_view sentence) const { lines_.fail_at(line, sentence); }

 private:
  [[nodiscard]] bool next_block(std::vector<Field>& fields);
  void take_field(std::string_view line, std::vector<Field>& fields) const;
  void continue_field(std::string_view text, Field& field);

  Lines lines_;
  std::deque<std::string> joined_;  ///< the values that were continued; addresses must last
};

}  // namespace heddle::io
