#include "heddle/io/starpu/task_record.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>

#include "heddle/io/starpu/footprint.hpp"

namespace heddle::io {
namespace {

using Setter = void (*)(TaskRecord&, const Field&, const RecordReader&);

struct KnownField {
  std::string_view name;
  Setter set;
};

template <class Number>
Number number_of(std::string_view text, const Field& field, const RecordReader& reader, std::string_view expected) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) reader.fail(field, expected);
  return value;
}

void set_job(TaskRecord& record, const Field& field, const RecordReader& reader) {
  constexpr std::string_view kExpected = "a number, or '<rank>_<number>'";
  const std::size_t underscore = field.value.find('_');
  const bool ranked = underscore != std::string_view::npos;
  if (ranked) {
    record.rank = field.value.substr(0, underscore);
    static_cast<void>(number_of<std::uint32_t>(record.rank, field, reader, kExpected));
  }
  record.number =
      number_of<std::uint64_t>(ranked ? field.value.substr(underscore + 1) : field.value, field, reader, kExpected);
  record.job = field.value;
}

Time time_of(const Field& field, const RecordReader& reader) {
  constexpr std::string_view kExpected = "milliseconds from 0 up to 106 days";
  try {
    const std::optional<Time> time = parse_time(field.value, kMillisecond);
    if (time && *time >= 0) return *time;
    reader.fail(field, kExpected);
  } catch (const std::out_of_range&) {
    reader.fail(field, kExpected);
  }
}

void set_footprint(TaskRecord& record, const Field& field, const RecordReader& reader) {
  const std::optional<std::uint32_t> footprint = parse_footprint(field.value);
  if (!footprint) reader.fail(field, "1 to 8 hexadecimal digits");
  record.footprint = *footprint;
}

constexpr std::array kKnownFields = {
    KnownField{"Control", [](TaskRecord& record, const Field&, const RecordReader&) { record.control = true; }},
    KnownField{"Name", [](TaskRecord& record, const Field& field,
                          const RecordReader& reader) { record.name = reader.text(field); }},
    KnownField{"Model", [](TaskRecord& record, const Field& field,
                           const RecordReader& reader) { record.model = reader.text(field); }},
    KnownField{"JobId", set_job},
    KnownField{"SubmitOrder",
               [](TaskRecord& record, const Field& field, const RecordReader& reader) {
                 record.submit_order = number_of<std::uint64_t>(field.value, field, reader, "a number");
               }},
    KnownField{"Priority",
               [](TaskRecord& record, const Field& field, const RecordReader& reader) {
                 record.priority = number_of<std::int64_t>(field.value, field, reader, "a whole number of 64 bits");
               }},
    KnownField{"DependsOn",
               [](TaskRecord& record, const Field& field, const RecordReader&) { record.depends_on = field; }},
    KnownField{"EndDependencies",
               [](TaskRecord& record, const Field&, const RecordReader&) { record.end_dependencies = true; }},
    KnownField{"WorkerId",
               [](TaskRecord& record, const Field& field, const RecordReader& reader) {
                 record.worker = number_of<std::uint32_t>(field.value, field, reader, "the number of a worker");
               }},
    KnownField{"MemoryNode",
               [](TaskRecord& record, const Field& field, const RecordReader& reader) {
                 record.memory_node = number_of<std::uint32_t>(field.value, field, reader, "the number of a memory");
               }},
    KnownField{"SubmitTime", [](TaskRecord& record, const Field& field,
                                const RecordReader& reader) { record.submitted = time_of(field, reader); }},
    KnownField{"StartTime", [](TaskRecord& record, const Field& field,
                               const RecordReader& reader) { record.start = time_of(field, reader); }},
    KnownField{"EndTime", [](TaskRecord& record, const Field& field,
                             const RecordReader& reader) { record.end = time_of(field, reader); }},
    KnownField{"Footprint", set_footprint},
    KnownField{"Handles",
               [](TaskRecord& record, const Field& field, const RecordReader& reader) {
                 static_cast<void>(reader.text(field));
                 record.handles = field;
               }},
    KnownField{"MPIRank", [](TaskRecord& record, const Field&, const RecordReader&) { record.closed = true; }},
    KnownField{"Modes", [](TaskRecord& record, const Field& field, const RecordReader&) { record.modes = field; }},
    KnownField{"Sizes", [](TaskRecord& record, const Field& field, const RecordReader&) { record.sizes = field; }},
};

void check(const TaskRecord& record, const RecordReader& reader) {
  if (!record.is_task()) return;
  if (record.job.empty()) {
    reader.fail_at(record.line, "the record of a task that ran on a worker has no JobId; expected one");
  }
  if (record.end < record.start) {
    reader.fail_at(record.line, "the task with JobId " + std::string(record.job) +
                                    " ends before it starts; expected EndTime >= StartTime");
  }
}

}  // namespace

std::string_view TaskRecord::label() const {
  if (!name.empty()) return name;
  return model.empty() ? "task" : model;
}

std::optional<TaskRecord> next_task_record(RecordReader& reader, std::vector<Field>& fields) {
  if (!reader.next(fields)) return std::nullopt;
  TaskRecord record;
  record.line = fields.front().line;
  for (const Field& field : fields) {
    const auto* const known = std::ranges::find(kKnownFields, field.name, &KnownField::name);
    if (known != kKnownFields.end()) known->set(record, field, reader);
  }
  check(record, reader);
  return record;
}

}  // namespace heddle::io
