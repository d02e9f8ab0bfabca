#include "tests/support/reference_heteroprio.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "heddle/model/levels.hpp"
#include "tests/support/plain_loop.hpp"

namespace heddle::test {
namespace {

/// What the members of the family have in common.
class PlainFamily : public PlainLoop {
 protected:
  explicit PlainFamily(const Instance& instance) : PlainLoop(instance), level_(bottom_levels(instance, Rank::min)) {}

  [[nodiscard]] double factor(TaskId task) const {
    return static_cast<double>(duration(task, kCpu)) / static_cast<double>(duration(task, kGpu));
  }
  [[nodiscard]] std::pair<Time, std::int64_t> urgency(TaskId task) const {
    return {level_[task], -static_cast<std::int64_t>(index(task))};
  }

  Table<TaskId, std::int64_t> level_;
};

class PlainHeteroPrio : public PlainFamily {
 public:
  PlainHeteroPrio(const Instance& instance, Correction correction, bool all_ready)
      : PlainFamily(instance), correction_(correction), all_ready_(all_ready) {
    group_factors();
  }

 private:
  [[nodiscard]] bool has(Correction correction) const { return correction_ >= correction; }

  /// The distinct factors, largest first, in groups whose members are within 25 % of the first; `potrf_` is the largest
  /// factor behind the widest gap between groups, `trsm_` the largest one of the group before, unless that is the
  /// first.
  void group_factors() {
    std::vector<double> factors;
    for (const TaskId task : in_.graph.tasks()) factors.push_back(factor(task));
    std::ranges::sort(factors, std::greater<>());
    std::vector<std::vector<double>> groups;
    for (const double one : factors) {
      if (groups.empty() || groups.back().front() - one >= 0.25 * groups.back().front()) groups.emplace_back();
      groups.back().push_back(one);
    }
    double widest = 0;  // one group has no gap: nothing is a DPOTRF
    for (std::size_t g = 1; g < groups.size(); ++g) {
      const double gap = groups[g - 1].back() / groups[g].front();
      if (gap <= widest) continue;
      widest = gap;
      potrf_ = groups[g].front();
      trsm_ = g == 1 ? potrf_ : groups[g - 1].front();
    }
  }
  [[nodiscard]] bool is_potrf(TaskId task) const { return factor(task) <= potrf_; }
  [[nodiscard]] bool is_trsm(TaskId task) const { return factor(task) <= trsm_; }

  void become_ready(TaskId task) override {
    PlainLoop::become_ready(task);
    if (is_potrf(task)) arrived_.push_back(task);
  }

  bool act_once() override {
    if (place_) {
      const auto [task, worker] = *place_;
      place_.reset();
      begin(task, worker);
      return true;
    }
    if (const auto gpu = idle(kGpu); gpu && serve_gpu(*gpu)) return true;
    if (const auto cpu = idle(kCpu); cpu && !ready_.empty()) {
      begin(std::ranges::min(ready_, {}, [&](TaskId t) { return std::pair(factor(t), urgency(t)); }), *cpu);
      return true;
    }
    return has(Correction::pp) && preempt();
  }

  bool serve_gpu(WorkerId gpu) {
    std::optional<TaskId> picked;
    if (!ready_.empty()) {
      picked = std::ranges::max(ready_, {}, [&](TaskId t) {
        return std::pair(has(Correction::cgv) && !is_potrf(t) ? 1e300 : factor(t), urgency(t));
      });
    }
    std::optional<Run> victim;
    for (const Run& run : running_) {
      if (class_of(run) == kGpu || now_ + duration(run.task, kGpu) >= expected_end(run)) continue;
      const auto outranks = [&](TaskId ready) { return level_[run.task] > level_[ready]; };
      if (picked && !(all_ready_ ? std::ranges::all_of(ready_, outranks) : outranks(*picked))) continue;
      if (picked && has(Correction::pcep) && is_potrf(run.task)) continue;
      if (picked && has(Correction::pcept) && is_trsm(run.task)) continue;
      if (!victim || urgency(run.task) > urgency(victim->task)) victim = run;
    }
    if (victim && (picked ? has(Correction::pc) : has(Correction::sp))) {
      restart(*victim, gpu);
      return true;
    }
    if (picked) begin(*picked, gpu);
    return picked.has_value();
  }

  bool preempt() {
    std::vector<TaskId> arrived = std::exchange(arrived_, {});
    std::erase_if(arrived, [&](TaskId task) { return std::ranges::find(ready_, task) == ready_.end(); });
    if (idle(kGpu) || idle(kCpu) || arrived.empty()) return false;
    const TaskId potrf = std::ranges::max(arrived, {}, [&](TaskId t) { return urgency(t); });
    std::optional<Run> victim;
    for (const Run& run : running_) {
      if (class_of(run) == kGpu || is_potrf(run.task) || level_[run.task] >= level_[potrf]) continue;
      if (!victim || urgency(run.task) < urgency(victim->task)) victim = run;
    }
    if (!victim) return false;
    std::erase(arrived, potrf);
    arrived_ = arrived;
    abort(*victim);
    become_ready(victim->task);
    place_ = {potrf, victim->worker};
    return true;
  }

  Correction correction_;
  bool all_ready_;
  double potrf_ = 0;
  double trsm_ = 0;
  std::vector<TaskId> arrived_;
  std::optional<std::pair<TaskId, WorkerId>> place_;
};

class PlainIndep : public PlainFamily {
 public:
  PlainIndep(const Instance& instance, bool latest) : PlainFamily(instance), latest_(latest) {}

 private:
  bool act_once() override {
    for (const ClassId here : {kGpu, kCpu}) {
      if (const auto worker = idle(here); worker && serve(here, *worker)) return true;
    }
    return false;
  }

  bool serve(ClassId here, WorkerId worker) {
    const auto place = [&](TaskId t) {
      return std::tuple(factor(t), factor(t) >= 1 ? level_[t] : -level_[t], -static_cast<std::int64_t>(index(t)));
    };
    if (!ready_.empty()) {
      begin(here == kGpu ? std::ranges::max(ready_, {}, place) : std::ranges::min(ready_, {}, place), worker);
      return true;
    }
    std::optional<Run> victim;
    const auto order = [&](const Run& run) { return std::pair(latest_ ? expected_end(run) : 0, urgency(run.task)); };
    for (const Run& run : running_) {
      if (class_of(run) == here || now_ + duration(run.task, here) >= expected_end(run)) continue;
      if (!victim || order(run) > order(*victim)) victim = run;
    }
    if (victim) restart(*victim, worker);
    return victim.has_value();
  }

  bool latest_;
};

class PlainMulti : public PlainFamily {
 public:
  PlainMulti(const Instance& instance, const Table<ClassId, bool>& fast, double merge,
             const Table<ClassId, std::vector<double>>& scores)
      : PlainFamily(instance), fast_(fast), merge_(merge), scores_(scores) {}

 private:
  [[nodiscard]] double score(TaskId task, ClassId c) const {
    return scores_.empty() ? het_index(task, c) : scores_[c][in_.costs.row(task)];
  }
  [[nodiscard]] double het_index(TaskId task, ClassId c) const {
    const auto durations = in_.costs.estimate_row(task);
    const auto own = static_cast<double>(duration(task, c));
    return static_cast<double>(std::ranges::max(durations)) / own *
           (static_cast<double>(std::ranges::min(durations)) / own);
  }

  /// The score of the first task of the merged queue that the task is in.
  [[nodiscard]] double best_of_queue(TaskId task, ClassId c) const {
    std::vector<double> scores;
    for (const TaskId one : in_.graph.tasks()) scores.push_back(score(one, c));
    std::ranges::sort(scores, std::greater<>());
    double best = scores.front();
    for (const double one : scores) {
      if (best - one >= (fast_[c] ? merge_ : 0) * best && one < best) best = one;
      if (one == score(task, c)) break;
    }
    return best;
  }

  [[nodiscard]] std::optional<TaskId> offered(ClassId c) const {
    if (ready_.empty()) return std::nullopt;
    return std::ranges::max(ready_, {}, [&](TaskId task) {
      const auto [level, number] = urgency(task);
      return std::tuple(best_of_queue(task, c), fast_[c] ? level : -level, fast_[c] ? number : -number);
    });
  }

  bool act_once() override {
    std::optional<std::tuple<double, Time, std::size_t>> best;  // by index, then shorter duration, then class
    for (const ClassId c : in_.platform.classes()) {
      const std::optional<TaskId> task = idle(c) ? offered(c) : std::nullopt;
      if (task) best = std::max(best, std::optional(std::tuple(het_index(*task, c), -duration(*task, c), index(c))));
    }
    if (best) {
      const auto c = make_id<ClassId>(std::get<2>(*best));
      begin(offered(c).value(), idle(c).value());
      return true;
    }
    for (std::size_t c = in_.platform.class_count(); c-- > 0;) {
      if (spoliate(make_id<ClassId>(c))) return true;
    }
    return false;
  }

  bool spoliate(ClassId here) {
    const auto worker = idle(here);
    if (!worker || !fast_[here]) return false;
    std::optional<Run> victim;
    for (const Run& run : running_) {
      if (fast_[class_of(run)] || now_ + duration(run.task, here) >= expected_end(run)) continue;
      if (!victim || urgency(run.task) > urgency(victim->task)) victim = run;
    }
    if (victim) restart(*victim, *worker);
    return victim.has_value();
  }

  Table<ClassId, bool> fast_;
  double merge_;
  Table<ClassId, std::vector<double>> scores_;
};

}  // namespace

std::vector<Attempt> reference_heteroprio(const Instance& instance, Correction correction, bool all_ready) {
  return PlainHeteroPrio(instance, correction, all_ready).run();
}

std::vector<Attempt> reference_heteroprio_indep(const Instance& instance, bool latest) {
  return PlainIndep(instance, latest).run();
}

std::vector<Attempt> reference_heteroprio_multi(const Instance& instance, const Table<ClassId, bool>& fast,
                                                double merge, const Table<ClassId, std::vector<double>>& scores) {
  return PlainMulti(instance, fast, merge, scores).run();
}

}  // namespace heddle::test
