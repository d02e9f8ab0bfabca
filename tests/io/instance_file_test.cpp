#include "heddle/io/instance_file.hpp"

#include <gtest/gtest.h>

#include "tests/io/rich_instance.hpp"
#include "tests/io/same.hpp"
#include "tests/io/toy.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

Instance read(std::string_view text) {
  return io::read_instance(text, "folder/toy.json");
}

constexpr TaskId kTask0 = make_id<TaskId>(0);
constexpr TaskId kTask1 = make_id<TaskId>(1);
constexpr TaskId kTask2 = make_id<TaskId>(2);
constexpr ClassId kCpu = make_id<ClassId>(0);
constexpr ClassId kGpu = make_id<ClassId>(1);

TEST(ReadInstance, UnderstandsEveryKey) {
  const Instance toy = read(kToy);
  EXPECT_EQ(toy.name, "toy");
  EXPECT_EQ(toy.platform.worker_count(), 3u);
  EXPECT_EQ(toy.platform.resource_class(kGpu).memory_bytes, 16'000'000'000);
  EXPECT_EQ(toy.platform.links()[0].via, std::vector<std::string>{"switch0"});
  EXPECT_EQ(toy.platform.links()[0].latency, 10 * kMicrosecond);
  EXPECT_EQ(toy.graph.task_count(), 3u);
  EXPECT_EQ(toy.graph.edge_count(), 1u);
  EXPECT_EQ(toy.graph.predecessors(kTask1)[0], kTask0);
  EXPECT_EQ(toy.graph.priority(kTask1), 3);
  EXPECT_EQ(toy.graph.accesses(kTask0)[0].mode, AccessMode::read_write);
  EXPECT_EQ(toy.graph.datum(make_id<DataId>(0)).bytes, 8'000'000);
  EXPECT_EQ(toy.costs.actual(kTask0, kGpu), 6 * kMillisecond);
  EXPECT_EQ(toy.costs.actual(kTask1, kGpu), kCannotRun);
}

TEST(ReadInstance, TakesEstimatesForWhatTheyNameAndTheTruthForTheRest) {
  const Instance toy = read(kToy);
  EXPECT_EQ(toy.costs.estimate(kTask0, kGpu), 7 * kMillisecond);
  EXPECT_EQ(toy.costs.estimate(kTask0, kCpu), 10 * kMillisecond);
  EXPECT_EQ(toy.costs.estimate(kTask1, kCpu), kMillisecond);
  EXPECT_EQ(toy.costs.estimate(kTask1, kGpu), kCannotRun);
}

TEST(ReadInstance, LetsATasksOwnSecondsReplaceItsTypesEntirely) {
  const Instance toy = read(kToy);
  EXPECT_EQ(toy.costs.actual(kTask2, kCpu), kCannotRun);
  EXPECT_EQ(toy.costs.actual(kTask2, kGpu), 500 * kMillisecond);
  EXPECT_EQ(toy.costs.estimate(kTask2, kGpu), 250 * kMillisecond);
  // The type's estimates go with its seconds.
  const Instance honest = read(mutated(kToy, R"(, "estimates": {"gpu": 0.25})", ""));
  EXPECT_EQ(honest.costs.estimate(kTask2, kGpu), 500 * kMillisecond);
}

TEST(ReadInstance, LetsATasksOwnEstimatesReplaceItsTypesAlone) {
  const Instance toy = read(mutated(kToy, R"("access": [["A", "rw"]])", R"("estimates": {"cpu": 1})"));
  EXPECT_EQ(toy.costs.actual(kTask0, kCpu), 10 * kMillisecond);
  EXPECT_EQ(toy.costs.estimate(kTask0, kCpu), kSecond);
  EXPECT_EQ(toy.costs.estimate(kTask0, kGpu), 6 * kMillisecond);
}

TEST(ReadInstance, ReadsTimesExactlyFromTheirText) {
  const auto duration = [](std::string_view text) {
    return read(mutated(kToy, "0.001", text)).costs.actual(kTask1, kCpu);
  };
  EXPECT_EQ(duration("0.000000000001"), 1);
  EXPECT_EQ(duration("0.0000000000005"), 1);
  EXPECT_EQ(duration("0.00000000000049999999999999999999999"), 0);
  EXPECT_EQ(duration("1e-12"), 1);
  EXPECT_EQ(duration("1.5E+1"), 15 * kSecond);
  EXPECT_EQ(duration("7"), 7 * kSecond);
  // As a double, this would be 123456.78901234501.
  EXPECT_EQ(duration("123456.789012345003"), 123'456'789'012'345'003);
}

TEST(ReadInstance, FillsInWhatMayBeLeftOut) {
  const Instance tiny = read(R"({"format": "heddle-instance", "version": 1,
    "platform": {"classes": [{"name": "cpu", "workers": 1}]},
    "types": [{"name": "T"}], "tasks": [{"name": "t", "type": "T", "seconds": {"cpu": 1}}]})");
  EXPECT_EQ(tiny.name, "toy") << "from the file's name";
  EXPECT_EQ(tiny.platform.memories()[make_id<MemoryId>(0)].name, "ram");
  EXPECT_EQ(tiny.graph.priority(kTask0), 0);
  const Instance empty = read(R"({"format": "heddle-instance", "version": 1, "tasks": [],
    "platform": {"classes": [{"name": "cpu", "workers": 1}]}})");
  EXPECT_EQ(empty.graph.task_count(), 0u);
}

TEST(ReadInstance, LetsTasksWaitForLaterOnes) {
  const Instance toy = read(mutated(kToy, R"("access": [["A", "rw"]])", R"("after": ["x", "x"])"));
  EXPECT_EQ(toy.graph.predecessors(kTask0).size(), 1u);
  EXPECT_EQ(toy.graph.predecessors(kTask0)[0], kTask2);
}

TEST(ReadInstance, AllowsAnythingUnderMeta) {
  std::string text(kToy);
  for (const std::string_view place :
       {R"("version": 1)", R"("workers": 2)", R"("bytes": 8000000)", R"("priority": 3)"}) {
    text = mutated(text, place, std::string(place) + R"(, "meta": {"a": [1, {"a": 2, "a": null}], "nmae": -1e300})");
  }
  expect_same(read(text), read(kToy));
}

TEST(ReadInstance, LimitsTheDepthOfNesting) {
  const auto nested = [](std::size_t depth) {
    return mutated(kToy, R"("version": 1)",
                   R"("version": 1, "meta": )" + std::string(depth, '[') + std::string(depth, ']'));
  };
  EXPECT_EQ(error_of([&] { static_cast<void>(read(nested(99))); }), "");
  EXPECT_EQ(error_of([&] { static_cast<void>(read(nested(100))); }),
            "folder/toy.json: the document is nested deeper than 100 levels");
  EXPECT_NE(error_of([&] { static_cast<void>(read(std::string(10'000'000, '['))); }), "");
}

TEST(ReadInstance, NamesTheOneThatIsWrongAmongMany) {
  const std::string text =
      mutated(kToy, R"({"name": "c0", "type": "CHECK")",
              R"({"name": "d", "type": "CHECK", "meta": [0, [1, 2]]}, {"name": "c0", "type": "x y")");
  EXPECT_EQ(error_of([&] { static_cast<void>(read(text)); }),
            "folder/toy.json: tasks[2].type is 'x y', but no type is called so; possible: POTRF, CHECK");
}

TEST(WriteInstance, KeepsAHandWrittenFileAsItIs) {
  EXPECT_EQ(io::write_instance(read(kToy)), kToy);
}

TEST(WriteInstance, LeavesOutWhatAccessesImply) {
  const std::string text = mutated(kToy, R"("after": ["p0"])", R"("after": ["p0"], "access": [["A", "r"]])");
  const Instance toy = read(text);
  EXPECT_EQ(io::write_instance(toy), mutated(kToy, R"("after": ["p0"])", R"("access": [["A", "r"]])"));
  expect_same(read(io::write_instance(toy)), toy);
}

TEST(WriteInstance, RefusesNamesThatCannotBeToldApart) {
  const auto instance = [](std::string_view a, std::string_view b) {
    TaskGraphBuilder builder;
    const TypeId type = builder.add_type("T");
    builder.add_task(a, type);
    builder.add_task(b, type);
    TaskGraph graph = builder.build();
    Costs costs(graph, 1);
    costs.set_actual(Costs::row(type), kCpu, 1);
    return make_instance("twins", std::move(graph), Platform({{"cpu", 1, "ram", {}}}), std::move(costs));
  };
  EXPECT_EQ(error_of([&] { static_cast<void>(io::write_instance(instance("a", "a"))); }),
            "the instance cannot be written as a heddle-instance file: a second task is called 'a'");
  EXPECT_EQ(error_of([&] { static_cast<void>(io::write_instance(instance("a", ""))); }),
            "the instance cannot be written as a heddle-instance file: a task has no name");
}

TEST(WriteInstance, ReplacesBytesThatAreNoUtf8) {
  const std::string text = mutated(kToy, "\"toy\"", "\"t\xC3\xB6y\"");
  Instance toy = read(text);
  EXPECT_EQ(io::write_instance(toy), text);
  toy.name = "t\xF6y\xED\xA0\x80";
  EXPECT_EQ(read(io::write_instance(toy)).name, "t\xEF\xBF\xBDy\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(WriteInstance, RoundTripsToTheLastBit) {
  Random random(1);
  for (int round = 0; round < rounds(300); ++round) {
    SCOPED_TRACE(round);
    const Instance instance = rich_instance(random);
    const std::string text = io::write_instance(instance);
    const Instance again = read(text);
    expect_same(again, instance);
    EXPECT_EQ(io::write_instance(again), text);
    if (HasFailure()) FAIL() << text;
  }
}

}  // namespace
}  // namespace heddle::test
