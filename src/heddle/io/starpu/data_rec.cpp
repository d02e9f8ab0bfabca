#include "heddle/io/starpu/recording.hpp"
#include "heddle/io/starpu/records.hpp"

namespace heddle::io {
namespace {

std::int64_t integer_of(const Field& field, std::int64_t least, const RecordReader& reader) {
  const std::optional<std::int64_t> value = parse_integer(field.value);
  if (!value || *value < least) reader.fail(field, "a whole number from " + std::to_string(least));
  return *value;
}

}  // namespace

std::vector<RecordedDatum> read_data_rec(std::string_view text, std::string_view source) {
  RecordReader reader(text, source);
  std::vector<RecordedDatum> data;
  std::vector<Field> fields;
  while (reader.next(fields)) {
    RecordedDatum datum;
    for (const Field& field : fields) {
      if (field.name == "Handle") datum.handle = reader.text(field);
      if (field.name == "Name") datum.name = reader.text(field);
      if (field.name == "Size") datum.bytes = integer_of(field, 0, reader);
      if (field.name == "HomeNode") datum.home_node = integer_of(field, -1, reader);
    }
    if (!datum.handle.empty()) data.push_back(std::move(datum));
  }
  return data;
}

}  // namespace heddle::io
