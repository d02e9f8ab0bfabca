#include "heddle/io/schedule_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/io/instance_file.hpp"
#include "tests/io/rich_instance.hpp"
#include "tests/io/toy.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test::schedule_file_test {
namespace {

constexpr std::string_view kSchedule = R"({
  "format": "heddle-schedule", "version": 1, "instance": "toy", "policy": "heteroprio-dep:order=latest",
  "makespan": 0.5, "seed": 1,
  "meta": {"noise": "uniform:0.1"},
  "workers": [
    {"name": "cpu0", "class": "cpu"},
    {"name": "cpu1", "class": "cpu"},
    {"name": "gpu0", "class": "gpu"}
  ],
  "attempts": [
    {"task": "p0", "worker": "cpu1", "start": 0.0, "end": 0.01, "outcome": "completed"},
    {"task": "x", "worker": "gpu0", "start": 0.0, "end": 0.25, "outcome": "aborted"},
    {"task": "x", "worker": "gpu0", "start": 0.25, "end": 0.75, "outcome": "completed"}
  ],
  "transfers": [
    {"data": "A", "from": "ram", "to": "gpu0", "start": 0.0, "end": 0.01, "bytes": 8000000}
  ]
}
)";

const Instance& toy() {
  static const Instance instance = io::read_instance(kToy, "toy.json");
  return instance;
}

io::ScheduleFile read(std::string_view text) {
  return io::read_schedule(text, "s.json", toy());
}

TEST(ReadSchedule, UnderstandsEveryKey) {
  const io::ScheduleFile file = read(kSchedule);
  const Schedule& schedule = file.schedule;
  EXPECT_EQ(schedule.instance, "toy");
  EXPECT_EQ(schedule.policy, "heteroprio-dep:order=latest");
  EXPECT_EQ(schedule.seed, 1u);
  EXPECT_EQ(schedule.noise, "uniform:0.1");
  ASSERT_EQ(schedule.attempts.size(), 3u);
  EXPECT_EQ(schedule.attempts[1],
            (Attempt{make_id<TaskId>(2), make_id<WorkerId>(2), 0, kSecond / 4, Outcome::aborted}));
  ASSERT_EQ(schedule.transfers.size(), 1u);
  EXPECT_EQ(schedule.transfers[0], (Transfer{make_id<DataId>(0), make_id<MemoryId>(0), make_id<MemoryId>(1), 0,
                                             10 * kMillisecond, 8'000'000}));
}

TEST(ReadSchedule, LeavesAWrongMakespanToTheJudge) {
  const io::ScheduleFile file = read(kSchedule);
  EXPECT_EQ(file.stated_makespan, kSecond / 2);
  EXPECT_EQ(file.schedule.makespan(), kSecond * 3 / 4);
  EXPECT_EQ(read(mutated(kSchedule, "\"makespan\": 0.5, ", "")).stated_makespan, std::nullopt);
}

TEST(ReadSchedule, NeedsNothingButAttempts) {
  const io::ScheduleFile file = read(R"({"format": "heddle-schedule", "version": 1, "attempts": []})");
  EXPECT_TRUE(file.schedule.attempts.empty());
  EXPECT_EQ(file.schedule.noise, "");
}

TEST(ReadSchedule, TakesWorkersInAnyOrder) {
  const std::string text = mutated(mutated(kSchedule, R"("cpu0", "class": "cpu")", R"("gpu0", "class": "gpu")"),
                                   R"({"name": "gpu0", "class": "gpu"}
)",
                                   R"({"name": "cpu0", "class": "cpu"}
)");
  EXPECT_EQ(read(text).schedule.attempts, read(kSchedule).schedule.attempts);
}

TEST(ReadSchedule, LeavesForeignMetaAlone) {
  EXPECT_EQ(read(mutated(kSchedule, R"({"noise": "uniform:0.1"})", R"({"noise": [7], "x": 1})")).schedule.noise, "");
  EXPECT_EQ(read(mutated(kSchedule, R"({"noise": "uniform:0.1"})", R"("a note")")).schedule.noise, "");
}

TEST(ReadSchedule, HoldsTheLargestSeed) {
  EXPECT_EQ(read(mutated(kSchedule, "\"seed\": 1", "\"seed\": 18446744073709551615")).schedule.seed, ~std::uint64_t{0});
}

using ScheduleMistakes = testing::TestWithParam<Mistake>;

TEST_P(ScheduleMistakes, GetOneClearSentence) {
  const std::string text = mutated(kSchedule, GetParam().from, GetParam().to);
  EXPECT_EQ(error_of([&] { static_cast<void>(read(text)); }), GetParam().sentence);
}

const Mistake kMistakes[] = {
    {"\"attempts\"", "\"attemps\"",
     "s.json: the document has the unknown key 'attemps'; did you mean 'attempts'? (possible: format, version, "
     "instance, policy, makespan, seed, workers, contexts, moves, attempts, transfers)"},
    {"heddle-schedule", "heddle-instance",
     "s.json: format is the string 'heddle-instance'; expected 'heddle-schedule'"},
    {"\"policy\": \"heteroprio-dep:order=latest\"", "\"policy\": 1",
     "s.json: policy is the number 1; expected the name of a policy"},
    {"\"makespan\": 0.5", "\"makespan\": \"0.5\"", "s.json: makespan is the string '0.5'; expected seconds"},
    {"\"seed\": 1", "\"seed\": -1", "s.json: seed is the number -1; expected a whole number (digits only)"},
    {"\"seed\": 1", "\"seed\": 1.5", "s.json: seed is the number 1.5; expected a whole number (digits only)"},
    {"\"name\": \"cpu1\"", "\"name\": \"cpu2\"",
     "s.json: workers[1].name is 'cpu2', but no worker is called so; did you mean 'cpu0'? (possible: cpu0, cpu1, "
     "gpu0)"},
    {"\"name\": \"cpu1\"", "\"name\": \"cpu0\"",
     "s.json: workers[1].name is 'cpu0' again; expected a different name for each worker"},
    {"\"cpu1\", \"class\": \"cpu\"", "\"cpu1\", \"class\": \"gpu\"",
     "s.json: workers[1].class is the string 'gpu'; expected 'cpu', as in the instance's platform"},
    {"{\"name\": \"cpu1\", \"class\": \"cpu\"},", "",
     "s.json: workers does not list 'cpu1', which the instance's platform has"},
    {"\"task\": \"p0\"", "\"task\": \"po\"",
     "s.json: attempts[0].task is 'po', but no task is called so; did you mean 'p0'? (possible: p0, c0, x)"},
    {"\"task\": \"p0\"", "\"tasks\": \"p0\"",
     "s.json: attempts[0] has the unknown key 'tasks'; did you mean 'task'? (possible: task, worker, start, end, "
     "outcome, context)"},
    {"\"worker\": \"cpu1\"", "\"worker\": \"cpu9\"",
     "s.json: attempts[0].worker is 'cpu9', but no worker is called so; did you mean 'cpu0'? (possible: cpu0, cpu1, "
     "gpu0)"},
    {"\"start\": 0.0", "\"strat\": 0.0",
     "s.json: attempts[0] has the unknown key 'strat'; did you mean 'start'? (possible: task, worker, start, end, "
     "outcome, context)"},
    {"\"start\": 0.0", "\"start\": null", "s.json: attempts[0].start is null; expected seconds"},
    {"\"end\": 0.01", "\"end\": 5e6",
     "s.json: attempts[0].end is the number 5e6; expected an instant within 53 days of the start"},
    {", \"outcome\": \"completed\"", "",
     "s.json: attempts[0] has no 'outcome'; expected 'completed', 'aborted' or 'failed'"},
    {"\"outcome\": \"completed\"", "\"outcome\": \"complete\"",
     "s.json: attempts[0].outcome is 'complete', but no outcome is called so; did you mean 'completed'? (possible: "
     "completed, aborted, failed)"},
    {"\"data\": \"A\"", "\"data\": \"B\"", "s.json: transfers[0].data is 'B', but no datum is called so; possible: A"},
    {"\"from\": \"ram\"", "\"from\": \"rom\"",
     "s.json: transfers[0].from is 'rom', but no memory is called so; did you mean 'ram'? (possible: ram, gpu0)"},
    {"\"bytes\": 8000000", "\"bytes\": -1",
     "s.json: transfers[0].bytes is the number -1; expected a whole number of bytes (digits only)"},
};
INSTANTIATE_TEST_SUITE_P(All, ScheduleMistakes, testing::ValuesIn(kMistakes));

/// Two contexts, and a worker that goes from one to the other.
std::string with_move(std::string_view move) {
  const std::string contexts =
      R"("contexts": [
    {"name": "one", "workers": ["cpu0"], "policy": "heft"},
    {"name": "two", "workers": ["cpu1", "gpu0"], "policy": "eager"}
  ],
  "moves": [
    )" +
      std::string(move) + "\n  ],\n  \"attempts\"";
  return mutated(kSchedule, "\"attempts\"", contexts);
}

TEST(ReadSchedule, KnowsWhichWorkersChangedContexts) {
  const std::string text = with_move(R"({"at": 0.3, "worker": "cpu1", "from": "two", "to": "one"})");
  const Schedule schedule = read(text).schedule;
  EXPECT_EQ(schedule.moves, (std::vector<WorkerMove>{{300 * kMillisecond, WorkerId{1}, ContextId{1}, ContextId{0}}}));
  EXPECT_EQ(read(io::write_schedule(schedule, toy())).schedule.moves, schedule.moves);
}

TEST(ReadSchedule, RefusesMovesThatMakeNoSense) {
  const auto error = [](std::string_view move) { return error_of([&] { static_cast<void>(read(with_move(move))); }); };
  EXPECT_EQ(error(R"({"at": 0.3, "worker": "cpu0", "from": "two", "to": "one"})"),
            "s.json: moves: move 1 takes a worker from context 'two', which does not have it at 0.3 s");
  EXPECT_EQ(error(R"({"at": 0.3, "worker": "cpu0", "from": "three", "to": "one"})"),
            "s.json: moves[0].from is 'three', but no context is called so; possible: one, two");
  EXPECT_EQ(error(R"({"worker": "cpu0", "from": "two", "to": "one"})"),
            "s.json: moves[0] has no 'at'; expected seconds");
  EXPECT_EQ(error(R"({"at": 0.3, "worker": "cpu0"})"), "s.json: moves: move 1 is from no context and to none");
}

Schedule random_schedule(Random& random, const Instance& instance) {
  const auto pick = [&](std::size_t count) {
    return static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(count) - 1));
  };
  Schedule schedule{instance.name, wild_name(random, 1), random(), pick(2) == 0 ? "" : wild_name(random, 2), {}, {}};
  const std::size_t tasks = instance.graph.task_count();
  for (std::size_t i = tasks == 0 ? 0 : pick(20); i > 0; --i) {
    schedule.attempts.push_back(
        {make_id<TaskId>(pick(tasks)), make_id<WorkerId>(pick(instance.platform.worker_count())),
         draw(random, -kMaxTime / 2, kMaxTime / 2), draw(random, 0, kMaxTime / 2), static_cast<Outcome>(pick(3))});
  }
  const std::size_t data = instance.graph.data_count();
  const std::size_t memories = instance.platform.memories().size();
  for (std::size_t i = data == 0 ? 0 : pick(20); i > 0; --i) {
    schedule.transfers.push_back({make_id<DataId>(pick(data)), make_id<MemoryId>(pick(memories)),
                                  make_id<MemoryId>(pick(memories)), draw(random, 0, kMaxTime / 2),
                                  draw(random, 0, kMaxTime / 2), draw(random, 0, kMaxTime - 1)});
  }
  return schedule;
}

TEST(WriteSchedule, KeepsAFileButForTheMakespanAsItIs) {
  EXPECT_EQ(io::write_schedule(read(kSchedule).schedule, toy()),
            mutated(kSchedule, "\"makespan\": 0.5", "\"makespan\": 0.75"));
}

TEST(WriteSchedule, RoundTripsToTheLastBit) {
  Random random(2);
  for (int round = 0; round < rounds(200); ++round) {
    const Instance instance = rich_instance(random);
    const Schedule schedule = random_schedule(random, instance);
    const std::string text = io::write_schedule(schedule, instance);
    const io::ScheduleFile file = io::read_schedule(text, "s.json", instance);
    EXPECT_EQ(file.schedule.instance, schedule.instance);
    EXPECT_EQ(file.schedule.policy, schedule.policy);
    EXPECT_EQ(file.schedule.seed, schedule.seed);
    EXPECT_EQ(file.schedule.noise, schedule.noise);
    EXPECT_EQ(file.schedule.attempts, schedule.attempts);
    EXPECT_EQ(file.schedule.transfers, schedule.transfers);
    EXPECT_EQ(file.stated_makespan, schedule.makespan());
    if (HasFailure()) FAIL() << text;
  }
}

}  // namespace
}  // namespace heddle::test::schedule_file_test
