// Policies and instances that nothing but the program knows are judged as those that are built in.
#include "heddle/judge/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/facts/replay.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::judge {
namespace {

/// Gives the first idle worker that can run one the newest ready task.
struct Newest {
  std::vector<TaskId> ready_tasks{};

  void ready(const policy::View& /*view*/, std::span<const TaskId> tasks) {
    ready_tasks.insert(ready_tasks.end(), tasks.begin(), tasks.end());
  }
  policy::Action next(const policy::View& view) {
    policy::Action action = policy::wait();
    view.visit_idle([&](WorkerId worker) {
      const ClassId c = view.platform().class_of(worker);
      const auto task =
          std::find_if(ready_tasks.rbegin(), ready_tasks.rend(), [&](TaskId one) { return view.can_run(one, c); });
      if (task == ready_tasks.rend()) return false;
      action = policy::run(*task, worker);
      ready_tasks.erase(std::next(task).base());
      return true;
    });
    return action;
  }
};

/// An instance of the program's own, of two classes.
Instance own_instance(std::uint64_t seed) {
  test::Random random(seed);
  Instance instance =
      test::random_instance(random, {.min_classes = 2, .max_classes = 2, .zero_durations = false, .unrunnable = false});
  instance.name = "own " + std::to_string(seed);
  return instance;
}

std::vector<files::LoadedInstance> own_instances(std::size_t count) {
  std::vector<files::LoadedInstance> instances;
  for (std::size_t i = 0; i < count; ++i) instances.push_back({own_instance(i + 1), "here"});
  return instances;
}

bounds::Bounds bounds_of(const Instance& instance) {
  return bounds::compute(instance, bounds::default_kinds(instance));
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Judge, RunsAPolicyWithoutAName) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Instance instance = own_instance(seed);
    const bounds::Bounds bounds = bounds_of(instance);
    std::size_t most = 0;
    const Judged judged = run(instance, {"newest", Newest()}, bounds,
                              {.watch = [&](std::size_t completed) { most = std::max(most, completed); }});
    EXPECT_EQ(judged.report.policy, "newest");
    EXPECT_EQ(judged.schedule->attempts, sim::simulate(instance, Newest(), "newest").attempts);
    EXPECT_TRUE(violations(instance, *judged.schedule).empty());
    ASSERT_TRUE(judged.report.ratio);
    EXPECT_GE(*judged.report.ratio, 1);
    EXPECT_EQ(best_bound(judged)->value, bounds.best());
    EXPECT_LE(most, instance.graph.task_count());
  }
}

TEST(Judge, LogsAPolicyWithoutAName) {
  const test::Scratch scratch;
  const Instance instance = own_instance(1);
  RunOptions options;
  options.facts = scratch.path("facts.json");
  static_cast<void>(run(instance, {"newest", Newest()}, {}, options));
  const std::string log = io::read_file(options.facts);
  const auto told = [&](policy::Policy policy) {
    return facts::replay(log, "log", {.make = [&](const auto&, const auto&, const auto&) { return policy; }});
  };
  const facts::Replayed same = told(Newest());
  EXPECT_EQ(same.decisions, instance.graph.task_count());
  EXPECT_EQ(same.difference, std::nullopt);
  EXPECT_NE(told(policy::Spec("random").make(7)).difference, std::nullopt);
  // Its name alone does not make it again.
  EXPECT_NE(error_of([&] { static_cast<void>(facts::replay(log, "log")); }), "");
}

TEST(Judge, AWatchEndsTheRun) {
  const Instance instance = own_instance(1);
  RunOptions options;
  options.watch = [](std::size_t) { throw std::out_of_range("enough"); };
  EXPECT_THROW(static_cast<void>(run(instance, policy::Spec("heft"), {}, options)), std::out_of_range);
}

TEST(Judge, AnInvalidScheduleIsAMistakeOfTheEngine) {
  const Instance instance = own_instance(1);
  Schedule schedule = sim::simulate(instance, policy::Spec("heft"));
  ++schedule.attempts.front().end;
  EXPECT_FALSE(violations(instance, schedule).empty());
  EXPECT_THROW(static_cast<void>(judge_schedule(instance, std::move(schedule), {})), InternalError);
}

TEST(Judge, ValidatesWhatTheNoiseSays) {
  const Instance instance = own_instance(2);
  const Judged judged =
      run(instance, policy::Spec("eager"), {}, {.config = {.noise = sim::Noise("lognormal:0.3"), .seed = 5}});
  EXPECT_TRUE(violations(instance, *judged.schedule).empty());
  // The last attempt alone: nothing comes after it.
  Schedule other = *judged.schedule;
  const auto last = std::ranges::max_element(other.attempts, {}, &Attempt::end);
  ++last->end;
  ASSERT_EQ(violations(instance, other).size(), 1);
  EXPECT_NE(violations(instance, other).front().find("under noise lognormal:0.3"), std::string::npos);
}

TEST(Compare, TakesPoliciesAndInstancesOfTheProgram) {
  const std::vector<Candidate> candidates{{"newest", Newest()}, policy::Spec("heft"), policy::Spec("heteroprio-dep")};
  const Comparison found = compare(own_instances(8), candidates);
  EXPECT_EQ(found.policies, (std::vector<std::string>{"newest", "heft", "heteroprio-dep"}));
  ASSERT_EQ(found.judged.size(), 24);
  EXPECT_TRUE(found.skipped.empty());
  for (const Compared& compared : found.instances) {
    const Instance& instance = compared.loaded.instance;
    for (std::size_t policy = 0; policy < candidates.size(); ++policy) {
      ASSERT_TRUE(compared.rows[policy]);
      ASSERT_EQ(compared.rows[policy]->count, 1);
      const Judged& judged = found.judged[compared.rows[policy]->first];
      EXPECT_EQ(judged.report.policy, found.policies[policy]);
      EXPECT_EQ(judged.report.instance, &instance);
      EXPECT_EQ(judged.report.platform, "here");
      EXPECT_TRUE(violations(instance, *judged.schedule).empty());
      EXPECT_EQ(judged.report.makespan, run(instance, candidates[policy], {}).report.makespan);
    }
  }
}

TEST(Compare, RepeatsRunsUnderNoise) {
  const sim::Config config{.noise = sim::Noise("uniform:0.3"), .seed = 3};
  const Comparison found =
      compare(own_instances(1), {{"newest", Newest()}, policy::Spec("dmdas")}, {.config = config, .runs = 4});
  ASSERT_EQ(found.judged.size(), 8);
  for (std::size_t i = 0; i < 8; ++i) {
    const Judged& judged = found.judged[i];
    EXPECT_EQ(judged.report.run, i % 4 + 1);
    EXPECT_EQ(judged.report.seed, 3 + i % 4);
    EXPECT_TRUE(violations(*judged.report.instance, *judged.schedule).empty());
  }
  EXPECT_NE(found.judged[0].report.makespan, found.judged[1].report.makespan);
}

TEST(Compare, SkipsWhatDoesNotFitOnlyWhenAsked) {
  const auto three_classes = [] {
    std::vector<files::LoadedInstance> instances;
    test::Random random(1);
    instances.push_back({test::random_instance(random, {.min_classes = 3, .unrunnable = false}), "three"});
    return instances;
  };
  const std::vector<Candidate> candidates{policy::Spec("heteroprio-dep"), policy::Spec("static"), policy::Spec("heft")};
  const std::string refusal = error_of([&] { static_cast<void>(compare(three_classes(), candidates)); });
  EXPECT_NE(refusal.find("heteroprio-dep"), std::string::npos) << refusal;
  const Comparison found = compare(three_classes(), candidates, {.skips_unfit = true});
  ASSERT_EQ(found.skipped.size(), 2);
  EXPECT_EQ(found.skipped[0].reason, refusal);
  EXPECT_EQ(found.skipped[1].policy, 1);
  EXPECT_EQ(found.judged.size(), 1);
  const std::string shown = page(found);
  EXPECT_NE(shown.find("heteroprio-dep"), std::string::npos);
}

TEST(Compare, PagesNeedNoSchedules) {
  const Comparison found = compare(own_instances(2), {{"newest", Newest()}}, {.keeps_schedules = false});
  EXPECT_EQ(found.judged.front().schedule, nullptr);
  const std::string shown = page(found, {.version = "9.8.7"});
  for (const char* part : {"2 instances", "own 1", "own 2", "newest", "9.8.7"}) {
    EXPECT_NE(shown.find(part), std::string::npos) << part;
  }
}

TEST(Compare, TellsWhatIsUnderWay) {
  std::vector<std::string> told;
  const CompareOptions options{.watch = [&](std::string_view what, std::size_t done, std::size_t total) {
    EXPECT_LE(done, total);
    if (told.empty() || told.back() != what) told.emplace_back(what);
  }};
  static_cast<void>(compare(own_instances(2), {policy::Spec("heft")}, options));
  EXPECT_EQ(told, (std::vector<std::string>{"bounds", "runs"}));
  EXPECT_EQ(error_of([&] { static_cast<void>(compare({}, {}, {.bound = "none such"})); }).substr(0, 30),
            "there is no bound 'none such';");
}

}  // namespace
}  // namespace heddle::judge
