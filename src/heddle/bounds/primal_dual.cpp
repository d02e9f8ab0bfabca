#include "heddle/bounds/primal_dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace heddle::bounds {
namespace {

/// Steps between two looks at how far a step goes, which says when to restart.
constexpr std::size_t kMeasureEvery = 20;

double square(double x) {
  return x * x;
}

/// Where twice a step leads, drawn back to the anchor, the less the longer the round.
struct Anchored {
  double keep;
  [[nodiscard]] double operator()(double reflected, double anchor) const {
    return keep * reflected + (1 - keep) * anchor;
  }
};

/// To the nearest shares that are at least 0 and add up to 1 (Michelot 1986, doi:10.1007/BF00938486).
void project_any(std::span<double> shares, std::span<const double> times) {
  constexpr double kOut = -std::numeric_limits<double>::infinity();
  double sum = 0;
  double count = 0;
  for (std::size_t r = 0; r < shares.size(); ++r) {
    if (times[r] < 0) {
      shares[r] = kOut;
    } else {
      sum += shares[r];
      ++count;
    }
  }
  double excess = (sum - 1) / count;
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (double& share : shares) {
      if (share == kOut || share >= excess) continue;
      sum -= share;
      --count;
      share = kOut;
      smaller = true;
    }
    excess = (sum - 1) / count;
  }
  for (double& share : shares) share = std::max(share - excess, 0.0);
}

inline void project(std::span<double> shares, std::span<const double> times) {
  if (shares.size() == 2 && times[0] >= 0 && times[1] >= 0) {
    shares[0] = std::clamp((shares[0] - shares[1] + 1) / 2, 0.0, 1.0);
    shares[1] = 1 - shares[0];
  } else {
    project_any(shares, times);
  }
}

}  // namespace

PrimalDual::PrimalDual(const SaddlePoint& problem, const Solution& start)
    : problem_(problem),
      inflow_(problem.tasks + 1, 0.0),
      outflow_(problem.tasks, 0.0),
      ahead_start_(problem.tasks + 1, 0.0),
      ahead_end_(problem.tasks, 0.0),
      ahead_work_(problem.classes, 0.0) {
  shares_.now = start.shares;
  flows_.now = start.flows;
  duals_.now = start.duals;
  start_early();
  sum_flows();
  set_weights();
  constexpr double kBelowNorm = 0.98;
  step_ = kBelowNorm / operator_norm();
  for (Variables* variables : {&shares_, &starts_, &flows_, &duals_}) variables->anchor = variables->now;
}

/// Start times as early as the shares allow.
void PrimalDual::start_early() {
  starts_.now.assign(problem_.tasks + 1, 0.0);
  for (std::size_t t = 0; t < problem_.tasks; ++t) {
    double end = starts_.now[t];
    for (std::size_t r = 0; r < problem_.classes; ++r) {
      const double time = problem_.times_of(t)[r];
      if (time >= 0) end += shares_.now[t * problem_.classes + r] * time;
    }
    for (auto e = problem_.first[t]; e < problem_.first[t + 1]; ++e) {
      starts_.now[problem_.to[e]] = std::max(starts_.now[problem_.to[e]], end);
    }
  }
}

void PrimalDual::sum_flows() {
  std::ranges::fill(inflow_, 0.0);
  for (std::size_t t = 0; t < problem_.tasks; ++t) {
    outflow_[t] = 0;
    for (auto e = problem_.first[t]; e < problem_.first[t + 1]; ++e) {
      outflow_[t] += flows_.now[e];
      inflow_[problem_.to[e]] += flows_.now[e];
    }
  }
}

/// Diagonal preconditioning (Pock and Chambolle 2011, doi:10.1109/ICCV.2011.6126441) by sums over rows and columns;
/// shares take smaller steps than that, which was best on tiled factorizations.
void PrimalDual::set_weights() {
  constexpr double kShareSteps = 0.2;
  constexpr double kEntriesOfAnEdge = 3;
  flows_.weight.assign(problem_.to.size(), 1 / kEntriesOfAnEdge);
  duals_.weight.assign(problem_.classes, 1.0);
  starts_.weight.assign(problem_.tasks + 1, 0.0);
  starts_.weight[problem_.tasks] = static_cast<double>(problem_.classes);
  for (std::size_t t = 0; t < problem_.tasks; ++t) {
    starts_.weight[t] += problem_.first[t + 1] - problem_.first[t];
    for (std::uint32_t e = problem_.first[t]; e < problem_.first[t + 1]; ++e) ++starts_.weight[problem_.to[e]];
    double fastest = std::numeric_limits<double>::infinity();
    double slowest = 0;
    double areas = 0;
    for (std::size_t r = 0; r < problem_.classes; ++r) {
      const double time = problem_.times[t * problem_.classes + r];
      if (time < 0) continue;
      fastest = std::min(fastest, time);
      slowest = std::max(slowest, time);
      areas += time / problem_.workers[r];
      duals_.weight[r] += time / problem_.workers[r];
    }
    const double columns = (problem_.first[t + 1] - problem_.first[t]) * square(slowest - fastest) + slowest * areas;
    shares_.weight.push_back(columns > 0 ? kShareSteps / columns : 0);
  }
  for (double& weight : starts_.weight) weight = 1 / weight;
  for (double& weight : duals_.weight) weight = 1 / weight;
}

/// The largest singular value of the preconditioned constraint matrix, from below, by power iteration.
double PrimalDual::operator_norm() const {
  constexpr int kIterations = 40;
  std::vector<double> share(problem_.times.size());
  std::vector<double> start(problem_.tasks + 1);
  for (std::size_t i = 0; i < share.size(); ++i)
    share[i] = problem_.times[i] < 0 ? 0 : 1.0 + static_cast<double>(i % 7);
  for (std::size_t t = 0; t <= problem_.tasks; ++t) start[t] = static_cast<double>(t % 5) - 2;
  double norm = 1;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    std::vector<double> dual(problem_.classes, 0.0);
    std::vector<double> sum(problem_.tasks + 1, 0.0);
    std::vector<double> out(problem_.tasks, 0.0);
    const auto stepped = [&](std::size_t t) { return starts_.weight[t] * start[t]; };
    for (std::size_t t = 0; t < problem_.tasks; ++t) {
      double duration = 0;
      for (std::size_t i = t * problem_.classes; i < (t + 1) * problem_.classes; ++i) {
        if (problem_.times[i] < 0) continue;
        const double part = shares_.weight[t] * share[i] * problem_.times[i];
        duration += part;
        dual[i - t * problem_.classes] += part / problem_.workers[i - t * problem_.classes];
      }
      for (std::uint32_t e = problem_.first[t]; e < problem_.first[t + 1]; ++e) {
        const double flow = flows_.weight[e] * (stepped(t) + duration - stepped(problem_.to[e]));
        out[t] += flow;
        sum[problem_.to[e]] -= flow;
      }
      sum[t] += out[t];
    }
    for (std::size_t r = 0; r < problem_.classes; ++r) {
      dual[r] = duals_.weight[r] * (dual[r] - stepped(problem_.tasks));
      sum[problem_.tasks] -= dual[r];
    }
    double total = 0;
    for (std::size_t i = 0; i < share.size(); ++i) {
      const std::size_t r = i % problem_.classes;
      if (problem_.times[i] >= 0)
        share[i] = problem_.times[i] * (out[i / problem_.classes] + dual[r] / problem_.workers[r]);
      total += shares_.weight[i / problem_.classes] * square(share[i]);
    }
    for (std::size_t t = 0; t <= problem_.tasks; ++t) total += starts_.weight[t] * square(start[t] = sum[t]);
    norm = std::sqrt(total);
    for (double& value : share) value /= norm;
    for (double& value : start) value /= norm;
  }
  return std::sqrt(norm);
}

template <bool kMeasured, std::size_t kClasses>
void PrimalDual::primal_step(double keep) {
  const std::size_t classes = kClasses == 0 ? problem_.classes : kClasses;
  const Anchored anchored{keep};
  const double tau = step_ / primal_weight_;
  std::vector<double> dual(classes);
  for (std::size_t r = 0; r < classes; ++r) dual[r] = problem_.workers[r] > 0 ? duals_.now[r] / problem_.workers[r] : 0;
  std::vector<double> target(classes);
  std::ranges::fill(ahead_work_, 0.0);
  const auto move_start = [&](std::size_t t, double gradient) {
    double& start = starts_.now[t];
    const double next = std::max(start - tau * starts_.weight[t] * gradient, 0.0);
    if (kMeasured) moved_.primal += square(next - start) / starts_.weight[t];
    ahead_start_[t] = 2 * next - start;
    start = anchored(ahead_start_[t], starts_.anchor[t]);
  };
  for (std::size_t t = 0; t < problem_.tasks; ++t) {
    const std::size_t base = t * classes;
    const double weight = shares_.weight[t];
    for (std::size_t r = 0; r < classes; ++r) {
      target[r] = shares_.now[base + r] - tau * weight * problem_.times[base + r] * (dual[r] + outflow_[t]);
    }
    project({target.data(), classes}, {&problem_.times[base], classes});
    double duration = 0;
    for (std::size_t r = 0; r < classes; ++r) {
      double& share = shares_.now[base + r];
      if (kMeasured && weight > 0) moved_.primal += square(target[r] - share) / weight;
      const double ahead = 2 * target[r] - share;
      share = anchored(ahead, shares_.anchor[base + r]);
      if (problem_.times[base + r] < 0) continue;
      duration += ahead * problem_.times[base + r];
      ahead_work_[r] += ahead * problem_.times[base + r];
    }
    move_start(t, outflow_[t] - inflow_[t]);
    ahead_end_[t] = ahead_start_[t] + duration;
  }
  move_start(problem_.tasks, 1 - inflow_[problem_.tasks] - std::accumulate(duals_.now.begin(), duals_.now.end(), 0.0));
}

template <bool kMeasured>
void PrimalDual::dual_step(double keep) {
  const Anchored anchored{keep};
  const double sigma = step_ * primal_weight_;
  std::ranges::fill(inflow_, 0.0);
  for (std::size_t t = 0; t < problem_.tasks; ++t) {
    double out = 0;
    for (std::uint32_t e = problem_.first[t]; e < problem_.first[t + 1]; ++e) {
      double& flow = flows_.now[e];
      const double next =
          std::max(flow + sigma * flows_.weight[e] * (ahead_end_[t] - ahead_start_[problem_.to[e]]), 0.0);
      if (kMeasured) moved_.dual += square(next - flow) / flows_.weight[e];
      flow = anchored(2 * next - flow, flows_.anchor[e]);
      out += flow;
      inflow_[problem_.to[e]] += flow;
    }
    outflow_[t] = out;
  }
  for (std::size_t r = 0; r < problem_.classes; ++r) {
    if (problem_.workers[r] == 0) continue;
    double& dual = duals_.now[r];
    const double slack = ahead_work_[r] / problem_.workers[r] - ahead_start_[problem_.tasks];
    const double next = std::max(dual + sigma * duals_.weight[r] * slack, 0.0);
    if (kMeasured) moved_.dual += square(next - dual) / duals_.weight[r];
    dual = anchored(2 * next - dual, duals_.anchor[r]);
  }
}

template <bool kMeasured>
void PrimalDual::step() {
  const auto k = static_cast<double>(round_steps_);
  const double keep = (k + 1) / (k + 2);
  problem_.classes == 2 ? primal_step<kMeasured, 2>(keep) : primal_step<kMeasured, 0>(keep);
  dual_step<kMeasured>(keep);
}

/// Restarts as in Lu and Yang 2024, section 4: when steps have become much shorter, when they are somewhat shorter and
/// grow again, or when the round is long.
bool PrimalDual::round_is_over() const {
  constexpr double kMuchShorter = 0.2;
  constexpr double kShorter = 0.8;
  constexpr double kLongRound = 0.36;
  if (round_steps_ <= 1) return false;
  return last_move_ <= kMuchShorter * first_move_ ||
         (last_move_ <= kShorter * first_move_ && last_move_ > move_before_) ||
         static_cast<double>(round_steps_) > kLongRound * static_cast<double>(steps_);
}

void PrimalDual::restart() {
  const auto moved = [](const Variables& variables, std::size_t per_weight) {
    double sum = 0;
    for (std::size_t i = 0; i < variables.now.size(); ++i) {
      const double weight = variables.weight[i / per_weight];
      if (weight > 0) sum += square(variables.now[i] - variables.anchor[i]) / weight;
    }
    return sum;
  };
  const double primal = moved(shares_, problem_.classes) + moved(starts_, 1);
  const double dual = moved(flows_, 1) + moved(duals_, 1);
  constexpr double kNothing = 1e-24;
  // The geometric mean of what it was and of the ratio that would make both sides move alike.
  if (primal > kNothing && dual > kNothing) primal_weight_ = std::sqrt(primal_weight_ * std::sqrt(dual / primal));
  for (Variables* variables : {&shares_, &starts_, &flows_, &duals_}) variables->anchor = variables->now;
  round_steps_ = 0;
}

void PrimalDual::run(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    const bool first = round_steps_ == 0;
    const bool measured = first || steps_ % kMeasureEvery == 0;
    if (measured) {
      moved_ = {};
      step<true>();
    } else {
      step<false>();
    }
    ++steps_;
    ++round_steps_;
    if (!measured) continue;
    move_before_ = first ? std::numeric_limits<double>::infinity() : last_move_;
    last_move_ = std::sqrt(primal_weight_ * moved_.primal + moved_.dual / primal_weight_);
    if (first) first_move_ = last_move_;
    if (round_is_over()) restart();
  }
}

Solution PrimalDual::solution() const {
  Solution solution{shares_.now, flows_.now, duals_.now};
  for (std::size_t t = 0; t < problem_.tasks; ++t) {
    project({&solution.shares[t * problem_.classes], problem_.classes}, problem_.times_of(t));
  }
  return solution;
}

}  // namespace heddle::bounds
