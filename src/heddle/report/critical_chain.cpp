#include "heddle/report/critical_chain.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace heddle::report {
namespace {

/// Walks from an attempt back to the one it waited for.
class ChainWalker {
 public:
  ChainWalker(const Instance& instance, const Schedule& schedule)
      : graph_(instance.graph),
        attempts_(schedule.attempts),
        completed_(instance.graph.task_count()),
        before_on_worker_(schedule.attempts.size()) {
    Table<WorkerId, std::optional<std::size_t>> latest(instance.platform.worker_count());
    std::vector<std::size_t> by_start(attempts_.size());
    std::iota(by_start.begin(), by_start.end(), std::size_t{0});
    std::ranges::sort(by_start, {}, [&](std::size_t i) { return std::tuple(attempts_[i].start, attempts_[i].end, i); });
    for (const std::size_t i : by_start) {
      before_on_worker_[i] = std::exchange(latest[attempts_[i].worker], i);
      if (attempts_[i].outcome == Outcome::completed) completed_[attempts_[i].task] = i;
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

  [[nodiscard]] std::optional<std::size_t> waited_for(std::size_t i) const {
    std::optional<std::size_t> cause;
    const auto consider = [&](const std::optional<std::size_t>& candidate) {
      if (candidate && (!cause || attempts_[*candidate].end > attempts_[*cause].end)) cause = candidate;
    };
    for (const TaskId before : graph_.predecessors(attempts_[i].task)) consider(completed_[before]);
    consider(before_on_worker_[i]);
    return cause;
  }

 private:
  const TaskGraph& graph_;
  const std::vector<Attempt>& attempts_;
  Table<TaskId, std::optional<std::size_t>> completed_;
  std::vector<std::optional<std::size_t>> before_on_worker_;
};

}  // namespace

std::vector<std::size_t> critical_chain(const Instance& instance, const Schedule& schedule) {
  const ChainWalker walker(instance, schedule);
  std::vector<bool> seen(schedule.attempts.size(), false);
  std::vector<std::size_t> chain;
  // An invalid schedule may make attempts wait for each other in a circle.
  for (std::optional<std::size_t> i = walker.last(); i && !seen[*i]; i = walker.waited_for(*i)) {
    seen[*i] = true;
    chain.push_back(*i);
  }
  return chain;
}

}  // namespace heddle::report
