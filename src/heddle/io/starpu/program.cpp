#include "heddle/io/starpu/program.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "heddle/io/starpu/access_words.hpp"

namespace heddle::io {
namespace {

bool was_submitted(const TaskRecord& record) {
  return record.submit_order.has_value();
}

bool submitted_before(const TaskRecord* a, const TaskRecord* b) {
  const auto key = [](const TaskRecord* record) {
    return std::tuple(*record->submit_order, record->rank.size(), record->rank, record);
  };
  return key(a) < key(b);
}

bool created_before(const TaskRecord* a, const TaskRecord* b) {
  return std::tie(a->number, a) < std::tie(b->number, b);
}

/// Sorts by SubmitOrder. A record without one stands directly before the first record with a larger JobId, since both
/// numbers grow as the program runs. Ties stay in the order of the file.
std::vector<TaskRecord> in_submission_order(const std::vector<TaskRecord>& records) {
  std::vector<const TaskRecord*> submitted;
  std::vector<const TaskRecord*> internal;
  for (const TaskRecord& record : records) (was_submitted(record) ? submitted : internal).push_back(&record);
  if (submitted.empty()) return records;
  std::ranges::sort(submitted, submitted_before);
  std::ranges::sort(internal, created_before);

  std::vector<TaskRecord> ordered;
  ordered.reserve(records.size());
  auto next = internal.begin();
  std::uint64_t largest = 0;
  for (const TaskRecord* record : submitted) {
    largest = std::max(largest, record->number);
    while (next != internal.end() && (*next)->number < largest) ordered.push_back(**next++);
    ordered.push_back(*record);
  }
  for (; next != internal.end(); ++next) ordered.push_back(**next);
  return ordered;
}

std::string count(std::size_t number, std::string_view one, std::string_view many) {
  return std::to_string(number) + " " + std::string(number == 1 ? one : many);
}

/// What has been left out, to be told in one sentence each.
struct LeftOut {
  std::size_t dependencies = 0;
  std::unordered_set<std::string_view> unknown_jobs;
  std::string_view first_unknown;
  std::size_t models_without_worker = 0;
  std::size_t internal_accesses = 0;
  std::size_t end_dependencies = 0;

  [[nodiscard]] std::vector<std::string> sentences() const;
};

std::vector<std::string> LeftOut::sentences() const {
  std::vector<std::string> texts;
  if (dependencies > 0) {
    texts.push_back("ignored " + count(dependencies, "dependency", "dependencies") + " on " +
                    count(unknown_jobs.size(), "job", "jobs") + " that the file does not hold, the first being " +
                    in_quotes(first_unknown));
  }
  if (models_without_worker > 0) {
    texts.push_back(count(models_without_worker, "record has", "records have") +
                    " a performance model but no WorkerId, so never ran, and only synchronise");
  }
  if (internal_accesses > 0) {
    texts.push_back("left out the data accesses of " + count(internal_accesses, "task", "tasks") +
                    " without SubmitOrder, whose place in the program is not known");
  }
  if (end_dependencies > 0) {
    texts.push_back("ignored the EndDependencies of " + count(end_dependencies, "record", "records"));
  }
  return texts;
}

/// Turns the records, in their order, into a Program.
class ProgramMaker {
 public:
  ProgramMaker(std::vector<TaskRecord> records, const std::vector<RecordedDatum>& data, const RecordReader& reader)
      : reader_(reader), described_(data) {
    program_.records = std::move(records);
    for (std::size_t i = 0; i < data.size(); ++i) description_.emplace(data[i].handle, i);
    all_internal_ = std::ranges::none_of(program_.records, was_submitted);
  }

  Program make() {
    number_jobs();
    for (std::size_t i = 0; i < program_.records.size(); ++i) {
      const TaskRecord& record = program_.records[i];
      add_dependencies(record, static_cast<std::uint32_t>(i));
      add_accesses(record);
      left_out_.models_without_worker += !record.worker && !record.model.empty() ? 1 : 0;
      left_out_.end_dependencies += record.end_dependencies ? 1 : 0;
    }
    name_data();
    program_.warnings = left_out_.sentences();
    return std::move(program_);
  }

 private:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  void number_jobs() {
    const std::vector<TaskRecord>& records = program_.records;
    if (records.size() >= kMaxIds) {
      reader_.fail_at(records.back().line, "there are more records than 32 bits can number");
    }
    position_of_.reserve(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].job.empty()) continue;
      const auto [known, is_new] = position_of_.emplace(records[i].job, static_cast<std::uint32_t>(i));
      if (!is_new) fail_twice(records[known->second], records[i]);
    }
  }

  [[noreturn]] void fail_twice(const TaskRecord& a, const TaskRecord& b) const {
    const std::string first = std::to_string(std::min(a.line, b.line));
    reader_.fail_at(std::max(a.line, b.line),
                    "found JobId " + in_quotes(a.job) + " again; expected another one than in line " + first);
  }

  void add_dependencies(const TaskRecord& record, std::uint32_t position) {
    split(record.depends_on.value, kRecordBlanks, words_);
    for (const std::string_view job : words_) {
      const auto from = position_of_.find(job);
      if (from != position_of_.end()) {
        program_.dependencies.push_back({from->second, position});
        continue;
      }
      if (left_out_.dependencies++ == 0) left_out_.first_unknown = job;
      left_out_.unknown_jobs.insert(job);
    }
  }

  void add_accesses(const TaskRecord& record) {
    const bool in_program = was_submitted(record) || all_internal_;
    if (!in_program && record.is_task() && !record.modes.value.empty()) ++left_out_.internal_accesses;
    if (in_program && !record.control) {
      accesses_.read(record, reader_);
      for (const AccessWords::Item& item : accesses_.items()) add_access(record.rank, item);
    }
    if (in_program && record.control) add_write_backs(record);
    program_.access_begin.push_back(program_.accesses.size());
  }

  void add_access(std::string_view rank, const AccessWords::Item& item) {
    const DataId datum = find_datum(rank, item);
    if (item.mode != AccessMode::read) program_.data[index(datum)].write_back = false;
    std::vector<Access>& accesses = program_.accesses;
    const std::size_t last = last_access_[datum];
    if (last >= program_.access_begin.back() && last < accesses.size()) {
      if (accesses[last].mode != item.mode) accesses[last].mode = AccessMode::read_write;
      return;
    }
    last_access_[datum] = accesses.size();
    accesses.push_back({datum, item.mode});
  }

  /// StarPU then copies the value to the datum's home, if it has one. If the program writes the datum again after all,
  /// that is not its final value.
  void add_write_backs(const TaskRecord& record) {
    split(record.handles.value, kRecordBlanks, words_);
    for (const std::string_view handle : words_) {
      const auto described = description_.find(handle);
      if (described != description_.end() && described_[described->second].home_node < 0) continue;
      const auto datum = datum_of_.find(key_of(record.rank, handle));
      if (datum != datum_of_.end()) program_.data[index(datum->second)].write_back = true;
    }
  }

  /// Handles are addresses, so each rank has its own.
  const std::string& key_of(std::string_view rank, std::string_view handle) {
    return key_.assign(rank).append(rank.empty() ? "" : "_").append(handle);
  }

  DataId find_datum(std::string_view rank, const AccessWords::Item& item) {
    const auto [found, is_new] = datum_of_.emplace(key_of(rank, item.handle), make_id<DataId>(program_.data.size()));
    if (is_new) {
      program_.data.push_back({key_, 0, "ram"});
      program_.handles.push_back(key_);
      last_access_.push_back(kNever);
      describe(item.handle, program_.data.back());
    }
    std::int64_t& bytes = program_.data[index(found->second)].bytes;
    bytes = std::max(bytes, item.bytes);
    return found->second;
  }

  void describe(std::string_view handle, Datum& datum) {
    const auto known = description_.find(handle);
    given_names_.push_back(known == description_.end() ? std::string_view() : described_[known->second].name);
    if (known == description_.end()) return;
    const RecordedDatum& description = described_[known->second];
    datum.bytes = description.bytes;
    if (description.home_node > 0) datum.home = "gpu" + std::to_string(description.home_node - 1);
  }

  /// Data go by the names the application gave where those are unique, and by their handles otherwise.
  void name_data() {
    std::unordered_map<std::string_view, std::size_t> uses;
    for (const std::string_view name : given_names_) ++uses[name];
    for (const Datum& datum : program_.data) ++uses[datum.name];
    std::vector<std::string> names;
    for (std::size_t i = 0; i < program_.data.size(); ++i) {
      const bool unique = !given_names_[i].empty() && uses[given_names_[i]] == 1;
      names.emplace_back(unique ? given_names_[i] : program_.data[i].name);
    }
    for (std::size_t i = 0; i < names.size(); ++i) program_.data[i].name = std::move(names[i]);
  }

  const RecordReader& reader_;
  const std::vector<RecordedDatum>& described_;
  std::unordered_map<std::string_view, std::size_t> description_;
  std::unordered_map<std::string_view, std::uint32_t> position_of_;
  std::unordered_map<std::string, DataId> datum_of_;
  Table<DataId, std::size_t> last_access_;  ///< its position in the program's accesses
  std::vector<std::string_view> given_names_;
  bool all_internal_ = false;
  AccessWords accesses_;
  std::string key_;
  std::vector<std::string_view> words_;
  LeftOut left_out_;
  Program program_;
};

}  // namespace

Program make_program(const std::vector<TaskRecord>& records, const std::vector<RecordedDatum>& data,
                     const RecordReader& reader) {
  return ProgramMaker(in_submission_order(records), data, reader).make();
}

}  // namespace heddle::io
