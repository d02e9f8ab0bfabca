#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "heddle/policy/kit/queues/worker_queues.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::runtime {

/// A policy that deals tasks to the workers in turn, whatever they have; where it takes long to think, workers wait for
/// each other.
class Dealer {
 public:
  struct Seen {
    std::atomic<int> departures = 0;
    std::atomic<int> returns = 0;
  };

  explicit Dealer(std::shared_ptr<Seen> seen, std::chrono::microseconds thinks = {})
      : seen_(std::move(seen)), thinks_(thinks) {}

  void start(const policy::View& view) { queues_.reset(view); }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) {
      do next_ = (next_ + 1) % view.platform().worker_count();
      while (!view.is_available(make_id<WorkerId>(next_)));
      queues_.push(view, make_id<WorkerId>(next_), task, view.estimate(task, ClassId{}));
    }
  }
  void workers_changed(const policy::View& view) {
    const auto here = [&](WorkerId worker) { return view.is_available(worker); };
    const bool all = std::ranges::all_of(view.platform().workers(), here);
    ++(all ? seen_->returns : seen_->departures);
    EXPECT_TRUE(std::ranges::any_of(view.platform().workers(), here));
    ready(view, queues_.take_unassigned(view));
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    const auto until = std::chrono::steady_clock::now() + thinks_;
    while (std::chrono::steady_clock::now() < until) continue;
    return queues_.serve(view);
  }

 private:
  std::shared_ptr<Seen> seen_;
  std::chrono::microseconds thinks_;
  policy::WorkerQueues queues_;
  std::size_t next_ = 0;
};

}  // namespace heddle::runtime
