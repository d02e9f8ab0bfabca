#include "heddle/analysis/chain.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "heddle/analysis/data_waits.hpp"
#include "heddle/analysis/ready_times.hpp"

namespace heddle::analysis {
namespace {

/// Walks from an attempt back to the one it waited for.
class ChainWalker {
 public:
  ChainWalker(const Instance& instance, const Schedule& schedule)
      : graph_(instance.graph),
        attempts_(schedule.attempts),
        data_waits_(instance, schedule),
        waits_since_(waits_since(instance, schedule, {})),
        completed_(instance.graph.task_count()),
        before_on_worker_(schedule.attempts.size()),
        holders_(instance.graph.data_count()) {
    Table<WorkerId, std::optional<std::size_t>> latest(instance.platform.worker_count());
    std::vector<std::size_t> by_start(attempts_.size());
    std::iota(by_start.begin(), by_start.end(), std::size_t{0});
    std::ranges::sort(by_start, {}, [&](std::size_t i) { return std::tuple(attempts_[i].start, attempts_[i].end, i); });
    for (const std::size_t i : by_start) {
      before_on_worker_[i] = std::exchange(latest[attempts_[i].worker], i);
      if (attempts_[i].outcome == Outcome::completed) completed_[attempts_[i].task] = i;
      for (const Access access : graph_.accesses(attempts_[i].task)) {
        if (access.mode == AccessMode::commute) holders_[access.data].push_back(i);
      }
    }
  }

  /// The completed attempt that ended last.
  [[nodiscard]] std::optional<std::size_t> last() const {
    std::optional<std::size_t> last;
    for (const std::optional<std::size_t>& i : completed_) {
      if (i && (!last || attempts_[*i].end > attempts_[*last].end)) last = i;
    }
    return last;
  }

  [[nodiscard]] WaitedFor waited_for(std::size_t i) {
    WaitedFor found = last_before(i);
    data_parts_.clear();
    data_waits_.find(attempts_[i], waits_since_[i], {std::max(end_of(found), waits_since_[i]), attempts_[i].start},
                     data_parts_);
    for (const DataWait& part : data_parts_) found.for_data += part.time.end - part.time.start;
    if (found.for_data > 0) found.wait = Wait::data;
    return found;
  }

  /// When what was waited for ended; 0 where there is none.
  [[nodiscard]] Time end_of(const WaitedFor& waited) const {
    return waited.attempt ? attempts_[*waited.attempt].end : 0;
  }

 private:
  /// Among the attempts.
  [[nodiscard]] WaitedFor last_before(std::size_t i) const {
    WaitedFor found;
    const auto consider = [&](const std::optional<std::size_t>& candidate, Wait wait) {
      if (!candidate || (found.attempt && attempts_[*candidate].end <= end_of(found))) return;
      found = {candidate, wait};
    };
    for (const TaskId before : graph_.predecessors(attempts_[i].task)) consider(completed_[before], Wait::predecessor);
    consider(before_on_worker_[i], Wait::worker);
    for (const Access access : graph_.accesses(attempts_[i].task)) {
      if (access.mode == AccessMode::commute) consider(holder_before(access.data, i), Wait::data);
    }
    return found;
  }

  /// The attempt of another task that commutes on the datum and started last before this one.
  [[nodiscard]] std::optional<std::size_t> holder_before(DataId data, std::size_t i) const {
    const std::vector<std::size_t>& holders = holders_[data];
    const auto start = [&](std::size_t k) { return std::tuple(attempts_[k].start, attempts_[k].end, k); };
    auto place = std::ranges::lower_bound(holders, start(i), {}, start);
    while (place != holders.begin()) {
      --place;
      if (attempts_[*place].task != attempts_[i].task) return *place;
    }
    return std::nullopt;
  }

  const TaskGraph& graph_;
  const std::vector<Attempt>& attempts_;
  DataWaits data_waits_;
  std::vector<Time> waits_since_;
  std::vector<DataWait> data_parts_;  ///< of the attempt at hand
  Table<TaskId, std::optional<std::size_t>> completed_;
  std::vector<std::optional<std::size_t>> before_on_worker_;
  Table<DataId, std::vector<std::size_t>> holders_;  ///< attempts of tasks that commute on it, by start
};

}  // namespace

std::string_view to_string(Wait wait) {
  constexpr std::array<std::string_view, 4> kNames{"nothing", "predecessor", "worker", "data"};
  return kNames[static_cast<std::size_t>(wait)];
}

std::vector<WaitedFor> waited_for(const Instance& instance, const Schedule& schedule) {
  ChainWalker walker(instance, schedule);
  std::vector<WaitedFor> waited(schedule.attempts.size());
  for (std::size_t i = 0; i < waited.size(); ++i) waited[i] = walker.waited_for(i);
  return waited;
}

std::vector<ChainLink> deciding_chain(const Instance& instance, const Schedule& schedule) {
  ChainWalker walker(instance, schedule);
  std::vector<bool> seen(schedule.attempts.size(), false);
  std::vector<ChainLink> chain;
  // An invalid schedule may make attempts wait for each other in a circle.
  for (std::optional<std::size_t> i = walker.last(); i && !seen[*i];) {
    seen[*i] = true;
    const WaitedFor before = walker.waited_for(*i);
    chain.push_back({*i, before.wait, schedule.attempts[*i].start - walker.end_of(before), before.for_data});
    i = before.attempt;
  }
  return chain;
}

}  // namespace heddle::analysis
