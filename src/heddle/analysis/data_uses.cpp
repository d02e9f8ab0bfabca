#include "heddle/analysis/data_uses.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace heddle::analysis {
namespace {

std::tuple<DataId, Time> data_and_time(const DataUse& use) {
  return {use.data, use.time};
}

}  // namespace

DataUses::DataUses(const Instance& instance, const Schedule& schedule) {
  for (std::size_t i = 0; i < schedule.attempts.size(); ++i) {
    const Attempt& attempt = schedule.attempts[i];
    const MemoryId memory = instance.platform.memory_of(attempt.worker);
    for (const Access access : instance.graph.accesses(attempt.task)) {
      if (reads(access.mode)) readers_.push_back({access.data, memory, attempt.start, i});
      if (writes(access.mode) && attempt.outcome == Outcome::completed) {
        writers_.push_back({access.data, memory, attempt.end, i});
      }
    }
  }
  std::ranges::sort(readers_);
  std::ranges::sort(writers_, {}, [](const DataUse& use) { return std::tuple(use.data, use.time, use.attempt); });
}

const DataUse* DataUses::last_writer(DataId data, Time until) const {
  const auto after = std::ranges::upper_bound(writers_, std::tuple(data, until), {}, data_and_time);
  if (after == writers_.begin() || std::prev(after)->data != data) return nullptr;
  return &*std::prev(after);
}

const DataUse* DataUses::first_reader(DataId data, MemoryId memory, Time from) const {
  const auto first = std::ranges::lower_bound(readers_, DataUse{data, memory, from, 0});
  const bool found = first != readers_.end() && first->data == data && first->memory == memory;
  return found ? &*first : nullptr;
}

}  // namespace heddle::analysis
