#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/time.hpp"

namespace heddle {

/// `aborted`: spoliated or preempted, its work is lost and the task starts anew; `failed`: a real run's kernel failed.
enum class Outcome : std::uint8_t { completed, aborted, failed };

[[nodiscard]] std::string_view to_string(Outcome outcome);

/// One execution of a task on a worker, from start to end.
struct Attempt {
  TaskId task;
  WorkerId worker;
  Time start;
  Time end;
  Outcome outcome;

  bool operator==(const Attempt&) const = default;
};

/// One copy of a datum between two memories.
struct Transfer {
  DataId data;
  MemoryId from;
  MemoryId to;
  Time start;
  Time end;
  std::int64_t bytes;

  bool operator==(const Transfer&) const = default;
};

/// What was decided, or what happened: the simulator, offline solvers and real runs all produce it. Attempts stand in
/// the order in which they ended.
struct Schedule {
  std::string instance;  ///< name of the instance
  std::string policy;    ///< policy with its options, as the command spells it
  std::uint64_t seed = 0;
  std::string noise;  ///< how actual durations were perturbed, as the command spells it; empty when they were not
  std::vector<Attempt> attempts;
  std::vector<Transfer> transfers;
  Contexts contexts{};  ///< those whose policies decided, as they began; none where one policy decided on everything
  std::vector<WorkerMove> moves{};  ///< of workers between the contexts, in the order of time; mostly none

  /// The end of the last completed attempt; 0 when there is none.
  [[nodiscard]] Time makespan() const;
  [[nodiscard]] std::size_t aborted_attempts() const;
};

/// A time during which a context had a worker.
struct Stay {
  WorkerId worker;
  ContextId context;
  Time begin;
  Time end;  ///< kMaxTime: to the end
};

/// All of them, as the contexts began and what moved then say. Throws InputError when a worker leaves a context that
/// does not have it, goes where it is already, or neither leaves nor goes anywhere, and when moves are not in the order
/// of time.
[[nodiscard]] std::vector<Stay> stays(const Table<ContextId, Context>& contexts, std::span<const WorkerMove> moves);

/// Sorts attempts by start, then end, so that in a valid schedule every completed one stands after those of its
/// predecessors: those alike, which take no time, keep their order unless that puts one before what it waits for.
void sort_by_start(const TaskGraph& graph, std::vector<Attempt>& attempts);

}  // namespace heddle
