#include "heddle/analysis/transfer_ends.hpp"

#include <algorithm>
#include <compare>
#include <tuple>

namespace heddle::analysis {
namespace {

/// An attempt that left a value of a datum, or read one in a memory.
struct Use {
  DataId data;
  MemoryId memory;  ///< of readers; of writers always the same
  Time time;        ///< of the writer's end or the reader's start
  std::size_t attempt;

  auto operator<=>(const Use&) const = default;
};

class Uses {
 public:
  Uses(const Instance& instance, const Schedule& schedule) {
    for (std::size_t i = 0; i < schedule.attempts.size(); ++i) {
      const Attempt& attempt = schedule.attempts[i];
      for (const Access access : instance.graph.accesses(attempt.task)) {
        if (reads(access.mode)) {
          readers_.push_back({access.data, instance.platform.memory_of(attempt.worker), attempt.start, i});
        }
        if (writes(access.mode) && attempt.outcome == Outcome::completed) {
          writers_.push_back({access.data, {}, attempt.end, i});
        }
      }
    }
    std::ranges::sort(readers_);
    std::ranges::sort(writers_);
  }

  [[nodiscard]] std::optional<std::size_t> last_writer(DataId data, Time until) const {
    const auto after = std::ranges::upper_bound(writers_, std::tuple(data, until), {}, data_and_time);
    if (after == writers_.begin() || std::prev(after)->data != data) return std::nullopt;
    return std::prev(after)->attempt;
  }

  /// The first reader of the datum in the memory from that instant on.
  [[nodiscard]] const Use* first_reader(DataId data, MemoryId memory, Time from) const {
    const auto first = std::ranges::lower_bound(readers_, Use{data, memory, from, 0});
    const bool found = first != readers_.end() && first->data == data && first->memory == memory;
    return found ? &*first : nullptr;
  }

 private:
  static std::tuple<DataId, Time> data_and_time(const Use& use) { return {use.data, use.time}; }

  std::vector<Use> readers_;
  std::vector<Use> writers_;
};

}  // namespace

std::vector<TransferEnds> transfer_ends(const Instance& instance, const Schedule& schedule) {
  const Uses uses(instance, schedule);
  std::vector<TransferEnds> ends;
  for (const Transfer& transfer : schedule.transfers) {
    TransferEnds& found = ends.emplace_back();
    found.writer = uses.last_writer(transfer.data, transfer.start);
    const Use* reader = uses.first_reader(transfer.data, transfer.to, transfer.end);
    // Where the datum was written meanwhile, the reader reads that.
    if (reader != nullptr && uses.last_writer(transfer.data, reader->time) == found.writer) {
      found.reader = reader->attempt;
    }
  }
  return ends;
}

}  // namespace heddle::analysis
