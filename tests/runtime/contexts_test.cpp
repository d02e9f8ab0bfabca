// Scheduling contexts: several policies side by side, each with workers of its own, in one runtime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heddle/facts/replay.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/random.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/data_flow.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/on_first_class.hpp"
#include "tests/runtime/step_through.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime::contexts_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const Kernel kDouble("double", on_cpu([](int& x) { x *= 2; }));
const Kernel kOnDevice("on device", on_opencl_native([](int& x) { ++x; }));

std::vector<SchedulingContext> make(Runtime& runtime, const std::vector<ContextConfig>& configs) {
  std::vector<SchedulingContext> contexts;
  for (const ContextConfig& config : configs) contexts.push_back(runtime.context(config));
  return contexts;
}

/// That each context ran the tasks that were submitted to it, on its own workers.
void expect_shares(const Runtime& runtime, const std::vector<std::size_t>& expected, const std::string& what) {
  expect_valid(runtime, what);  // also that no attempt is on a worker of another context
  const Trace trace = runtime.trace();
  ASSERT_EQ(trace.schedule.contexts, trace.instance.contexts) << what;
  ASSERT_EQ(trace.instance.contexts.all.size(), expected.size()) << what;
  std::vector<std::size_t> tasks(expected.size(), 0);
  for (const TaskId task : trace.instance.graph.tasks()) {
    const bool is_of_program = trace.instance.graph.type_name(trace.instance.graph.type(task)) == "mix";
    if (is_of_program) ++tasks[index(trace.instance.contexts.of[task])];
  }
  EXPECT_EQ(tasks, expected) << what;
}

class Contexts : public testing::TestWithParam<std::string> {};

TEST_P(Contexts, RunRandomDataFlow) {
  const std::vector<std::pair<std::string, std::vector<ContextConfig>>> machines{
      {"cpu=2", {{"one", "cpu=1", GetParam()}, {"two", "cpu=1", "eager"}}},
      {"cpu=3", {{"one", "cpu0,cpu1", GetParam()}, {"two", "cpu1,cpu2", GetParam()}}},
      {"cpu=2,cpu2=2", {{"one", "cpu=1,cpu2=1", GetParam()}, {"two", "cpu2=1", "dmdas"}, {"three", "cpu=1", "ws"}}},
      {"cpu=2,cpu2=1", {{"one", "cpu0,cpu20", "heteroprio-dep"}, {"two", "cpu0,cpu1,cpu20", GetParam()}}}};
  for (const auto& [workers, configs] : machines) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const std::string what = workers + ", seed " + std::to_string(seed);
      const DataFlow flow(seed, 120 * seed);
      Runtime runtime({.workers = workers, .seed = seed, .trace = true, .history = ""});
      const std::vector<SchedulingContext> contexts = make(runtime, configs);
      ASSERT_EQ(flow.run(runtime, contexts), flow.expected()) << what;
      expect_shares(runtime, flow.share(configs.size()), what);
    }
    const DataFlow flow(7, 80);
    Runtime runtime({.workers = workers, .trace = true, .history = ""});
    ASSERT_EQ(flow.run_recorded(runtime, 3, make(runtime, configs)), flow.expected(3)) << workers;
    std::vector<std::size_t> shares = flow.share(configs.size());
    for (std::size_t& tasks : shares) tasks *= 3;
    expect_shares(runtime, shares, "recorded, " + workers);
  }
}

TEST_P(Contexts, MoveDataBetweenThem) {
  const DataFlow flow(3, 100);
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{.delay = std::chrono::microseconds(20)});
  const std::vector<std::vector<ContextConfig>> all{{{"cores", "cpu=2", "eager"}, {"device", "fake=1", GetParam()}},
                                                    {{"both", "cpu0,fake0", GetParam()}, {"device", "fake0", "ws"}}};
  for (const std::vector<ContextConfig>& configs : all) {
    Runtime runtime({.workers = "cpu=2,fake=1", .backends = {backend}, .trace = true, .history = ""});
    ASSERT_EQ(flow.run(runtime, make(runtime, configs)), flow.expected());
    expect_shares(runtime, flow.share(2), configs.front().name);
  }
}

TEST_P(Contexts, TellFactsThatGiveTheSameDecisions) {
  const test::Scratch scratch;
  const std::string path = scratch.path("facts.json");
  const DataFlow flow(11, 100);
  {
    Runtime runtime({.workers = "cpu=2,cpu2=1", .seed = 5, .facts = path, .history = ""});
    const auto contexts = make(runtime, {{"one", "cpu0,cpu20", GetParam()}, {"two", "cpu1,cpu20", "dmdas"}});
    EXPECT_EQ(flow.run(runtime, contexts), flow.expected());
    EXPECT_EQ(flow.run_recorded(runtime, 2, contexts), flow.expected(2));
  }
  const facts::Replayed replayed = facts::replay(io::read_file(path), "log", {.make = facts::make_registered});
  EXPECT_EQ(replayed.difference, std::nullopt);
  EXPECT_GE(replayed.decisions, 300U);
}

/// What workers do, step by step, in a run of random tasks that take random times.
std::vector<std::string> steps(const Config& config, const std::string& contexts) {
  Stepper run(config);
  if (!contexts.empty()) run.set_contexts(contexts);
  Random random(config.seed);
  std::vector<int> numbers(6, 0);
  std::vector<Block*> data;
  for (int& number : numbers) data.push_back(run.datum(number));
  std::vector<std::string> steps;
  std::vector<std::size_t> busy;
  const std::size_t workers = 3;
  int left = 60;
  while (left > 0 || run.progress().unfinished() > 0) {
    for (int i = 0; i < 10 && left > 0; ++i, --left) {
      const std::size_t from = random.below(data.size());
      const std::size_t to = (from + 1 + random.below(data.size() - 1)) % data.size();
      run.submit(kCopyInt, {{data[from], kRead}, {data[to], kWrite}});
    }
    busy.clear();
    for (std::size_t worker = 0; worker < workers; ++worker) {
      if (run.worker(worker).given.empty()) run.look_around(worker);
    }
    for (std::size_t worker = 0; worker < workers; ++worker) {
      const std::uint64_t task = run.begin(worker);
      if (task != 0) steps.push_back(std::to_string(worker) + " begins " + std::to_string(task));
      if (!run.worker(worker).given.empty()) busy.push_back(worker);
    }
    if (busy.empty()) {
      ADD_FAILURE() << "no task is given to any worker";
      return steps;
    }
    run.pass(kMillisecond + static_cast<Time>(random.below(20)) * kMillisecond);
    run.end(busy[random.below(busy.size())]);
  }
  return steps;
}

TEST(OneContext, OfAllWorkersIsThePolicyAlone) {
  for (const std::string& policy : runtime_specs()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Config config{.workers = "cpu=2,cpu2=1", .policy = policy, .seed = seed};
      EXPECT_EQ(steps(config, "all:cpu=2,cpu2=1:" + policy), steps(config, "")) << policy << ", seed " << seed;
    }
  }
}

TEST(TwoContexts, HaveBatchesWhileWorkersOfTheOtherAreIdle) {
  const auto most_at_once = [](const std::string& contexts) {
    Stepper run({.workers = "cpu=3"});
    run.set_contexts(contexts);
    std::size_t most = 0;
    for (int round = 0; round < 2; ++round) {  // in the first one their duration is learnt
      for (int i = 0; i < 50; ++i) run.submit(kEmpty, {}, {}, ContextId{0});
      for (int step = 0; step < 1000 && run.progress().unfinished() > 0; ++step) {
        for (std::size_t worker = 0; worker < 3; ++worker) {
          if (run.worker(worker).given.empty()) run.look_around(worker);
        }
        for (std::size_t worker = 0; worker < 2; ++worker)
          most = std::max(most, run.execute(worker, kShortTask).size());
        if (step % 4 == 0) static_cast<void>(run.execute(2, kShortTask));
      }
      EXPECT_EQ(run.progress().unfinished(), 0U);
    }
    return most;
  };
  EXPECT_GT(most_at_once("busy:cpu0,cpu1:eager; idle:cpu2:eager"), 1U);
}

/// No other worker can take the tasks of one that backs off, so it is soon back.
TEST(TwoContexts, ShareTheLockByBackingOffWhereAllTasksAreShort) {
  constexpr Time kLong = 100 * kShortTask * Worker::kMostInBatch;
  for (const Time duration : {kShortTask, 10 * kMicrosecond}) {
    Stepper run({.workers = "cpu=2"});
    run.set_contexts("one:cpu0:eager; two:cpu1:eager");
    const auto submit = [&](int count, ContextId context) {
      for (int i = 0; i < count; ++i) run.submit(kEmpty, {}, {}, context);
    };
    const auto execute_all = [&](std::size_t worker) {
      while (!run.worker(worker).given.empty()) run.execute(worker, duration);
    };
    for (const ContextId context : {ContextId{0}, ContextId{1}}) {  // their duration is learnt
      submit(20, context);
      run.look_around(index(context));
      execute_all(index(context));
    }
    submit(400, ContextId{0});
    submit(400, ContextId{1});
    run.look_around(0);
    run.look_around(1);
    Time longest = 0;
    for (int times = 0; times < 4; ++times) {
      ASSERT_FALSE(run.execute(1, duration, kLong).empty());
      longest = std::max(longest, run.backs_off(1));
      if (run.backs_off(1) == 0) continue;
      run.pass(run.backs_off(1));
      run.look_around(1);
    }
    EXPECT_EQ(longest, duration == kShortTask ? BackOff::kFirst : 0) << "it backs off no longer each time";
    if (duration != kShortTask) continue;
    while (run.worker(1).back_off.duration() == 0) ASSERT_FALSE(run.execute(1, duration, kLong).empty());
    while (!run.worker(0).given.empty()) {
      EXPECT_GT(run.worker(1).back_off.duration(), 0);
      run.execute(0, duration);
    }
    EXPECT_EQ(run.worker(1).back_off.duration(), 0) << "the other has nothing left to do, and cannot help";
    execute_all(1);
    EXPECT_EQ(run.progress().unfinished(), 0U);
  }
}

TEST(AContext, IsWhereTasksBelongThatNameNone) {
  Runtime runtime({.workers = "cpu=2", .trace = true, .history = ""});
  const SchedulingContext first = runtime.context({.name = "first", .workers = "cpu=1"});
  const SchedulingContext last = runtime.context({.name = "last", .workers = "cpu=1"});
  int x = 1;
  {
    const auto data = runtime.data(x);
    runtime.submit(kDouble, rw(data), named("a"));
    runtime.submit(in(first), kDouble, rw(data), named("b"));
    runtime.within(first, [&] {
      runtime.submit(kDouble, rw(data), named("c"));
      runtime.submit(kDouble, rw(data), named("d"), in(last));
    });
    EXPECT_THROW(runtime.within(first, [] { throw std::runtime_error("submits nothing"); }), std::runtime_error);
    runtime.submit(kDouble, rw(data), named("e"));
    runtime.wait();
  }
  EXPECT_EQ(x, 32);
  const Trace trace = runtime.trace();
  std::string contexts;
  for (const TaskId task : trace.instance.graph.tasks())
    contexts += trace.instance.contexts.all[trace.instance.contexts.of[task]].name + " ";
  EXPECT_EQ(contexts, "last first first last last ");
  EXPECT_EQ(trace.instance.graph.type_count(), 1U) << "tasks in two contexts are of one type";
  expect_valid(runtime);
}

TEST(AContext, IsGivenRecordedTasksByTheirNames) {
  Runtime runtime({.workers = "cpu=2", .trace = true, .history = ""});
  const auto contexts = make(runtime, {{"first", "cpu=1"}, {"last", "cpu=1"}});
  std::vector<int> numbers(4, 1);
  {
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    std::string seen;
    const Graph graph = runtime.record(
        [&] {
          for (const auto& one : data) runtime.submit(kDouble, rw(one), named("t"));
        },
        [&](const TaskGraph& tasks, heddle::Contexts& chosen) {
          for (const TaskId task : tasks.tasks()) {
            seen += std::string(tasks.name(task)) + " ";
            chosen.of[task] = ContextId{index(task) % 2 == 0 ? 0U : 1U};
          }
        });
    EXPECT_EQ(seen, "t t#2 t#3 t#4 ");
    runtime.run(graph);
    runtime.wait();
  }
  EXPECT_EQ(numbers, std::vector<int>(4, 2));
  const Trace trace = runtime.trace();
  for (const TaskId task : trace.instance.graph.tasks())
    EXPECT_EQ(index(trace.instance.contexts.of[task]), index(task) % 2);
  expect_valid(runtime);
}

TEST(AContext, IsRefusedInASentence) {
  const auto expect_refused = [](const std::vector<ContextConfig>& configs, const std::string& why) {
    Runtime runtime({.workers = "cpu=2", .history = ""});
    EXPECT_THAT([&] { static_cast<void>(make(runtime, configs)); }, ThrowsMessage<InputError>(HasSubstr(why)));
    // What was there before stays.
    int x = 1;
    const auto data = runtime.data(x);
    runtime.submit(kDouble, rw(data));
    runtime.wait();
    EXPECT_EQ(x, 2);
  };
  expect_refused({{"a", "cpu=3"}}, "context 'a' wants 3 cpu, of which 2 are left");
  expect_refused({{"a", "cpu=1"}, {"b", "cpu=2"}}, "context 'b' wants 2 cpu, of which 1 is left");
  expect_refused({{"a", "cpu7"}}, "context 'a' names worker 'cpu7', which the platform does not have");
  expect_refused({{"a", "fpga=1"}}, "context 'a' names class 'fpga', which the platform does not have");
  expect_refused({{"a", "cpu=1"}, {"a", "cpu=1"}}, "there are two contexts called 'a'");
  expect_refused({{"a", ""}}, "context 'a' has no worker");
  expect_refused({{"", "cpu=1"}}, "a context has an empty name");
  expect_refused({{"a", "cpu=1", "egaer"}}, "there is no policy 'egaer'");
  expect_refused({{"a", "cpu=1", "static:file=x"}}, "follows a schedule, and Config::plan makes none");
}

TEST(AContext, HasToBeThereBeforeTheFirstTask) {
  int x = 1;
  Runtime runtime({.workers = "cpu=2", .history = ""});
  {
    const auto data = runtime.data(x);
    runtime.submit(kDouble, rw(data));
    EXPECT_THAT([&] { static_cast<void>(runtime.context({.name = "a", .workers = "cpu=1"})); },
                ThrowsMessage<InputError>(HasSubstr("before the first task")));
    EXPECT_THAT([&] { static_cast<void>(runtime.record([] {}, [](const TaskGraph&, heddle::Contexts&) {})); },
                ThrowsMessage<InputError>(HasSubstr("there are none")));
    runtime.wait();
  }
  Runtime decided({.workers = "cpu=2", .decider = policy::Policy(OnFirstClass()), .history = ""});
  EXPECT_THAT([&] { static_cast<void>(decided.context({.name = "a", .workers = "cpu=1"})); },
              ThrowsMessage<InputError>(HasSubstr("Config::decider")));
}

TEST(AContext, RefusesTasksThatItsWorkersCannotRun) {
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{});
  Runtime runtime({.workers = "cpu=1,fake=1", .backends = {backend}, .history = ""});
  Runtime other({.workers = "cpu=1", .history = ""});
  const auto contexts = make(runtime, {{"cores", "cpu=1"}, {"device", "fake=1"}});
  const auto foreign = make(other, {{"theirs", "cpu=1"}});
  int x = 1;
  const auto data = runtime.data(x);
  EXPECT_THAT([&] { runtime.submit(in(contexts[0]), kOnDevice, rw(data)); },
              ThrowsMessage<InputError>("kernel 'on device' has no implementation for any worker of context 'cores'"));
  EXPECT_THAT([&] { runtime.submit(kDouble, rw(data)); },
              ThrowsMessage<InputError>("kernel 'double' has no implementation for any worker of context 'device'"));
  EXPECT_THAT([&] { static_cast<void>(runtime.record([&] { runtime.submit(kDouble, rw(data)); })); },
              ThrowsMessage<InputError>(HasSubstr("any worker of context 'device'")));
  EXPECT_THAT([&] { runtime.submit(in(foreign[0]), kDouble, rw(data)); },
              ThrowsMessage<InputError>(HasSubstr("context of another runtime")));
  EXPECT_THROW(runtime.within(foreign[0], [] {}), InputError);
  runtime.submit(in(contexts[1]), kOnDevice, rw(data));
  runtime.submit(in(contexts[0]), kDouble, rw(data));
  runtime.wait();
  EXPECT_EQ(x, 4);
}

TEST(AContext, WhoseDeviceHasNoRoomLosesItsTasksOnly) {
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{.memory_bytes = 64});
  const Kernel fill("fill", on_cpu([](std::span<double> x) { std::ranges::fill(x, 1); }),
                    on_opencl_native([](std::span<double> x) { std::ranges::fill(x, 2); }));
  std::vector<double> large(100, 0);
  std::vector<double> same(100, 0);
  Runtime runtime({.workers = "cpu=1,fake=1", .backends = {backend}, .trace = true, .history = ""});
  const auto contexts = make(runtime, {{"cores", "cpu=1"}, {"device", "fake=1", "dmdas"}});
  {
    const auto one = runtime.data(large);
    const auto other = runtime.data(same);
    runtime.submit(in(contexts[1]), fill, write(one));
    runtime.submit(in(contexts[0]), fill, write(other));
    EXPECT_THROW(runtime.wait(), OutOfMemory) << "no core of another context helps";
    runtime.submit(in(contexts[0]), fill, write(one));
    runtime.wait();
  }
  EXPECT_EQ(same, std::vector<double>(100, 1));
  EXPECT_EQ(large, std::vector<double>(100, 1));
  expect_valid(runtime);
}

/// Decides until it has been asked so often.
class Thrower : public OnFirstClass {
 public:
  [[nodiscard]] policy::Action next(const policy::View& view) {
    if (left_-- == 0) throw std::logic_error("the policy of one context");
    return OnFirstClass::next(view);
  }

 private:
  int left_ = 5;
};

TEST(AContext, WhosePolicyThrowsLeavesTheOthersRunning) {
  // It says that it follows a plan, so that no test of all policies takes it.
  policy::add({.name = "thrower",
               .summary = "throws",
               .publication = "none",
               .options = {},
               .needs = [](const Options&) { return policy::Needs{.plan = true}; },
               .make = [](const policy::Setup&) { return policy::Policy(Thrower()); }});
  for (const char* beside : {"eager", "heft", "auto:events=100"}) {
    Runtime runtime(
        {.workers = "cpu=2", .plan = [](const Instance&) { return Schedule(); }, .trace = true, .history = ""});
    const auto contexts = make(runtime, {{"broken", "cpu=1", "thrower"}, {"whole", "cpu=1", beside}});
    std::vector<int> numbers(40, 1);
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < data.size(); ++i) runtime.submit(in(contexts[i % 2]), kDouble, rw(data[i]));
    }
    EXPECT_THAT([&] { runtime.wait(); }, ThrowsMessage<std::logic_error>("the policy of one context")) << beside;
    for (std::size_t i = 1; i < numbers.size(); i += 2) EXPECT_EQ(numbers[i], 8) << beside;
    runtime.submit(in(contexts[1]), kDouble, rw(data[1]));
    EXPECT_NO_THROW(runtime.wait()) << beside;
    EXPECT_EQ(numbers[1], 16);
    runtime.submit(in(contexts[0]), kDouble, rw(data[0]));
    EXPECT_THROW(runtime.wait(), std::logic_error) << "it stays so";
    expect_valid(runtime, beside);
    data.clear();
  }
}

/// Asks for what cannot be done.
class Illegal {
 public:
  explicit Illegal(std::string what) : what_(std::move(what)) {}

  void ready(const policy::View& /*view*/, std::span<const TaskId> tasks) { last_ = tasks.back(); }
  [[nodiscard]] policy::Action next(const policy::View& view) const {
    if (what_ == "task") return policy::run(make_id<TaskId>(view.graph().task_count()), WorkerId{0});
    if (what_ == "worker") return policy::run(last_, WorkerId{1});
    if (what_ == "preempt") return policy::preempt(last_);
    return policy::prefetch(last_, WorkerId{0});
  }

 private:
  std::string what_;
  TaskId last_{};
};

TEST(AContext, WhosePolicyAsksForTheImpossibleLeavesTheOthersRunning) {
  policy::add({.name = "illegal",
               .summary = "asks for what cannot be done",
               .publication = "none",
               .options = {text("what", "", "what it asks for")},
               .needs = [](const Options&) { return policy::Needs{.plan = true}; },
               .make = [](const policy::Setup& setup) { return policy::Policy(Illegal(setup.options.text("what"))); }});
  const std::vector<std::pair<std::string, std::string>> kinds{{"task", "there is no such task"},
                                                               {"worker", "there is no such worker"},
                                                               {"preempt", "the task is not running"},
                                                               {"prefetch", "does not stop acting within one instant"}};
  for (const auto& [what, reason] : kinds) {
    Runtime runtime(
        {.workers = "cpu=2", .plan = [](const Instance&) { return Schedule(); }, .trace = true, .history = ""});
    const auto contexts = make(runtime, {{"broken", "cpu=1", "illegal:what=" + what}, {"whole", "cpu=1", "dmdas"}});
    std::vector<int> numbers(40, 1);
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    runtime.run(runtime.record([&] {
      for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < data.size(); ++i) runtime.submit(in(contexts[i % 2]), kDouble, rw(data[i]));
      }
    }));
    EXPECT_THAT([&] { runtime.wait(); }, ThrowsMessage<InternalError>(HasSubstr(reason))) << what;
    for (std::size_t i = 1; i < numbers.size(); i += 2) EXPECT_EQ(numbers[i], 8) << what;
    runtime.submit(in(contexts[1]), kDouble, rw(data[1]));
    EXPECT_NO_THROW(runtime.wait()) << what;
    EXPECT_EQ(numbers[1], 16);
    runtime.submit(in(contexts[0]), kDouble, rw(data[0]));
    EXPECT_THAT([&] { runtime.wait(); }, ThrowsMessage<InternalError>(HasSubstr("context 'broken': "))) << what;
    expect_valid(runtime, what);
    data.clear();
  }
}

INSTANTIATE_TEST_SUITE_P(Runtime, Contexts, testing::ValuesIn(runtime_policies()), test::test_name);

}  // namespace
}  // namespace heddle::runtime::contexts_test
