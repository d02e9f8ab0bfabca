#include "tests/support/reference_heteroprio_starpu.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "heddle/sim/simulation.hpp"
#include "tests/support/plain_buckets.hpp"

namespace heddle::test {
namespace {

using Bucket = std::size_t;

struct Learned {
  std::map<std::pair<Bucket, ClassId>, int> count;     ///< of executions
  std::map<std::pair<Bucket, ClassId>, double> share;  ///< of the bucket's tasks, the last ones counting most
  std::map<ClassId, double> busy;
  std::map<ClassId, double> all;
};

class PlainHeteroprioStarpu {
 public:
  explicit PlainHeteroprioStarpu(std::uint64_t runs, Learned learned = {})
      : runs_(runs), learned_(std::move(learned)) {}

  void start(const policy::View& view) {
    buckets_ = std::make_shared<const PlainBuckets>(view.instance());
    own_.resize(view.platform().worker_count());
    for (std::uint64_t run = 0; run < runs_; ++run) {
      sim::Simulation ahead(view.instance(), PlainHeteroprioStarpu(0, learned_));
      while (ahead.step()) {
      }
      std::map<WorkerId, Time> last;
      for (const Attempt& attempt : ahead.attempts()) {
        const ClassId c = view.platform().class_of(attempt.worker);
        learn(view, attempt.task, c);
        learned_.busy[c] += static_cast<double>(attempt.end - attempt.start);
        last[attempt.worker] = attempt.end;
      }
      for (const auto& [worker, end] : last) learned_.all[view.platform().class_of(worker)] += static_cast<double>(end);
    }
  }
  void finished(const policy::View& view, std::span<const policy::Completion> completions) {
    for (const policy::Completion end : completions) learn(view, end.task, view.platform().class_of(end.worker));
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) {
      if (arrivals_++ % 32 == 0) order(view);
      waiting_.push_back(task);
    }
  }

  [[nodiscard]] policy::Action next(const policy::View& view) {
    for (std::size_t number = view.platform().class_count(); number-- > 0;) {
      for (const WorkerId worker : view.platform().workers(make_id<ClassId>(number))) {
        if (!view.is_idle(worker)) continue;
        fill(view, worker);
        if (const auto task = pop(view, worker)) return policy::run(*task, worker);
      }
    }
    return policy::wait();
  }

 private:
  void learn(const policy::View& view, TaskId task, ClassId c) {
    const Bucket bucket = buckets_->of(task);
    int before = 0;
    for (const ClassId one : view.platform().classes()) before += learned_.count[{bucket, one}];
    ++learned_.count[{bucket, c}];
    learned_.share[{bucket, c}] += 1.0 / std::max(before, 1);
    double sum = 0;
    for (const ClassId one : view.platform().classes()) sum += learned_.share[{bucket, one}];
    for (const ClassId one : view.platform().classes()) learned_.share[{bucket, one}] /= sum;
  }

  /// What StarPU takes for it: a millisecond before the first execution.
  [[nodiscard]] double duration(Bucket bucket, ClassId c) {
    return learned_.count[{bucket, c}] == 0 ? 1e9 : buckets_->mean(bucket, c);
  }
  [[nodiscard]] ClassId fastest(const policy::View& view, Bucket bucket) {
    std::optional<ClassId> best;
    for (const ClassId c : view.platform().classes()) {
      if (buckets_->serves(bucket, c) && (!best || duration(bucket, c) < duration(bucket, *best))) best = c;
    }
    return best.value();
  }

  /// The normalized released time of a class: the work that a task of the bucket releases to it.
  [[nodiscard]] double released(const policy::View& view, Bucket bucket, ClassId c, double mean) {
    std::map<Bucket, double> parts;
    for (const TaskId task : buckets_->tasks(bucket)) {
      for (const TaskId after : view.graph().successors(task)) {
        parts[buckets_->of(after)] += 1 / static_cast<double>(view.graph().predecessors(after).size());
      }
    }
    double sum = 0;
    for (const auto& [after, part] : parts) {
      if (!buckets_->serves(after, c)) continue;
      const double mean_part = part / static_cast<double>(buckets_->tasks(bucket).size());
      sum += mean_part * learned_.share[{after, c}] * (duration(after, c) / mean);
    }
    return sum;
  }

  void order(const policy::View& view) {
    double mean = 0;
    for (Bucket bucket = 0; bucket < buckets_->count(); ++bucket) {
      mean += static_cast<double>(buckets_->tasks(bucket).size()) * duration(bucket, fastest(view, bucket));
    }
    mean /= static_cast<double>(view.graph().task_count());
    for (const ClassId c : view.platform().classes()) {
      std::vector<std::pair<double, Bucket>> sorted;
      for (Bucket bucket = 0; bucket < buckets_->count(); ++bucket) {
        if (buckets_->serves(bucket, c)) sorted.emplace_back(-score(view, bucket, c, mean), bucket);
      }
      std::ranges::sort(sorted);
      order_[c].clear();
      for (const auto& [negative, bucket] : sorted) order_[c].push_back(bucket);
    }
  }

  [[nodiscard]] double score(const policy::View& view, Bucket bucket, ClassId c, double mean) {
    std::optional<ClassId> other;  // the slowest of the others
    for (const ClassId one : view.platform().classes()) {
      if (one == c || !buckets_->serves(bucket, one)) continue;
      if (!other || duration(bucket, one) > duration(bucket, *other)) other = one;
    }
    const double own = duration(bucket, c) / mean;
    const double theirs = (other ? duration(bucket, *other) : 1e21) / mean;
    const double free = learned_.all[c] > 0 ? 1 - learned_.busy[c] / learned_.all[c] : 1;
    const double left = other ? 1 - learned_.share[{bucket, *other}] : 1;
    double work = released(view, bucket, c, mean) * free;
    if (other) work += released(view, bucket, *other, mean) * left;
    const double known = (1 + work) * (theirs - own) - own * std::max(left - free, 0.0);
    return learned_.count[{bucket, c}] < 16 ? known + 99999999 : known;
  }

  [[nodiscard]] std::size_t waiting_in(Bucket bucket) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(waiting_, [&](TaskId task) { return buckets_->of(task) == bucket; }));
  }
  [[nodiscard]] bool may_take(const policy::View& view, Bucket bucket, ClassId c) {
    const ClassId best = fastest(view, bucket);
    const std::uint32_t workers = view.platform().worker_count(best);
    if (best == c || best == ClassId{0} || workers == 0) return true;
    return static_cast<double>(waiting_in(bucket)) / workers >= duration(bucket, c) / duration(bucket, best);
  }

  /// A worker takes tasks to its own queue: up to two, where there are as many tasks as workers, else one.
  void fill(const policy::View& view, WorkerId worker) {
    const ClassId c = view.platform().class_of(worker);
    std::vector<TaskId>& own = own_[index(worker)];
    const auto left =
        static_cast<std::size_t>(std::ranges::count_if(waiting_, [&](TaskId task) { return view.can_run(task, c); }));
    const bool many = left >= view.platform().worker_count();
    const std::size_t most = many ? 2 : 1;
    for (const Bucket bucket : order_[c]) {
      while (own.size() < most && waiting_in(bucket) > 0 && may_take(view, bucket, c)) {
        const auto newest = std::ranges::find(waiting_.rbegin(), waiting_.rend(), bucket,
                                              [&](TaskId task) { return buckets_->of(task); });
        const TaskId task = *newest;
        waiting_.erase(std::next(newest).base());
        own.insert(own.begin(), task);
        std::ranges::stable_sort(own, std::greater<>(), [&](TaskId one) { return view.graph().priority(one); });
      }
    }
  }

  /// The first of its own queue, else of the next worker of its class, in a ring.
  [[nodiscard]] std::optional<TaskId> pop(const policy::View& view, WorkerId worker) {
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const WorkerId from = make_id<WorkerId>((index(worker) + i) % own_.size());
      if (view.platform().class_of(from) != view.platform().class_of(worker) || own_[index(from)].empty()) continue;
      const TaskId task = own_[index(from)].front();
      own_[index(from)].erase(own_[index(from)].begin());
      return task;
    }
    return std::nullopt;
  }

  std::uint64_t runs_;
  Learned learned_;
  std::shared_ptr<const PlainBuckets> buckets_;
  std::map<ClassId, std::vector<Bucket>> order_;
  std::vector<TaskId> waiting_;           ///< in the order of arrival
  std::vector<std::vector<TaskId>> own_;  ///< by worker
  std::uint32_t arrivals_ = 0;
};

}  // namespace

policy::Policy reference_heteroprio_starpu(std::uint64_t runs) {
  return PlainHeteroprioStarpu(runs);
}

}  // namespace heddle::test
