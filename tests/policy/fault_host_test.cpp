#include "tests/policy/fault_host.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "tests/policy/registered.hpp"

namespace heddle::test {
namespace {

/// What happened to policies, so often.
struct Happenings {
  int taken_over = 0;  ///< with a graph of which some tasks have ended
  int running = 0;     ///< tasks that ran when a policy began
  int ahead = 0;       ///< tasks given to workers that asked ahead
  int arrived = 0;     ///< data that came into a memory of which a policy was told before that it misses it
  int strayed = 0;     ///< data that was not at home when a policy began
  int aborted = 0;
  int refused = 0;
  int departed = 0;
};

/// A policy that has another one decide and counts what happens.
class Counts {
 public:
  Counts(policy::Policy decides, std::size_t all, std::shared_ptr<Happenings> seen)
      : decides_(std::move(decides)), all_(all), seen_(std::move(seen)) {}

  void start(const policy::View& view) {
    if (view.graph().task_count() < all_) ++seen_->taken_over;
    for (const WorkerId worker : view.platform().workers()) {
      if (view.running(worker) == kNone<TaskId>) continue;
      ++seen_->running;
      EXPECT_FALSE(view.is_idle(worker));
    }
    const Table<DataId, MemoryId> homes = home_memories(view.instance());
    for (const DataId data : homes.ids()) seen_->strayed += view.has(data, homes[data]) ? 0 : 1;
    before_ = view;
    decides_.start(view);
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) { decides_.ready(view, tasks); }
  void started(const policy::View& view, TaskId task, WorkerId worker) {
    if (view.running(worker) != task) ++seen_->ahead;
    decides_.started(view, task, worker);
  }
  void finished(const policy::View& view, std::span<const policy::Completion> done) {
    const MemoryId memory = view.memory_of(done.front().worker);
    for (const Access access : view.graph().accesses(done.front().task)) {
      if (access.mode == AccessMode::write) continue;
      EXPECT_TRUE(view.has(access.data, memory)) << "it was read there";
    }
    decides_.finished(view, done);
  }
  void aborted(const policy::View& view, TaskId task, WorkerId worker) {
    ++seen_->aborted;
    decides_.aborted(view, task, worker);
  }
  void refused(const policy::View& view, policy::Action action) {
    ++seen_->refused;
    decides_.refused(view, action);
  }
  void workers_changed(const policy::View& view) {
    ++seen_->departed;
    decides_.workers_changed(view);
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    view.visit_moved(*before_, [&](DataId data, MemoryId memory) {
      if (view.has(data, memory) && !before_->has(data, memory)) ++seen_->arrived;
    });
    before_ = view;
    view.visit_idle([&](WorkerId worker) {
      EXPECT_EQ(view.running(worker) != kNone<TaskId>, view.asks_ahead());
      return false;
    });
    return decides_.next(view);
  }
  [[nodiscard]] bool keeps_order() const { return decides_.keeps_order(); }
  [[nodiscard]] bool polls() const { return decides_.polls(); }

 private:
  policy::Policy decides_;
  std::size_t all_;
  std::shared_ptr<Happenings> seen_;
  std::optional<policy::View> before_;  ///< as it was when this was asked last
};

TEST(FaultHost, DoesWhatItSays) {
  for (const char* policy : {"eager", "dmdas", "heft"}) {
    SCOPED_TRACE(policy);
    const auto seen = std::make_shared<Happenings>();
    Random random(1);
    for (int round = 0; round < 100; ++round) {
      const Instance instance = random_instance(random, {.data = true});
      const auto make = [&](const Instance& left) {
        return policy::Policy(Counts(make_policy(policy, left).value(), instance.graph.task_count(), seen));
      };
      FaultHost(instance, make, random()).run();
      ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(seen->taken_over, 10);
    EXPECT_GT(seen->running, 10);
    EXPECT_GT(seen->ahead, 10);
    EXPECT_GT(seen->arrived, 100);
    EXPECT_GT(seen->strayed, 10);
    EXPECT_GT(seen->aborted, 10);
    EXPECT_GT(seen->refused, 10);
    EXPECT_GT(seen->departed, 10);
  }
}

}  // namespace
}  // namespace heddle::test
