#pragma once

#include <cstdint>
#include <vector>

#include "heddle/search/exact_problem.hpp"

namespace heddle::search {

/// Prices of an instant of each class's workers, integers. Whatever the prices, tasks cost at least the sum of what
/// each costs where it is cheapest, and an interval of length h offers h times the price of the whole machine: so tasks
/// that must run inside the interval and cost more do not fit (weak duality of the area bound's linear program). With
/// two classes the best prices make the classes equally dear for one of the tasks' durations, or one class free; those
/// are all here. With more classes they are a choice.
class Prices {
 public:
  using Class = ExactProblem::Class;

  /// `horizon`: no interval will be longer. Where it is so long that sums would overflow, there are no prices.
  Prices(const ExactProblem& problem, Time horizon);

  [[nodiscard]] std::size_t size() const { return machine_.size(); }
  [[nodiscard]] std::int64_t price(std::size_t k, Class c) const { return prices_[k * classes_ + c]; }
  /// Of the whole machine.
  [[nodiscard]] std::int64_t machine(std::size_t k) const { return machine_[k]; }

 private:
  void add(const ExactProblem& problem, const std::vector<std::int64_t>& prices);

  std::size_t classes_;
  std::vector<std::int64_t> prices_;
  std::vector<std::int64_t> machine_;
};

}  // namespace heddle::search
