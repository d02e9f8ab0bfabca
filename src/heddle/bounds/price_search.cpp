#include "heddle/bounds/price_search.hpp"

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
      prices_.push_back(program_.add_column(0, one > 0 ? kInfinity : 0));
      program_.set(norm_, prices_.back(), one);
    }
  }

  void add(std::span<const double> use) {
    const auto row = program_.add_row(-kInfinity, 0);
    program_.set(row, bound_, 1);
    for (std::size_t r = 0; r < use.size(); ++r) program_.set(row, prices_[r], -use[r] / unit_);
    uses_.push_back({row, std::vector<double>(use.begin(), use.end())});
  }

  /// The prices where the cuts leave most room.
  [[nodiscard]] std::vector<double> best_prices() {
    program_.minimise();
    std::vector<double> prices;
    for (const auto column : prices_) prices.push_back(std::max(program_.value(column), 0.0));
    return prices;
  }

  /// After best_prices: the mix of uses that the cuts' duals weigh.
  [[nodiscard]] std::vector<double> mix() const {
    std::vector<double> mix(prices_.size(), 0.0);
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
  std::vector<LinearProgram::Column> prices_;
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
class PriceSearch {
 public:
  PriceSearch(std::span<const double> capacity, const Cheapest& cheapest) : capacity_(capacity), cheapest_(cheapest) {
    const double total = std::accumulate(capacity.begin(), capacity.end(), 0.0);
    best_.prices.assign(capacity.size(), 1 / total);
    best_.use.assign(capacity.size(), 0.0);
    cheapest_(best_.prices, best_.use);
    best_.proven = cost(best_.prices, best_.use);
    best_.reached = makespan_of(best_.use, capacity_);
  }

  Priced run(double enough) {
    constexpr int kMaxCuts = 300;  // far more than are needed; rounding might keep the search going for ever
    Cuts cuts(capacity_, std::max(best_.proven, 1.0));
    cuts.add(best_.use);
    for (int i = 0; i < kMaxCuts && !done(enough); ++i) {
      const std::vector<double> prices = cuts.best_prices();
      reach(cuts.mix());
      std::vector<double> use(capacity_.size(), 0.0);
      cheapest_(prices, use);
      prove(prices, use);
      reach(use);
      cuts.add(use);
    }
    return best_;
  }

 private:
  [[nodiscard]] static double cost(std::span<const double> prices, std::span<const double> use) {
    return std::inner_product(prices.begin(), prices.end(), use.begin(), 0.0);
  }
  [[nodiscard]] bool done(double enough) const {
    constexpr double kPrecision = 1e-11;
    return (enough > 0 && (best_.reached <= enough || best_.proven > enough)) ||
           best_.reached - best_.proven <= kPrecision * best_.reached;
  }
  void prove(std::span<const double> prices, std::span<const double> use) {
    if (cost(prices, use) <= best_.proven) return;
    best_.proven = cost(prices, use);
    best_.prices.assign(prices.begin(), prices.end());
  }
  void reach(std::span<const double> use) {
    if (makespan_of(use, capacity_) >= best_.reached) return;
    best_.reached = makespan_of(use, capacity_);
    best_.use.assign(use.begin(), use.end());
  }

  std::span<const double> capacity_;
  const Cheapest& cheapest_;
  Priced best_;
};

}  // namespace

Priced search_prices(std::span<const double> capacity, const Cheapest& cheapest, double enough) {
  return PriceSearch(capacity, cheapest).run(enough);
}

}  // namespace heddle::bounds
