// Contexts that are made, changed and closed while tasks run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <latch>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heddle/facts/replay.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/data_flow.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime::changing_contexts_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const Kernel kTriple("triple", on_cpu([](int& x) { x *= 3; }));

/// Says where it runs, and waits until it may end.
struct Gate {
  std::latch begun{1};
  std::latch may_end{1};
};
const Kernel kPass("pass", on_cpu([](std::uintptr_t gate, int& x) {
                     auto& passed = *reinterpret_cast<Gate*>(gate);
                     passed.begun.count_down();
                     passed.may_end.wait();
                     ++x;
                   }));

std::uintptr_t number_of(Gate& gate) {
  return reinterpret_cast<std::uintptr_t>(&gate);
}

TEST(ChangingContexts, AWorkerThatIsRemovedEndsItsTask) {
  Gate gate;
  std::vector<int> numbers(20, 1);
  Runtime runtime({.workers = "cpu=2", .trace = true, .history = ""});
  const SchedulingContext solver = runtime.context({.name = "solver", .workers = "cpu=2"});
  {
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    runtime.submit(in(solver), kPass, number_of(gate), rw(data[0]));
    gate.begun.wait();
    // The other worker could be busy with nothing: so the gate is passed by one of the two.
    solver.remove("cpu=1");
    for (std::size_t i = 1; i < numbers.size(); ++i) runtime.submit(in(solver), kTriple, rw(data[i]));
    gate.may_end.count_down();
    runtime.wait();
  }
  EXPECT_EQ(numbers[0], 2);
  for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], 3);
  expect_valid(runtime);
  const Trace trace = runtime.trace();
  ASSERT_EQ(trace.schedule.moves.size(), 1U);
  EXPECT_EQ(trace.schedule.moves[0].worker, WorkerId{1});
  EXPECT_EQ(trace.schedule.moves[0].to, kNone<ContextId>);
  for (const Attempt& attempt : trace.schedule.attempts) {
    if (trace.instance.graph.type_name(trace.instance.graph.type(attempt.task)) == "pass") continue;
    EXPECT_EQ(attempt.worker, WorkerId{0});
  }
}

/// It is away for a while, as the policies see it, but runs a task of the context all the time.
TEST(ChangingContexts, AWorkerThatIsBackBeforeItsTaskEndsHasNeverLeft) {
  Gate gates[2];
  int held[2] = {1, 1};
  int x = 1;
  Runtime runtime({.workers = "cpu=3", .trace = true, .history = ""});
  const SchedulingContext solver = runtime.context({.name = "solver", .workers = "cpu0,cpu1"});
  const SchedulingContext rest = runtime.context({.name = "rest", .workers = "cpu2"});
  {
    const auto first = runtime.data(held[0]), second = runtime.data(held[1]), third = runtime.data(x);
    runtime.submit(in(solver), kPass, number_of(gates[0]), rw(first));
    runtime.submit(in(solver), kPass, number_of(gates[1]), rw(second));
    for (Gate& gate : gates) gate.begun.wait();
    // When the task has ended, the change has taken effect.
    solver.remove("cpu1");
    runtime.submit(in(rest), kTriple, rw(third)).wait();
    solver.add("cpu1");
    runtime.submit(in(rest), kTriple, rw(third)).wait();
    for (Gate& gate : gates) gate.may_end.count_down();
    runtime.wait();
  }
  EXPECT_EQ(x, 9);
  expect_valid(runtime);
  EXPECT_EQ(runtime.trace().schedule.moves.size(), 0U);
}

TEST(ChangingContexts, AWorkerThatIsAddedRunsTasks) {
  Gate gate;
  int held = 1;
  int x = 1;
  Runtime runtime({.workers = "cpu=2", .trace = true, .history = ""});
  const SchedulingContext solver = runtime.context({.name = "solver", .workers = "cpu=1"});
  {
    const auto first = runtime.data(held), second = runtime.data(x);
    runtime.submit(kPass, number_of(gate), rw(first));
    gate.begun.wait();
    const Task waits = runtime.submit(kTriple, rw(second));
    solver.add("cpu=1");
    waits.wait();  // the gate is closed: only the other worker can run it
    gate.may_end.count_down();
    runtime.wait();
  }
  EXPECT_EQ(x, 3);
  expect_valid(runtime);
  EXPECT_EQ(runtime.trace().schedule.moves.size(), 1U);
}

TEST(ChangingContexts, AnHeirHasTheWorkersOfTheClosed) {
  Gate gate;
  int held = 1;
  int x = 1;
  Runtime runtime({.workers = "cpu=2", .trace = true, .history = ""});
  const SchedulingContext solver = runtime.context({.name = "solver", .workers = "cpu=1"});
  const SchedulingContext rest = runtime.context({.name = "rest", .workers = "cpu=1"});
  {
    const auto first = runtime.data(held), second = runtime.data(x);
    runtime.submit(in(rest), kPass, number_of(gate), rw(first));
    gate.begun.wait();
    runtime.submit(in(solver), kTriple, rw(second));
    solver.close(rest);
    runtime.submit(in(rest), kTriple, rw(second)).wait();
    gate.may_end.count_down();
    EXPECT_THAT([&] { runtime.submit(in(solver), kTriple, rw(second)); },
                ThrowsMessage<InputError>("context 'solver' is closed: it is given no more tasks"));
    runtime.submit(kTriple, rw(second));
    runtime.wait();
  }
  EXPECT_EQ(x, 27);
  expect_valid(runtime);
}

TEST(ChangingContexts, AreRefusedInASentence) {
  const Kernel on_device("on device", on_opencl_native([](int& x) { ++x; }));
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{});
  int x = 1;
  Runtime runtime({.workers = "cpu=3,fake=1", .backends = {backend}, .history = ""});
  Runtime other({.workers = "cpu=1", .history = ""});
  const SchedulingContext a = runtime.context({.name = "a", .workers = "cpu=1,fake=1"});
  const SchedulingContext b = runtime.context({.name = "b", .workers = "cpu=1"});
  const SchedulingContext foreign = other.context({.name = "c", .workers = "cpu=1"});
  const auto data = runtime.data(x);
  runtime.submit(in(a), on_device, rw(data));
  const auto expect_refused = [](auto change, const std::string& why) {
    EXPECT_THAT(change, ThrowsMessage<InputError>(HasSubstr(why)));
  };
  expect_refused([&] { b.add("cpu=2"); }, "context 'b' wants 2 cpu, of which 1 is in no context");
  expect_refused([&] { b.add("cpu1"); }, "context 'b' has worker 'cpu1' already");
  expect_refused([&] { b.add("cpu9"); }, "context 'b' names worker 'cpu9', which the platform does not have");
  expect_refused([&] { b.add("tpu=1"); }, "context 'b' names class 'tpu', which the platform does not have");
  expect_refused([&] { b.remove("cpu0"); }, "context 'b' does not have worker 'cpu0'");
  expect_refused([&] { a.remove("cpu=2"); }, "context 'a' has 1 cpu to remove, not 2");
  expect_refused([&] { b.remove("cpu=1"); }, "context 'b' would have no worker left");
  expect_refused([&] { a.remove("fake=1"); },
                 "context 'a' would have no worker left that can run kernel 'on device', which was submitted to it");
  expect_refused([&] { b.close({}); }, "a context is closed without an heir for its workers");
  expect_refused([&] { b.close(b); }, "context 'b' cannot be its own heir");
  expect_refused([&] { b.close(foreign); }, "the heir of a context is of another runtime");
  expect_refused([&] { SchedulingContext().add("cpu=1"); }, "add() is called on a context of no runtime");
  expect_refused([&] { static_cast<void>(runtime.context({.name = "a", .workers = "cpu=1"})); },
                 "there are two contexts called 'a'");
  expect_refused(
      [&] { static_cast<void>(runtime.context({.name = "c", .workers = "cpu2", .policy = "static:file=x"})); },
      "follows a schedule, and Config::plan makes none");
  b.close(a);
  expect_refused([&] { static_cast<void>(runtime.context({.name = "b", .workers = "cpu2"})); },
                 "there are two contexts called 'b'");
  expect_refused([&] { b.close(a); }, "context 'b' is closed");
  expect_refused([&] { a.close(b); }, "context 'b' is closed");
  expect_refused([&] { b.add("cpu=1"); }, "context 'b' is closed");
  runtime.wait();
  EXPECT_EQ(x, 2);
}

/// Its schedule may put tasks on any worker that it has.
TEST(ChangingContexts, APlanKeepsItsWorkers) {
  std::vector<int> numbers(8, 1);
  const auto alternate = [](const Instance& instance) {
    Schedule plan;
    for (const TaskId task : instance.graph.tasks()) {
      const auto number = static_cast<Time>(index(task));
      plan.attempts.push_back({task, make_id<WorkerId>(index(task) % 2), number, number + 1, Outcome::completed});
    }
    return plan;
  };
  Runtime runtime({.workers = "cpu=3", .plan = alternate, .trace = true, .history = ""});
  const SchedulingContext planned =
      runtime.context({.name = "planned", .workers = "cpu=2", .policy = "static:file=ours"});
  {
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    for (const auto& one : data) runtime.submit(kTriple, rw(one));
    EXPECT_THAT(
        [&] { planned.remove("cpu=1"); },
        ThrowsMessage<InputError>("context 'planned' cannot lose workers: its policy 'static' follows a schedule"));
    planned.add("cpu=1");
    for (const auto& one : data) runtime.submit(kTriple, rw(one));
    runtime.wait();
  }
  EXPECT_EQ(numbers, std::vector<int>(8, 9));
  expect_valid(runtime);
}

TEST(ChangingContexts, RecordedTasksRunOnWhatTheyHaveThen) {
  const DataFlow flow(5, 80);
  Runtime runtime({.workers = "cpu=3", .trace = true, .history = ""});
  const std::vector<SchedulingContext> contexts{runtime.context({.name = "one", .workers = "cpu=1", .policy = "heft"}),
                                                runtime.context({.name = "two", .workers = "cpu=2"})};
  int run = 0;
  const auto change = [&](const Graph&) {
    if (run == 1) contexts[1].remove("cpu2"), contexts[0].add("cpu2");
    if (run == 2) static_cast<void>(runtime.context({.name = "late", .workers = "cpu1"}));
    ++run;
  };
  EXPECT_EQ(flow.run_recorded(runtime, 4, contexts, change), flow.expected(4));
  expect_valid(runtime);
  EXPECT_EQ(runtime.trace().schedule.moves.size(), 2U);
}

/// Changes contexts at random until it is told to stop.
class Changes {
 public:
  Changes(Runtime& runtime, std::vector<SchedulingContext> contexts, std::uint64_t seed)
      : runtime_(runtime), contexts_(std::move(contexts)), kept_(contexts_.size()), random_(seed) {}

  void run(const std::atomic<bool>& is_over) {
    // On a machine with a lot to do, the tasks may end before this thread begins.
    for (int tries = 0; !is_over || tries < 40; ++tries) {
      try {
        change();
        ++made_;
      } catch (const InputError&) {  // such is chance
        ++refused_;
      }
      std::this_thread::yield();
    }
  }
  [[nodiscard]] int made() const { return made_; }

 private:
  void change() {
    const SchedulingContext& one = contexts_[random_() % contexts_.size()];
    const std::string worker = "cpu" + std::to_string(random_() % 4);
    switch (random_() % 8) {
      case 0:
        if (contexts_.size() < kept_ + 4) {
          const std::string name = "late" + std::to_string(contexts_.size());
          contexts_.push_back(runtime_.context({.name = name, .workers = worker, .policy = "lws"}));
        }
        break;
      case 1:
        // Those that tasks are submitted to stay.
        if (contexts_.size() > kept_) contexts_.back().close(contexts_[random_() % kept_]);
        break;
      case 2:
        return one.add("cpu=1");
      case 3:
        return one.remove("cpu=1");
      case 4:
      case 5:
        return one.add(worker);
      default:
        return one.remove(worker);
    }
  }

  Runtime& runtime_;
  std::vector<SchedulingContext> contexts_;
  std::size_t kept_;
  std::mt19937_64 random_;
  int made_ = 0;
  int refused_ = 0;
};

class ChangingContextsOf : public testing::TestWithParam<std::string> {};

constexpr std::size_t kTasksOfOne = test::kSanitized ? 100 : 150;
constexpr int kRecordedRuns = 2;

/// How many random programs each policy decides in: some, or as many as together have the tasks that the environment
/// variable HEDDLE_TEST_TASKS asks for.
std::uint64_t program_count() {
  const char* const tasks = std::getenv("HEDDLE_TEST_TASKS");
  if (tasks == nullptr) return test::rounds(std::uint64_t{3});
  const std::uint64_t of_one = kTasksOfOne * (1 + kRecordedRuns) * runtime_policies().size();
  return (std::stoull(tasks) + of_one - 1) / of_one;
}

/// Other threads create, change, delete and overlap contexts; in most programs a rule moves workers, too.
TEST_P(ChangingContextsOf, RandomProgramsUnderLoad) {
  const test::Scratch scratch;
  const std::vector<std::string> rules{"lp", "idle", "speed", "", "simulate"};
  std::size_t tasks = 0;
  for (std::uint64_t seed = 1; seed <= program_count(); ++seed) {
    const std::string path = scratch.path("facts.json");
    const DataFlow flow(seed, kTasksOfOne);
    {
      Runtime runtime({.workers = "cpu=4",
                       .resize = rules[seed % rules.size()],
                       .seed = seed,
                       .trace = true,
                       .facts = path,
                       .history = ""});
      const std::vector<SchedulingContext> contexts{
          runtime.context({.name = "one", .workers = "cpu0,cpu1", .policy = GetParam()}),
          runtime.context({.name = "two", .workers = "cpu1,cpu2", .policy = "dmdas"}),
          runtime.context({.name = "three", .workers = "cpu=1", .policy = GetParam()})};
      Changes changes(runtime, contexts, seed);
      std::atomic<bool> is_over = false;
      std::thread changing([&] { changes.run(is_over); });
      EXPECT_EQ(flow.run(runtime, contexts), flow.expected()) << seed;
      EXPECT_EQ(flow.run_recorded(runtime, kRecordedRuns, contexts), flow.expected(kRecordedRuns)) << seed;
      is_over = true;
      changing.join();
      EXPECT_GT(changes.made(), 0);
      expect_valid(runtime, "seed " + std::to_string(seed));
      tasks += runtime.trace().instance.graph.task_count();
    }
    const facts::Replayed replayed = facts::replay(io::read_file(path), "log", {.make = facts::make_registered});
    EXPECT_EQ(replayed.difference, std::nullopt) << seed;
    EXPECT_GE(replayed.decisions, kTasksOfOne * (1 + kRecordedRuns));
  }
  RecordProperty("tasks", std::to_string(tasks));
}

INSTANTIATE_TEST_SUITE_P(Runtime, ChangingContextsOf, testing::ValuesIn(runtime_policies()), test::test_name);

}  // namespace
}  // namespace heddle::runtime::changing_contexts_test
