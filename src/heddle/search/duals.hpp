#pragma once

#include <cstdint>
#include <vector>

#include "heddle/search/exact_problem.hpp"

namespace heddle::search {

/// Dual values of an instant of each class's workers, integers. Whatever the dual values, tasks cost at least the sum
/// of what each costs where it is cheapest, and an interval of length h offers h times the dual value of the whole
/// machine: so tasks that must run inside the interval and cost more do not fit (weak duality of the area bound's
/// linear program). With two classes the best dual values make the classes equally dear for one of the tasks'
/// durations, or one class free; those are all here. With more classes they are a choice.
class Duals {
 public:
  using Class = ExactProblem::Class;

  /// `horizon`: no interval will be longer. Where it is so long that sums would overflow, there are no dual values.
  Duals(const ExactProblem& problem, Time horizon);

  [[nodiscard]] std::size_t size() const { return machine_.size(); }
  [[nodiscard]] std::int64_t dual(std::size_t k, Class c) const { return duals_[k * classes_ + c]; }
  /// Of the whole machine.
  [[nodiscard]] std::int64_t machine(std::size_t k) const { return machine_[k]; }

 private:
  void add(const ExactProblem& problem, const std::vector<std::int64_t>& duals);

  std::size_t classes_;
  std::vector<std::int64_t> duals_;
  std::vector<std::int64_t> machine_;
};

}  // namespace heddle::search
