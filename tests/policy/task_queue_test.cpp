#include "heddle/policy/kit/queues/task_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

// Against a plain list: a class gets the smallest key, then the smallest number, of the tasks that it can run.
TEST(TaskQueue, GivesAClassTheFirstTaskItCanRun) {
  Random random(41);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random);
    const policy::Kinds kinds(instance);
    policy::TaskQueue queue(kinds);
    std::vector<std::tuple<std::int64_t, TaskId>> plain;
    for (const TaskId task : instance.graph.tasks()) {
      const std::int64_t key = draw(random, -3, 3);
      queue.push(kinds.of(instance.costs.row(task)), task, key);
      plain.emplace_back(key, task);
    }
    std::ranges::sort(plain);
    while (!plain.empty()) {
      const ClassId c = make_id<ClassId>(
          static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(instance.platform.class_count()) - 1)));
      const auto runs = [&](const auto& item) { return instance.costs.can_run(std::get<TaskId>(item), c); };
      ASSERT_EQ(queue.count(kinds, c), static_cast<std::size_t>(std::ranges::count_if(plain, runs)));
      const auto first = std::ranges::find_if(plain, runs);
      ASSERT_EQ(queue.pop(kinds, c), first == plain.end() ? kNone<TaskId> : std::get<TaskId>(*first));
      if (first == plain.end()) break;
      plain.erase(first);
    }
    std::vector<TaskId> rest;
    for (const auto& item : plain) rest.push_back(std::get<TaskId>(item));
    std::ranges::sort(rest);
    ASSERT_EQ(queue.take_all(), rest);
  }
}

}  // namespace
}  // namespace heddle::test
