#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "heddle/io/starpu/recording.hpp"
#include "heddle/model/error.hpp"
#include "tests/io/starpu/recorded_text.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::io::tasks_rec_test {
namespace {

using test::record;
using test::sync;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Recording read(const std::string& text) {
  return read_tasks_rec(text, "runs/some.tasks.rec");
}

/// The names of a task's predecessors, separated by blanks.
std::string waits_for(const Recording& recording, std::size_t task) {
  std::string names;
  for (const TaskId from : recording.graph.predecessors(make_id<TaskId>(task))) {
    names += (names.empty() ? "" : " ") + std::string(recording.graph.name(from));
  }
  return names;
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(read(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

constexpr const char* kThreeTasks = R"(# a comment
Name: SYRK
Model: chol_model_syrk
JobId: 13
SubmitOrder: 4
Priority: -1
DependsOn: 12
DepLabels: task
Tag: 0
WorkerId: 1
StartTime: 13.900000
EndTime: 15.300000
Footprint: ff82dda0
SomethingNew: 17 of them
Handles: a10 a11
Modes: R RW
Sizes: 3686400 3686400

Control: WontUse
JobId: 14
SubmitOrder: 3
Handles: a10
MPIRank: -1

Name: TRSM
Model: chol_model_trsm
JobId: 12
SubmitOrder: 2
WorkerId: 0
StartTime: 6.4
EndTime: 12.8
Footprint: FF82DDA0
Handles: a00 a10
Modes: R RW
Sizes: 3686400
+ 3686400

Name: POTRF
Model: chol_model_potrf
JobId: 11
SubmitOrder: 1
Priority: 3
WorkerId: 0
EndTime: 5.366740
Footprint: 17e5fe6
Handles: a00
Modes: RW
Sizes: 3686400
)";

TEST(TasksRec, TasksAreNumberedInSubmissionOrderAndNamedByJob) {
  const Recording recording = read(kThreeTasks);
  EXPECT_EQ(recording.name, "some");
  ASSERT_EQ(recording.graph.task_count(), 3U);
  EXPECT_EQ(recording.graph.name(TaskId{0}), "POTRF#11");
  EXPECT_EQ(recording.graph.name(TaskId{1}), "TRSM#12");
  EXPECT_EQ(recording.graph.name(TaskId{2}), "SYRK#13");
  EXPECT_EQ(recording.graph.priority(TaskId{0}), 3);
  EXPECT_EQ(recording.graph.priority(TaskId{2}), -1);
  EXPECT_THAT(recording.warnings, IsEmpty());
}

TEST(TasksRec, AccessesAndDependsOnImplyTheDependencies) {
  const Recording recording = read(kThreeTasks);
  EXPECT_EQ(waits_for(recording, 0), "");
  EXPECT_EQ(waits_for(recording, 1), "POTRF#11");
  EXPECT_EQ(waits_for(recording, 2), "TRSM#12");
}

TEST(TasksRec, CostKeysAndRunsAreKept) {
  const Recording recording = read(kThreeTasks);
  const TypeId potrf = recording.graph.type(TaskId{0});
  EXPECT_EQ(recording.graph.type_name(potrf), "POTRF");
  EXPECT_EQ(recording.cost_keys[potrf], (CostKey{"chol_model_potrf", "017e5fe6"}));
  EXPECT_EQ(recording.cost_keys[recording.graph.type(TaskId{1})].footprint, "ff82dda0");
  EXPECT_EQ(recording.runs[TaskId{0}].duration, 5'366'740'000);
  EXPECT_EQ(recording.runs[TaskId{2}].worker, 1U);
}

TEST(TasksRec, DataHaveTheirSizesAndLiveInRam) {
  const Recording recording = read(kThreeTasks);
  ASSERT_EQ(recording.graph.data_count(), 3U);
  EXPECT_EQ(recording.graph.datum(DataId{0}).name, "a00");
  EXPECT_EQ(recording.graph.datum(DataId{1}).bytes, 3686400);
  EXPECT_EQ(recording.graph.datum(DataId{2}).home, "ram");
  EXPECT_THAT(recording.graph.accesses(TaskId{1}),
              ElementsAre(Access{DataId{0}, AccessMode::read}, Access{DataId{1}, AccessMode::read_write}));
}

TEST(TasksRec, OneNameWithTwoSizesMakesTwoTypes) {
  const Recording recording =
      read(record("1", {.order = 1}) + record("2", {.order = 2, .footprint = "aa"}) + record("3", {.order = 3}));
  ASSERT_EQ(recording.graph.type_count(), 2U);
  EXPECT_EQ(recording.graph.type_name(TypeId{0}), "GEMM.24c84a50");
  EXPECT_EQ(recording.graph.type_name(TypeId{1}), "GEMM.000000aa");
  EXPECT_EQ(recording.graph.type(TaskId{2}), TypeId{0});
}

TEST(TasksRec, TypeNamesAreDifferentWhateverTheTasksAreCalled) {
  const Recording recording =
      read(record("1", {.name = "A.000000aa", .order = 1}) + record("2", {.name = "A", .order = 2}) +
           record("3", {.name = "A", .order = 3, .footprint = "aa"}) +
           record("4", {.name = "A", .model = "other", .order = 4, .footprint = "aa"}));
  EXPECT_EQ(recording.graph.type_name(TypeId{0}), "A.000000aa");
  EXPECT_EQ(recording.graph.type_name(TypeId{2}), "A.000000aa.2");
  EXPECT_EQ(recording.graph.type_name(TypeId{3}), "A.000000aa.3");
}

TEST(TasksRec, ATaskWithoutNameIsCalledLikeItsModel) {
  const Recording recording = read(record("5", {.name = ""}) + record("6", {.name = "", .model = ""}));
  EXPECT_EQ(recording.graph.name(TaskId{0}), "gemm_model#5");
  EXPECT_EQ(recording.graph.name(TaskId{1}), "task#6");
}

TEST(TasksRec, DependenciesPassThroughSynchronisation) {
  const Recording recording = read(record("1") + record("2") + sync("3", "1 2") + sync("4", "3") +
                                   "Control: WontUse\nJobId: 5\nDependsOn: 4\n\n" + record("6", {.depends_on = "5"}));
  ASSERT_EQ(recording.graph.task_count(), 3U);
  EXPECT_EQ(waits_for(recording, 2), "GEMM#1 GEMM#2");
}

TEST(TasksRec, WontUseWritesBackValuesThatAreFinal) {
  const auto task = [](int order, const char* handle, const char* mode) {
    return record(std::to_string(order), {.order = order, .handles = handle, .modes = mode, .sizes = "8"});
  };
  const auto wont_use = [](int order, const char* handles) {
    return "Control: WontUse\nJobId: " + std::to_string(order) + "\nSubmitOrder: " + std::to_string(order) +
           "\nHandles: " + handles + "\n\n";
  };
  // "a" is read once more and "b" written once more, "c" has no home, "d" is not mentioned, "e" is not known.
  const std::string text = task(1, "a", "RW") + task(2, "b", "RW") + task(3, "c", "RW") + task(4, "d", "RW") +
                           wont_use(5, "a b e") + wont_use(6, "c") + task(7, "a", "R") + task(8, "b", "RW");
  const Recording recording = read_tasks_rec(text, "some", {{.handle = "c", .name = "", .bytes = 8, .home_node = -1}});
  std::string written_back;
  for (const Datum& datum : recording.graph.data()) written_back += datum.write_back ? datum.name : "";
  EXPECT_EQ(written_back, "a");
}

TEST(TasksRec, InternalTasksThatRanAreSynchronisationToo) {
  const Recording recording =
      read(record("1") + record("2", {.name = "_starpu_copy", .depends_on = "1"}) + record("3", {.depends_on = "2"}));
  ASSERT_EQ(recording.graph.task_count(), 2U);
  EXPECT_EQ(waits_for(recording, 1), "GEMM#1");
}

TEST(TasksRec, AccessesOfSynchronisationOrderTasksAndLeaveNoData) {
  const Recording recording =
      read(record("1", {.order = 1, .handles = "a", .modes = "R"}) +
           record("2", {.name = "barrier", .model = "", .order = 2, .handles = "a b", .modes = "RW RW", .ran = false}) +
           record("3", {.order = 3, .handles = "a", .modes = "R"}));
  EXPECT_EQ(waits_for(recording, 1), "GEMM#1");
  EXPECT_EQ(recording.graph.data_count(), 1U);
}

TEST(TasksRec, ModesDecideWhatWaits) {
  const auto second_waits = [](const std::string& first, const std::string& second) {
    return !waits_for(read(record("1", {.order = 1, .handles = "a", .modes = first}) +
                           record("2", {.order = 2, .handles = "a", .modes = second})),
                      1)
                .empty();
  };
  EXPECT_FALSE(second_waits("R", "R"));
  EXPECT_TRUE(second_waits("R", "W"));
  EXPECT_TRUE(second_waits("W", "R"));
  EXPECT_FALSE(second_waits("S", "RW"));
  EXPECT_FALSE(second_waits("RWC", "RWC"));
  EXPECT_FALSE(second_waits("X", "X"));
  EXPECT_FALSE(second_waits("X-mpi", "X-mpi"));
  EXPECT_TRUE(second_waits("X", "R"));
  EXPECT_TRUE(second_waits("RWC", "R"));
}

TEST(TasksRec, AHandleNamedTwiceIsOneAccess) {
  const Recording recording =
      read(record("1", {.order = 1, .handles = "a a b b", .modes = "RWC RWC R W", .sizes = "1 3 0 0"}));
  EXPECT_THAT(recording.graph.accesses(TaskId{0}),
              ElementsAre(Access{DataId{0}, AccessMode::commute}, Access{DataId{1}, AccessMode::read_write}));
  EXPECT_EQ(recording.graph.datum(DataId{0}).bytes, 3);
}

TEST(TasksRec, UnknownJobsAreCountedInOneWarning) {
  const Recording recording = read(record("1", {.depends_on = "77 78"}) + record("2", {.depends_on = "77 1"}));
  EXPECT_EQ(waits_for(recording, 1), "GEMM#1");
  EXPECT_THAT(recording.warnings, ElementsAre(HasSubstr("3 dependencies on 2 jobs that the file does not hold")));
}

TEST(TasksRec, WithoutSubmitOrderTheFileIsTheProgram) {
  const Recording recording =
      read(record("9", {.handles = "a", .modes = "W"}) + record("3", {.handles = "a", .modes = "R"}));
  EXPECT_EQ(recording.graph.name(TaskId{0}), "GEMM#9");
  EXPECT_EQ(waits_for(recording, 1), "GEMM#9");
}

/// StarPU submits reductions when a reader comes, after the reader got its JobId; the reader waits for them.
TEST(TasksRec, InternallySubmittedTasksDependByDependsOnAlone) {
  const Recording recording = read(record("1", {.order = 1, .handles = "a", .modes = "X"}) +
                                   record("3", {.name = "redux", .depends_on = "1", .handles = "a", .modes = "RW"}) +
                                   record("2", {.order = 2, .depends_on = "3", .handles = "a", .modes = "R"}) +
                                   record("4", {.order = 3, .handles = "b", .modes = "R"}));
  ASSERT_EQ(recording.graph.task_count(), 4U);
  EXPECT_EQ(recording.graph.name(TaskId{2}), "redux#3");
  EXPECT_EQ(waits_for(recording, 1), "GEMM#1 redux#3");
  EXPECT_THAT(recording.warnings, ElementsAre(HasSubstr("accesses of 1 task without SubmitOrder")));
}

TEST(TasksRec, EachRankHasItsOwnHandles) {
  const Recording recording = read(record("0_1", {.order = 1, .handles = "a", .modes = "W"}) +
                                   record("1_1", {.order = 1, .handles = "a", .modes = "W"}) +
                                   record("1_2", {.order = 2, .depends_on = "0_1", .handles = "a", .modes = "R"}));
  EXPECT_EQ(waits_for(recording, 2), "GEMM#0_1 GEMM#1_1");
  EXPECT_EQ(recording.graph.datum(DataId{1}).name, "1_a");
}

TEST(TasksRec, CompanionTellsNamesSizesAndHomes) {
  const auto data = read_data_rec(
      "Handle: a\nHomeNode: 1\nName: A\nSize: 64\nDescription: M\n\nHandle: b\nHomeNode: -1\nName: B\nSize: 8\n\n"
      "Handle: c\nHomeNode: 0\nName: B\nSize: 9\n",
      "data.rec");
  const Recording recording = read_tasks_rec(record("1", {.handles = "a b c", .modes = "R R R"}), "tasks.rec", data);
  EXPECT_EQ(recording.name, "tasks");
  EXPECT_EQ(recording.graph.datum(DataId{0}).name, "A");
  EXPECT_EQ(recording.graph.datum(DataId{0}).home, "gpu0");
  EXPECT_EQ(recording.graph.datum(DataId{1}).name, "b");
  EXPECT_EQ(recording.graph.datum(DataId{1}).home, "ram");
  EXPECT_EQ(recording.graph.datum(DataId{2}).bytes, 9);
}

TEST(TasksRec, AChainOfSynchronisationIsCheap) {
  // As long as the quadratic way would take minutes.
  constexpr int kLast = test::kSanitized ? 20'000 : 60'000;
  std::string text;
  for (int i = 1; i <= 2000; ++i) text += record(std::to_string(i));
  std::string all;
  for (int i = 1; i <= 2000; ++i) all += std::to_string(i) + " ";
  text += sync("2001", all);
  for (int i = 2002; i <= kLast; ++i) text += sync(std::to_string(i), std::to_string(i - 1));
  text += record(std::to_string(kLast + 1), {.depends_on = std::to_string(kLast)});
  const Recording recording = read(text);
  EXPECT_EQ(recording.graph.task_count(), 2001U);
  EXPECT_EQ(recording.graph.edge_count(), 2000U);
}

TEST(TasksRec, BrokenFilesAreToldByLine) {
  EXPECT_EQ(error_of("JobId: 1\nno colon here\n"),
            "runs/some.tasks.rec:2: found 'no colon here'; expected a field 'Name: value' or an empty line");
  EXPECT_EQ(error_of(record("1") + record("2", {.extra = "Priority: high\n"})),
            "runs/some.tasks.rec:12: Priority is 'high'; expected a whole number of 64 bits");
  EXPECT_THAT(error_of(record("x1")), HasSubstr(":3: JobId is 'x1'; expected a number, or '<rank>_<number>'"));
  EXPECT_THAT(error_of(record("1") + record("1")), HasSubstr("found JobId '1' again; expected another one than"));
  EXPECT_THAT(error_of(record("1", {.footprint = "123456789"})), HasSubstr("expected 1 to 8 hexadecimal digits"));
  EXPECT_THAT(error_of(record("1", {.extra = "StartTime: 2\nEndTime: 1\n"})), HasSubstr("ends before it starts"));
  EXPECT_THAT(error_of(record("1", {.extra = "EndTime: 1e30\n"})), HasSubstr("expected milliseconds from 0"));
  EXPECT_THAT(error_of(record("")), HasSubstr("has no JobId; expected one"));
  EXPECT_THAT(error_of(record("1", {.name = "\xC0\xC0"})), HasSubstr("; expected text in UTF-8"));
}

TEST(TasksRec, AFileThatEndsWithinARecordIsNotWhole) {
  const std::string rank = "MPIRank: -1\n";
  const std::string whole = record("10", {.extra = rank});
  const std::string last =
      record("11", {.depends_on = "10", .handles = "a", .modes = "RW", .sizes = "8", .extra = rank});
  const std::size_t read_by_then = last.find("MPIRank:") + std::string("MPIRank:").size();
  for (std::size_t length = 1; length < last.size(); ++length) {
    const std::string error = error_of(whole + last.substr(0, length));
    EXPECT_EQ(error == "no error", length >= read_by_then) << length << ": " << error;
  }
  EXPECT_EQ(
      error_of(whole + last.substr(0, last.find("DependsOn"))),
      "runs/some.tasks.rec:8: the last record has no MPIRank, which all others have; expected a file that is whole");
  EXPECT_EQ(error_of(record("1", {.extra = rank}) + record("2") + record("3")), "no error") << "not StarPU's own";
}

TEST(TasksRec, BrokenAccessesAreToldByLine) {
  EXPECT_THAT(error_of(record("1", {.handles = "a b", .modes = "R"})), HasSubstr("Handles has 2 words; expected 1"));
  EXPECT_THAT(error_of(record("1", {.modes = "R"})), HasSubstr("Modes has 0 words; expected 1"));
  EXPECT_THAT(error_of(record("1", {.handles = "a", .modes = "Q"})), HasSubstr("Modes is 'Q'; expected words of"));
  EXPECT_THAT(error_of(record("1", {.handles = "a", .modes = "R", .sizes = "-4"})), HasSubstr("Sizes is '-4'"));
  EXPECT_THAT(error_of(record("1", {.handles = "a", .modes = "R", .sizes = "4 4"})), HasSubstr("Sizes has 2 words"));
}

TEST(TasksRec, CyclesAreTold) {
  EXPECT_THAT(error_of(record("1", {.depends_on = "3"}) + record("2", {.depends_on = "1"}) + sync("3", "2")),
              HasSubstr("runs/some.tasks.rec: the dependencies form a cycle: "));
  EXPECT_THAT(error_of(record("1", {.depends_on = "1"})), HasSubstr("'GEMM#1' -> 'GEMM#1'"));
}

TEST(TasksRec, AFileWithoutTasksIsAnError) {
  for (const std::string& text : {std::string(), std::string("# nothing\n"), sync("1")}) {
    EXPECT_EQ(error_of(text),
              "runs/some.tasks.rec: found no task; expected records with a JobId and the WorkerId that ran them");
  }
}

TEST(TasksRec, LineEndsOfOtherSystemsAndDescriptorsAreTolerated) {
  const Recording recording = read("%rec: Task\r\n%key: JobId\r\n\r\nName: A\r\nJobId: 1\r\nWorkerId: 0\r\n\r\n");
  EXPECT_EQ(recording.graph.name(TaskId{0}), "A#1");
}

}  // namespace
}  // namespace heddle::io::tasks_rec_test
