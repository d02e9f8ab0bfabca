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
        valid_(instance.graph.data_count() * memories_, false),
        partial_(instance.graph.data_count() * memories_, false),
        version_(instance.graph.data_count(), 0),
        loads_(schedule.transfers.size()) {
    const Table<DataId, MemoryId> homes = home_memories(instance);
    for (const DataId data : homes.ids()) valid_[at(data, homes[data])] = true;
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
  /// What a transfer carries: nothing, when it leaves a memory without a valid copy.
  struct Load {
    std::uint32_t version = 0;
    bool value = false;
    bool partial = false;
  };

  [[nodiscard]] std::size_t at(DataId data, MemoryId memory) const { return index(data) * memories_ + index(memory); }

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
      const std::size_t source = at(transfer.data, transfer.from);
      if (!valid_[source] && !partial_[source]) return false;
      loads_[item.number] = {version_[transfer.data], valid_[source], partial_[source]};
      if (transfer.end == transfer.start) end(item);
      return true;
    }
    const Attempt& attempt = schedule_.attempts[item.number];
    for (const Access access : instance_.graph.accesses(attempt.task)) {
      if (!finds(access, instance_.platform.memory_of(attempt.worker))) return false;
    }
    if (attempt.end == attempt.start) end(item);
    return true;
  }

  [[nodiscard]] bool finds(Access access, MemoryId memory) const {
    if (!reads(access.mode)) return true;
    return valid_[at(access.data, memory)] && !has_partial_elsewhere(access.data, memory);
  }

  [[nodiscard]] bool has_partial_elsewhere(DataId data, MemoryId memory) const {
    for (std::size_t other = 0; other < memories_; ++other) {
      if (other != index(memory) && partial_[at(data, make_id<MemoryId>(other))]) return true;
    }
    return false;
  }

  void end(Item item) {
    if (item.is_transfer) {
      deliver(schedule_.transfers[item.number], loads_[item.number]);
      return;
    }
    const Attempt& attempt = schedule_.attempts[item.number];
    if (attempt.outcome != Outcome::completed) return;
    const MemoryId memory = instance_.platform.memory_of(attempt.worker);
    for (const Access access : instance_.graph.accesses(attempt.task)) {
      if (access.mode == AccessMode::read) continue;
      if (access.mode == AccessMode::reduce) {
        partial_[at(access.data, memory)] = true;
        merge(access.data, memory);
      } else {
        write(access.data, memory);
      }
    }
  }

  void deliver(const Transfer& transfer, Load load) {
    if (load.version != version_[transfer.data]) return;
    if (load.value) valid_[at(transfer.data, transfer.to)] = true;
    if (load.partial) {
      partial_[at(transfer.data, transfer.from)] = false;
      partial_[at(transfer.data, transfer.to)] = true;
    }
    merge(transfer.data, transfer.to);
  }

  /// Where the value and all that was accumulated have met, the new value is.
  void merge(DataId data, MemoryId memory) {
    const std::size_t here = at(data, memory);
    if (partial_[here] && valid_[here] && !has_partial_elsewhere(data, memory)) write(data, memory);
  }

  void write(DataId data, MemoryId memory) {
    ++version_[data];
    for (std::size_t other = 0; other < memories_; ++other) {
      const std::size_t copy = at(data, make_id<MemoryId>(other));
      valid_[copy] = other == index(memory);
      partial_[copy] = false;
    }
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
  std::vector<bool> valid_;    ///< by datum and memory: has the value
  std::vector<bool> partial_;  ///< by datum and memory: has what reducing tasks accumulated there
  Table<DataId, std::uint32_t> version_;
  std::vector<Load> loads_;  ///< by transfer
  std::map<Time, Instant> instants_;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> validate_data(const Instance& instance, const Schedule& schedule) {
  return Replay(instance, schedule).run();
}

}  // namespace heddle
