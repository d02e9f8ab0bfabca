#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/io/starpu/recording.hpp"
#include "heddle/io/starpu/task_record.hpp"
#include "heddle/model/task_graph.hpp"

namespace heddle::io {

/// The records of a `tasks.rec` as the program it was: in submission order, with numbers in place of names. What ran on
/// workers and what only synchronised are both still there.
struct Program {
  struct Dependency {
    std::uint32_t from;  ///< position in `records`
    std::uint32_t to;
  };

  std::vector<TaskRecord> records;
  std::vector<Dependency> dependencies;  ///< by DependsOn
  std::vector<Datum> data;
  std::vector<std::string> handles;          ///< of the data, with the rank in front where there are several
  std::vector<Access> accesses;              ///< record after record, each datum at most once per record
  std::vector<std::size_t> access_begin{0};  ///< where those of a record begin, and one more
  std::vector<std::string> warnings;

  [[nodiscard]] std::span<const Access> accesses_of(std::size_t record) const {
    return {accesses.data() + access_begin[record], accesses.data() + access_begin[record + 1]};
  }
};

/// Puts records into submission order, resolves what they name, and reads their accesses; `data` as for read_tasks_rec.
/// `reader` is what the records were read with and only says where errors are.
[[nodiscard]] Program make_program(const std::vector<TaskRecord>& records, const std::vector<RecordedDatum>& data,
                                   const RecordReader& reader);

}  // namespace heddle::io
