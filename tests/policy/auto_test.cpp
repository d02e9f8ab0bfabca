// The policy `auto`: never worse, on the estimates, than what it tried.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/kit/learning/contest.hpp"
#include "heddle/policy/kit/learning/known_part.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/search_starts.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::auto_test {
namespace {

constexpr const char* kAlways[] = {"heteroprio-dep:order=best", "heft", "heft:rank=avg", "peft"};

struct Outcome {
  std::vector<Attempt> attempts;
  Time makespan;
  std::string note;
};

Outcome run(const Instance& instance, const std::string& spec, const sim::Config& config = {}) {
  sim::Simulation simulation(instance, policy::Spec(spec).make(1), config);
  while (!simulation.finished()) simulation.step();
  return {simulation.attempts(), simulation.now(), simulation.note()};
}

Instance believed(Instance instance) {
  instance.costs = instance.costs.as_estimated();
  return instance;
}

Time best_of_those_always_tried(const Instance& instance) {
  Time least = kMaxTime;
  for (const char* spec : kAlways) {
    if (policy::Spec(spec).objection(instance).empty()) least = std::min(least, run(instance, spec).makespan);
  }
  return least;
}

/// The policy a note begins with.
std::string chosen(const std::string& note) {
  return note.substr(0, note.find(" ("));
}

/// Looks at the whole future of another policy before the run, then lets it decide.
struct Foresighted {
  void start(const policy::View& view) {
    const policy::Lookahead& lookahead = *view.lookahead();
    const policy::Policy fresh = policy;
    const auto collect = [this](const Attempt& attempt) {
      foreseen->push_back(attempt);
      return true;
    };
    EXPECT_EQ(lookahead.run(fresh, collect), lookahead.makespan(fresh));
    EXPECT_GE(lookahead.events(), 2 * foreseen->size()) << "both runs, and the simulations inside them";
    std::size_t seen = 0;
    EXPECT_EQ(lookahead.run(fresh, [&](const Attempt&) { return ++seen < 3; }), std::nullopt);
    EXPECT_EQ(seen, 3U);
    policy.start(view);
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) { policy.ready(view, tasks); }
  void started(const policy::View& view, TaskId task, WorkerId worker) { policy.started(view, task, worker); }
  void finished(const policy::View& view, std::span<const policy::Completion> done) { policy.finished(view, done); }
  void aborted(const policy::View& view, TaskId task, WorkerId worker) { policy.aborted(view, task, worker); }
  [[nodiscard]] policy::Action next(const policy::View& view) { return policy.next(view); }
  [[nodiscard]] bool keeps_order() const { return policy.keeps_order(); }
  [[nodiscard]] bool polls() const { return policy.polls(); }

  policy::Policy policy;
  std::vector<Attempt>* foreseen;
};

TEST(Lookahead, SeesTheWholeRunBeforeItStarts) {
  Random random(20);
  for (int round = 0; round < rounds(200); ++round) {
    RandomShape shape{.min_classes = 2, .max_classes = 2, .data = round % 3 == 0};
    Instance instance = random_instance(random, shape);
    while (instance.graph.task_count() < 4) instance = random_instance(random, shape);
    for (const char* spec : {"heft", "heteroprio-dep:order=best", "dmdas"}) {
      std::vector<Attempt> foreseen;
      sim::Simulation simulation(instance, Foresighted{policy::Spec(spec).make(1), &foreseen});
      while (!simulation.finished()) simulation.step();
      EXPECT_EQ(foreseen, simulation.attempts()) << spec;
      EXPECT_EQ(foreseen, run(instance, spec).attempts) << spec;
    }
    if (HasFailure()) return;
  }
}

using policy::Contest;

/// Does something within another policy's start(), where contests are held.
struct AtStart {
  void start(const policy::View& view) {
    act(view);
    policy.start(view);
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) { policy.ready(view, tasks); }
  [[nodiscard]] policy::Action next(const policy::View& view) { return policy.next(view); }

  policy::Policy policy;
  std::function<void(const policy::View&)> act;
};

/// Simulations of one task, each of a single attempt.
void hold_contest(const Contest::Budget& budget, const std::function<void(Contest&)>& act) {
  TaskGraphBuilder builder;
  builder.add_task("task", builder.add_type("work"));
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  costs.set_actual(0, ClassId{0}, 1);
  const Instance instance = make_instance("one", std::move(graph), Platform({{"cpu", 1}}), std::move(costs));
  const auto compete = [&](const policy::View& view) {
    Contest contest(view, budget);
    act(contest);
  };
  sim::Simulation(instance, AtStart{policy::Spec("eager").make(1), compete}).step();
}

Contest::Candidate plain_candidate() {
  return {.name = "plain", .policy = policy::Spec("eager").make(1)};
}

TEST(Contest, AllowsItsEventsOrSomeTimesTheSlowest) {
  hold_contest({.events = 10, .times_slowest = 20}, [](Contest& contest) {
    EXPECT_EQ(contest.spent(), 0U);
    EXPECT_EQ(contest.events_left(), 10U);
    contest.consider(plain_candidate());
    EXPECT_EQ(contest.spent(), 0U) << "free of charge";
    EXPECT_EQ(contest.events_left(), 20U);
    Contest::Candidate planner = plain_candidate();
    planner.planning = 4;
    contest.complete(planner);
    EXPECT_EQ(contest.events_left(), 20U * (1 + 4) - (1 + 4));
    EXPECT_EQ(contest.entrants().back().makespan, 1);
    EXPECT_FALSE(contest.over()) << "some makespan may be shorter than 1";
  });
  hold_contest({.bound = 1}, [](Contest& contest) {
    EXPECT_EQ(contest.events_left(), 0U);
    contest.complete(plain_candidate());
    EXPECT_EQ(contest.events_left(), 0U);
    EXPECT_TRUE(contest.over()) << "none is";
  });
}

TEST(Contest, BeginsNothingThatIsForeseenToTakeTooLong) {
  hold_contest({.events = 100}, [](Contest& contest) {
    Contest::Candidate foresighted = plain_candidate();
    foresighted.foreseen = 98;
    contest.attempt(foresighted, 2);
    EXPECT_EQ(contest.entrants().back().fate, Contest::Fate::untried) << "it may take half";
    contest.attempt(foresighted);
    EXPECT_EQ(contest.entrants().back().fate, Contest::Fate::completed);
    EXPECT_EQ(contest.spent(), 1U);
    contest.attempt(foresighted);
    EXPECT_EQ(contest.entrants().back().fate, Contest::Fate::passed) << "no better than the first";
    contest.attempt(foresighted);
    EXPECT_EQ(contest.entrants().back().fate, Contest::Fate::untried);
  });
}

TEST(Contest, EndsAtTheClockWhereSecondsCount) {
  hold_contest({.events = 100, .seconds = 0}, [](Contest& contest) {
    EXPECT_EQ(contest.seconds_left(), 0.0);
    EXPECT_TRUE(contest.over());
  });
  hold_contest({.seconds = 10'000}, [](Contest& contest) {
    EXPECT_GT(contest.seconds_left(), 1.0);
    EXPECT_LE(contest.seconds_left(), 10'000.0);
    EXPECT_FALSE(contest.over()) << "though it allows no events";
  });
  hold_contest({.events = 100}, [](Contest& contest) { EXPECT_FALSE(contest.seconds_left()); });
}

TEST(Auto, IsNeverWorseThanWhatItAlwaysTries) {
  Random random(21);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random, {.data = round % 3 == 0});
    const Time least = best_of_those_always_tried(instance);
    EXPECT_EQ(run(instance, "auto:events=0").makespan, least);
    EXPECT_LE(run(instance, "auto").makespan, least);
    if (HasFailure()) return;
  }
}

/// Every policy that plans nothing from outside and does not look ahead, and what a search starts from.
std::vector<std::string> those_that_do_not_look_ahead() {
  std::vector<std::string> specs(std::begin(policy::kSearchStarts), std::end(policy::kSearchStarts));
  for (const policy::Entry& entry : policy::entries()) {
    const policy::Needs needs = entry.needs(policy::Spec(entry.name).options());
    if (!needs.lookahead && !needs.plan) specs.push_back(entry.name);
  }
  return specs;
}

TEST(Auto, IsNeverWorseThanAnyPolicyThatDoesNotLookAhead) {
  const std::vector<std::string> specs = those_that_do_not_look_ahead();
  EXPECT_GT(specs.size(), 35U);
  Random random(22);
  for (int round = 0; round < rounds(100); ++round) {
    const Instance instance = random_instance(random, {.max_tasks = 30, .data = round % 2 == 0});
    const Time makespan = run(instance, "auto").makespan;
    for (const std::string& spec : specs) {
      if (!policy::Spec(spec).objection(instance).empty()) continue;
      EXPECT_LE(makespan, run(instance, spec).makespan) << spec << ' ' << round;
    }
    if (HasFailure()) return;
  }
}

/// Where a budget is given it holds: then the first are those that see data where data moves.
TEST(Auto, TriesWhatSeesDataFirstWhereDataMoves) {
  Random random(31);
  for (int round = 0; round < 50; ++round) {
    const Instance instance = random_instance(random, {.data = true});
    if (instance.platform.links().empty()) continue;
    const std::uint64_t events = 20 * instance.graph.task_count();
    const Time makespan = run(instance, "auto:events=" + std::to_string(events)).makespan;
    for (const char* spec :
         {"slack", "dmdas", "dmda", "dmdar", "la-heteroprio", "dmdas:priority=due", "dmdas:overlap=false"}) {
      EXPECT_LE(makespan, run(instance, spec).makespan) << spec << ' ' << round;
    }
    if (HasFailure()) return;
  }
}

TEST(Auto, NamesWhatItDidNotTry) {
  const Machine machine = platforms::resolve("kumar-2017:cpu=16,gpu=4");
  const auto untried = [&](const char* workload) {
    const std::string note = run(workload::generate(workload, machine), "auto").note;
    const std::size_t begin = note.find("; not tried: ");
    return begin == std::string::npos ? "" : note.substr(begin);
  };
  EXPECT_EQ(untried("layered:layers=10,width=40"), "; not tried: heftp:correction=let, heftp:correction=gb");
  const std::string many = untried("layered:layers=100,width=40");
  EXPECT_NE(many.find(", eager,"), std::string::npos) << many;
  EXPECT_EQ(many.find("heteroprio-multi,"), std::string::npos) << many;
  EXPECT_EQ(untried("independent:tasks=30"), "") << "the best is optimal";
  if constexpr (kSanitized) return;  // it would take half a minute
  EXPECT_EQ(untried("layered:layers=75,width=40"), "; not tried: heftp:correction=let, heftp:correction=gb")
      << "3,000 tasks: all that do not look ahead were simulated";
}

// Where more than five workers come on an accelerator, what sorts tasks by how well they suit a class comes first.
TEST(Auto, TriesFirstWhatSuitsTheNumberOfAccelerators) {
  const auto first_untried = [](const char* machine) {
    const Instance instance = workload::generate("layered:layers=10,width=40", platforms::resolve(machine));
    const std::string note = run(instance, "auto:events=0").note;
    const std::string before = "; not tried: ";
    const std::size_t begin = note.find(before) + before.size();
    return note.substr(begin, note.find(',', begin) - begin);
  };
  EXPECT_EQ(first_untried("kumar-2017:cpu=16,gpu=4"), "heteroprio:correction=pcept");
  EXPECT_EQ(first_untried("kumar-2017:cpu=17,gpu=4"), "heteroprio-multi");
}

bool searched(const std::string& note) {
  return note.starts_with("search");
}

TEST(Auto, DoesToTheBitWhatTheChosenPolicyDoes) {
  Random random(22);
  std::size_t compared = 0;
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random, {.wrong_estimates = round % 2 == 0, .data = round % 3 == 0});
    const sim::Config config{.noise = sim::Noise(round % 4 == 0 ? "lognormal:0.3,per=execution" : "none"), .seed = 5};
    const Outcome outcome = run(instance, "auto", config);
    if (searched(outcome.note)) continue;
    ++compared;
    EXPECT_EQ(outcome.attempts, run(instance, chosen(outcome.note), config).attempts) << outcome.note;
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, rounds(100U));
}

/// The makespan in seconds that a note gives for the policy it begins with.
double promised(const std::string& note) {
  return std::stod(note.substr(note.find(" (") + 2));
}

TEST(Auto, KeepsWhatASearchFound) {
  Random random(30);
  std::size_t found = 0;
  for (int round = 0; round < 150; ++round) {
    const RandomShape shape{.max_tasks = 40, .max_duration = 900, .data = round % 3 == 0, .free_data = true};
    const Instance instance = random_instance(random, shape);
    const Outcome outcome = run(instance, "auto");
    if (!searched(outcome.note)) continue;
    ++found;
    EXPECT_LT(outcome.makespan, best_of_those_always_tried(instance));
    EXPECT_NEAR(promised(outcome.note), to_seconds(outcome.makespan), 1e-3 * to_seconds(outcome.makespan));
    if (HasFailure()) return;
  }
  EXPECT_GT(found, 15U);
}

TEST(Auto, ChoosesByTheEstimates) {
  Random random(23);
  for (int round = 0; round < rounds(100); ++round) {
    const Instance instance = random_instance(random, {.wrong_estimates = true});
    const Instance estimated = believed(instance);
    const std::string note = run(instance, "auto").note;
    EXPECT_EQ(note, run(estimated, "auto").note);
    EXPECT_LE(run(estimated, "auto").makespan, best_of_those_always_tried(estimated));
    if (HasFailure()) return;
  }
}

TEST(Auto, TriesMoreForALargerBudget) {
  Random random(24);
  std::size_t better = 0;
  for (int round = 0; round < (kSanitized ? 40 : 100); ++round) {
    const Instance instance = random_instance(random, {.min_classes = 2, .max_classes = 2});
    Time least = kMaxTime;
    for (const char* events : {"0", "300", "1000", "100000"}) {
      const Time makespan = run(instance, std::string("auto:events=") + events).makespan;
      EXPECT_LE(makespan, least);
      if (makespan < least && least < kMaxTime) ++better;
      least = makespan;
    }
  }
  EXPECT_GT(better, 5U);
}

/// A task, and the others behind it, of durations drawn up to the given ones; all GPUs are faster than all CPUs.
Instance first_and_rest(Time first, Time rest, std::uint32_t tasks = 400) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::string name = "t" + std::to_string(i);
    const TaskId task = builder.add_task(name, builder.add_type(name));
    if (i > 0) builder.add_edge(make_id<TaskId>(0), task);
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  Random random(31);
  for (std::uint32_t row = 0; row < tasks; ++row) {
    const Time duration = row == 0 ? first : draw(random, 1, rest);
    costs.set_actual(row, make_id<ClassId>(0), duration + draw(random, 1, 3 * duration));
    costs.set_actual(row, make_id<ClassId>(1), duration);
  }
  Platform platform({{.name = "cpu", .workers = 6}, {.name = "gpu", .workers = 2}});
  return make_instance("first and rest", std::move(graph), std::move(platform), std::move(costs));
}

/// All durations so many times as long.
Instance stretched(Instance instance, Time factor) {
  for (const TaskId task : instance.graph.tasks()) {
    for (const ClassId c : instance.platform.classes()) {
      instance.costs.set_actual(instance.costs.row(task), c, factor * instance.costs.actual(task, c));
    }
  }
  return instance;
}

// Beside the candidates that do not look ahead: 50 ms, or 2 % of what the work shared by all workers or the longest
// path takes, whichever is longer, but no more than a second.
TEST(Auto, SpendsMoreOnGraphsThatTakeLonger) {
  if constexpr (kSanitized) GTEST_SKIP() << "minutes, in code that the other tests reach";
  const Instance long_path = first_and_rest(kSecond, 2 * kMillisecond);
  const Instance much_work = first_and_rest(kMillisecond, 40 * kMillisecond);
  const auto makespan = [](const Instance& instance, Time factor) {
    return run(stretched(instance, factor), "auto").makespan;
  };
  for (const Instance* instance : {&long_path, &much_work}) {
    EXPECT_EQ(2 * makespan(*instance, 1), makespan(*instance, 2)) << "50 ms for both";
    EXPECT_NE(16 * makespan(*instance, 1), makespan(*instance, 16));
  }
  const Instance more_moves = first_and_rest(kSecond, 2 * kMillisecond, 700);
  EXPECT_EQ(2 * makespan(more_moves, 64), makespan(more_moves, 128)) << "a second for both";
}

TEST(Auto, StopsAtTheClockWhenAskedTo) {
  Random random(25);
  std::size_t better = 0;
  for (int round = 0; round < 50; ++round) {
    const Instance instance = random_instance(random);
    const Time at_once = run(instance, "auto:time=0").makespan;
    EXPECT_EQ(at_once, run(instance, "auto:events=0").makespan);
    const Time later = run(instance, "auto:time=1000").makespan;  // not the same in every run: a search reads the clock
    EXPECT_LE(later, at_once);
    if (later < at_once) ++better;
  }
  EXPECT_GT(better, 0U);
}

TEST(Auto, TriesOnLargeGraphsWhatCostsLittle) {
  Random random(32);
  std::size_t better = 0;
  for (int round = 0; round < 200; ++round) {
    const Instance instance = random_instance(random, {.max_tasks = 200, .min_classes = 2, .max_classes = 2});
    if (instance.graph.task_count() < 150) continue;
    // Fewer events than a policy takes that looks ahead for each task.
    const Time makespan = run(instance, "auto:events=2500").makespan;
    const Time multi = run(instance, "heteroprio-multi").makespan;
    EXPECT_LE(makespan, multi) << round;
    if (multi < best_of_those_always_tried(instance)) ++better;
  }
  EXPECT_GT(better, 0U);
}

/// Notes what simulations another policy's start() took.
struct Spending {
  void start(const policy::View& view) {
    policy.start(view);
    *spent = view.lookahead()->events();
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) { policy.ready(view, tasks); }
  [[nodiscard]] policy::Action next(const policy::View& view) { return policy.next(view); }

  policy::Policy policy;
  std::uint64_t* spent;
};

// Policies that look ahead for each task are not begun where all tasks that become ready at once would take too many.
TEST(Auto, KeepsToItsBudget) {
  const Instance instance = first_and_rest(10, 1000);
  for (const std::uint64_t events : {6'000U, 10'000U, 15'000U}) {
    std::uint64_t spent = 0;
    const policy::Spec spec("auto:events=" + std::to_string(events));
    sim::Simulation(instance, Spending{spec.make(1), &spent}).step();
    EXPECT_GT(spent, 0U);
    EXPECT_LE(spent, events);
  }
}

/// Two layers of 170 tasks; each task of the second waits for all of the first.
Instance two_layers() {
  constexpr std::size_t kWidth = 170;
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < 2 * kWidth; ++i) {
    const std::string name = "t" + std::to_string(i);
    const TaskId task = builder.add_task(name, builder.add_type(name));
    for (std::size_t j = 0; i >= kWidth && j < kWidth; ++j) builder.add_edge(make_id<TaskId>(j), task);
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  Random random(33);
  for (const TaskId task : graph.tasks()) {
    for (const ClassId c : {ClassId{0}, ClassId{1}}) {
      costs.set_actual(costs.own_row(task), c, draw(random, 1, 2 * kMillisecond));
    }
  }
  Platform platform({{.name = "cpu", .workers = 6}, {.name = "gpu", .workers = 2}});
  return make_instance("two layers", std::move(graph), std::move(platform), std::move(costs));
}

// Linear programs for 28,900 edges take longer than 12 ms. Four times as long would be more than 50 ms, in a tenth of
// which a policy may look ahead for each of 340 tasks; but that counts only for more than 3,000 tasks.
TEST(Auto, SpendsNoMoreOnFewTasksBecauseACandidateIsSlow) {
  if constexpr (kSanitized) GTEST_SKIP() << "it would take half a minute";
  const std::string note = run(two_layers(), "auto").note;
  EXPECT_NE(note.find("; not tried: heftp:correction=let, heftp:correction=gb"), std::string::npos) << note;
}

TEST(Auto, NamesTheRunnerUp) {
  const std::string note = run(first_and_rest(10, 10), "auto:events=0").note;
  EXPECT_NE(note.find(" s); runner-up "), std::string::npos) << note;
  EXPECT_NE(note.find(" s); 4 of "), std::string::npos) << note;
}

TEST(Auto, AbortsNothingWhenItMustNot) {
  Random random(26);
  for (int round = 0; round < rounds(200); ++round) {
    const Instance instance = random_instance(random);
    for (const Attempt& attempt : run(instance, "auto:abort=false").attempts) {
      EXPECT_EQ(attempt.outcome, heddle::Outcome::completed);
    }
  }
}

/// The same instance with one more task, which waits for all others.
Instance with_a_last_task(const Instance& instance) {
  TaskGraphBuilder builder;
  for (const TypeId type : instance.graph.types()) builder.add_type(instance.graph.type_name(type));
  for (const TaskId task : instance.graph.tasks()) {
    builder.add_task(instance.graph.name(task), instance.graph.type(task), {}, instance.graph.priority(task));
    for (const TaskId predecessor : instance.graph.predecessors(task)) builder.add_edge(predecessor, task);
  }
  const TaskId last = builder.add_task("last", builder.add_type("last"), {}, 1000);
  for (const TaskId task : instance.graph.tasks()) builder.add_edge(task, last);
  TaskGraph graph = builder.build();
  Costs costs(graph, instance.platform.class_count());
  for (const TaskId task : graph.tasks()) {
    const std::uint32_t row = costs.own_row(task);
    for (const ClassId c : instance.platform.classes()) {
      const bool runs = task == last ? instance.platform.worker_count(c) > 0 : instance.costs.can_run(task, c);
      if (runs) costs.set_actual(row, c, task == last ? 100 : instance.costs.actual(task, c));
    }
  }
  return make_instance(instance.name, std::move(graph), instance.platform, std::move(costs));
}

TEST(AutoArriving, KnowsNothingOfWhatIsToCome) {
  Random random(27);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random, {.max_tasks = 60, .shared_types = false});
    const std::vector<Attempt> now = run(instance, "auto:graph=arriving").attempts;
    std::vector<Attempt> later = run(with_a_last_task(instance), "auto:graph=arriving").attempts;
    later.pop_back();
    EXPECT_EQ(now, later);
    if (HasFailure()) return;
  }
}

TEST(AutoArriving, ChangesThePolicyAndGains) {
  Random random(28);
  std::size_t changed = 0;
  std::map<std::string, std::size_t> last;
  double sum = 0;
  double sum_of_first = 0;
  for (int round = 0; round < 300; ++round) {
    const Instance instance = random_instance(random, {.max_tasks = 200, .min_classes = 2, .max_classes = 2});
    const Outcome outcome = run(instance, "auto:graph=arriving");
    if (outcome.note.find("since") != std::string::npos) ++changed;
    ++last[outcome.note.substr(0, outcome.note.find(' '))];
    sum += static_cast<double>(outcome.makespan);
    sum_of_first += static_cast<double>(run(instance, "dmdas:priority=hint").makespan);
  }
  EXPECT_GT(changed, 30U);
  for (const char* name : {"dmdas:priority=hint", "dmda", "dada:alpha=0", "mix-eft:lambda=1", "qa"}) {
    EXPECT_GT(last[name], 0U) << name;
  }
  EXPECT_LT(sum, sum_of_first);
}

TEST(KnownPart, OfAllTasksIsTheInstanceOnItsEstimates) {
  Random random(29);
  for (int round = 0; round < rounds(200); ++round) {
    const Instance instance = random_instance(random, {.wrong_estimates = true, .data = round % 2 == 0});
    const std::vector<TaskId> all(instance.graph.tasks().begin(), instance.graph.tasks().end());
    const Instance known = policy::known_part(instance, all);
    EXPECT_EQ(run(known, "heft").attempts, run(believed(instance), "heft").attempts);
    EXPECT_EQ(run(known, "dmdas").attempts, run(believed(instance), "dmdas").attempts);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test::auto_test
