#include "heddle/sim/simulation.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "heddle/model/error.hpp"
#include "heddle/policy/lookahead.hpp"

namespace heddle::test {
namespace {

using policy::Action;
using policy::preempt;
using policy::restart;
using policy::run;
using policy::wait;

/// Answers what the test wrote down, one action per question; waits when the list is empty or starts with a wait.
class Scripted {
 public:
  explicit Scripted(std::deque<Action> script) : script_(std::move(script)) {}
  void ready(const policy::View&, std::span<const TaskId>) {}
  [[nodiscard]] Action next(const policy::View&) {
    if (script_.empty()) return wait();
    const Action action = script_.front();
    script_.pop_front();
    return action;
  }

 private:
  std::deque<Action> script_;
};

constexpr TaskId task(std::size_t number) {
  return make_id<TaskId>(number);
}
constexpr WorkerId worker(std::size_t number) {
  return make_id<WorkerId>(number);
}

/// x takes 9 on the CPU (worker 0) and 4 on the GPU (worker 1), y 7 and 3; y waits for x when `chained`.
Instance pair(bool chained = false) {
  TaskGraphBuilder builder;
  const TaskId x = builder.add_task("x", builder.add_type("x"));
  const TaskId y = builder.add_task("y", builder.add_type("y"));
  if (chained) builder.add_edge(x, y);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, make_id<ClassId>(0), 9);
  costs.set_actual(0, make_id<ClassId>(1), 4);
  costs.set_actual(1, make_id<ClassId>(0), 7);
  costs.set_actual(1, make_id<ClassId>(1), 3);
  Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}});
  return make_instance("pair", std::move(graph), std::move(platform), std::move(costs));
}

std::vector<Attempt> run_script(const Instance& instance, std::deque<Action> script) {
  sim::Simulation simulation(instance, Scripted(std::move(script)));
  while (!simulation.finished()) simulation.step();
  return simulation.attempts();
}

std::string error_of(const Instance& instance, std::deque<Action> script) {
  try {
    run_script(instance, std::move(script));
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

TEST(Simulation, RestartAbortsAndStartsAnew) {
  const auto attempts =
      run_script(pair(), {run(task(0), worker(0)), run(task(1), worker(1)), wait(), restart(task(0), worker(1))});
  const std::vector<Attempt> expected{{task(1), worker(1), 0, 3, Outcome::completed},
                                      {task(0), worker(0), 0, 3, Outcome::aborted},
                                      {task(0), worker(1), 3, 7, Outcome::completed}};
  EXPECT_EQ(attempts, expected);
}

TEST(Simulation, PreemptPutsTheTaskBack) {
  const auto attempts = run_script(
      pair(), {run(task(0), worker(0)), run(task(1), worker(1)), wait(), preempt(task(0)), run(task(0), worker(0))});
  const std::vector<Attempt> expected{{task(1), worker(1), 0, 3, Outcome::completed},
                                      {task(0), worker(0), 0, 3, Outcome::aborted},
                                      {task(0), worker(0), 3, 12, Outcome::completed}};
  EXPECT_EQ(attempts, expected);
}

TEST(Simulation, WorkThatTakesNoTimeEndsWithinTheInstant) {
  TaskGraphBuilder builder;
  const TypeId none = builder.add_type("none");
  const TypeId some = builder.add_type("some");
  TaskId last = builder.add_task("first", some);
  for (const char* name : {"a", "b"}) {
    const TaskId next = builder.add_task(name, none);
    builder.add_edge(last, next);
    last = next;
  }
  builder.add_edge(last, builder.add_task("end", some));
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  costs.set_actual(0, make_id<ClassId>(0), 0);
  costs.set_actual(1, make_id<ClassId>(0), 5);
  const Instance instance = make_instance("zero", std::move(graph), Platform({{.name = "cpu", .workers = 1}}), costs);
  EXPECT_EQ(sim::simulate(instance, policy::Spec("eager")).makespan(), 10);
}

TEST(Simulation, CatchesPoliciesThatMisbehave) {
  const Instance free = pair();
  EXPECT_NE(error_of(pair(true), {run(task(1), worker(0))}).find("the task is not ready"), std::string::npos);
  EXPECT_NE(error_of(free, {run(task(0), worker(0)), run(task(1), worker(0))}).find("not idle"), std::string::npos);
  EXPECT_NE(error_of(free, {run(task(5), worker(0))}).find("no such task"), std::string::npos);
  EXPECT_NE(error_of(free, {run(task(0), worker(5))}).find("no such worker"), std::string::npos);
  EXPECT_NE(error_of(free, {restart(task(0), worker(0))}).find("not running"), std::string::npos);
  EXPECT_NE(error_of(free, {run(task(2), worker(1))}).find("with task '?' on worker 'gpu0'"), std::string::npos);
  EXPECT_NE(error_of(free, {run(task(1), worker(2))}).find("with task 'y' on worker '?'"), std::string::npos);
  EXPECT_NE(error_of(free, {}).find("waits for ever"), std::string::npos);
}

/// The GPU has a memory of its own of so many bytes; links of a byte per picosecond.
Platform cpu_and_gpu(std::int64_t memory) {
  return Platform(
      {{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1, .memory = "gpu", .memory_bytes = memory}},
      {{"ram", "gpu", 1e12, 0, {}}, {"gpu", "ram", 1e12, 0, {}}});
}

/// Tasks of 5 on a CPU or a GPU, which read a datum of 10 bytes each.
Instance with_data(std::size_t tasks, std::int64_t memory, Time duration = 5) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  for (std::size_t t = 0; t < tasks; ++t) {
    const Access access{builder.add_datum({"d" + std::to_string(t), 10}), AccessMode::read};
    builder.add_task("t" + std::to_string(t), type, std::span(&access, 1));
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (const ClassId c : {ClassId{0}, ClassId{1}}) costs.set_actual(Costs::row(type), c, duration);
  return make_instance("with data", std::move(graph), cpu_and_gpu(memory), std::move(costs));
}

// What a task that is preempted while its data is on its way has reserved is free again.
TEST(Simulation, PreemptGivesBackTheRoomOfDataOnItsWay) {
  const Instance instance = with_data(2, 15);
  const auto attempts = run_script(
      instance, {run(task(0), worker(1)), preempt(task(0)), run(task(0), worker(0)), run(task(1), worker(1))});
  const std::vector<Attempt> expected{{task(0), worker(0), 0, 5, Outcome::completed},
                                      {task(1), worker(1), 20, 25, Outcome::completed}};
  EXPECT_EQ(attempts, expected);
}

/// Writes down whether workers ask ahead whenever it is asked; gives all tasks to the GPU, in order.
struct Asked {
  std::vector<bool>* ahead;
  std::deque<TaskId> waiting{};

  void ready(const policy::View&, std::span<const TaskId> tasks) {
    waiting.insert(waiting.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] Action next(const policy::View& view) {
    ahead->push_back(view.asks_ahead());
    if (waiting.empty() || !view.is_idle(worker(1))) return wait();
    const TaskId task = waiting.front();
    waiting.pop_front();
    return run(task, worker(1));
  }
};

TEST(Simulation, WorkersAskAheadOnceThePolicyWaits) {
  std::vector<bool> ahead;
  const Instance instance = with_data(3, 100);
  sim::Simulation simulation(instance, Asked{&ahead});
  while (!simulation.finished()) simulation.step();
  ahead.resize(8);
  // The first task is given at once. While its data comes (the link's latency ends in between), the GPU has no room for
  // another; when it begins, the second is given ahead.
  EXPECT_EQ(ahead, (std::vector<bool>{false, false, true, false, true, false, true, true}));
}

TEST(Simulation, WorkersAskSeveralTasksAhead) {
  std::vector<bool> ahead;
  const Instance instance = with_data(3, 100, 50);
  sim::Simulation simulation(instance, Asked{&ahead}, {.noise = {}, .ahead = 2});
  while (!simulation.finished()) simulation.step();
  ahead.resize(13);
  // The third task is given when the data of the second has arrived, while the first runs.
  EXPECT_EQ(ahead,
            (std::vector<bool>{false, false, true, false, true, false, true, true, false, true, false, true, true}));
}

TEST(Simulation, RefusesTasksForWhichAMemoryHasNoRoom) {
  const Instance instance = with_data(1, 9);
  try {
    sim::Simulation simulation(instance, Scripted({}));
    FAIL() << "10 bytes do not fit into 9";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "task 't0' needs 10 bytes or more at once in memory 'gpu', which has 9 beside the data at home there");
  }
}

/// A task of 5 on the GPU that reads a, at home there, and b, each of 10 bytes.
Instance at_home(const std::string& home_of_b, std::int64_t memory) {
  TaskGraphBuilder builder;
  const Access accesses[] = {{builder.add_datum({.name = "a", .bytes = 10, .home = "gpu"}), AccessMode::read},
                             {builder.add_datum({.name = "b", .bytes = 10, .home = home_of_b}), AccessMode::read}};
  builder.add_task("t", builder.add_type("work"), accesses);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, make_id<ClassId>(1), 5);
  return make_instance("at home", std::move(graph), cpu_and_gpu(memory), std::move(costs));
}

TEST(Simulation, DataTakesRoomWhereItIsAtHome) {
  const auto refusal = [](const Instance& instance) -> std::string {
    try {
      sim::Simulation simulation(instance, Scripted({}));
      return "none";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal(at_home("gpu", 19)), "memory 'gpu' has no room for datum 'b', which is at home there");
  EXPECT_EQ(refusal(at_home("ram", 19)),
            "task 't' needs 10 bytes or more at once in memory 'gpu', which has 9 beside the data at home there");
  // Room for just what it takes.
  const std::vector<Attempt> at_once{{task(0), worker(1), 0, 5, Outcome::completed}};
  EXPECT_EQ(run_script(at_home("gpu", 20), {run(task(0), worker(1))}), at_once);
  const std::vector<Attempt> when_b_is_there{{task(0), worker(1), 10, 15, Outcome::completed}};
  EXPECT_EQ(run_script(at_home("ram", 20), {run(task(0), worker(1))}), when_b_is_there);
}

/// Writes down what it is told.
struct Told {
  Scripted script;
  std::vector<std::string>* facts;

  void tell(const policy::View& view, const char* fact, TaskId task, WorkerId worker) const {
    facts->push_back(fact + (" t" + std::to_string(index(task))) + " w" + std::to_string(index(worker)) + " at " +
                     std::to_string(view.now()));
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) const {
    if (facts->empty()) {
      EXPECT_EQ(view.lookahead(), nullptr) << "only who is asked may look ahead";
    }
    for (const TaskId task : tasks)
      facts->push_back("ready t" + std::to_string(index(task)) + " at " + std::to_string(view.now()));
  }
  void started(const policy::View& view, TaskId task, WorkerId worker) const { tell(view, "started", task, worker); }
  void aborted(const policy::View& view, TaskId task, WorkerId worker) const { tell(view, "aborted", task, worker); }
  void workers_changed(const policy::View&) const { facts->emplace_back("workers changed"); }
  void finished(const policy::View& view, std::span<const policy::Completion> completions) const {
    EXPECT_EQ(view.lookahead(), nullptr);
    for (const policy::Completion& one : completions) tell(view, "finished", one.task, one.worker);
  }
  [[nodiscard]] Action next(const policy::View& view) { return script.next(view); }
};

TEST(Simulation, TellsThePolicyWhatHappens) {
  const Instance instance = pair();
  std::vector<std::string> facts;
  sim::Simulation simulation(
      instance,
      Told{Scripted({run(task(0), worker(0)), run(task(1), worker(1)), wait(), restart(task(0), worker(1)), wait()}),
           &facts});
  while (!simulation.finished()) simulation.step();
  const std::vector<std::string> expected{"ready t0 at 0",      "ready t1 at 0",       "started t0 w0 at 0",
                                          "started t1 w1 at 0", "finished t1 w1 at 3", "aborted t0 w0 at 3",
                                          "started t0 w1 at 3", "finished t0 w1 at 7"};
  EXPECT_EQ(facts, expected);
}

TEST(Simulation, TellsThatWhatIsPreemptedIsReadyAgain) {
  const Instance instance = pair();
  std::vector<std::string> facts;
  sim::Simulation simulation(
      instance,
      Told{Scripted({run(task(0), worker(0)), preempt(task(0)), run(task(0), worker(1)), run(task(1), worker(0))}),
           &facts});
  simulation.step();
  const std::vector<std::string> expected{"ready t0 at 0",      "ready t1 at 0", "started t0 w0 at 0",
                                          "aborted t0 w0 at 0", "ready t0 at 0", "started t0 w1 at 0",
                                          "started t1 w0 at 0"};
  EXPECT_EQ(facts, expected);
}

/// Moves one task to and fro so many times.
struct Restless {
  void ready(const policy::View&, std::span<const TaskId>) {}
  [[nodiscard]] Action next(const policy::View& view) {
    if (times-- == 0) return wait();
    if (view.running(worker(0)) == task(0)) return restart(task(0), worker(1));
    if (view.running(worker(1)) == task(0)) return restart(task(0), worker(0));
    return run(task(0), worker(0));
  }
  std::int64_t times;
};

TEST(Simulation, CatchesAPolicyThatNeverStopsActing) {
  const Instance instance = pair();
  sim::Simulation simulation(instance, Restless{-1});
  EXPECT_THROW(simulation.step(), InternalError);
  sim::Simulation hesitant(instance, Restless{1000});
  EXPECT_TRUE(hesitant.step());
  EXPECT_EQ(hesitant.attempts().size(), 999U) << "aborted at once";
}

/// Runs x on the CPU; when asked again, compares what eager's way would give.
struct Curious {
  void ready(const policy::View&, std::span<const TaskId>) {}
  [[nodiscard]] Action next(const policy::View& view) {
    if (view.running(worker(0)) == kNone<TaskId> && !asked) return run(task(0), worker(0));
    if (asked) return wait();
    asked = true;
    *foreseen = view.lookahead()->makespan(Told{Scripted({run(task(1), worker(1))}), facts});
    return run(task(1), worker(1));
  }
  Time* foreseen;
  std::vector<std::string>* facts;  ///< what the one that is simulated is told
  bool asked = false;
};

TEST(Simulation, LooksAheadFromThePresent) {
  const Instance instance = pair();
  Time foreseen = 0;
  std::vector<std::string> facts;
  sim::Simulation simulation(instance, Curious{&foreseen, &facts});
  while (!simulation.finished()) simulation.step();
  EXPECT_EQ(foreseen, 9);
  EXPECT_EQ(facts, (std::vector<std::string>{"started t1 w1 at 0", "finished t1 w1 at 3", "finished t0 w0 at 9"}));
  EXPECT_EQ(simulation.now(), 9);
}

TEST(Simulation, LooksAheadOnTheEstimates) {
  Instance instance = pair();
  instance.costs.set_estimate(0, make_id<ClassId>(0), 20);
  instance.costs.set_estimate(1, make_id<ClassId>(1), 5);
  Time foreseen = 0;
  std::vector<std::string> facts;
  sim::Simulation simulation(instance, Curious{&foreseen, &facts});
  while (!simulation.finished()) simulation.step();
  EXPECT_EQ(facts, (std::vector<std::string>{"started t1 w1 at 0", "finished t1 w1 at 5", "finished t0 w0 at 20"}));
  EXPECT_EQ(foreseen, 20);
  EXPECT_EQ(simulation.now(), 9);
}

TEST(Simulation, SaysWhatItWas) {
  const Schedule schedule =
      sim::simulate(pair(), policy::Spec("heft:rank=avg"), {.noise = sim::Noise("uniform:0.1"), .seed = 7});
  EXPECT_EQ(schedule.instance, "pair");
  EXPECT_EQ(schedule.policy, "heft:rank=avg");
  EXPECT_EQ(schedule.seed, 7U);
  EXPECT_EQ(schedule.noise, "uniform:0.1");
}

}  // namespace
}  // namespace heddle::test
