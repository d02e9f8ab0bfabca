#include "tests/support/reference_la_heteroprio.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "heddle/policy/kit/placement/memory_affinity.hpp"
#include "tests/support/plain_buckets.hpp"
#include "tests/support/plain_queues.hpp"

namespace heddle::test {
namespace {

class PlainLaHeteroprio {
 public:
  explicit PlainLaHeteroprio(LaRules rules) : rules_(rules) {}

  void start(const policy::View& view) {
    const Instance& instance = view.instance();
    buckets_ = std::make_shared<const PlainBuckets>(instance);
    for (const WorkerId worker : view.platform().workers()) memories_.push_back(view.memory_of(worker));
    std::ranges::sort(memories_);
    memories_.erase(std::ranges::unique(memories_).begin(), memories_.end());
    for (const ClassId c : view.platform().classes()) {
      std::vector<policy::BucketId> order;
      for (std::size_t bucket = 0; bucket < buckets_->count(); ++bucket) {
        if (buckets_->serves(bucket, c)) order.push_back(make_id<policy::BucketId>(bucket));
      }
      std::ranges::stable_sort(order, std::greater<>(),
                               [&](policy::BucketId bucket) { return buckets_->speedup(index(bucket), c); });
      orders_.push_back(order);
    }
  }

  void finished(const policy::View&, std::span<const policy::Completion> completions) {
    ended_.assign(completions.begin(), completions.end());
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) {
      const MemoryId released = released_in(view, task);
      Waiting one{.task = task, .memory = suited(view, task, rules_.affinity, released)};
      if (rules_.affinity == "auto") {
        for (const std::string_view rule : kCandidates) one.found.push_back(suited(view, task, rule, released));
        one.memory = one.found[best_];
      }
      waiting_.push_back(one);
    }
  }

  [[nodiscard]] policy::Action next(const policy::View& view) {
    for (std::size_t number = view.platform().class_count(); number-- > 0;) {
      const ClassId c = make_id<ClassId>(number);
      for (const WorkerId worker : view.platform().workers(c)) {
        if (!view.is_idle(worker)) continue;
        const policy::StealingOrder stealing{.close = rules_.close, .step = rules_.step};
        for (const auto& [bucket, memory] : policy::local_lists(view, orders_, c, view.memory_of(worker), stealing)) {
          const auto found = std::ranges::find_if(waiting_, [&](const Waiting& one) {
            return one.memory == memory && buckets_->of(one.task) == index(bucket);
          });
          if (found == waiting_.end() || !may_take(view, index(bucket), c)) continue;
          const TaskId task = found->task;
          if (rules_.affinity == "auto") learn(view, *found, view.memory_of(worker));
          waiting_.erase(found);
          return policy::run(task, worker);
        }
      }
    }
    return policy::wait();
  }

 private:
  struct Waiting {
    TaskId task;
    MemoryId memory;
    std::vector<MemoryId> found = {};  ///< for `auto`, by each candidate
  };
  static constexpr std::array<std::string_view, 4> kCandidates{"ls-sdh", "ls-sdh2", "ls-sdhb", "lc-smwb"};

  /// Counts how often each candidate still finds, when a task is taken, what it found when the task came. The one that
  /// does so most often, of equal ones the last, decides about the next tasks.
  void learn(const policy::View& view, const Waiting& taken, MemoryId taken_to) {
    for (std::size_t i = 0; i < kCandidates.size(); ++i) {
      right_[i] += suited(view, taken.task, kCandidates[i], taken_to) == taken.found[i] ? 1 : 0;
    }
    const auto last_best = std::ranges::max_element(right_.rbegin(), right_.rend());
    best_ = static_cast<std::size_t>(right_.rend() - last_best) - 1;
  }

  [[nodiscard]] bool may_take(const policy::View& view, std::size_t bucket, ClassId c) const {
    const double factor = buckets_->slowdown(bucket, c);
    if (factor == 1) return true;
    if (view.asks_ahead()) return false;  // ahead of time only what no class runs faster
    const auto count =
        std::ranges::count(waiting_, bucket, [this](const Waiting& one) { return buckets_->of(one.task); });
    const double enough = factor * view.platform().worker_count(buckets_->fastest(bucket));
    return !rules_.slowdown || static_cast<double>(count) >= enough;
  }

  [[nodiscard]] MemoryId released_in(const policy::View& view, TaskId task) const {
    MemoryId memory = view.memory_of(make_id<WorkerId>(0));
    const auto before = view.graph().predecessors(task);
    for (const policy::Completion end : ended_) {
      if (std::ranges::find(before, end.task) != before.end()) memory = view.memory_of(end.worker);
    }
    return memory;
  }

  /// The memory that suits a task best; equal ones: `preferred`, then the first.
  [[nodiscard]] MemoryId suited(const policy::View& view, TaskId task, std::string_view rule,
                                MemoryId preferred) const {
    if (rule == "worker") return preferred;
    MemoryId best = preferred;
    double most = score(view, task, rule, best);
    for (const MemoryId memory : memories_) {
      if (score(view, task, rule, memory) <= most) continue;
      best = memory;
      most = score(view, task, rule, memory);
    }
    return best;
  }

  [[nodiscard]] double score(const policy::View& view, TaskId task, std::string_view rule, MemoryId memory) const {
    if (rule == "lcs") return -static_cast<double>(plain_transfers(view, task, memory, 1));
    const auto accesses = view.graph().accesses(task);
    const auto is_written = [](Access access) { return access.mode != AccessMode::read; };
    const double written_part = static_cast<double>(std::ranges::count_if(accesses, is_written)) /
                                static_cast<double>(std::max<std::size_t>(accesses.size(), 1));
    double sum = 0;
    double written_bytes = 0;
    double written = 0;
    for (const Access access : accesses) {
      const auto bytes = static_cast<double>(view.graph().datum(access.data).bytes);
      const bool here = view.holds(access.data, memory);
      const bool everywhere =
          std::ranges::all_of(memories_, [&](MemoryId one) { return view.holds(access.data, one); });
      if (rule == "ls-sdh" && here) sum += bytes;
      if (rule == "ls-sdh2" && here) sum += is_written(access) ? bytes * bytes : bytes;
      if (rule == "ls-sdhb" && !here) sum -= is_written(access) ? bytes * (2 - written_part) : bytes;
      if (rule == "lc-smwb" && here && !everywhere) {
        (is_written(access) ? written_bytes : sum) += bytes;
        written += is_written(access) ? 1 : 0;
      }
    }
    return sum + 1000 * written_bytes * written;
  }

  LaRules rules_;
  std::shared_ptr<const PlainBuckets> buckets_;
  policy::BucketOrders orders_;
  std::vector<MemoryId> memories_;  ///< of workers
  std::vector<policy::Completion> ended_;
  std::vector<Waiting> waiting_;  ///< in the order of arrival
  std::array<std::uint64_t, kCandidates.size()> right_{};
  std::size_t best_ = 2;  ///< of the candidates
};

}  // namespace

policy::Policy reference_la_heteroprio(LaRules rules) {
  return PlainLaHeteroprio(rules);
}

}  // namespace heddle::test
