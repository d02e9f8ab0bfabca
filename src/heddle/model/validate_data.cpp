#include "heddle/model/validate_data.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace heddle {
namespace {

class Replay {
 public:
  Replay(const Instance& instance, const Schedule& schedule)
      : instance_(instance),
        schedule_(schedule),
        memories_(instance.platform.memories().size()),
        copies_(instance.graph.data_count() * memories_),
        version_(instance.graph.data_count(), 0),
        parts_(instance.graph.data_count(), 0),
        completed_(instance.graph.task_count(), false),
        loads_(schedule.transfers.size()) {
    const Table<DataId, MemoryId> homes = home_memories(instance);
    for (const DataId data : homes.ids()) copy(data, homes[data]).has_value = true;
  }

  std::vector<std::string> run() {
    for (std::size_t i = 0; i < schedule_.transfers.size(); ++i) {
      const Transfer& transfer = schedule_.transfers[i];
      Instant& start = instants_[transfer.start];
      start.starts.push_back({true, i});
      if (transfer.end > transfer.start) instants_[transfer.end].ends.push_back({true, i});
    }
    for (std::size_t i = 0; i < schedule_.attempts.size(); ++i) {
      const Attempt& attempt = schedule_.attempts[i];
      instants_[attempt.start].starts.push_back({false, i});
      if (attempt.end > attempt.start) instants_[attempt.end].ends.push_back({false, i});
    }
    for (auto& [now, instant] : instants_) {
      for (const Item item : instant.ends) end(item);
      start(instant.starts, now);
    }
    return std::move(violations_);
  }

 private:
  struct Item {
    bool is_transfer;
    std::size_t number;
  };
  struct Instant {
    std::vector<Item> ends;
    std::vector<Item> starts;
  };
  /// What a memory has of a datum: the value last written, and parts that tasks which reduced it since have left.
  struct Copy {
    bool has_value = false;
    std::vector<bool> parts;  ///< in the order in which they were left; missing are those beyond the end

    [[nodiscard]] bool empty() const { return !has_value && parts.empty(); }
    void add(const Copy& other) {
      has_value = has_value || other.has_value;
      if (parts.size() < other.parts.size()) parts.resize(other.parts.size(), false);
      for (std::size_t part = 0; part < other.parts.size(); ++part) parts[part] = parts[part] || other.parts[part];
    }
  };
  /// What a transfer carries: nothing, when it leaves a memory that has nothing.
  struct Load {
    std::uint32_t version = 0;
    Copy copy;
  };

  [[nodiscard]] Copy& copy(DataId data, MemoryId memory) { return copies_[index(data) * memories_ + index(memory)]; }

  /// Starts what can start, again and again: work that takes no time enables more within the instant. Transfers are
  /// tried again to the last, because they may carry what is written within the instant.
  void start(std::vector<Item>& items, Time now) {
    std::vector<Item> transfers;
    std::ranges::copy_if(items, std::back_inserter(transfers), &Item::is_transfer);
    for (bool progress = true; progress;) {
      const std::size_t before = items.size();
      std::erase_if(items, [&](Item item) { return try_start(item); });
      progress = items.size() < before;
      for (const Item transfer : transfers) static_cast<void>(try_start(transfer));
    }
    for (const Item item : items) {
      if (item.is_transfer) continue;
      report_missing(schedule_.attempts[item.number]);
      if (schedule_.attempts[item.number].end == now) end(item);
    }
  }

  [[nodiscard]] bool try_start(Item item) {
    if (item.is_transfer) {
      const Transfer& transfer = schedule_.transfers[item.number];
      const Copy& source = copy(transfer.data, transfer.from);
      if (source.empty()) return false;
      loads_[item.number] = {version_[transfer.data], source};
      if (transfer.end == transfer.start) end(item);
      return true;
    }
    const Attempt& attempt = schedule_.attempts[item.number];
    // What only writes finds all it needs, but within an instant it comes after those that read the value before.
    for (const TaskId before : instance_.graph.predecessors(attempt.task)) {
      if (!completed_[before]) return false;
    }
    for (const Access access : instance_.graph.accesses(attempt.task)) {
      if (!finds(access, instance_.platform.memory_of(attempt.worker))) return false;
    }
    if (attempt.end == attempt.start) end(item);
    return true;
  }

  /// Whether the value and all parts have met in the memory.
  [[nodiscard]] bool finds(Access access, MemoryId memory) {
    if (!reads(access.mode)) return true;
    const Copy& here = copy(access.data, memory);
    const auto met = static_cast<std::size_t>(std::ranges::count(here.parts, true));
    return here.has_value && met == parts_[access.data];
  }

  void end(Item item) {
    if (item.is_transfer) {
      deliver(schedule_.transfers[item.number], loads_[item.number]);
      return;
    }
    const Attempt& attempt = schedule_.attempts[item.number];
    if (attempt.outcome != Outcome::completed) return;
    completed_[attempt.task] = true;
    const MemoryId memory = instance_.platform.memory_of(attempt.worker);
    for (const Access access : instance_.graph.accesses(attempt.task)) {
      if (access.mode == AccessMode::reduce) leave_part(access.data, memory);
      if (writes(access.mode)) write(access.data, memory);
    }
  }

  void deliver(const Transfer& transfer, const Load& load) {
    if (load.version == version_[transfer.data]) copy(transfer.data, transfer.to).add(load.copy);
  }

  void leave_part(DataId data, MemoryId memory) {
    std::vector<bool>& parts = copy(data, memory).parts;
    parts.resize(parts_[data]++, false);
    parts.push_back(true);
  }

  void write(DataId data, MemoryId memory) {
    ++version_[data];
    parts_[data] = 0;
    for (const MemoryId other : instance_.platform.memories().ids()) copy(data, other) = {};
    copy(data, memory).has_value = true;
  }

  void report_missing(const Attempt& attempt) {
    const MemoryId memory = instance_.platform.memory_of(attempt.worker);
    for (const Access access : instance_.graph.accesses(attempt.task)) {
      if (finds(access, memory)) continue;
      report("task '" + std::string(instance_.graph.name(attempt.task)) + "' starts on " +
             instance_.platform.worker_name(attempt.worker) + " at " + format_seconds(attempt.start) +
             " without datum '" + name(access.data) + "' in memory '" + name(memory) + "'");
    }
  }

  void report(std::string sentence) { violations_.push_back(std::move(sentence)); }
  [[nodiscard]] const std::string& name(DataId data) const { return instance_.graph.datum(data).name; }
  [[nodiscard]] const std::string& name(MemoryId memory) const { return instance_.platform.memories()[memory].name; }

  const Instance& instance_;
  const Schedule& schedule_;
  std::size_t memories_;
  std::vector<Copy> copies_;  ///< by datum and memory
  Table<DataId, std::uint32_t> version_;
  Table<DataId, std::size_t> parts_;  ///< how many were left since the datum was written
  Table<TaskId, bool> completed_;
  std::vector<Load> loads_;  ///< by transfer
  std::map<Time, Instant> instants_;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> validate_data(const Instance& instance, const Schedule& schedule) {
  return Replay(instance, schedule).run();
}

}  // namespace heddle
