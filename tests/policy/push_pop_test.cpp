// Every policy behind push and pop, as StarPU's schedulers are: tasks arrive one by one, some of their dependencies are
// hidden, workers ask, and nothing can be aborted, though it can be held back.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/host/rounds.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::push_pop_test {
namespace {

/// The engine. Types of the rounds are rows of costs; the smaller number a task has, the earlier it is submitted.
class PushPop {
 public:
  PushPop(const Instance& instance, host::Rounds::MakePolicy make, host::Aborts aborts, Random& random)
      : instance_(instance),
        random_(random),
        rounds_({.platform = instance.platform,
                 .durations =
                     [&](TypeId row, ClassId c) {
                       return instance.costs.estimate_row(static_cast<std::uint32_t>(row))[index(c)];
                     },
                 .make_policy = std::move(make),
                 .aborts = aborts,
                 .make_foresight = sim::foresee}),
        unmet_(instance.graph.task_count(), 0),
        runs_(instance.platform.worker_count()) {
    for (std::size_t row = 0; row < instance.costs.row_count(); ++row) rounds_.add_type("row " + std::to_string(row));
  }

  /// `hides`: one in so many dependencies; 0: none.
  Schedule run(int hides) {
    while (submitted_ < instance_.graph.task_count() || rounds_.unfinished() > 0) {
      ++now_;
      if (draw(random_, 0, 2) > 0 && submitted_ < instance_.graph.task_count()) submit(hides);
      for (const WorkerId worker : instance_.platform.workers()) {
        std::optional<Attempt>& runs = runs_[worker];
        if (runs && runs->end <= now_) end(worker);
        if (!runs) pop(worker);
      }
      for (const WorkerId worker : rounds_.take_called()) {
        if (!runs_[worker]) pop(worker);
      }
    }
    return schedule_;
  }
  [[nodiscard]] std::size_t round_count() const { return rounds_.count(); }

 private:
  void submit(int hides) {
    const TaskId task = instance_.graph.topological_order()[submitted_++];
    host::Rounds::Task known{.type = TypeId{instance_.costs.row(task)}};
    for (const TaskId before : instance_.graph.predecessors(task)) {
      if (hides == 0 || draw(random_, 1, hides) > 1) known.after.push_back(number_.at(index(before)));
      if (!done_.contains(before)) ++unmet_[task];
    }
    number_[index(task)] = rounds_.submit(std::move(known));
    task_.push_back(task);
    if (unmet_[task] == 0) rounds_.push(number_[index(task)]);
  }
  void pop(WorkerId worker) {
    const std::optional<host::TaskNumber> number = rounds_.pop(worker, now_);
    if (!number) return;
    const TaskId task = task_.at(static_cast<std::size_t>(*number));
    const Time duration = instance_.costs.actual(task, instance_.platform.class_of(worker));
    runs_[worker] = {task, worker, now_, now_ + duration, Outcome::completed};
  }
  void end(WorkerId worker) {
    runs_[worker]->end = now_;
    schedule_.attempts.push_back(*runs_[worker]);
    const TaskId task = std::exchange(runs_[worker], std::nullopt)->task;
    done_.insert(task);
    rounds_.finished(worker, now_);
    for (const TaskId successor : instance_.graph.successors(task)) {
      if (number_.contains(index(successor)) && --unmet_[successor] == 0) rounds_.push(number_[index(successor)]);
    }
  }

  const Instance& instance_;
  Random& random_;
  host::Rounds rounds_;
  Table<TaskId, std::uint32_t> unmet_;
  Table<WorkerId, std::optional<Attempt>> runs_;
  std::map<std::size_t, host::TaskNumber> number_;
  std::vector<TaskId> task_;
  std::set<TaskId> done_;
  std::size_t submitted_ = 0;
  Time now_ = 0;
  Schedule schedule_;
};

class PushedAndPopped : public testing::TestWithParam<std::string> {};

TEST_P(PushedAndPopped, SchedulesAreValid) {
  Random random(1);
  const policy::Spec spec(GetParam());
  for (int round = 0; round < rounds(100); ++round) {
    const Instance instance = unlinked(random_instance(random, {.wrong_estimates = round % 2 == 1}));
    if (!spec.objection(instance).empty()) continue;
    const auto make = [&](const Instance& left) { return make_policy(GetParam(), left).value(); };
    PushPop engine(instance, make, round % 2 == 0 ? host::Aborts::hold_back : host::Aborts::none, random);
    const Schedule schedule = engine.run(round % 3 == 0 ? 4 : 0);
    const std::vector<std::string> violations = validate(instance, schedule, Durations::free);
    ASSERT_TRUE(violations.empty()) << violations.front();
  }
}

INSTANTIATE_TEST_SUITE_P(All, PushedAndPopped, testing::ValuesIn(registered_specs()), test_name);

}  // namespace
}  // namespace heddle::test::push_pop_test
