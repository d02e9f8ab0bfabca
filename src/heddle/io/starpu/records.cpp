#include "heddle/io/starpu/records.hpp"

namespace heddle::io {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kRecordBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kRecordBlanks) - first + 1);
}

}  // namespace

bool RecordReader::next(std::vector<Field>& fields) {
  while (next_block(fields)) {
    if (!fields.front().name.starts_with('%')) return true;
  }
  return false;
}

bool RecordReader::next_block(std::vector<Field>& fields) {
  fields.clear();
  while (const std::optional<std::string_view> line = lines_.next()) {
    if (line->starts_with('#')) continue;
    if (trimmed(*line).empty()) {
      if (!fields.empty()) return true;
    } else if (line->starts_with('+') && !fields.empty()) {
      continue_field(line->substr(1), fields.back());
    } else {
      take_field(*line, fields);
    }
  }
  return !fields.empty();
}

void RecordReader::take_field(std::string_view line, std::vector<Field>& fields) const {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || name.empty() || name.find_first_of(kRecordBlanks) != std::string_view::npos) {
    lines_.fail("found " + in_quotes(line) + "; expected a field 'Name: value' or an empty line");
  }
  fields.push_back({name, trimmed(line.substr(colon + 1)), lines_.number()});
}

void RecordReader::continue_field(std::string_view text, Field& field) {
  const bool continued = !joined_.empty() && field.value.data() == joined_.back().data();
  if (!continued) joined_.emplace_back(field.value);
  joined_.back() += '\n';
  joined_.back() += text.starts_with(' ') ? text.substr(1) : text;
  field.value = joined_.back();
}

std::string_view RecordReader::text(const Field& field) const {
  for (std::string_view rest = field.value; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0) fail(field, "text in UTF-8");
    rest.remove_prefix(length);
  }
  return field.value;
}

void RecordReader::fail(const Field& field, std::string_view expected) const {
  fail_at(field.line,
          std::string(field.name) + " is " + in_quotes(field.value) + "; expected " + std::string(expected));
}

}  // namespace heddle::io
