#include "heddle/io/starpu/execution.hpp"

#include <algorithm>
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

enum Kind : std::uint8_t { kCpu, kGpu };

/// A class of the recorded machine.
struct RecordedClass {
  Kind kind = kCpu;
  std::string name{};
  std::string memory{};
  std::uint32_t workers = 0;
};

/// StarPU's workers as those of classes, in the order in which Heddle lists classes.
struct RecordedWorkers {
  struct Place {
    std::size_t of;        ///< the class
    std::uint32_t number;  ///< within its class
  };
  std::vector<RecordedClass> classes{};
  std::map<std::uint32_t, Place> place{};
};

/// "A", "B", ..., "Z", "AA", ...
std::string letters(std::size_t number) {
  const std::string last(1, static_cast<char>('A' + number % 26));
  return number < 26 ? last : letters(number / 26 - 1) + last;
}

/// Devices whose workers share a memory: each is a class then.
bool shares_device(const std::map<std::uint32_t, std::uint32_t>& node_of) {
  std::map<std::uint32_t, std::size_t> workers;
  for (const auto& [worker, node] : node_of) {
    if (node != 0 && ++workers[node] > 1) return true;
  }
  return false;
}

/// `may_separate`: devices may be classes of their own.
RecordedWorkers recorded_workers(const Recording& recording, bool may_separate) {
  std::map<std::uint32_t, std::uint32_t> node_of;
  for (const RecordedRun& run : recording.runs) node_of[run.worker] = run.memory_node;
  const bool separates = may_separate && shares_device(node_of);
  RecordedWorkers workers;
  std::map<std::uint32_t, std::size_t> class_of;  // by node, or 1 for all devices
  const auto key = [&](std::uint32_t node) { return separates ? node : std::min(node, 1U); };
  for (const auto& [worker, node] : node_of) class_of[key(node)] = 0;
  std::size_t devices = 0;
  for (auto& [node, number] : class_of) {
    number = workers.classes.size();
    if (node == 0) {
      workers.classes.push_back({kCpu, "cpu", "ram"});
    } else {
      const std::string name = separates ? "gpu" + letters(devices++) : "gpu";
      workers.classes.push_back({kGpu, name, separates ? name : std::string(ResourceClass::kEach)});
    }
  }
  std::uint32_t next = 0;
  for (const auto& [worker, node] : node_of) {
    const std::size_t of = class_of[key(node)];
    for (; next <= worker; ++next) workers.place[next] = {of, workers.classes[of].workers++};
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
  for (const RecordedClass& each : workers.classes) {
    machine.classes.push_back({.name = each.name, .workers = each.workers, .memory = each.memory});
  }
  return machine;
}

/// The first worker of each class on a platform, which has enough of them.
std::vector<WorkerId> first_workers(const Recording& recording, const RecordedWorkers& workers,
                                    const Platform& platform) {
  std::vector<WorkerId> first;
  for (const RecordedClass& each : workers.classes) {
    const std::optional<ClassId> c = platform.find_class(each.name);
    const std::uint32_t available = c ? platform.worker_count(*c) : 0;
    if (available < each.workers) {
      throw InputError(recording.source + ": tasks ran on " + std::to_string(each.workers) + " " + each.name +
                       " workers; the machine has " + std::to_string(available));
    }
    first.push_back(*platform.workers(*c).begin());
  }
  return first;
}

std::vector<Attempt> attempts_of(const Recording& recording, const RecordedWorkers& workers,
                                 const std::vector<WorkerId>& first, Time origin) {
  std::vector<Attempt> attempts;
  for (const TaskId task : recording.graph.tasks()) {
    const RecordedRun& run = recording.runs[task];
    const auto [of, number] = workers.place.at(run.worker);
    const Time start = run.start - origin;
    attempts.push_back(
        {task, make_id<WorkerId>(index(first[of]) + number), start, start + run.duration, Outcome::completed});
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
  const RecordedWorkers workers = recorded_workers(recording, !machine);
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
    Table<ClassId, std::size_t> kinds;
    for (const RecordedClass& each : workers.classes) kinds.push_back(each.kind);
    Costs costs = seen_costs(recording.graph, kinds, platform, by_task);
    execution.instance =
        make_instance(std::move(recording.name), std::move(recording.graph), std::move(platform), std::move(costs));
  }
  take_attempts(execution, std::move(by_task));
  return execution;
}

}  // namespace heddle::io
