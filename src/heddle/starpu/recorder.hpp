#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/host/rounds.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/starpu/copies.hpp"
#include "heddle/starpu/estimates.hpp"

namespace heddle::starpu {

/// Keeps what happened, to make an instance and a schedule of it.
class Recorder {
 public:
  struct Task {
    std::string name;  ///< no other task has it
    TypeId type;
    std::vector<Access> accesses{};
    std::int64_t priority = 0;
  };
  struct Record {
    Instance instance;
    Schedule schedule;
    /// Where memories are linked, and it has neither links nor transfers: what data is missing without copies that are
    /// not known. Otherwise empty.
    std::string gap{};
  };

  // Each gives the next number.
  TypeId add_type(std::string name, ContextId context = kNone<ContextId>);
  DataId add_datum(std::int64_t bytes);
  host::TaskNumber add(Task task);
  void ran(host::TaskNumber task, WorkerId worker, Time start, Time end);

  /// Of the tasks that ran, and the copies of their data; times count from the first start. Dependencies are those that
  /// follow from the data in the order of starts, for the engine may submit tasks of its own late, between two that
  /// were submitted before. Each task takes what it took on its class, and on others what is estimated. A datum is at
  /// home where it was first read or copied from. Links are as fast as the platform says, or as their quickest copy.
  /// `contexts`: none, or those that types are of; what the engine ran elsewhere, as the program wanted, is of a
  /// further context of all workers. `moves`: of workers between the contexts.
  [[nodiscard]] Record finish(const Platform& platform, const Estimates& estimates, std::string policy,
                              std::vector<Copied> copies, const Table<ContextId, Context>& contexts = {},
                              std::vector<WorkerMove> moves = {}) const;

 private:
  struct Run {
    WorkerId worker = kNone<WorkerId>;  ///< kNone: it did not run
    Time start = 0;
    Time end = 0;
  };

  [[nodiscard]] Table<DataId, MemoryId> homes_of(std::span<const std::size_t> order, const Platform& platform,
                                                 std::span<const Copied> copies) const;

  Table<TypeId, std::string> types_;
  Table<TypeId, ContextId> context_of_;  ///< of its tasks
  Table<DataId, Datum> data_;
  std::vector<Task> tasks_;
  std::vector<Run> runs_;
};

}  // namespace heddle::starpu
