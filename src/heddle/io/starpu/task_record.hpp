#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "heddle/io/starpu/records.hpp"
#include "heddle/model/time.hpp"

namespace heddle::io {

/// One record of `tasks.rec`: a task, a synchronisation or a WontUse. Views live as long as text and reader.
struct TaskRecord {
  std::size_t line = 0;      ///< of its first field
  std::string_view job;      ///< the JobId as written; empty when there is none
  std::string_view rank;     ///< what stands before the '_' of the JobId; empty without MPI
  std::uint64_t number = 0;  ///< the rest of the JobId
  std::string_view name;
  std::string_view model;
  std::optional<std::uint64_t> submit_order;
  std::int64_t priority = 0;
  std::uint32_t footprint = 0;
  std::optional<std::uint32_t> worker;
  std::uint32_t memory_node = 0;  ///< of the worker: 0 is the main memory
  Time submitted = 0;
  Time start = 0;
  Time end = 0;
  bool control = false;           ///< WontUse
  bool end_dependencies = false;  ///< it has some
  bool closed = false;            ///< it has an MPIRank, which StarPU writes behind all that is read here
  Field depends_on{};
  Field handles{};
  Field modes{};
  Field sizes{};

  /// Whether it is work to schedule; everything else only orders work.
  [[nodiscard]] bool is_task() const { return worker.has_value() && !control && !name.starts_with("_starpu_"); }
  /// What to call it: its name, or else its model, or else "task".
  [[nodiscard]] std::string_view label() const;
};

/// The next record; nothing at the end. `fields` is scratch space. Unknown fields are skipped.
[[nodiscard]] std::optional<TaskRecord> next_task_record(RecordReader& reader, std::vector<Field>& fields);

}  // namespace heddle::io
