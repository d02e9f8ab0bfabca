#include "tests/support/reference_buckets.hpp"

#include <cmath>
#include <functional>
#include <map>

#include "tests/support/plain_loop.hpp"

namespace heddle::test {
namespace {

/// The base: buckets, and workers that go through those of their class in an order.
class PlainBuckets : public PlainLoop {
 protected:
  PlainBuckets(const Instance& instance, bool slowdown) : PlainLoop(instance), slowdown_(slowdown) {
    std::map<std::pair<TypeId, std::vector<bool>>, std::size_t> known;
    for (const TaskId task : in_.graph.tasks()) {
      std::vector<bool> classes;
      for (const ClassId c : in_.platform.classes()) classes.push_back(can_run(task, c));
      const auto bucket = known.try_emplace({in_.graph.type(task), classes}, tasks_.size()).first->second;
      if (bucket == tasks_.size()) tasks_.emplace_back();
      tasks_[bucket].push_back(task);
      bucket_.push_back(bucket);
    }
  }

  /// The mean duration of a bucket's tasks, at least a picosecond.
  [[nodiscard]] double mean(std::size_t bucket, ClassId c) const {
    double sum = 0;
    for (const TaskId task : tasks_[bucket]) sum += static_cast<double>(duration(task, c));
    return std::max(sum / static_cast<double>(tasks_[bucket].size()), 1.0);
  }
  [[nodiscard]] bool serves(std::size_t bucket, ClassId c) const { return can_run(tasks_[bucket].front(), c); }

  /// How much a class prefers a bucket: the larger, the earlier it looks into it; ties by number.
  [[nodiscard]] virtual double preference(std::size_t bucket, ClassId c) const = 0;

  std::vector<std::vector<TaskId>> tasks_;  ///< by bucket
  Table<TaskId, std::size_t> bucket_;

 private:
  [[nodiscard]] ClassId fastest(std::size_t bucket) const {
    std::optional<ClassId> best;
    for (const ClassId c : in_.platform.classes()) {
      if (serves(bucket, c) && (!best || mean(bucket, c) < mean(bucket, *best))) best = c;
    }
    return best.value();
  }

  [[nodiscard]] bool may_take(std::size_t bucket, ClassId c) const {
    const auto waiting =
        static_cast<double>(std::ranges::count_if(ready_, [&](TaskId task) { return bucket_[task] == bucket; }));
    const double factor = mean(bucket, c) / mean(bucket, fastest(bucket));
    return waiting > 0 && (!slowdown_ || factor == 1 || waiting >= factor * in_.platform.worker_count(fastest(bucket)));
  }

  bool act_once() override {
    for (std::size_t number = in_.platform.class_count(); number-- > 0;) {
      const ClassId c = make_id<ClassId>(number);
      const std::optional<WorkerId> worker = idle(c);
      if (!worker) continue;
      std::optional<std::size_t> best;
      for (std::size_t bucket = 0; bucket < tasks_.size(); ++bucket) {
        if (!serves(bucket, c) || !may_take(bucket, c)) continue;
        if (!best || preference(bucket, c) > preference(*best, c)) best = bucket;
      }
      if (!best) continue;
      begin(*std::ranges::find_if(ready_, [&](TaskId task) { return bucket_[task] == *best; }), *worker);
      return true;
    }
    return false;
  }

  bool slowdown_;
};

class PlainLaHeteroprio : public PlainBuckets {
 public:
  PlainLaHeteroprio(const Instance& instance, bool slowdown) : PlainBuckets(instance, slowdown) {}

 private:
  [[nodiscard]] double preference(std::size_t bucket, ClassId c) const override {
    double slowest = 0;
    for (const ClassId other : in_.platform.classes()) {
      if (other != c && serves(bucket, other)) slowest = std::max(slowest, mean(bucket, other));
    }
    return slowest == 0 ? 1e300 / mean(bucket, c) : slowest / mean(bucket, c);
  }
};

class PlainAutoHeteroprio : public PlainBuckets {
 public:
  PlainAutoHeteroprio(const Instance& instance, std::string_view heuristic, std::size_t every, bool slowdown)
      : PlainBuckets(instance, slowdown), heuristic_(heuristic), every_(every) {
    double best = 0;
    for (std::size_t bucket = 0; bucket < tasks_.size(); ++bucket) {
      best += least(bucket) * static_cast<double>(tasks_[bucket].size());
    }
    unit_ = best / static_cast<double>(in_.graph.task_count());
  }

 private:
  [[nodiscard]] double least(std::size_t bucket) const {
    double least = mean(bucket, kCpu);
    for (const ClassId c : in_.platform.classes()) least = std::min(least, mean(bucket, c));
    return least;
  }
  /// Normalized: the mean task takes 1 on its best class.
  [[nodiscard]] double time(std::size_t bucket, ClassId c) const { return mean(bucket, c) / unit_; }

  /// The mean over a bucket's tasks of the sum over their successors.
  [[nodiscard]] double released(std::size_t bucket, const std::function<double(TaskId)>& value) const {
    double sum = 0;
    for (const TaskId task : tasks_[bucket]) {
      for (const TaskId next : in_.graph.successors(task)) sum += value(next);
    }
    return sum / static_cast<double>(tasks_[bucket].size());
  }
  [[nodiscard]] double share(TaskId task) const {
    return 1.0 / static_cast<double>(in_.graph.predecessors(task).size());
  }

  /// IDLE: which part of the time so far the workers of a class did nothing.
  [[nodiscard]] double idle_part(ClassId c) const {
    if (now_ == 0) return 1;
    Time busy = 0;
    for (const Run& run : running_) busy += class_of(run) == c ? now_ - run.start : 0;
    for (const Attempt& attempt : attempts()) {
      busy += in_.platform.class_of(attempt.worker) == c ? attempt.end - attempt.start : 0;
    }
    return 1 - static_cast<double>(busy) / (static_cast<double>(now_) * in_.platform.worker_count(c));
  }
  /// P_exec: which part of a bucket's executions was on the class.
  [[nodiscard]] double part_on(std::size_t bucket, ClassId c) const {
    double all = 0;
    double there = 0;
    for (const Attempt& attempt : attempts()) {
      if (bucket_[attempt.task] != bucket) continue;
      ++all;
      there += in_.platform.class_of(attempt.worker) == c ? 1 : 0;
    }
    return all == 0 ? 0 : there / all;
  }

  [[nodiscard]] double score(std::size_t bucket, ClassId c) const {
    double other = 0;
    for (const ClassId one : in_.platform.classes()) other = one == c ? other : std::max(other, time(bucket, one));
    const double own = time(bucket, c);
    const double difference = other - own;
    const double ratio = std::max(other / own, own / other);
    const double nod = released(bucket, [this](TaskId next) { return share(next); });
    const double successors = released(bucket, [this](TaskId next) { return least(bucket_[next]) / unit_; });
    double urt = 0;
    for (const ClassId one : in_.platform.classes()) {
      urt += idle_part(one) * released(bucket, [&](TaskId next) {
               return part_on(bucket_[next], one) * time(bucket_[next], one) * share(next);
             });
    }
    const auto softplus = [](double x) { return std::log(1 + std::exp(x)); };
    if (heuristic_ == "prws") return nod / own * successors + difference;
    if (heuristic_ == "purws") return urt / own * successors + difference;
    if (heuristic_ == "offset") return (urt + 1.3) * (difference + 1);
    if (heuristic_ == "softplus") return (1 + urt) * softplus(difference);
    if (heuristic_ == "interpolation") {
      const double weight = urt > 1 ? 1 : std::sqrt(urt) * std::sqrt(2 - urt);
      return weight * (1 + urt) * (1 + difference) - (1 - weight) * softplus(-difference);
    }
    if (heuristic_ == "ntc") return difference + 0.3 * nod * std::exp(-0.5 * ratio * ratio);
    if (heuristic_ == "nod") return nod;
    if (heuristic_ == "urt") return urt;
    return heuristic_ == "difference" ? difference : other / own;
  }

  void become_ready(TaskId task) override {
    PlainLoop::become_ready(task);
    ++arrived_;
    const bool is_new = std::exchange(seen_[bucket_[task]], true) == false;
    if (!is_new && arrived_ % every_ != 0) return;
    for (std::size_t bucket = 0; bucket < tasks_.size(); ++bucket) {
      for (const ClassId c : in_.platform.classes()) score_[{bucket, c}] = score(bucket, c);
    }
  }
  [[nodiscard]] double preference(std::size_t bucket, ClassId c) const override { return score_.at({bucket, c}); }

  std::string_view heuristic_;
  std::size_t every_;
  double unit_ = 1;
  std::size_t arrived_ = 0;
  std::map<std::size_t, bool> seen_;
  std::map<std::pair<std::size_t, ClassId>, double> score_;
};

}  // namespace

std::vector<Attempt> reference_la_heteroprio(const Instance& instance, bool slowdown) {
  return PlainLaHeteroprio(instance, slowdown).run();
}

std::vector<Attempt> reference_auto_heteroprio(const Instance& instance, std::string_view heuristic, std::size_t every,
                                               bool slowdown) {
  return PlainAutoHeteroprio(instance, heuristic, every, slowdown).run();
}

}  // namespace heddle::test
