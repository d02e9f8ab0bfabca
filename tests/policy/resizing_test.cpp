// Contexts whose workers change while they run: by rules that move any worker at any time, schedules are valid, clones
// and replays decide alike, and no context starves; by the rules that users name, jobs end together.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/composition.hpp"
#include "heddle/policy/contexts.hpp"
#include "heddle/policy/resizing/area_ends.hpp"
#include "heddle/policy/resizing/membership.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/policy/fault_host.hpp"
#include "tests/policy/random_contexts.hpp"
#include "tests/policy/recorder.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using policy::Move;
using policy::ResizeRule;
using policy::Situation;

constexpr std::uint64_t kSeed = 5;

RandomShape shape_of(int round) {
  if (round % 3 == 0) {
    return {.wrong_estimates = round % 2 == 1, .data = true, .any_home = round % 5 == 0, .write_back = round % 4 == 0};
  }
  RandomShape shape{.wrong_estimates = round % 3 == 1};
  if (round % 5 == 1) shape.max_workers = 12;
  return shape;
}

/// Any moves, most of which are refused: what it knows is all that decides which.
std::vector<Move> any_moves(const Situation& now) {
  std::uint64_t seed = static_cast<std::uint64_t>(now.now);
  for (const policy::ContextState& context : now.contexts) seed = seed * 31 + context.left;
  Random random(seed);
  std::vector<Move> moves;
  for (std::int64_t count = draw(random, 0, 4); count > 0; --count) {
    moves.push_back({make_id<WorkerId>(random() % now.movable.size()),
                     make_id<ContextId>(random() % now.contexts.size()),
                     make_id<ContextId>(random() % now.contexts.size())});
  }
  return moves;
}

ResizeRule any_rule() {
  return {.name = "any", .milestones = 12, .moves = any_moves};
}

struct Drawn {
  Drawn(Random& random, int round) : instance(draw_instance(random, round)) {}

  [[nodiscard]] policy::Policy policy(ResizeRule rule = any_rule()) const {
    static const policy::Spec spec("contexts");
    return policy::make_contexts({spec.options(), kSeed, nullptr}, {}, std::move(rule));
  }
  [[nodiscard]] std::string describe() const { return describe_contexts(instance); }
  /// A schedule to follow says on which workers.
  static bool follows_plan(const Context& context) {
    const policy::Spec spec(context.policy);
    return spec.needs().plan;
  }
  static Instance draw_instance(Random& random, int round) {
    while (true) {
      Instance instance = with_random_contexts(random, random_instance(random, shape_of(round)));
      if (std::ranges::none_of(instance.contexts.all, follows_plan)) return instance;
    }
  }

  Instance instance;
};

Schedule run(const Instance& instance, policy::Policy policy, const sim::Config& config) {
  sim::Simulation simulation(instance, std::move(policy), config);
  while (!simulation.finished()) simulation.step();
  Schedule schedule = sim::make_schedule(simulation, "contexts", config);
  schedule.contexts = instance.contexts;
  return schedule;
}

void expect_valid(const Instance& instance, const Schedule& schedule, Durations durations) {
  const std::vector<std::string> violations = validate(instance, schedule, durations);
  EXPECT_TRUE(violations.empty()) << violations.front();
}

TEST(Resizing, AnyMovesGiveValidSchedules) {
  Random random(1);
  std::size_t moved = 0;
  for (int round = 0; round < rounds(2000); ++round) {
    const Drawn drawn(random, round);
    const sim::Config config = config_of(round);
    SCOPED_TRACE(std::to_string(round) + ": " + drawn.describe());
    const Schedule schedule = run(drawn.instance, drawn.policy(), config);
    expect_valid(drawn.instance, schedule, config.noise.none() ? Durations::exact : Durations::free);
    moved += schedule.moves.size();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(moved, static_cast<std::size_t>(rounds(2000)) / 2);
}

TEST(Resizing, SurvivesWhateverTheHostDoes) {
  Random random(2);
  for (int round = 0; round < rounds(1000); ++round) {
    const Drawn drawn(random, round);
    SCOPED_TRACE(std::to_string(round) + ": " + drawn.describe());
    // The futures that this host makes up know nothing of moves.
    if (policy::Spec("contexts").needs(drawn.instance.contexts.all).lookahead) continue;
    FaultHost host(drawn.instance, [&](const Instance&) { return drawn.policy(); }, random(), aborts_of(round));
    host.run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Resizing, CloneAtAnyMomentFinishesAlike) {
  Random random(3);
  for (int round = 0; round < rounds(300); ++round) {
    const Drawn drawn(random, round);
    SCOPED_TRACE(std::to_string(round) + ": " + drawn.describe());
    const sim::Config config = config_of(round);
    const Schedule whole = run(drawn.instance, drawn.policy(), config);
    auto original = std::make_unique<sim::Simulation>(drawn.instance, drawn.policy(), config);
    for (std::int64_t steps = draw(random, 0, 20); steps > 0 && !original->finished(); --steps) original->step();
    sim::Simulation clone = *original;
    original.reset();
    while (!clone.finished()) clone.step();
    EXPECT_EQ(clone.attempts(), whole.attempts);
    EXPECT_EQ(clone.moves(), whole.moves);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Resizing, SameFactsGiveTheSameAnswers) {
  Random random(4);
  int replayed = 0;
  for (int round = 0; round < rounds(300); ++round) {
    const Drawn drawn(random, round);
    // A snapshot of a view cannot look ahead any more.
    if (policy::Spec("contexts").needs(drawn.instance.contexts.all).lookahead) continue;
    SCOPED_TRACE(drawn.describe());
    expect_same_answers(drawn.instance, drawn.policy(), {.noise = config_of(round).noise, .seed = kSeed});
    ++replayed;
  }
  EXPECT_GT(replayed, rounds(300) / 10);
}

TEST(Resizing, NamedRulesGiveValidSchedules) {
  Random random(5);
  for (int round = 0; round < rounds(200); ++round) {
    const Drawn drawn(random, round);
    const sim::Config config = config_of(round);
    for (const std::string& name : policy::resize_rule_names()) {
      SCOPED_TRACE(std::to_string(round) + ": " + name + " " + drawn.describe());
      const policy::Spec spec("contexts:resize=" + name);
      const Schedule schedule = sim::simulate(drawn.instance, spec, config);
      expect_valid(drawn.instance, schedule, config.noise.none() ? Durations::exact : Durations::free);
      const Schedule again = sim::simulate(drawn.instance, spec, config);
      EXPECT_EQ(again.attempts, schedule.attempts);
      EXPECT_EQ(again.moves, schedule.moves);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// A job of some types of tasks, in layers that each depend on the one before.
struct Job {
  std::size_t layers;
  std::size_t width;
};

void add_job(Random& random, const Job& job, ContextId context, TaskGraphBuilder& builder, Contexts& contexts) {
  std::vector<TaskId> before;
  for (std::size_t layer = 0; layer < job.layers; ++layer) {
    std::vector<TaskId> here;
    for (std::size_t i = 0; i < job.width; ++i) {
      here.push_back(builder.add_task("", make_id<TypeId>(random() % 3)));
      contexts.of.push_back(context);
      for (int edge = 0; edge < 2 && !before.empty(); ++edge) {
        builder.add_edge(before[random() % before.size()], here.back());
      }
    }
    before = std::move(here);
  }
}

/// Two jobs of which one has at least twice the tasks, each with half of the machine.
Instance two_jobs(std::uint64_t seed) {
  Random random(seed);
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return static_cast<std::size_t>(draw(random, low, high));
  };
  TaskGraphBuilder builder;
  for (const char* type : {"A", "B", "C"}) builder.add_type(type);
  const bool has_gpus = seed % 2 == 1;
  Platform platform({{.name = "cpu", .workers = 8}, {.name = "gpu", .workers = has_gpus ? 2U : 0U}});
  static const std::vector<std::string> kPolicies = {"eager", "dmdas", "heteroprio",    "heft",
                                                     "ws",    "lws",   "heteroprio-dep"};
  Contexts contexts;
  contexts.all.push_back({"long", {}, kPolicies[random() % kPolicies.size()]});
  contexts.all.push_back({"short", {}, kPolicies[random() % kPolicies.size()]});
  for (const WorkerId worker : platform.workers())
    contexts.all[make_id<ContextId>(index(worker) % 2)].workers.push_back(worker);
  const Job longer{number(30, 50), number(24, 40)};
  add_job(random, longer, ContextId{0}, builder, contexts);
  add_job(random, {longer.layers / number(2, 4), longer.width}, ContextId{1}, builder, contexts);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (const TypeId type : graph.types()) {
    const Time cpu = draw(random, 20, 60) * kMillisecond;
    costs.set_actual(Costs::row(type), ClassId{0}, cpu);
    costs.set_actual(Costs::row(type), ClassId{1}, cpu / draw(random, 2, 6));
  }
  return with_contexts(make_instance("jobs", std::move(graph), std::move(platform), std::move(costs)), contexts);
}

/// How much later one of the jobs ends than the other: 0.05 is 5 %.
double apart(const Schedule& schedule) {
  const Table<ContextId, ContextUse> use = context_use(schedule);
  const auto [first, last] = std::minmax(use[ContextId{0}].end, use[ContextId{1}].end);
  return static_cast<double>(last) / static_cast<double>(first) - 1;
}

TEST(Resizing, JobsOfDifferentLengthEndTogether) {
  // `idle` moves workers that a job cannot use, and so mostly when it has ended.
  const std::map<std::string, double> most_apart = {{"lp", 0.05}, {"simulate", 0.05}, {"speed", 0.1}};
  for (std::uint64_t seed = 1; seed <= rounds(std::uint64_t{20}); ++seed) {
    const Instance instance = two_jobs(seed);
    const Schedule fixed = sim::simulate(instance, policy::Spec("contexts"));
    EXPECT_GE(apart(fixed), 0.5) << seed;
    for (const std::string& name : policy::resize_rule_names()) {
      SCOPED_TRACE(name + " " + std::to_string(seed));
      const Schedule resized = sim::simulate(instance, policy::Spec("contexts:resize=" + name));
      expect_valid(instance, resized, Durations::exact);
      if (most_apart.contains(name)) {
        EXPECT_LE(apart(resized), most_apart.at(name));
      }
      EXPECT_LT(resized.makespan(), fixed.makespan() - fixed.makespan() / 5);
    }
  }
}

/// Two contexts, a of cpu0, cpu1 and gpu0, b of cpu2: a has a task for the GPU alone.
Instance small() {
  TaskGraphBuilder builder;
  const TypeId any = builder.add_type("any");
  const TypeId gpu = builder.add_type("gpu only");
  Contexts contexts;
  for (const std::size_t context : {0, 0, 1, 1, 1, 1}) {
    builder.add_task("t" + std::to_string(contexts.of.size()), contexts.of.empty() ? gpu : any);
    contexts.of.push_back(make_id<ContextId>(context));
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(Costs::row(any), ClassId{0}, 4 * kSecond);
  costs.set_actual(Costs::row(any), ClassId{1}, 2 * kSecond);
  costs.set_actual(Costs::row(gpu), ClassId{1}, 2 * kSecond);
  contexts.all.push_back({"a", {WorkerId{0}, WorkerId{1}, WorkerId{3}}});
  contexts.all.push_back({"b", {WorkerId{2}}});
  Platform platform({{.name = "cpu", .workers = 3}, {.name = "gpu", .workers = 1}});
  return with_contexts(make_instance("small", std::move(graph), std::move(platform), std::move(costs)), contexts);
}

/// Before anything has happened.
class SmallSituation : public testing::Test {
 protected:
  const Instance instance_ = small();
  const policy::HostView view_{instance_};
  policy::Membership membership_{instance_, policy::lp_rule()};
  static constexpr ContextId kA{0}, kB{1};
};

TEST_F(SmallSituation, SaysWhyAMoveCannotBeMade) {
  Situation now = membership_.look(view_);
  EXPECT_EQ(now.objection({WorkerId{2}, kA, kB}), "context 'a' does not have worker 'cpu2'");
  EXPECT_EQ(now.objection({WorkerId{0}, kA, kA}), "context 'a' has worker 'cpu0' already");
  EXPECT_EQ(now.objection({WorkerId{3}, kA, kB}),
            "without worker 'gpu0', context 'a' has none that can run some of its tasks");
  EXPECT_EQ(now.objection({WorkerId{2}, kB, kA}),
            "without worker 'cpu2', context 'b' has none that can run some of its tasks");
  EXPECT_EQ(now.objection({WorkerId{0}, kA, kB}), "");
  now.make({WorkerId{0}, kA, kB});
  EXPECT_EQ(now.objection({WorkerId{0}, kB, kA}),
            "worker 'cpu0' is shared, has just moved, or still has a task of the context that had it before");
}

TEST_F(SmallSituation, EndsByTheAreaBound) {
  const Situation now = membership_.look(view_);
  const policy::AreaEnds area(now);
  constexpr double kUnit = 6 * 2.0 / 4;  // seconds: six tasks, 2 s each where they are fastest, on four workers
  // a: the GPU does its own task, two cores share the other one out. b: four tasks of 4 s on one core.
  EXPECT_NEAR(area.of(now, kA), 2 / kUnit, 1e-6);
  EXPECT_NEAR(area.of(now, kB), 16 / kUnit, 1e-6);
  // The GPU does its own task and 1.4 of the others, three cores do 3.6 of them.
  EXPECT_NEAR(area.together(now), 4.8 / kUnit, 1e-6);
}

TEST_F(SmallSituation, EndsTogetherByFewMoves) {
  const Situation now = membership_.look(view_);
  EXPECT_EQ(policy::lp_rule().moves(now), (std::vector<Move>{{WorkerId{1}, kA, kB}, {WorkerId{0}, kA, kB}}));
}

/// A worker that leaves is its context's until it has ended what it was given.
TEST_F(SmallSituation, AMoveIsOverWhenTheWorkerIsFree) {
  policy::HostView view(instance_);
  membership_.ready(std::vector{TaskId{0}, TaskId{1}, TaskId{2}});
  view.begin(WorkerId{1}, TaskId{1}, 4 * kSecond);
  membership_.started(view, TaskId{1}, WorkerId{1});
  membership_.move(view, {WorkerId{1}, kA, kB});
  EXPECT_EQ(membership_.workers(kA), (std::vector{WorkerId{0}, WorkerId{3}}));
  EXPECT_EQ(membership_.workers(kB), (std::vector{WorkerId{1}, WorkerId{2}}));
  EXPECT_EQ(membership_.own_tasks(view, kA), std::vector{TaskId{0}});
  EXPECT_FALSE(membership_.look(view).objection({WorkerId{1}, kB, kA}).empty());
  view.set_now(4 * kSecond);
  view.end(WorkerId{1});
  membership_.finished(view, std::vector{policy::Completion{TaskId{1}, WorkerId{1}}});
  EXPECT_EQ(membership_.moves(), (std::vector<WorkerMove>{{4 * kSecond, WorkerId{1}, kA, kB}}));
  EXPECT_TRUE(membership_.look(view).objection({WorkerId{1}, kB, kA}).empty());
}

/// Waits, and notes whether what it recalls has ever started.
struct Recalls {
  void recall(const Recalls& before) { recalled->push_back(before.has_started); }
  void start(const policy::View&) { has_started = true; }
  void ready(const policy::View&, std::span<const TaskId>) const {}
  [[nodiscard]] static policy::Action next(const policy::View&) { return policy::wait(); }

  std::shared_ptr<std::vector<bool>> recalled;
  bool has_started = false;
};

/// Runs that begin while workers of context a have tasks of context b.
class TasksElsewhere : public testing::Test {
 protected:
  void begin(std::vector<TaskId> elsewhere, std::optional<ResizeRule> rule = {}) {
    auto make = [this](const Instance&, ContextId context, const policy::ContextPart&) {
      ++made_[context];
      return policy::Composition::Made{Recalls{recalled_}};
    };
    for (std::size_t i = 0; i < elsewhere.size(); ++i) view_.begin(make_id<WorkerId>(i), elsewhere[i], 4 * kSecond);
    composition_.emplace(make, std::move(rule));
    composition_->start(view_);
    for (std::size_t i = 0; i < elsewhere.size(); ++i) composition_->started(view_, elsewhere[i], make_id<WorkerId>(i));
    expect_wait();
  }
  /// The task is ready again.
  void lose(TaskId task, WorkerId worker) {
    view_.end(worker);
    composition_->aborted(view_, task, worker);
    composition_->ready(view_, std::vector{task});
  }
  void execute(TaskId task, WorkerId worker) {
    composition_->ready(view_, std::vector{task});
    view_.begin(worker, task, 4 * kSecond);
    composition_->started(view_, task, worker);
    view_.end(worker);
    composition_->finished(view_, std::vector{policy::Completion{task, worker}});
  }
  void expect_wait() { EXPECT_EQ(composition_->next(view_).kind, policy::Action::Kind::wait); }

  static constexpr ContextId kA{0}, kB{1};
  const Instance instance_ = small();
  policy::HostView view_{instance_};
  Table<ContextId, int> made_ = Table<ContextId, int>(2, 0);
  std::shared_ptr<std::vector<bool>> recalled_ = std::make_shared<std::vector<bool>>();
  std::optional<policy::Composition> composition_;
};

TEST_F(TasksElsewhere, ComeBackToOneNewPolicy) {
  begin({TaskId{2}, TaskId{3}});
  lose(TaskId{2}, WorkerId{0});
  lose(TaskId{3}, WorkerId{1});
  expect_wait();
  EXPECT_EQ(*recalled_, std::vector{true});
  EXPECT_EQ(made_[kA], 1);
  EXPECT_EQ(made_[kB], 2);
}

TEST_F(TasksElsewhere, ComeBackToThePolicyOfTheNewWorkers) {
  const auto moves = [](const Situation&) { return std::vector<Move>{{WorkerId{1}, kA, kB}}; };
  begin({TaskId{2}}, ResizeRule{.name = "one", .moves = moves});
  execute(TaskId{4}, WorkerId{2});
  lose(TaskId{2}, WorkerId{0});
  expect_wait();
  EXPECT_EQ(composition_->moves().size(), 1U);
  EXPECT_EQ(made_[kA], 2);
  EXPECT_EQ(made_[kB], 2);
  EXPECT_TRUE(recalled_->empty()) << "workers have other numbers";
}

TEST(Resizing, PlansCannotFollow) {
  const Instance instance = two_jobs(1);
  Contexts contexts = instance.contexts;
  contexts.all[ContextId{1}].policy = "static";
  const Instance planned = with_contexts(instance, contexts);
  EXPECT_EQ(
      policy::Spec("contexts:resize=lp").objection(planned),
      "context 'short': policy 'static' follows a schedule, so its workers cannot change; expected resize=none, or "
      "another policy");
  EXPECT_EQ(policy::Spec("contexts:resize=lp").objection(instance, {.whole_graph = false, .rounds = true}),
            "policy 'contexts' cannot resize contexts here, where tasks arrive during the run");
  EXPECT_THROW(policy::Spec("contexts:resize=sometimes"), InputError);
}

}  // namespace
}  // namespace heddle::test
