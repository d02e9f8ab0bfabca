#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "heddle/policy/policy.hpp"
#include "heddle/sim/simulation.hpp"

namespace heddle::test {

/// What a policy was told and asked in one run: each call, and the answer it gave. Replayed on a fresh policy, the same
/// calls must give the same answers: a policy depends on nothing else. This log is what a bug report would hold.
class FactLog {
 public:
  using Call = std::function<policy::Action(policy::Policy&)>;

  void add(Call call, policy::Action answer) { entries_.push_back({std::move(call), answer}); }

  /// How many of the recorded calls a fresh policy answers alike, up to the first difference.
  [[nodiscard]] std::size_t replay(policy::Policy policy) const {
    std::size_t alike = 0;
    while (alike < entries_.size() && entries_[alike].call(policy) == entries_[alike].answer) ++alike;
    return alike;
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Call call;
    policy::Action answer;
  };
  std::vector<Entry> entries_;
};

/// A policy that lets another one decide and writes everything down; views are kept as snapshots.
class Recorder {
 public:
  Recorder(policy::Policy policy, std::shared_ptr<FactLog> log) : policy_(std::move(policy)), log_(std::move(log)) {}

  void start(const policy::View& view) {
    tell(view, [](auto& p, const auto& v) { p.start(v); });
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    tell(view, [kept = std::vector<TaskId>(tasks.begin(), tasks.end())](auto& p, const auto& v) { p.ready(v, kept); });
  }
  void started(const policy::View& view, TaskId task, WorkerId worker) {
    tell(view, [=](auto& p, const auto& v) { p.started(v, task, worker); });
  }
  void finished(const policy::View& view, std::span<const policy::Completion> done) {
    tell(view, [kept = std::vector<policy::Completion>(done.begin(), done.end())](auto& p, const auto& v) {
      p.finished(v, kept);
    });
  }
  void aborted(const policy::View& view, TaskId task, WorkerId worker) {
    tell(view, [=](auto& p, const auto& v) { p.aborted(v, task, worker); });
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    const policy::Action answer = policy_.next(view);
    log_->add([snapshot = view](policy::Policy& p) { return p.next(snapshot); }, answer);
    return answer;
  }

 private:
  template <class Fact>
  void tell(const policy::View& view, const Fact& fact) {
    fact(policy_, view);
    log_->add(
        [fact, snapshot = view](policy::Policy& p) {
          fact(p, snapshot);
          return policy::wait();
        },
        policy::wait());
  }

  policy::Policy policy_;
  std::shared_ptr<FactLog> log_;
};

/// That the policy, which knows nothing yet and does not look ahead, answers alike when it is told a run once more. No
/// action may be refused in that run: the log has no refusals.
inline void expect_same_answers(const Instance& instance, const policy::Policy& fresh, const sim::Config& config = {}) {
  const auto log = std::make_shared<FactLog>();
  sim::Simulation simulation(instance, Recorder(fresh, log), config);
  while (!simulation.finished()) simulation.step();
  EXPECT_EQ(log->replay(fresh), log->size());
}

}  // namespace heddle::test
