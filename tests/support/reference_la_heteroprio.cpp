#include "tests/support/reference_la_heteroprio.hpp"

#include <algorithm>
#include <functional>
#include <memory>
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
    for (const TaskId task : tasks) waiting_.push_back({task, suited(view, task)});
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
  };

  [[nodiscard]] bool may_take(const policy::View& view, std::size_t bucket, ClassId c) const {
    const double factor = buckets_->slowdown(bucket, c);
    if (factor == 1) return true;
    if (view.asks_ahead()) return false;  // ahead of time only what no class runs faster
    const auto count =
        std::ranges::count(waiting_, bucket, [this](const Waiting& one) { return buckets_->of(one.task); });
    const double enough = factor * view.platform().worker_count(buckets_->fastest(bucket));
    return !rules_.slowdown || static_cast<double>(count) >= enough;
  }

  /// The memory that suits a ready task best; equal ones: where it was released, then the first.
  [[nodiscard]] MemoryId suited(const policy::View& view, TaskId task) const {
    MemoryId best = view.memory_of(make_id<WorkerId>(0));
    const auto before = view.graph().predecessors(task);
    for (const policy::Completion end : ended_) {
      if (std::ranges::find(before, end.task) != before.end()) best = view.memory_of(end.worker);
    }
    if (rules_.affinity == "worker") return best;
    double most = score(view, task, best);
    for (const MemoryId memory : memories_) {
      if (score(view, task, memory) <= most) continue;
      best = memory;
      most = score(view, task, memory);
    }
    return best;
  }

  [[nodiscard]] double score(const policy::View& view, TaskId task, MemoryId memory) const {
    if (rules_.affinity == "lcs") return -static_cast<double>(plain_transfers(view, task, memory, 1));
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
      if (rules_.affinity == "ls-sdh" && here) sum += bytes;
      if (rules_.affinity == "ls-sdh2" && here) sum += is_written(access) ? bytes * bytes : bytes;
      if (rules_.affinity == "ls-sdhb" && !here) sum -= is_written(access) ? bytes * (2 - written_part) : bytes;
      if (rules_.affinity == "lc-smwb" && here && !everywhere) {
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
};

}  // namespace

policy::Policy reference_la_heteroprio(LaRules rules) {
  return PlainLaHeteroprio(rules);
}

}  // namespace heddle::test
