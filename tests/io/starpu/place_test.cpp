#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "heddle/io/starpu/recording.hpp"
#include "heddle/model/error.hpp"
#include "tests/io/starpu/recorded_text.hpp"

namespace heddle::io {
namespace {

using test::record;
using testing::HasSubstr;

Machine small_machine() {
  Machine machine;
  machine.name = "small";
  machine.classes = {{"cpu", 2, "ram", {}}, {"gpu", 1, "each", {}}};
  machine.kernels = {
      {"GEMM", 960, "single", "gemm_model", "24C84A50", {{"cpu", 90}, {"gpu", 3}}, false},
      {"", 0, "", "gemm_model", "aa", {{"cpu", 7}}, false},
      {"GEMM", 960, "double", "", "", {{"cpu", 1}}, false},
  };
  return machine;
}

std::string error_of(const std::string& text, const Machine& machine) {
  try {
    static_cast<void>(place(read_tasks_rec(text, "some.rec"), machine));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PlacedRecording, DurationsComeFromTheMachineByCodeletAndFootprint) {
  const Recording recording =
      read_tasks_rec(record("1") + record("2", {.depends_on = "1", .footprint = "aa"}), "some.rec");
  const Instance instance = place(recording, small_machine());
  EXPECT_EQ(instance.name, "some");
  EXPECT_EQ(instance.costs.actual(TaskId{0}, ClassId{0}), 90);
  EXPECT_EQ(instance.costs.actual(TaskId{0}, ClassId{1}), 3);
  EXPECT_EQ(instance.costs.actual(TaskId{1}, ClassId{0}), 7);
  EXPECT_FALSE(instance.costs.can_run(TaskId{1}, ClassId{1}));
}

TEST(PlacedRecording, AnUnknownFootprintIsNotGuessed) {
  EXPECT_EQ(error_of(record("1", {.footprint = "bb"}), small_machine()),
            "some.rec: tasks of type 'GEMM' need the duration of codelet 'gemm_model' with footprint 000000bb, which "
            "machine 'small' lacks; it has that codelet with footprint 000000aa, 24c84a50 (tile 960), and a duration "
            "is not guessed");
}

TEST(PlacedRecording, AnUnknownCodeletIsNotGuessed) {
  EXPECT_THAT(error_of(record("1", {.model = "other"}), small_machine()),
              HasSubstr("lacks; it has the codelets gemm_model, and"));
  EXPECT_THAT(error_of(record("1"), {"bare", {{"cpu", 1, "ram", {}}}, {}, {}, {}}), HasSubstr("no codelet at all"));
  EXPECT_THAT(error_of(record("1", {.model = ""}), small_machine()),
              HasSubstr("type 'GEMM' were recorded without a performance model"));
}

TEST(PlacedRecording, ACodeletWithoutLengthNeedsNoMeasurement) {
  const std::string at_once = "StartTime: 1.5\nEndTime: 1.5\n";
  const std::string text = record("1", {.name = "start", .model = "null", .footprint = "5533d9fd", .extra = at_once}) +
                           record("2", {.name = "nothing", .model = "", .footprint = "0", .extra = at_once}) +
                           record("3");
  const Instance instance = place(read_tasks_rec(text, "some.rec"), small_machine());
  for (const ClassId c : instance.platform.classes()) {
    EXPECT_EQ(instance.costs.actual(TaskId{0}, c), 0);
    EXPECT_EQ(instance.costs.actual(TaskId{1}, c), 0);
  }
  EXPECT_EQ(instance.costs.actual(TaskId{2}, ClassId{0}), 90);
}

TEST(PlacedRecording, ACodeletThatTookTimeOnceNeedsAMeasurement) {
  const std::string at_once = "StartTime: 1.5\nEndTime: 1.5\n";
  const std::string later = "StartTime: 1.5\nEndTime: 1.6\n";
  EXPECT_THAT(
      error_of(record("1", {.model = "null", .extra = at_once}) + record("2", {.model = "null", .extra = later}),
               small_machine()),
      HasSubstr("need the duration of codelet 'null'"));
}

TEST(PlacedRecording, AMeasurementCountsEvenForACodeletThatTookNoTime) {
  const std::string at_once = "StartTime: 1.5\nEndTime: 1.5\n";
  const Instance instance = place(read_tasks_rec(record("1", {.extra = at_once}), "some.rec"), small_machine());
  EXPECT_EQ(instance.costs.actual(TaskId{0}, ClassId{0}), 90);
}

TEST(PlacedRecording, ATaskNeedsAClassWithWorkers) {
  Machine machine = small_machine();
  machine.classes[0].workers = 0;
  EXPECT_THAT(error_of(record("1", {.footprint = "aa"}), machine), HasSubstr("can run on no class that has a worker"));
}

}  // namespace
}  // namespace heddle::io
