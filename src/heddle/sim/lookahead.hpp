#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heddle/host/present.hpp"

namespace heddle::sim {

class Simulation;

/// Simulates what may come, with clones of a simulation in which the estimates are the truth.
class Ahead : public host::Foresight {
 public:
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;
  [[nodiscard]] std::optional<Time> run(policy::Policy policy, const Observer& observer) const override;
  [[nodiscard]] std::vector<Time> makespans(std::vector<policy::Policy> policies) const override;
  [[nodiscard]] Time makespan_on(const Instance& instance, policy::Policy policy) const override;
  [[nodiscard]] Future until(policy::Policy policy, TaskId task, std::span<const WorkerId> among) const override;
  [[nodiscard]] std::uint64_t events() const override { return *events_; }
  [[nodiscard]] std::optional<Time> abort_of(policy::Policy policy, TaskId task, WorkerId worker) const override;
  void renew() override { own_events_ = 0; }

 protected:
  /// Counts events where it is told, or on its own.
  explicit Ahead(std::uint64_t* events = nullptr) : events_(events == nullptr ? &own_events_ : events) {}

  /// What the future begins from.
  [[nodiscard]] virtual Simulation& present() const = 0;

 private:
  class Race;

  mutable std::uint64_t own_events_ = 0;
  std::uint64_t* events_;
};

/// What a policy looks ahead with in a run that is not simulated.
class AheadOfOthers final : public Ahead {
 public:
  /// `present` describes the moment; it is called when the policy first asks, and not again before renew(). The
  /// instance must outlive this.
  AheadOfOthers(const Instance& instance, std::function<host::Present()> present);
  ~AheadOfOthers() override;
  void renew() override;

 private:
  [[nodiscard]] Simulation& present() const override;

  const Instance& instance_;
  std::function<host::Present()> describe_;
  mutable std::unique_ptr<Simulation> present_;
};

}  // namespace heddle::sim
