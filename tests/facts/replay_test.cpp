// What policies were told in simulations is written down, and told again to others of their kind: same decisions.
#include "heddle/facts/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/facts/log.hpp"
#include "heddle/facts/recorder.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/policy/random_contexts.hpp"
#include "tests/policy/registered.hpp"
#include "tests/runtime/random_spoliation.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::facts {
namespace {

/// A log of what policies of one name are told in simulations.
class Record {
 public:
  explicit Record(const std::string& name) : name_(name), log_(std::make_shared<Log>(path_, name)) {}

  [[nodiscard]] policy::Policy recorded(const Instance& instance, std::uint64_t seed) {
    const Schedule plan = test::plan_for(instance);
    return make_watched(policy::Spec(name_), seed, &plan, log_);
  }
  [[nodiscard]] std::shared_ptr<Log> log() const { return log_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string text() {
    log_->finish();
    return io::read_file(path_);
  }

 private:
  test::Scratch scratch_;
  std::string path_ = scratch_.path("facts.json");
  std::string name_;
  std::shared_ptr<Log> log_;
};

Instance random_instance(test::Random& random, bool data) {
  const std::size_t classes = 2 + random() % 2;
  return test::random_instance(random, {.max_tasks = 25,
                                        .min_classes = classes,
                                        .max_classes = classes,
                                        .wrong_estimates = random() % 3 == 0,
                                        .data = data,
                                        .write_back = true});
}

void run(sim::Simulation& simulation) {
  while (simulation.step()) {
  }
}

class Specs : public testing::TestWithParam<std::string> {};

TEST_P(Specs, DecideTheSameAgain) {
  test::Random random(91);
  Record record(GetParam());
  std::size_t runs = 0;
  std::size_t tasks = 0;
  constexpr unsigned kRounds = test::kSanitized ? 2 : 30;
  for (unsigned round = 0; round < kRounds; ++round) {
    const Instance instance = random_instance(random, round % 2 == 0);
    if (!policy::Spec(GetParam()).objection(instance).empty()) continue;
    const std::uint64_t seed = random();
    const host::Aborts aborts = round % 5 == 1   ? host::Aborts::hold_back
                                : round % 5 == 2 ? host::Aborts::none
                                                 : host::Aborts::allowed;
    const sim::Config config{.seed = seed, .aborts = aborts};
    sim::Simulation watched(instance, record.recorded(instance, seed), config);
    run(watched);
    const policy::Spec spec(GetParam());
    const Schedule plan = test::plan_for(instance);
    sim::Simulation alone(instance, spec.make(seed, &plan), config);
    run(alone);
    ASSERT_EQ(watched.attempts(), alone.attempts());
    ++runs;
    tasks += instance.graph.task_count();
  }
  const Replayed replayed = replay(record.text(), "log");
  EXPECT_EQ(replayed.difference, std::nullopt);
  EXPECT_GE(replayed.epochs, runs);  // what is held back is what copies abort
  EXPECT_GE(replayed.decisions, tasks);
  EXPECT_GT(runs, kRounds / 6);
}

INSTANTIATE_TEST_SUITE_P(Replay, Specs, testing::ValuesIn(test::registered_specs()), test::test_name);

/// Contexts of which `choose` sets the policies, told and asked once more.
void expect_same_of_contexts(int rounds, const std::function<void(Instance&)>& choose) {
  test::Random random(95);
  Record record("contexts");
  std::size_t tasks = 0;
  for (int round = 0; round < rounds; ++round) {
    Instance instance = test::with_random_contexts(random, random_instance(random, round % 2 == 0));
    choose(instance);
    const sim::Config config{.seed = random(),
                             .aborts = round % 3 == 1 ? host::Aborts::hold_back : host::Aborts::allowed};
    sim::Simulation watched(instance, record.recorded(instance, config.seed), config);
    run(watched);
    const Schedule plan = test::plan_for(instance);
    sim::Simulation alone(instance, policy::Spec("contexts").make(config.seed, &plan), config);
    run(alone);
    ASSERT_EQ(watched.attempts(), alone.attempts());
    tasks += instance.graph.task_count();
  }
  const Replayed replayed = replay(record.text(), "log");
  EXPECT_EQ(replayed.difference, std::nullopt);
  EXPECT_GE(replayed.decisions, tasks);
}

/// Also policies of contexts that look ahead and follow plans.
TEST(Replay, OfContextsDecidesTheSameAgain) {
  expect_same_of_contexts(60, [](const Instance&) {});
}

/// The policies look at which workers of their contexts have nothing to do in the future.
TEST(Replay, OfContextsKnowsWhoWasIdle) {
  std::size_t looking = 0;
  expect_same_of_contexts(60, [&](Instance& instance) {
    for (Context& context : instance.contexts.all) {
      std::string before = std::exchange(context.policy, "heftp:correction=gb");
      if (policy::Spec("contexts").objection(instance).empty()) {
        ++looking;
      } else {
        context.policy = std::move(before);
      }
    }
  });
  EXPECT_GT(looking, 30U);
}

/// A run that is copied in its middle goes on twice; each half is told under a name of its own.
TEST(Replay, KnowsCopies) {
  test::Random random(92);
  Record record("heteroprio-multi");
  std::size_t copies = 0;
  for (int round = 0; round < 50; ++round) {
    const Instance instance = random_instance(random, round % 2 == 0);
    sim::Simulation first(instance, record.recorded(instance, 1));
    for (std::size_t steps = random() % 8; steps > 0 && !first.finished(); --steps) first.step();
    if (first.finished()) continue;
    sim::Simulation second = first;
    run(second);
    run(first);
    EXPECT_EQ(first.attempts(), second.attempts());
    ++copies;
  }
  const std::string text = record.text();
  EXPECT_GT(copies, 20U);
  EXPECT_NE(text.find(R"("call": "copy", "original": )"), std::string::npos);
  EXPECT_EQ(replay(text, "log").difference, std::nullopt);
}

/// What a policy is told of three tasks on a core and a GPU, which wait for each other as `edges` say.
std::string log_of(const std::string& policy, const std::vector<std::pair<TaskId, TaskId>>& edges) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  for (const char* name : {"a", "b", "c"}) builder.add_task(name, type);
  for (const auto& [before, after] : edges) builder.add_edge(before, after);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, ClassId{0}, kSecond);
  costs.set_actual(0, ClassId{1}, kSecond / 2);
  const Instance instance =
      make_instance("three", std::move(graph), Platform({{"cpu", 1}, {"gpu", 1}}), std::move(costs));
  Record record(policy);
  sim::Simulation simulation(instance, record.recorded(instance, 1));
  run(simulation);
  return record.text();
}

std::string chain_log(const std::string& policy = "eager") {
  return log_of(policy, {{TaskId{0}, TaskId{1}}, {TaskId{1}, TaskId{2}}});
}

/// No bound tells `auto` that the schedules it was told are optimal: it searches from them.
std::string fork_log(const std::string& policy = "auto") {
  return log_of(policy, {{TaskId{0}, TaskId{1}}, {TaskId{0}, TaskId{2}}});
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " in " << text;
  return text.replace(at, what.size(), with);
}

TEST(Replay, TellsTheFirstAnswerThatIsAnother) {
  const std::string log = chain_log();
  EXPECT_EQ(replay(log, "log").decisions, 3U);
  const Replayed replayed = replay(replaced(log, R"(["run", 1, 1])", R"(["run", 1, 0])"), "log");
  EXPECT_EQ(replayed.difference,
            "events[9], at 0.5 s: now it runs task 1 (b, work) on gpu0; in the log it runs task 1 (b, work) on cpu0");
  EXPECT_EQ(replayed.decisions, 1U);
  EXPECT_EQ(replay(replaced(log, R"(["wait"])", R"(["prefetch", 2, 0])"), "log").difference,
            "events[6], at 0.0 s: now it waits; in the log it fetches the data of task 2 (c, work) for cpu0");
  EXPECT_EQ(replay(replaced(log, R"("keeps": false)", R"("keeps": true)"), "log").difference,
            "events[2], at 0.0 s: now it keeps to no order; in the log it does");
}

TEST(Replay, TellsTheFirstDifferenceFromAnotherPolicy) {
  const auto told = [](const std::string& policy, const std::string& log = chain_log()) {
    const auto make = [&](const std::string&, const Origin& origin, const Instance& instance) {
      return make_registered(policy, origin, instance);
    };
    return replay(log, "log", {.make = make, .other = policy});
  };
  for (const std::string policy : {"heteroprio-dep", "heft"}) {
    EXPECT_EQ(told(policy).difference, std::nullopt) << policy << ": on a chain, all take the GPU";
    EXPECT_EQ(told(policy).decisions, 3U) << policy;
  }
  const std::string other = replaced(chain_log(), R"(["run", 1, 1])", R"(["run", 1, 0])");
  EXPECT_NE(told("heft", other).difference, std::nullopt);
  try {
    static_cast<void>(told("auto"));
    FAIL() << "it looks ahead";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "log: the policy simulates the rest of the run, and the log has the results only for the policy that "
                 "was logged");
  }
}

TEST(Replay, CanBeWatchedAndEndedByWhoWatches) {
  const std::string log = chain_log();
  std::size_t total = 0;
  const auto watch = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, 0U);
    total = all;
  };
  EXPECT_EQ(replay(log, "log", {.watch = watch}).decisions, 3U);
  EXPECT_GT(total, 3U);
  const auto enough = [](std::size_t, std::size_t) { throw std::domain_error("enough"); };
  EXPECT_THROW(static_cast<void>(replay(log, "log", {.watch = enough})), std::domain_error);
}

TEST(Replay, TellsWhenALookaheadIsAskedOtherThings) {
  const std::string log = chain_log("heteroprio-dep:order=best");
  EXPECT_EQ(replay(log, "log").difference, std::nullopt);
  const auto make = [](const std::string&, const Origin& origin, const Instance& instance) {
    return make_registered("eager", origin, instance);
  };
  const Replayed eager = replay(log, "log", {.make = make});
  EXPECT_EQ(eager.difference, "events[4], at 0.0 s: now it does not look ahead any more; in the log it does");
}

/// A policy that is no registered one is made again by whoever has it.
TEST(Replay, TakesPoliciesOfTheProgram) {
  test::Random random(93);
  Record record("");
  for (int round = 0; round < 20; ++round) {
    const Instance instance = random_instance(random, round % 2 == 0);
    sim::Simulation simulation(instance, Recorder(runtime::RandomSpoliation(static_cast<std::uint64_t>(round)),
                                                  record.log(), {.seed = static_cast<std::uint64_t>(round)}));
    run(simulation);
  }
  const std::string text = record.text();
  EXPECT_NE(text.find(R"("call": "aborted")"), std::string::npos);
  const auto make = [](const std::string&, const Origin& origin, const Instance&) {
    return policy::Policy(runtime::RandomSpoliation(origin.seed));
  };
  EXPECT_EQ(replay(text, "log", {.make = make}).difference, std::nullopt);
  try {
    static_cast<void>(replay(text, "log"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the log names no policy: a program brought its own, and has to make it again (facts::replay)");
  }
}

TEST(Replay, RefusesWhatCannotHaveHappened) {
  const std::string log = chain_log();
  const auto error = [&](const std::string& what, const std::string& with) -> std::string {
    try {
      static_cast<void>(replay(replaced(log, what, with), "log"));
      return "";
    } catch (const InputError& found) {
      return found.what();
    }
  };
  EXPECT_EQ(error("heddle-facts", "heddle-instance"),
            "log: format is the string 'heddle-instance'; expected 'heddle-facts'");
  EXPECT_EQ(error(R"("tasks": [1])", R"("tasks": [0])"),
            "log: events[8].tasks[0] was ready before; expected a task that waits");
  EXPECT_EQ(error(R"("tasks": [1])", R"("tasks": [3])"),
            "log: events[8].tasks[0] is the number 3; expected the number of a task, of which there are 3");
  EXPECT_EQ(error(R"("done": [[0, 1]])", R"("done": [[0, 0]])"),
            "log: events[7].done[0] does not run; expected a task and the worker it runs on");
  EXPECT_EQ(error(R"("after": [0])", R"("after": [1])"),
            "log: events[1].instance has a task 1 that is in the order before one that it waits for");
}

TEST(Replay, RefusesForeseenRunsThatAreNoSchedules) {
  const std::string log = fork_log();
  const std::string told = R"(["told", 0, 1, 0.0, 0.5, "completed"], ["told", 1, 1, 0.5, 1.0, "completed"], )";
  const auto error = [&](const std::string& with) -> std::string {
    try {
      static_cast<void>(replay(replaced(log, told, with), "log"));
      return "";
    } catch (const InputError& found) {
      return found.what();
    }
  };
  EXPECT_EQ(
      error(R"(["told", 0, 1, 3.0, 3.5, "completed"], ["told", 1, 1, 0.5, 1.0, "completed"], )"),
      "log: events[1].foreseen[4] ends a run that is not a schedule: completed attempt of task 'b' on gpu0 [0.5, 1.0] "
      "starts before its predecessor task 'a' completes at 3.5");
  EXPECT_EQ(error(R"(["told", 0, 1, 0.0, 0.5, "completed"], )"),
            "log: events[1].foreseen[3] ends a run that is not a schedule: task 'b' never completes");
  EXPECT_EQ(error(R"(["told", 0, 1, 0.0, 0.4, "completed"], ["told", 1, 1, 0.5, 1.0, "completed"], )"),
            "log: events[1].foreseen[1] takes less than the estimate");
  // A run that failed, or of which enough was seen, is told in part.
  EXPECT_EQ(error(told + R"(["failure", "x"], )" + told), "");
  const Replayed untold = replay(replaced(log, R"(["events", 0], )", R"(["events", 0], ["makespan", 1.5], )"), "log");
  EXPECT_EQ(untold.difference, "events[1], at 0.0 s: now it watches a run; in the log it asks only how it ends");
}

/// Whatever one word of a log becomes, the log is refused, or a policy decides as it says, or otherwise.
TEST(Replay, SurvivesAnyOtherWordInALog) {
  constexpr std::string_view kBetween = " \n,:[]{}";
  constexpr const char* kOthers[] = {"0",    "1",    "2",  "3.5",          "1000000",
                                     "null", "true", "[]", R"("aborted")", R"("failed")"};
  for (const char* policy : {"auto", "auto:graph=arriving", "heftp:correction=gb"}) {
    const std::string log = fork_log(policy);
    std::size_t refused = 0;
    std::size_t word = 0;
    for (std::size_t begin = 0, end = 0; (begin = log.find_first_not_of(kBetween, end)) != std::string::npos; ++word) {
      end = log.find_first_of(kBetween, begin);
      if (test::kSanitized && word % 7 > 0) continue;
      for (std::size_t i = 0; i < (test::kSanitized ? 1 : 4); ++i) {
        const char* const other = kOthers[(word + i) % std::size(kOthers)];
        const std::string text = log.substr(0, begin) + other + log.substr(end);
        try {
          static_cast<void>(replay(text, "log"));
        } catch (const InputError&) {
          ++refused;
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what() << ": " << other << " at " << begin << " of " << log;
        }
      }
    }
    EXPECT_GT(refused, 0U);
  }
}

TEST(Replay, RefusesPlansOfOtherInstances) {
  test::Random random(94);
  const Instance instance = random_instance(random, false);
  Record record("static");
  sim::Simulation simulation(instance, record.recorded(instance, 1));
  run(simulation);
  const std::string log = record.text();
  EXPECT_EQ(replay(log, "log").difference, std::nullopt);
  const std::size_t plan = log.find(R"("plan": [[)") + 10;
  const std::size_t tasks = instance.graph.task_count();
  const std::string other = log.substr(0, plan) + std::to_string(tasks) + log.substr(log.find(',', plan));
  try {
    static_cast<void>(replay(other, "log"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), "log: events[0].plan[0][0] is the number " + std::to_string(tasks) +
                                "; expected the number of a task, of which there are " + std::to_string(tasks));
  }
}

/// Nothing is there before a log is whole.
TEST(Log, IsThereWhenItIsFinished) {
  const test::Scratch scratch;
  {
    const Log log(scratch.path("facts.json"), "eager");
  }
  EXPECT_TRUE(scratch.files().empty());
  Log(scratch.path("facts.json"), "eager").finish();
  EXPECT_EQ(replay(io::read_file(scratch.path("facts.json")), "log").epochs, 0U);
  EXPECT_THROW(Log(scratch.path("none/facts.json"), "eager"), InputError);
}

}  // namespace
}  // namespace heddle::facts
