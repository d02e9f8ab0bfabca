#include "heddle/host/ready_tracker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/support/random_instance.hpp"

namespace heddle::host {
namespace {

/// Tasks that are ready, found by looking at all of them, in the order in which they take what they commute on.
class Plainly {
 public:
  explicit Plainly(const TaskGraph& graph) : graph_(graph) {}

  void complete(TaskId task) {
    done_.insert(task);
    std::erase_if(taken_, [&](const auto& one) { return one.second == task; });
  }
  [[nodiscard]] std::vector<TaskId> next_batch() {
    std::vector<TaskId> batch;
    for (const TaskId task : graph_.tasks()) {
      const auto is_done = [&](TaskId before) { return done_.contains(before); };
      if (told_.contains(task) || !std::ranges::all_of(graph_.predecessors(task), is_done) || !takes(task)) continue;
      told_.insert(task);
      batch.push_back(task);
    }
    return batch;
  }

 private:
  [[nodiscard]] bool takes(TaskId task) {
    std::vector<DataId> wanted;
    for (const Access access : graph_.accesses(task)) {
      if (access.mode == AccessMode::commute) wanted.push_back(access.data);
    }
    for (const auto& [data, holder] : taken_) {
      if (std::ranges::find(wanted, data) != wanted.end()) return false;
    }
    for (const DataId data : wanted) taken_.emplace_back(data, task);
    return true;
  }

  const TaskGraph& graph_;
  std::set<TaskId> done_;
  std::set<TaskId> told_;
  std::vector<std::pair<DataId, TaskId>> taken_;
};

TEST(ReadyTracker, FindsWhatWaitsForNothing) {
  test::Random random(1);
  int waited = 0;
  for (int round = 0; round < 300; ++round) {
    const Instance instance = test::random_instance(random, {.data = round % 2 == 0, .max_data = 3});
    const TaskGraph& graph = instance.graph;
    ReadyTracker tracker(graph);
    Plainly plainly(graph);
    std::vector<TaskId> ready;
    for (const TaskId task : graph.tasks()) {
      if (tracker.unmet(task) == 0) tracker.release(task);
    }
    for (std::size_t done = 0; done < graph.task_count();) {
      const std::span<const TaskId> batch = tracker.next_batch(graph);
      ASSERT_EQ(std::vector(batch.begin(), batch.end()), plainly.next_batch()) << "round " << round;
      ready.insert(ready.end(), batch.begin(), batch.end());
      ASSERT_FALSE(ready.empty());
      // Some end at once.
      for (std::int64_t ending = test::draw(random, 1, 3); ending > 0 && !ready.empty(); --ending, ++done) {
        const auto one = ready.begin() + test::draw(random, 0, static_cast<std::int64_t>(ready.size()) - 1);
        tracker.complete(graph, *one);
        plainly.complete(*one);
        ready.erase(one);
      }
    }
    waited += tracker.commuting().trivial() ? 0 : 1;
  }
  EXPECT_GT(waited, 30);
}

TEST(ReadyTracker, WhereTurnsAreTakenAtTheStartAllAreReadyTogether) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("add");
  const Access access{builder.add_datum({"sum", 8}), AccessMode::commute};
  for (const char* name : {"a", "b"}) builder.add_task(name, type, std::span(&access, 1));
  const TaskGraph graph = builder.build();
  ReadyTracker tracker(graph);
  tracker.take_turns_at_start(true);
  EXPECT_TRUE(tracker.turns_at_start());
  tracker.release(TaskId{1});
  tracker.release(TaskId{0});
  EXPECT_TRUE(std::ranges::equal(tracker.next_batch(graph), std::vector{TaskId{0}, TaskId{1}}));
  EXPECT_TRUE(tracker.commuting().acquire(graph, TaskId{1}));
  EXPECT_FALSE(tracker.commuting().acquire(graph, TaskId{0}));
  tracker.commuting().release(graph, TaskId{1});
  EXPECT_TRUE(tracker.commuting().acquire(graph, TaskId{0}));

  ReadyTracker one_by_one(graph);
  one_by_one.take_turns_at_start(false);
  one_by_one.release(TaskId{1});
  one_by_one.release(TaskId{0});
  EXPECT_TRUE(std::ranges::equal(one_by_one.next_batch(graph), std::vector{TaskId{0}}));
}

TEST(ReadyTracker, TasksThatWereDoneBeforeReleaseNothing) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("step");
  for (const char* name : {"a", "b"}) builder.add_task(name, type);
  builder.add_edge(TaskId{0}, TaskId{1});
  const TaskGraph graph = builder.build();
  ReadyTracker tracker(graph);
  tracker.skip(graph, TaskId{0});
  EXPECT_EQ(tracker.unmet(TaskId{1}), 0U);
  EXPECT_TRUE(tracker.next_batch(graph).empty());
}

// In engines whose workers say late that they have ended, tasks are ready before what they wait for is done.
TEST(ReadyTracker, DoesNotReleaseWhatIsReadyEarly) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("t");
  const TaskId before = builder.add_task("before", type);
  const TaskId early = builder.add_task("early", type);
  const TaskId late = builder.add_task("late", type);
  builder.add_edge(before, early);
  builder.add_edge(before, late);
  const TaskGraph graph = builder.build();
  ReadyTracker tracker(graph);
  tracker.detach(early);
  EXPECT_NE(tracker.unmet(early), 0U);
  tracker.complete(graph, before);
  const auto batch = tracker.next_batch(graph);
  EXPECT_EQ(std::vector<TaskId>(batch.begin(), batch.end()), std::vector{late});
}

}  // namespace
}  // namespace heddle::host
