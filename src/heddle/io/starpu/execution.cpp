#include "heddle/io/starpu/execution.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// The classes of a recorded machine, in the order in which Heddle lists classes.
enum Kind : std::uint8_t { kCpu, kGpu };
constexpr std::array kKindNames{"cpu", "gpu"};

/// StarPU's workers as those of two classes.
struct RecordedWorkers {
  struct Place {
    Kind kind;
    std::uint32_t number;  ///< within its class
  };
  std::map<std::uint32_t, Place> place;
  std::array<std::uint32_t, 2> count{};
};

RecordedWorkers recorded_workers(const Recording& recording) {
  std::map<std::uint32_t, Kind> named;
  for (const RecordedRun& run : recording.runs) named[run.worker] = run.memory_node == 0 ? kCpu : kGpu;
  RecordedWorkers workers;
  std::uint32_t next = 0;
  for (const auto& [number, kind] : named) {
    for (; next <= number; ++next) workers.place[next] = {kind, workers.count[kind]++};
  }
  return workers;
}

void check(const Recording& recording) {
  if (recording.has_ranks) {
    throw InputError(recording.source + ": several MPI ranks ran the tasks; expected the recording of one machine");
  }
  for (const TaskId task : recording.graph.tasks()) {
    const std::string name = recording.source + ": task '" + std::string(recording.graph.name(task)) + "' ";
    if (!recording.runs[task].timed) throw InputError(name + "has no EndTime; expected a recording of a run");
    if (recording.runs[task].worker >= kMaxWorkers) {
      throw InputError(name + "ran on worker " + std::to_string(recording.runs[task].worker) +
                       "; expected fewer than a million workers");
    }
  }
}

/// The machine that the recording shows.
Machine machine_of(const RecordedWorkers& workers) {
  Machine machine;
  machine.name = "recorded";
  for (const Kind kind : {kCpu, kGpu}) {
    if (workers.count[kind] == 0) continue;
    const char* memory = kind == kCpu ? "ram" : ResourceClass::kEach.data();
    machine.classes.push_back({.name = kKindNames[kind], .workers = workers.count[kind], .memory = memory});
  }
  return machine;
}

/// The first worker of each class on a platform, which has enough of them.
std::array<WorkerId, 2> first_workers(const Recording& recording, const RecordedWorkers& workers,
                                      const Platform& platform) {
  std::array<WorkerId, 2> first{};
  for (const Kind kind : {kCpu, kGpu}) {
    if (workers.count[kind] == 0) continue;
    const std::string name = kKindNames[kind];
    const std::optional<ClassId> c = platform.find_class(name);
    const std::uint32_t available = c ? platform.worker_count(*c) : 0;
    if (available < workers.count[kind]) {
      throw InputError(recording.source + ": tasks ran on " + std::to_string(workers.count[kind]) + " " + name +
                       " workers; the machine has " + std::to_string(available));
    }
    first[kind] = *platform.workers(*c).begin();
  }
  return first;
}

std::vector<Attempt> attempts_of(const Recording& recording, const RecordedWorkers& workers,
                                 const std::array<WorkerId, 2>& first, Time origin) {
  std::vector<Attempt> attempts;
  for (const TaskId task : recording.graph.tasks()) {
    const RecordedRun& run = recording.runs[task];
    const auto [kind, number] = workers.place.at(run.worker);
    const Time start = run.start - origin;
    attempts.push_back(
        {task, make_id<WorkerId>(index(first[kind]) + number), start, start + run.duration, Outcome::completed});
  }
  return attempts;
}

/// Those of data that tasks use, between memories whose workers ran some. Data sent before the run begins arrive with
/// it.
std::vector<Transfer> transfers_of(const Recording& recording, const std::vector<Attempt>& by_task,
                                   const Platform& platform, std::span<const RecordedTransfer> recorded, Time origin) {
  std::map<std::uint32_t, WorkerId> first_of_node;
  for (const Attempt& attempt : by_task) {
    const auto [first, is_new] = first_of_node.try_emplace(recording.runs[attempt.task].memory_node, attempt.worker);
    if (!is_new) first->second = std::min(first->second, attempt.worker);
  }
  std::map<std::uint32_t, MemoryId> memory_of;
  for (const auto& [node, worker] : first_of_node) memory_of[node] = platform.memory_of(worker);
  if (const auto ram = platform.find_memory("ram")) memory_of[0] = *ram;
  std::unordered_map<std::string_view, DataId> data;
  for (const DataId datum : recording.handles.ids()) data.emplace(recording.handles[datum], datum);
  std::vector<Transfer> transfers;
  for (const RecordedTransfer& transfer : recorded) {
    const auto datum = data.find(transfer.handle);
    const auto from = memory_of.find(transfer.from);
    const auto to = memory_of.find(transfer.to);
    if (datum == data.end() || from == memory_of.end() || to == memory_of.end()) continue;
    const auto since = [&](Time time) { return std::max<Time>(0, time - origin); };
    transfers.push_back(
        {datum->second, from->second, to->second, since(transfer.start), since(transfer.end), transfer.bytes});
  }
  return transfers;
}

}  // namespace

Execution execution_of(Recording recording, const std::optional<Machine>& machine,
                       std::span<const RecordedTransfer> transfers) {
  check(recording);
  const RecordedWorkers workers = recorded_workers(recording);
  Time origin = kMaxTime;
  for (const RecordedRun& run : recording.runs) {
    origin = std::min(origin, run.submitted > 0 ? std::min(run.submitted, run.start) : run.start);
  }
  const Machine used = machine ? *machine : machine_of(workers);
  Platform platform(used.classes, used.links, used.buses);
  std::vector<Attempt> by_task = attempts_of(recording, workers, first_workers(recording, workers, platform), origin);
  // The engine notes an end late: what follows has started by then.
  end_before_successors(recording.graph, by_task);
  end_before_next(platform.worker_count(), by_task);

  Execution execution;
  execution.schedule.transfers = transfers_of(recording, by_task, platform, transfers, origin);
  for (const TaskId task : recording.graph.tasks()) {
    const RecordedRun& run = recording.runs[task];
    execution.submitted.push_back(run.submitted > 0 ? std::min(run.submitted, run.start) - origin : 0);
  }
  if (machine) {
    execution.instance = place(std::move(recording), *machine);
  } else {
    Costs costs = seen_costs(recording.graph, platform, by_task);
    execution.instance =
        make_instance(std::move(recording.name), std::move(recording.graph), std::move(platform), std::move(costs));
  }
  take_attempts(execution, std::move(by_task));
  return execution;
}

}  // namespace heddle::io
