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

/// What an attempt waited for.
struct Step {
  std::optional<std::size_t> attempt;
  Wait wait = Wait::nothing;
};

/// Walks from an attempt back to the one it waited for.
class ChainWalker {
 public:
  ChainWalker(const Instance& instance, const Schedule& schedule)
      : graph_(instance.graph),
        attempts_(schedule.attempts),
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

  [[nodiscard]] Step waited_for(std::size_t i) const {
    Step step;
    const auto consider = [&](const std::optional<std::size_t>& candidate, Wait wait) {
      if (!candidate || (step.attempt && attempts_[*candidate].end <= attempts_[*step.attempt].end)) return;
      step = {candidate, wait};
    };
    for (const TaskId before : graph_.predecessors(attempts_[i].task)) consider(completed_[before], Wait::predecessor);
    consider(before_on_worker_[i], Wait::worker);
    for (const Access access : graph_.accesses(attempts_[i].task)) {
      if (access.mode == AccessMode::commute) consider(holder_before(access.data, i), Wait::data);
    }
    return step;
  }

 private:
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
  Table<TaskId, std::optional<std::size_t>> completed_;
  std::vector<std::optional<std::size_t>> before_on_worker_;
  Table<DataId, std::vector<std::size_t>> holders_;  ///< attempts of tasks that commute on it, by start
};

}  // namespace

std::string_view to_string(Wait wait) {
  constexpr std::array<std::string_view, 4> kNames{"nothing", "predecessor", "worker", "data"};
  return kNames[static_cast<std::size_t>(wait)];
}

std::vector<ChainLink> deciding_chain(const Instance& instance, const Schedule& schedule) {
  const ChainWalker walker(instance, schedule);
  const DataWaits data_waits(instance, schedule);
  const std::vector<Time> waiting = waits_since(instance, schedule, {});
  std::vector<bool> seen(schedule.attempts.size(), false);
  std::vector<ChainLink> chain;
  std::vector<DataWait> waits;
  // An invalid schedule may make attempts wait for each other in a circle.
  for (std::optional<std::size_t> i = walker.last(); i && !seen[*i];) {
    seen[*i] = true;
    const Attempt& attempt = schedule.attempts[*i];
    const Step step = walker.waited_for(*i);
    const Time since = step.attempt ? schedule.attempts[*step.attempt].end : 0;
    waits.clear();
    data_waits.find(attempt, waiting[*i], {std::max(since, waiting[*i]), attempt.start}, waits);
    Time for_data = 0;
    for (const DataWait& wait : waits) for_data += wait.time.end - wait.time.start;
    chain.push_back({*i, for_data > 0 ? Wait::data : step.wait, attempt.start - since, for_data});
    i = step.attempt;
  }
  return chain;
}

}  // namespace heddle::analysis
