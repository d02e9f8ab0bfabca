#include "heddle/policy/kit/queues/worker_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "heddle/platforms/platforms.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using policy::Action;
using policy::HostView;
using policy::TaskOrder;
using policy::WorkerQueues;

std::shared_ptr<const TaskOrder> random_order(const Instance& instance, Random& random) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < instance.graph.task_count(); ++i) numbers.push_back(draw(random, 0, 1'000'000));
  return std::make_shared<const TaskOrder>(
      numbers.size(), [&](TaskId task) { return policy::queue_key(0, numbers[index(task)], task); });
}

/// Plain lists beside the queues.
class Lists {
 public:
  Lists(const Instance& instance, std::shared_ptr<const TaskOrder> order)
      : instance_(instance), order_(std::move(order)), view_(instance) {
    queues_.reset(view_, order_);
    for (const WorkerId worker : instance.platform.workers()) lists_[worker];
  }

  void push(WorkerId worker, TaskId task, Time work) {
    queues_.push(view_, worker, task, work);
    work_[task] = work;
    std::vector<TaskId>& list = lists_[worker];
    const auto place = [this](TaskId one) { return order_->place(one); };
    list.insert(order_ ? std::ranges::upper_bound(list, place(task), {}, place) : list.end(), task);
  }
  void serve(WorkerId idle) {
    for (const WorkerId worker : instance_.platform.workers()) view_.mark_idle(worker, worker == idle);
    std::vector<TaskId>& list = lists_[idle];
    const Action expected = list.empty() ? policy::wait() : policy::run(list.front(), idle);
    if (!list.empty()) list.erase(list.begin());
    ASSERT_EQ(queues_.serve(view_), expected);
  }
  /// All that is placed on a worker that leaves, and comes back.
  [[nodiscard]] std::vector<TaskId> unassigned_for(WorkerId worker) {
    view_.mark_idle(worker, true);
    view_.set_available(worker, false);
    std::vector<TaskId> unassigned = queues_.take_unassigned(view_);
    view_.set_available(worker, true);
    std::vector<TaskId> expected = std::exchange(lists_[worker], {});
    std::ranges::sort(expected);
    EXPECT_EQ(unassigned, expected);
    return unassigned;
  }
  void check_loads() const {
    for (const auto& [worker, list] : lists_) {
      Time load = 0;
      for (const TaskId task : list) load += work_.at(task);
      ASSERT_EQ(queues_.expected_free(view_, worker), load);
    }
  }
  [[nodiscard]] bool some_left() const {
    return std::ranges::any_of(lists_, [](const auto& item) { return !item.second.empty(); });
  }
  void copy() { queues_ = WorkerQueues(queues_); }

 private:
  const Instance& instance_;
  std::shared_ptr<const TaskOrder> order_;
  HostView view_;
  WorkerQueues queues_;
  std::map<WorkerId, std::vector<TaskId>> lists_;
  std::map<TaskId, Time> work_;
};

void compare(const Instance& instance, std::shared_ptr<const TaskOrder> order, Random& random) {
  Lists lists(instance, std::move(order));
  std::vector<TaskId> outside(instance.graph.tasks().begin(), instance.graph.tasks().end());
  const auto any_worker = [&] {
    return make_id<WorkerId>(
        static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(instance.platform.worker_count()) - 1)));
  };
  // Queues are filled until all tasks are in one or gone, then served until they are empty.
  bool fills = true;
  while (fills || lists.some_left()) {
    const std::int64_t dice = draw(random, 0, 999);
    if (dice < 3) {
      const std::vector<TaskId> unassigned = lists.unassigned_for(any_worker());
      outside.insert(outside.end(), unassigned.begin(), unassigned.end());
    } else if (dice < 6) {
      lists.copy();
    } else if (!outside.empty() && dice < (fills ? 900 : 100)) {
      lists.push(any_worker(), outside.back(), draw(random, 0, 9));
      outside.pop_back();
    } else {
      lists.serve(any_worker());
    }
    if (dice % 100 == 0) lists.check_loads();
    fills = fills && !outside.empty();
  }
  lists.check_loads();
}

TEST(WorkerQueues, BehaveLikeLists) {  // long enough for what was served to be forgotten
  Random random(8);
  const Instance instance = workload::generate("independent:tasks=2000", platforms::resolve("mirage:cpu=2,gpu=1"));
  for (int round = 0; round < rounds(5); ++round) {
    compare(instance, nullptr, random);
    compare(instance, random_order(instance, random), random);
  }
}

}  // namespace
}  // namespace heddle::test
