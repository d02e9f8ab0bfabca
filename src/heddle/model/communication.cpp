#include <algorithm>

#include "heddle/model/levels.hpp"

namespace heddle {
namespace {

__extension__ using Wide = __int128;

/// Who wrote the present value of a datum; kNone stands for its home.
struct Value {
  AccessMode mode = AccessMode::write;  ///< of the writers
  bool read_since = false;
  std::vector<TaskId> before;  ///< the writers of the value that a commuting group started from
  std::vector<TaskId> writers{kNone<TaskId>};
};

/// Records an access and returns the writers of what it reads.
std::vector<TaskId> producers(Value& value, TaskId task, AccessMode mode) {
  const bool joins = mode == value.mode && !value.read_since;
  value.read_since = mode == AccessMode::read;
  std::vector<TaskId> sources;
  switch (mode) {
    case AccessMode::read:
      return value.writers;
    case AccessMode::write:
      value.writers.assign(1, task);
      break;
    case AccessMode::read_write:
      sources = std::exchange(value.writers, {task});
      break;
    case AccessMode::commute:
      if (joins) {
        value.writers.push_back(task);
        return value.before;
      }
      sources = std::exchange(value.writers, {task});
      value.before = sources;
      break;
    case AccessMode::reduce:
      // It accumulates in a copy of its own; who reads the sum needs the value before too.
      value.writers.push_back(task);
      break;
  }
  value.mode = mode;
  return sources;
}

}  // namespace

Communication::Communication(const Instance& instance) : routes_(instance.platform) {
  if (routes_.free()) return;
  const Platform& platform = instance.platform;
  Table<MemoryId, std::int64_t> workers(platform.memories().size(), 0);
  for (const WorkerId worker : platform.workers()) ++workers[platform.memory_of(worker)];
  for (const MemoryId from : workers.ids()) {
    for (const MemoryId to : workers.ids()) {
      const std::int64_t count = workers[from] * workers[to];
      if (from != to && count > 0) pairs_.push_back({from, to, count});
    }
  }
  const auto all = static_cast<std::int64_t>(platform.worker_count());
  all_pairs_ = std::max<std::int64_t>(all * (all - 1), 1);
  collect_inflows(instance);
}

void Communication::collect_inflows(const Instance& instance) {
  const TaskGraph& graph = instance.graph;
  const Table<DataId, MemoryId> homes = home_memories(instance);
  Table<DataId, Value> values(graph.data_count());
  begin_.push_back(0);
  for (const TaskId task : graph.tasks()) {
    const std::size_t first = begin_.back();
    for (const Access access : graph.accesses(task)) {
      const Datum& datum = graph.datum(access.data);
      for (const TaskId producer : producers(values[access.data], task, access.mode)) {
        const MemoryId home = producer == kNone<TaskId> ? homes[access.data] : kNone<MemoryId>;
        const auto same = [&](const Inflow& flow) { return flow.producer == producer && flow.home == home; };
        const auto known = std::find_if(inflows_.begin() + static_cast<std::ptrdiff_t>(first), inflows_.end(), same);
        if (known != inflows_.end()) {
          known->bytes += datum.bytes;
        } else {
          inflows_.push_back({producer, home, datum.bytes});
        }
      }
    }
    begin_.push_back(static_cast<std::uint32_t>(inflows_.size()));
  }
  std::vector<std::int64_t> sizes;
  for (const Inflow& flow : inflows_) sizes.push_back(flow.bytes);
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  for (const std::int64_t bytes : sizes) means_.emplace_back(bytes, mean(bytes));
}

Time Communication::mean(std::int64_t bytes) const {
  const auto known = std::ranges::lower_bound(means_, bytes, {}, &std::pair<std::int64_t, Time>::first);
  if (known != means_.end() && known->first == bytes) return known->second;
  Wide total = 0;
  for (const Pair& pair : pairs_) total += Wide{duration(pair.from, pair.to, bytes)} * pair.workers;
  return static_cast<Time>(total / all_pairs_);
}

}  // namespace heddle
