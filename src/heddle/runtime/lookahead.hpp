#pragma once

#include <functional>
#include <memory>

#include "heddle/policy/lookahead.hpp"
#include "heddle/sim/simulation.hpp"

namespace heddle::runtime {

/// Simulates what may come when a policy asks for it, from the moment at which it is first asked.
class Ahead final : public policy::Lookahead {
 public:
  /// `present` describes the moment; it is called at most once.
  Ahead(const Instance& instance, std::function<sim::Present()> present)
      : instance_(instance), present_(std::move(present)) {}

  [[nodiscard]] std::optional<Time> run(policy::Policy policy, const Observer& observer) const override {
    return simulator().run(std::move(policy), observer);
  }
  [[nodiscard]] Time makespan_on(const Instance& instance, policy::Policy policy) const override {
    return simulator().makespan_on(instance, std::move(policy));
  }
  [[nodiscard]] Future until(policy::Policy policy, TaskId task) const override {
    return simulator().until(std::move(policy), task);
  }
  [[nodiscard]] std::uint64_t events() const override { return simulator_ ? simulator_->events() : 0; }

 private:
  [[nodiscard]] const policy::Lookahead& simulator() const {
    if (!simulator_) simulator_ = sim::look_ahead_from(instance_, present_());
    return *simulator_;
  }

  const Instance& instance_;
  std::function<sim::Present()> present_;
  mutable std::unique_ptr<policy::Lookahead> simulator_;
};

}  // namespace heddle::runtime
