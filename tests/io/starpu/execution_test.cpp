#include "heddle/io/starpu/execution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "tests/io/starpu/recorded_text.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::io::execution_test {
namespace {

using test::record;
using testing::HasSubstr;
using testing::IsEmpty;

/// What a record says of the run, in milliseconds.
std::string ran(int worker, int node, const std::string& submit, const std::string& start, const std::string& end) {
  return "WorkerId: " + std::to_string(worker) + "\nMemoryNode: " + std::to_string(node) + "\nSubmitTime: " + submit +
         "\nStartTime: " + start + "\nEndTime: " + end + "\n";
}

/// One GPU and three cores, of which the second runs nothing; GEMM 3 waits for GEMM 1.
std::string small_run() {
  return record("1", {.extra = ran(0, 1, "1", "2", "4")}) + record("2", {.extra = ran(3, 0, "1", "3", "9")}) +
         record("3", {.depends_on = "1", .extra = ran(0, 1, "5", "6", "9")}) +
         record("4", {.name = "SYRK", .model = "syrk_model", .extra = ran(1, 0, "5", "6", "7")});
}

Execution execution(const std::string& text, const std::optional<Machine>& machine = std::nullopt) {
  return execution_of(read_tasks_rec(text, "some.rec"), machine);
}

std::string error_of(const std::string& text, const std::optional<Machine>& machine = std::nullopt) {
  try {
    static_cast<void>(execution(text, machine));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

constexpr TaskId task(std::size_t number) {
  return make_id<TaskId>(number);
}
constexpr WorkerId worker(std::size_t number) {
  return make_id<WorkerId>(number);
}
constexpr ClassId kCpu = make_id<ClassId>(0);
constexpr ClassId kGpu = make_id<ClassId>(1);

TEST(Execution, IsWhatHappenedOnTheWorkersThatItNames) {
  const Execution run = execution(small_run());
  const Platform& platform = run.instance.platform;
  ASSERT_EQ(platform.class_count(), 2U);
  EXPECT_EQ(platform.class_name(kCpu), "cpu");
  EXPECT_EQ(platform.worker_count(kCpu), 3U);
  EXPECT_EQ(platform.worker_count(kGpu), 1U);
  EXPECT_THAT(validate(run.instance, run.schedule), IsEmpty());
  // The first submission is the start: all is a millisecond earlier.
  const auto ms = [](Time count) { return count * kMillisecond; };
  EXPECT_EQ(run.schedule.attempts, (std::vector<Attempt>{{task(0), worker(3), ms(1), ms(3), Outcome::completed},
                                                         {task(3), worker(0), ms(5), ms(6), Outcome::completed},
                                                         {task(1), worker(2), ms(2), ms(8), Outcome::completed},
                                                         {task(2), worker(3), ms(5), ms(8), Outcome::completed}}));
  EXPECT_EQ(run.submitted[task(0)], 0);
  EXPECT_EQ(run.submitted[task(2)], ms(4));
}

TEST(Execution, TasksTakeWhatTheyTookAndElsewhereTheMean) {
  const Execution run = execution(small_run());
  const Costs& costs = run.instance.costs;
  EXPECT_EQ(costs.actual(task(0), kGpu), 2 * kMillisecond);
  EXPECT_EQ(costs.actual(task(2), kGpu), 3 * kMillisecond);
  EXPECT_EQ(costs.actual(task(1), kGpu), kMillisecond * 5 / 2);
  EXPECT_EQ(costs.actual(task(0), kCpu), 6 * kMillisecond);
  EXPECT_FALSE(costs.can_run(task(3), kGpu));
  EXPECT_EQ(run.confined, 1U);
}

/// Two workers on each of two devices, and a core.
std::string shared_devices() {
  std::string text = record("1", {.handles = "5a00", .modes = "W", .sizes = "4096", .extra = ran(4, 0, "1", "1", "2")});
  for (const int worker : {0, 1, 2, 3}) {
    text += record(std::to_string(2 + worker), {.depends_on = "1",
                                                .handles = "5a00",
                                                .modes = "R",
                                                .sizes = "4096",
                                                .extra = ran(worker, 1 + worker / 2, "1", "5", "7")});
  }
  return text;
}

TEST(Execution, WorkersThatShareADeviceShareItsMemoryAndTransfers) {
  const Time ms = kMillisecond;
  const std::vector<RecordedTransfer> copies{{"5a00", 0, 1, 2 * ms, 3 * ms, 4096},
                                             {"5a00", 0, 2, 3 * ms, 5 * ms, 4096}};
  const Execution run = execution_of(read_tasks_rec(shared_devices(), "some.rec"), std::nullopt, copies);
  const Platform& platform = run.instance.platform;
  EXPECT_THAT(validate_attempts(run.instance, run.schedule), IsEmpty());
  ASSERT_EQ(platform.class_count(), 3U);
  EXPECT_EQ(platform.class_name(make_id<ClassId>(1)), "gpuA");
  EXPECT_EQ(platform.class_name(make_id<ClassId>(2)), "gpuB");
  ASSERT_EQ(run.schedule.transfers.size(), 2U);
  for (std::size_t device = 0; device < 2; ++device) {
    const Transfer& copy = run.schedule.transfers[device];
    EXPECT_EQ(platform.memories()[copy.from].name, "ram");
    for (const std::size_t w : {1 + 2 * device, 2 + 2 * device}) EXPECT_EQ(platform.memory_of(worker(w)), copy.to);
  }
  // Devices are alike: a task takes on the other what such tasks took on one.
  EXPECT_EQ(run.instance.costs.actual(task(1), make_id<ClassId>(2)), 2 * ms);
  // A machine has its own classes.
  Machine machine{"small", {{"cpu", 1, "ram", {}}, {"gpu", 4, "each", {}}}, {}, {}, {}};
  machine.kernels = {{"", 0, "", "gemm_model", "24c84a50", {{"cpu", 90}, {"gpu", 3}}, false}};
  EXPECT_EQ(execution(shared_devices(), machine).instance.platform.class_count(), 2U);
}

TEST(Execution, AMachineSaysWhatTasksTakeElsewhere) {
  Machine machine{"small", {{"cpu", 4, "ram", {}}, {"gpu", 1, "each", {}}}, {}, {}, {}};
  machine.kernels = {{"", 0, "", "gemm_model", "24c84a50", {{"cpu", 90}, {"gpu", 3}}, false},
                     {"", 0, "", "syrk_model", "24c84a50", {{"cpu", 70}, {"gpu", 2}}, false}};
  const Execution run = execution(small_run(), machine);
  EXPECT_EQ(run.instance.platform.worker_count(kCpu), 4U);
  EXPECT_EQ(run.instance.costs.actual(task(0), kCpu), 90);
  EXPECT_EQ(run.instance.costs.actual(task(0), kGpu), 2 * kMillisecond);
  EXPECT_EQ(run.confined, 0U);
  EXPECT_EQ(run.schedule.attempts[0].worker, worker(4));
  machine.classes[0].workers = 2;
  EXPECT_EQ(error_of(small_run(), machine), "some.rec: tasks ran on 3 cpu workers; the machine has 2");
}

TEST(Execution, AnEndThatIsNotedLateIsWhenTheNextStarts) {
  // The second starts on another core before the engine says that the first has ended, the third on the same one.
  const Execution run = execution(record("1", {.extra = ran(0, 0, "1", "2", "5")}) +
                                  record("2", {.depends_on = "1", .extra = ran(1, 0, "1", "4", "6")}) +
                                  record("3", {.extra = ran(1, 0, "1", "5.5", "7")}));
  EXPECT_THAT(validate(run.instance, run.schedule), IsEmpty());
  EXPECT_EQ(run.schedule.attempts[0].end, 3 * kMillisecond);
  EXPECT_EQ(run.schedule.attempts[1].end, kMillisecond * 9 / 2);
}

TEST(Execution, RefusesWhatIsNoRunOfOneMachine) {
  EXPECT_EQ(error_of(record("1")), "some.rec: task 'GEMM#1' has no EndTime; expected a recording of a run");
  EXPECT_THAT(error_of(record("0_1", {.extra = ran(0, 0, "1", "2", "5")})), HasSubstr("several MPI ranks"));
  EXPECT_THAT(error_of(record("1", {.extra = ran(1'000'000, 0, "1", "2", "5")})),
              HasSubstr("ran on worker 1000000; expected fewer than a million workers"));
}

TEST(Execution, OfRealRecordingsIsValidAndAsLongAsStarPUSays) {
  HEDDLE_REQUIRE_DATA(data);
  for (const std::string name : {"cholesky-n08", "cholesky-n12", "cholesky-n20", "lu-n08", "lu-n12"}) {
    SCOPED_TRACE(name);
    const std::string stem = (data / "traces" / name).string();
    const Execution run = execution_of(load_recording(stem + ".mirage-dmdas.tasks.rec"), std::nullopt);
    EXPECT_THAT(validate_attempts(run.instance, run.schedule), IsEmpty());
    const auto said =
        nlohmann::json::parse(test::read_file(stem + ".json"))["machines"]["mirage"]["dmdas"]["makespan_ms"]
            .get<double>();
    EXPECT_NEAR(to_seconds(run.schedule.makespan()) * 1e3, said, 1e-6);
  }
}

}  // namespace
}  // namespace heddle::io::execution_test
