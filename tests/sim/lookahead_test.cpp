#include "heddle/sim/lookahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/model/parallel.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::lookahead_test {
namespace {

using policy::Policy;
using policy::View;

/// Passes everything on. Its host does not know what it follows, so the run is simulated to its end.
class Opaque {
 public:
  explicit Opaque(Policy policy) : policy_(std::move(policy)) {}
  void start(const View& view) { policy_.start(view); }
  void ready(const View& view, std::span<const TaskId> tasks) { policy_.ready(view, tasks); }
  void started(const View& view, TaskId task, WorkerId worker) { policy_.started(view, task, worker); }
  void finished(const View& view, std::span<const policy::Completion> done) { policy_.finished(view, done); }
  void aborted(const View& view, TaskId task, WorkerId worker) { policy_.aborted(view, task, worker); }
  void refused(const View& view, policy::Action action) { policy_.refused(view, action); }
  [[nodiscard]] policy::Action next(const View& view) {
    ++asked_;
    return policy_.next(view);
  }
  [[nodiscard]] std::string note() const { return std::to_string(asked_); }

 private:
  Policy policy_;
  std::size_t asked_ = 0;
};

/// Asks how the policies would do as soon as it is asked itself, all at once or one by one, and follows the best.
class Chooser {
 public:
  struct Seen {
    std::vector<Time> makespans;
    std::uint64_t events;

    bool operator==(const Seen&) const = default;
  };

  Chooser(std::vector<Policy> policies, bool at_once, Seen& seen)
      : policies_(std::move(policies)), at_once_(at_once), seen_(&seen) {}
  void start(const View& view) {
    for (Policy& policy : policies_) policy.start(view);
  }
  void ready(const View& view, std::span<const TaskId> tasks) {
    for (Policy& policy : policies_) policy.ready(view, tasks);
  }
  void started(const View& view, TaskId task, WorkerId worker) { policies_.front().started(view, task, worker); }
  void finished(const View& view, std::span<const policy::Completion> done) { policies_.front().finished(view, done); }
  void aborted(const View& view, TaskId task, WorkerId worker) { policies_.front().aborted(view, task, worker); }
  void refused(const View& view, policy::Action action) { policies_.front().refused(view, action); }
  [[nodiscard]] policy::Action next(const View& view) {
    if (policies_.size() > 1) choose(*view.lookahead());
    return policies_.front().next(view);
  }
  [[nodiscard]] bool follows_best() const { return true; }

 private:
  void choose(const policy::Lookahead& lookahead) {
    std::vector<Time>& makespans = seen_->makespans;
    if (at_once_) {
      makespans = lookahead.makespans(policies_);
    } else {
      for (const Policy& policy : policies_) makespans.push_back(lookahead.makespan(policy));
    }
    seen_->events = lookahead.events();
    const auto best = std::ranges::min_element(makespans) - makespans.begin();
    policies_ = {Policy(policies_[static_cast<std::size_t>(best)])};
  }

  std::vector<Policy> policies_;
  bool at_once_;
  Seen* seen_;
};

/// Some of which decide alike for long, or always.
std::vector<Policy> rivals(std::uint64_t round) {
  std::vector<Policy> rivals;
  for (const char* order : {"latest", "acceleration", "priority", "latest"}) {
    rivals.push_back(policy::Spec(std::string("heteroprio-dep:order=") + order).make(1));
  }
  if (round % 2 == 0) rivals.push_back(policy::Spec("heteroprio:correction=sp").make(1));
  std::ranges::rotate(rivals, rivals.begin() + static_cast<std::ptrdiff_t>(round % rivals.size()));
  return rivals;
}

RandomShape two_classes(std::uint64_t round) {
  RandomShape shape{.max_tasks = 60, .wrong_estimates = round % 3 == 0, .data = round % 4 == 0};
  shape.min_classes = shape.max_classes = 2;
  return shape;
}

sim::Config config_of(std::uint64_t round) {
  return {.noise = sim::Noise(round % 5 == 0 ? "uniform:0.4,per=execution" : ""),
          .aborts = round % 7 == 0 ? host::Aborts::hold_back : host::Aborts::allowed};
}

TEST(Makespans, AreThoseOfThePoliciesOneByOne) {
  Random random(301);
  std::size_t apart = 0;
  const auto count = static_cast<std::uint64_t>(rounds(600));
  for (std::uint64_t round = 0; round < count; ++round) {
    SCOPED_TRACE(round);
    const Instance instance = random_instance(random, two_classes(round));
    Chooser::Seen together;
    Chooser::Seen each;
    const sim::Config config = config_of(round);
    const Schedule one = sim::simulate(instance, Chooser(rivals(round), true, together), "", config);
    const Schedule other = sim::simulate(instance, Chooser(rivals(round), false, each), "", config);
    EXPECT_EQ(together, each);
    EXPECT_EQ(one.attempts, other.attempts);
    EXPECT_EQ(validate(instance, one, config.noise.none() ? Durations::exact : Durations::free),
              std::vector<std::string>());
    if (std::ranges::adjacent_find(together.makespans, std::not_equal_to()) != together.makespans.end()) ++apart;
  }
  EXPECT_GT(apart, count / 5) << "else nothing branches off";
}

TEST(Makespans, AreTheSameOnAnyNumberOfThreads) {
  const Instance instance = workload::generate("cholesky:tiles=32", platforms::resolve("kumar-2017:cpu=20,gpu=4"));
  Chooser::Seen threads;
  const Schedule one = sim::simulate(instance, Chooser(rivals(1), true, threads), "");
  EXPECT_EQ(validate(instance, one, Durations::exact), std::vector<std::string>());
  std::vector<detail::SpareCore> all(1);
  while (all.back().taken()) all.emplace_back();
  Chooser::Seen none;
  EXPECT_EQ(sim::simulate(instance, Chooser(rivals(1), true, none), "").attempts, one.attempts);
  EXPECT_EQ(none, threads);
}

TEST(Following, TakesTheSameStepsAsDeciding) {
  Random random(302);
  std::size_t aborted = 0;
  const auto count = static_cast<std::uint64_t>(rounds(400));
  for (std::uint64_t round = 0; round < count; ++round) {
    SCOPED_TRACE(round);
    const Instance instance = random_instance(random, two_classes(round));
    const Policy best = policy::Spec("heteroprio-dep:order=best").make(1);
    const sim::Config config = config_of(round);
    sim::Simulation follows(instance, best, config);
    sim::Simulation decides(instance, Opaque(best), config);
    std::optional<sim::Simulation> copy;
    for (std::uint64_t step = 0; !decides.finished(); ++step) {
      ASSERT_EQ(follows.step(), decides.step());
      ASSERT_EQ(follows.now(), decides.now());
      ASSERT_EQ(follows.completed_tasks(), decides.completed_tasks());
      ASSERT_EQ(follows.attempts(), decides.attempts());
      if (step == round % 10) copy = follows;
    }
    EXPECT_TRUE(follows.finished());
    EXPECT_EQ(follows.transfers(), decides.transfers());
    EXPECT_EQ(validate(instance, sim::make_schedule(follows, "", config),
                       config.noise.none() ? Durations::exact : Durations::free),
              std::vector<std::string>());
    aborted += static_cast<std::size_t>(std::ranges::count(follows.attempts(), Outcome::aborted, &Attempt::outcome));
    if (!copy) continue;
    while (!copy->finished()) copy->step();
    EXPECT_EQ(copy->attempts(), decides.attempts());
  }
  EXPECT_GT(aborted, 0U);
}

/// Asks how a policy would do, aborts what it sees running, and says that it follows the best.
class Liar {
 public:
  explicit Liar(Policy policy) : policy_(std::move(policy)) {}
  void start(const View& view) { policy_.start(view); }
  void ready(const View& view, std::span<const TaskId> tasks) { policy_.ready(view, tasks); }
  [[nodiscard]] policy::Action next(const View& view) {
    if (lies_ == 0) static_cast<void>(view.lookahead()->makespans({policy_}));
    const TaskId victim =
        lies_ == 0 ? kNone<TaskId> : view.running(make_id<WorkerId>(view.platform().worker_count() - 1));
    if (++lies_ < 4 && victim != kNone<TaskId>) return policy::preempt(victim);
    return policy_.next(view);
  }
  [[nodiscard]] bool follows_best() const { return true; }

 private:
  Policy policy_;
  int lies_ = 0;
};

TEST(Following, EndsWhereThePolicyDecidesOtherwise) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("kumar-2017:cpu=2,gpu=1"));
  const Schedule schedule = sim::simulate(instance, Liar(policy::Spec("heteroprio").make(1)), "");
  EXPECT_EQ(validate(instance, schedule, Durations::exact), std::vector<std::string>());
  EXPECT_EQ(std::ranges::count(schedule.attempts, Outcome::aborted, &Attempt::outcome), 1);
}

/// Counts how often it is asked, in a place that its copies share.
class Counted {
 public:
  Counted(Policy policy, std::size_t& asked) : policy_(std::move(policy)), asked_(&asked) {}
  void start(const View& view) { policy_.start(view); }
  void ready(const View& view, std::span<const TaskId> tasks) { policy_.ready(view, tasks); }
  void started(const View& view, TaskId task, WorkerId worker) { policy_.started(view, task, worker); }
  void finished(const View& view, std::span<const policy::Completion> done) { policy_.finished(view, done); }
  void aborted(const View& view, TaskId task, WorkerId worker) { policy_.aborted(view, task, worker); }
  [[nodiscard]] policy::Action next(const View& view) {
    ++*asked_;
    return policy_.next(view);
  }
  [[nodiscard]] bool follows_best() const { return policy_.follows_best(); }

 private:
  Policy policy_;
  std::size_t* asked_;
};

TEST(Following, CallsThePolicyNoMore) {
  const Instance instance = workload::generate("cholesky:tiles=10", platforms::resolve("kumar-2017:cpu=20,gpu=4"));
  for (const bool noise : {false, true}) {
    std::size_t asked = 0;
    const sim::Config config{.noise = sim::Noise(noise ? "uniform:0.1" : "")};
    const Policy best = policy::Spec("heteroprio-dep:order=best").make(1);
    const Schedule schedule = sim::simulate(instance, Counted(best, asked), "", config);
    EXPECT_EQ(validate(instance, schedule, noise ? Durations::free : Durations::exact), std::vector<std::string>());
    if (noise) {
      EXPECT_GT(asked, instance.graph.task_count());
    } else {
      EXPECT_EQ(asked, 2U) << "for the first task, and when nothing else was ready";
    }
  }
}

}  // namespace
}  // namespace heddle::test::lookahead_test
