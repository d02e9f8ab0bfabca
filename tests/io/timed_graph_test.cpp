#include "heddle/io/timed_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/io/toy.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

constexpr std::string_view kSwf =
    "7 3.0 -1\n"
    "9 10.5 0.75 7\n"
    "12 10.0 0.8 7\n"
    "20 4.25 0.5 9 12\n"
    "21 1.0 2.0 9,12\n";

constexpr std::string_view kStg =
    "3\n"
    " 0  0  0\n"
    " 1  4  1  0\n"
    " 2  6  1  0\n"
    " 3  2  2  1  2\n"
    " 4  0  1  3\n"
    "# commentary\n"
    "9 9 9 9\n";

io::TimedGraph swf(std::string_view text, Time unit = kSecond) {
  return io::read_hetero_swf(text, "folder/g.txt", unit);
}
io::TimedGraph stg(std::string_view text, Time unit = kSecond) {
  return io::read_stg(text, "g.stg", unit);
}

std::vector<std::string> predecessors(const io::TimedGraph& graph, std::size_t task) {
  std::vector<std::string> names;
  for (const TaskId before : graph.graph.predecessors(make_id<TaskId>(task)))
    names.emplace_back(graph.graph.name(before));
  return names;
}

Time duration(const io::TimedGraph& graph, std::size_t task, std::size_t column) {
  return graph.duration(graph.graph.type(make_id<TaskId>(task)), column);
}

using Names = std::vector<std::string>;

TEST(HeteroSwf, ReadsTheExample) {
  const io::TimedGraph graph = swf(kSwf);
  EXPECT_EQ(graph.name, "g");
  EXPECT_EQ(graph.columns, 2u);
  EXPECT_EQ(graph.graph.task_count(), 5u);
  EXPECT_EQ(predecessors(graph, 3), (Names{"9", "12"}));
  EXPECT_EQ(predecessors(graph, 4), (Names{"9", "12"}));
  EXPECT_EQ(duration(graph, 0, 0), 3 * kSecond);
  EXPECT_EQ(duration(graph, 0, 1), kCannotRun);
  EXPECT_EQ(duration(graph, 1, 1), 750 * kMillisecond);
  EXPECT_EQ(swf(kSwf, kMillisecond).durations[0], 3 * kMillisecond);
}

TEST(HeteroSwf, DeducesThreeColumns) {
  const io::TimedGraph graph = swf("1 1 2 3\n2 4 -1 6 1\n");
  EXPECT_EQ(graph.columns, 3u);
  EXPECT_EQ(duration(graph, 1, 2), 6 * kSecond);
  EXPECT_EQ(predecessors(graph, 1), Names{"1"});
}

TEST(HeteroSwf, TakesPredecessorsFromLaterLinesInAnySpelling) {
  const io::TimedGraph graph = swf("\r\n5\t1 2 \t -3,,4 , -3\r\n\n-3 1 2\n4 1 2");
  EXPECT_EQ(graph.columns, 2u);
  EXPECT_EQ(predecessors(graph, 0), (Names{"-3", "4"}));
}

TEST(HeteroSwf, GivesEqualRowsOneType) {
  const io::TimedGraph graph = swf("1 2.0 -1\n2 2.00 -1.0\n3 20e-1 0.5\n");
  EXPECT_EQ(graph.graph.type_count(), 2u);
  EXPECT_EQ(graph.graph.type_name(make_id<TypeId>(0)), "2.0/-1");
  EXPECT_EQ(graph.graph.type_name(make_id<TypeId>(1)), "2.0/0.5");
}

TEST(HeteroSwf, ComesBackFromItsWriter) {
  Random random(3);
  RandomShape shape;
  shape.min_classes = 2;
  for (int round = 0; round < rounds(100); ++round) {
    const Instance instance = random_instance(random, shape);
    const io::TimedGraph graph = swf(io::write_hetero_swf(instance));
    ASSERT_EQ(graph.columns, instance.platform.class_count());
    ASSERT_EQ(graph.graph.task_count(), instance.graph.task_count());
    for (const TaskId task : instance.graph.tasks()) {
      EXPECT_TRUE(std::ranges::equal(graph.graph.predecessors(task), instance.graph.predecessors(task)));
      for (const ClassId c : instance.platform.classes()) {
        EXPECT_EQ(duration(graph, index(task), index(c)), instance.costs.actual(task, c));
      }
    }
  }
}

TEST(Stg, ReadsTheExample) {
  const io::TimedGraph graph = stg(kStg);
  EXPECT_EQ(graph.columns, 1u);
  EXPECT_EQ(graph.graph.task_count(), 5u);
  EXPECT_EQ(predecessors(graph, 3), (Names{"1", "2"}));
  EXPECT_EQ(duration(graph, 2, 0), 6 * kSecond);
  EXPECT_EQ(stg(kStg, kMillisecond).durations[1], 4 * kMillisecond);
}

TEST(Stg, AcceptsACountThatIncludesTheDummies) {
  EXPECT_EQ(stg(mutated(kStg, "3\n", "5\n")).graph.task_count(), 5u);
}

TEST(Place, PutsColumnsOnClassesByPosition) {
  const Instance instance = io::place(swf(kSwf), Platform({{"slow", 2, "ram", {}}, {"fast", 1, "ram", {}}}));
  EXPECT_EQ(instance.name, "g");
  EXPECT_EQ(instance.costs.actual(make_id<TaskId>(1), make_id<ClassId>(1)), 750 * kMillisecond);
  EXPECT_FALSE(instance.costs.can_run(make_id<TaskId>(0), make_id<ClassId>(1)));
}

TEST(Place, SaysWhichPlatformWouldFit) {
  const Platform one({{"cpu", 2, "ram", {}}});
  const Platform none({{"cpu", 0, "ram", {}}, {"gpu", 1, "ram", {}}});
  EXPECT_EQ(error_of([&] { static_cast<void>(io::place(swf(kSwf), one)); }),
            "folder/g.txt: the file gives 2 durations per task, but the platform has 1 class; expected one class per "
            "duration, e.g. --platform counts:cpu=16,gpu=4");
  EXPECT_EQ(error_of([&] { static_cast<void>(io::place(swf(kSwf), none)); }),
            "folder/g.txt: task '7' of type '3.0/-1' can run on no class that has a worker (gpu)");
  EXPECT_EQ(error_of([&] { static_cast<void>(io::place(stg(kStg), none)); }),
            "g.stg: the file gives 1 duration per task, but the platform has 2 classes; expected one class per "
            "duration, e.g. --platform counts:cpu=16");
}

using SwfMistakes = testing::TestWithParam<Mistake>;
TEST_P(SwfMistakes, GetOneClearSentence) {
  const std::string text = mutated(kSwf, GetParam().from, GetParam().to);
  EXPECT_EQ(error_of([&] { static_cast<void>(swf(text)); }), GetParam().sentence);
}

const Mistake kSwfMistakes[] = {
    {kSwf, "", "folder/g.txt: there is no task in the file"},
    {kSwf, "1 2 3 4 5\n",
     "folder/g.txt:1: the line has 5 fields and is the shortest; expected one task without predecessors: an id and 2 "
     "or 3 durations"},
    {"9 10.5 0.75 7", "9 10.5",
     "folder/g.txt:2: the line has 2 fields and is the shortest; expected one task without predecessors: an id and 2 "
     "or 3 durations"},
    {"9 10.5 0.75 7", "9 ten 0.75 7", "folder/g.txt:2: the duration is 'ten'; expected a number that is not negative"},
    {"9 10.5 0.75 7", "9 -2 0.75 7", "folder/g.txt:2: the duration is '-2'; expected a number that is not negative"},
    {"9 10.5 0.75 7", "9 1e20 0.75 7",
     "folder/g.txt:2: the duration is '1e20': the time does not fit in 64 bits of picoseconds (106 days)"},
    {"9 10.5 0.75 7", "9 -1 -1 7", "folder/g.txt:2: task 9 can run nowhere; expected at least one duration"},
    {"9 10.5 0.75 7", "9.5 10.5 0.75 7", "folder/g.txt:2: found '9.5' where the number of a task was expected"},
    {"9 10.5 0.75 7", "9 10.5 0.75 8",
     "folder/g.txt:2: there is no task 8, which this one is said to wait for; the file has 2 columns of durations, "
     "since line 1 has no more"},
    {"9 10.5 0.75 7", "9 10.5 0.75 7.5", "folder/g.txt:2: found '7.5' where the number of a task was expected"},
    {"9 10.5 0.75 7", "7 10.5 0.75 7", "folder/g.txt:2: there is a second task 7; the first is on line 1"},
    {"9 10.5 0.75 7", "9 10.5 0.75 7;12", "folder/g.txt:2: found '7;12' where the number of a task was expected"},
    {"9 10.5 0.75 7", "9 10.5 0.75 20", "folder/g.txt: the dependencies form a cycle: '9' -> '20' -> '9'"},
    {"9 10.5 0.75 7", "99999999999999999999 10.5 0.75 7",
     "folder/g.txt:2: found '99999999999999999999' where the number of a task was expected"},
};
INSTANTIATE_TEST_SUITE_P(Swf, SwfMistakes, testing::ValuesIn(kSwfMistakes));

using StgMistakes = testing::TestWithParam<Mistake>;
TEST_P(StgMistakes, GetOneClearSentence) {
  const std::string text = mutated(kStg, GetParam().from, GetParam().to);
  EXPECT_EQ(error_of([&] { static_cast<void>(stg(text)); }), GetParam().sentence);
}

const Mistake kStgMistakes[] = {
    {kStg, "", "g.stg: there is no task in the file"},
    {"3\n", "3 5\n", "g.stg:1: the first line has more than one field; expected the number of tasks alone"},
    {"3\n", "three\n", "g.stg:1: found 'three' where the number of tasks was expected"},
    {"3\n", "4\n", "g.stg: the first line announces 4 tasks, but there are lines for 5; expected as many, or two more"},
    {"3\n", "1000000000000\n",
     "g.stg: the first line announces 1000000000000 tasks, but there are lines for 5; expected as many, or two more"},
    {" 1  4  1  0", " 1  4",
     "g.stg:3: the line has 2 fields; expected id, time, number of predecessors, and the predecessors"},
    {" 1  4  1  0", " 1  4  2  0", "g.stg:3: the line announces 2 predecessors and has 1"},
    {" 1  4  1  0", " 1  4  0  0", "g.stg:3: the line announces 0 predecessors and has 1"},
    {" 1  4  1  0", " 1  -1  1  0", "g.stg:3: the duration is '-1'; expected a number that is not negative"},
    {" 1  4  1  0", " 1  4  1  9", "g.stg:3: there is no task 9, which this one is said to wait for"},
    {" 1  4  1  0", " 2  4  1  0", "g.stg:4: there is a second task 2; the first is on line 3"},
    {" 1  4  1  0", " 1  4  1  3", "g.stg: the dependencies form a cycle: '1' -> '3' -> '1'"},
    {" 1  4  1  0", " a  4  1  0", "g.stg:3: found 'a' where the number of a task was expected"},
};
INSTANTIATE_TEST_SUITE_P(Stg, StgMistakes, testing::ValuesIn(kStgMistakes));

}  // namespace
}  // namespace heddle::test
