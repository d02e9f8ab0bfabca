#include "tests/support/reference_buckets.hpp"

#include <cmath>
#include <functional>
#include <map>

#include "tests/support/plain_buckets.hpp"
#include "tests/support/plain_loop.hpp"

namespace heddle::test {
namespace {

/// The base: workers go through the buckets of their class in an order.
class PlainHeteroprio : public PlainLoop {
 protected:
  PlainHeteroprio(const Instance& instance, bool slowdown)
      : PlainLoop(instance), buckets_(instance), slowdown_(slowdown) {}

  /// How much a class prefers a bucket: the larger, the earlier it looks into it; ties by number.
  [[nodiscard]] virtual double preference(std::size_t bucket, ClassId c) const = 0;

  PlainBuckets buckets_;

 private:
  [[nodiscard]] bool may_take(std::size_t bucket, ClassId c) const {
    const auto is_in = [&](TaskId task) { return buckets_.of(task) == bucket; };
    const auto waiting = static_cast<double>(std::ranges::count_if(ready_, is_in));
    const double factor = buckets_.slowdown(bucket, c);
    const double enough = factor * in_.platform.worker_count(buckets_.fastest(bucket));
    return waiting > 0 && (!slowdown_ || factor == 1 || waiting >= enough);
  }

  bool act_once() override {
    for (std::size_t number = in_.platform.class_count(); number-- > 0;) {
      const ClassId c = make_id<ClassId>(number);
      const std::optional<WorkerId> worker = idle(c);
      if (!worker) continue;
      std::optional<std::size_t> best;
      for (std::size_t bucket = 0; bucket < buckets_.count(); ++bucket) {
        if (!buckets_.serves(bucket, c) || !may_take(bucket, c)) continue;
        if (!best || preference(bucket, c) > preference(*best, c)) best = bucket;
      }
      if (!best) continue;
      begin(*std::ranges::find(ready_, *best, [this](TaskId task) { return buckets_.of(task); }), *worker);
      return true;
    }
    return false;
  }

  bool slowdown_;
};

class PlainLaHeteroprio : public PlainHeteroprio {
 public:
  PlainLaHeteroprio(const Instance& instance, bool slowdown) : PlainHeteroprio(instance, slowdown) {}

 private:
  [[nodiscard]] double preference(std::size_t bucket, ClassId c) const override { return buckets_.speedup(bucket, c); }
};

class PlainAutoHeteroprio : public PlainHeteroprio {
 public:
  PlainAutoHeteroprio(const Instance& instance, std::string_view heuristic, std::size_t every, bool slowdown)
      : PlainHeteroprio(instance, slowdown), heuristic_(heuristic), every_(every) {
    double best = 0;
    for (std::size_t bucket = 0; bucket < buckets_.count(); ++bucket) {
      best += least(bucket) * static_cast<double>(buckets_.tasks(bucket).size());
    }
    unit_ = best / static_cast<double>(in_.graph.task_count());
  }

 private:
  [[nodiscard]] double least(std::size_t bucket) const {
    double least = buckets_.mean(bucket, kCpu);
    for (const ClassId c : in_.platform.classes()) least = std::min(least, buckets_.mean(bucket, c));
    return least;
  }
  /// Normalized: the mean task takes 1 on its best class.
  [[nodiscard]] double time(std::size_t bucket, ClassId c) const { return buckets_.mean(bucket, c) / unit_; }

  /// The mean over a bucket's tasks of the sum over their successors.
  [[nodiscard]] double released(std::size_t bucket, const std::function<double(TaskId)>& value) const {
    double sum = 0;
    for (const TaskId task : buckets_.tasks(bucket)) {
      for (const TaskId next : in_.graph.successors(task)) sum += value(next);
    }
    return sum / static_cast<double>(buckets_.tasks(bucket).size());
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
      if (buckets_.of(attempt.task) != bucket) continue;
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
    const double successors = released(bucket, [this](TaskId next) { return least(buckets_.of(next)) / unit_; });
    double urt = 0;
    for (const ClassId one : in_.platform.classes()) {
      urt += idle_part(one) * released(bucket, [&](TaskId next) {
               return part_on(buckets_.of(next), one) * time(buckets_.of(next), one) * share(next);
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
    const bool is_new = std::exchange(seen_[buckets_.of(task)], true) == false;
    if (!is_new && arrived_ % every_ != 0) return;
    for (std::size_t bucket = 0; bucket < buckets_.count(); ++bucket) {
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
