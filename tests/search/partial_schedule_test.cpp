#include "heddle/search/partial_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/search/samples.hpp"

namespace heddle::search {
namespace {

using Task = ExactProblem::Task;
using Class = ExactProblem::Class;

/// All that a partial schedule tells.
struct Told {
  Told(const ExactProblem& problem, const PartialSchedule& partial) {
    partial.write_started(bits);
    partial.write_front(front,
                        {std::vector<Time>(problem.task_count(), 0), std::vector<Time>(problem.class_count(), 0)});
    makespan = partial.makespan();
    for (Class c = 0; c < problem.class_count(); ++c) free.emplace_back(partial.free(c).begin(), partial.free(c).end());
    for (Task task = 0; task < problem.task_count(); ++task) released.push_back(partial.released(task));
  }
  bool operator==(const Told&) const = default;

  std::vector<std::int64_t> bits;
  std::vector<Time> front;
  Time makespan = 0;
  std::vector<std::vector<Time>> free;
  std::vector<bool> released;
};

/// Some task that may be placed next, on some class, as soon as it can start there; task_count() when there is none.
Placement some_placement(test::Random& random, const ExactProblem& problem, const PartialSchedule& partial) {
  std::vector<Placement> possible;
  for (Task task = 0; task < problem.task_count(); ++task) {
    if (partial.started(task) || !partial.released(task)) continue;
    for (Class c = 0; c < problem.class_count(); ++c) {
      if (problem.duration(task, c) == kCannotRun) continue;
      possible.push_back({task, c, std::max({partial.now(), partial.release(task), partial.free(c).front()})});
    }
  }
  if (possible.empty()) return {problem.task_count(), 0, 0};
  return possible[random() % possible.size()];
}

/// The bit of each task that has started, and no other.
void expect_bits(const ExactProblem& problem, const PartialSchedule& partial) {
  std::vector<std::int64_t> bits;
  partial.write_started(bits);
  ASSERT_EQ(bits.size(), partial.words());
  for (Task bit = 0; bit < 64 * bits.size(); ++bit) {
    const bool is_set = (static_cast<std::uint64_t>(bits[bit / 64]) >> bit % 64 & 1) != 0;
    EXPECT_EQ(is_set, bit < problem.task_count() && partial.started(bit)) << bit;
  }
}

TEST(PartialSchedule, TakesBackWhatWasPlaced) {
  test::Random random(1);
  for (int round = 0; round < 20; ++round) {
    test::RandomShape shape{.max_tasks = 150, .data = true, .free_data = true};
    const Instance instance = test::unlinked(test::random_instance(random, shape));
    const ExactProblem problem(instance);
    PartialSchedule partial(problem);
    std::vector<Told> told;
    while (true) {
      const Placement next = some_placement(random, problem, partial);
      if (next.task == problem.task_count()) break;
      told.emplace_back(problem, partial);
      partial.place(next);
      EXPECT_TRUE(partial.started(next.task));
      EXPECT_GE(partial.makespan(), next.start + problem.duration(next.task, next.c));
      if (told.size() % 16 == 1) expect_bits(problem, partial);
    }
    EXPECT_TRUE(partial.complete());
    while (!told.empty()) {
      partial.remove_last();
      EXPECT_TRUE(Told(problem, partial) == told.back());
      told.pop_back();
      if (HasFailure()) return;
    }
  }
}

// Two tasks that commute, on two workers: the first has no predecessor, and still has to wait for the second.
TEST(PartialSchedule, TellsWhenATaskMayStartBehindItsRival) {
  TaskGraphBuilder builder;
  const Access access{builder.add_datum({"sum", 8}), AccessMode::commute};
  const TypeId type = builder.add_type("add");
  for (const char* name : {"first", "second"}) builder.add_task(name, type, std::span(&access, 1));
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  costs.set_actual(Costs::row(type), ClassId{0}, 5);
  const ExactProblem problem(
      make_instance("rivals", std::move(graph), Platform({{.name = "cpu", .workers = 2}}), std::move(costs)));
  for (const Task started : {Task{0}, Task{1}}) {
    PartialSchedule partial(problem);
    partial.place({started, 0, 0});
    std::vector<Time> front;
    partial.write_front(front, {{0, 0}, {0}});
    EXPECT_EQ(front, (std::vector<Time>{0, 0, 5, 5}))
        << "now, when the workers are free, when the other task may start";
  }
}

}  // namespace
}  // namespace heddle::search
