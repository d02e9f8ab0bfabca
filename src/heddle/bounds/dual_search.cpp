#include "heddle/bounds/dual_search.hpp"

#include <algorithm>
#include <numeric>

#include "heddle/bounds/linear_program.hpp"

namespace heddle::bounds {
namespace {

constexpr double kInfinity = LinearProgram::kInfinity;

/// The cuts so far, as a linear program: maximise z under sum_r capacity_r y_r = 1 and z <= sum_r use_r y_r for each
/// use.
class Cuts {
 public:
  /// Uses are divided by `unit`, for the solver's tolerances.
  Cuts(std::span<const double> capacity, double unit)
      : unit_(unit), bound_(program_.add_column(-kInfinity, kInfinity, -1)), norm_(program_.add_row(1, 1)) {
    for (const double one : capacity) {
      duals_.push_back(program_.add_column(0, one > 0 ? kInfinity : 0));
      program_.set(norm_, duals_.back(), one);
    }
  }

  void add(std::span<const double> use) {
    const auto row = program_.add_row(-kInfinity, 0);
    program_.set(row, bound_, 1);
    for (std::size_t r = 0; r < use.size(); ++r) program_.set(row, duals_[r], -use[r] / unit_);
    uses_.push_back({row, std::vector<double>(use.begin(), use.end())});
  }

  /// The dual values where the cuts leave most room.
  [[nodiscard]] std::vector<double> best_duals() {
    program_.minimise();
    std::vector<double> duals;
    for (const auto column : duals_) duals.push_back(std::max(program_.value(column), 0.0));
    return duals;
  }

  /// After best_duals: the mix of uses that the cuts' dual values weigh.
  [[nodiscard]] std::vector<double> mix() const {
    std::vector<double> mix(duals_.size(), 0.0);
    double total = 0;
    for (const Use& use : uses_) {
      const double weight = std::max(-program_.dual(use.row), 0.0);
      total += weight;
      for (std::size_t r = 0; r < mix.size(); ++r) mix[r] += weight * use.amounts[r];
    }
    for (double& amount : mix) amount /= total;
    return mix;
  }

 private:
  struct Use {
    LinearProgram::Row row;
    std::vector<double> amounts;
  };

  double unit_;
  LinearProgram program_;
  LinearProgram::Column bound_;
  LinearProgram::Row norm_;
  std::vector<LinearProgram::Column> duals_;
  std::vector<Use> uses_;
};

double makespan_of(std::span<const double> use, std::span<const double> capacity) {
  double makespan = 0;
  for (std::size_t r = 0; r < use.size(); ++r) {
    if (capacity[r] > 0) makespan = std::max(makespan, use[r] / capacity[r]);
  }
  return makespan;
}

/// The search's state: the best of both sides so far.
class DualSearch {
 public:
  DualSearch(std::span<const double> capacity, const Cheapest& cheapest) : capacity_(capacity), cheapest_(cheapest) {
    const double total = std::accumulate(capacity.begin(), capacity.end(), 0.0);
    best_.duals.assign(capacity.size(), 1 / total);
    best_.use.assign(capacity.size(), 0.0);
    cheapest_(best_.duals, best_.use);
    best_.proven = cost(best_.duals, best_.use);
    best_.reached = makespan_of(best_.use, capacity_);
  }

  DualPoint run(double enough) {
    constexpr int kMaxCuts = 300;  // far more than are needed; rounding might keep the search going for ever
    Cuts cuts(capacity_, std::max(best_.proven, 1.0));
    cuts.add(best_.use);
    for (int i = 0; i < kMaxCuts && !done(enough); ++i) {
      const std::vector<double> duals = cuts.best_duals();
      reach(cuts.mix());
      std::vector<double> use(capacity_.size(), 0.0);
      cheapest_(duals, use);
      prove(duals, use);
      reach(use);
      cuts.add(use);
    }
    return best_;
  }

 private:
  [[nodiscard]] static double cost(std::span<const double> duals, std::span<const double> use) {
    return std::inner_product(duals.begin(), duals.end(), use.begin(), 0.0);
  }
  [[nodiscard]] bool done(double enough) const {
    constexpr double kPrecision = 1e-11;
    return (enough > 0 && (best_.reached <= enough || best_.proven > enough)) ||
           best_.reached - best_.proven <= kPrecision * best_.reached;
  }
  void prove(std::span<const double> duals, std::span<const double> use) {
    if (cost(duals, use) <= best_.proven) return;
    best_.proven = cost(duals, use);
    best_.duals.assign(duals.begin(), duals.end());
  }
  void reach(std::span<const double> use) {
    if (makespan_of(use, capacity_) >= best_.reached) return;
    best_.reached = makespan_of(use, capacity_);
    best_.use.assign(use.begin(), use.end());
  }

  std::span<const double> capacity_;
  const Cheapest& cheapest_;
  DualPoint best_;
};

}  // namespace

DualPoint search_duals(std::span<const double> capacity, const Cheapest& cheapest, double enough) {
  return DualSearch(capacity, cheapest).run(enough);
}

}  // namespace heddle::bounds
