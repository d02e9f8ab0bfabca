#include "heddle/model/validate.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "heddle/model/routes.hpp"

namespace heddle::test {
namespace {

constexpr TaskId kX = make_id<TaskId>(0);
constexpr TaskId kY = make_id<TaskId>(1);
constexpr WorkerId kCpu = make_id<WorkerId>(0);
constexpr WorkerId kGpu = make_id<WorkerId>(1);

/// y waits for x; x takes 9 and 4 on CPU and GPU, y 3 on the GPU alone.
Instance chain() {
  TaskGraphBuilder builder;
  const DataId datum = builder.add_datum({"d", 1});
  const Access access{datum, AccessMode::commute};
  const TaskId x = builder.add_task("x", builder.add_type("x"), std::span(&access, 1));
  const TaskId y = builder.add_task("y", builder.add_type("y"), std::span(&access, 1));
  builder.add_edge(x, y);
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, make_id<ClassId>(0), 9);
  costs.set_actual(0, make_id<ClassId>(1), 4);
  costs.set_actual(1, make_id<ClassId>(1), 3);
  Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}});
  return make_instance("chain", std::move(graph), std::move(platform), std::move(costs));
}

const std::vector<Attempt> kValid{
    {kX, kCpu, 0, 2, Outcome::aborted}, {kX, kGpu, 2, 6, Outcome::completed}, {kY, kGpu, 6, 9, Outcome::completed}};

/// The violations after a change of the valid schedule, one per line.
std::string after(const std::function<void(std::vector<Attempt>&)>& change, Durations durations = Durations::exact) {
  Schedule schedule;
  schedule.attempts = kValid;
  change(schedule.attempts);
  std::string text;
  for (const std::string& violation : validate(chain(), schedule, durations)) text += violation + "\n";
  return text;
}

TEST(Validate, AcceptsAValidSchedule) {
  EXPECT_EQ(after([](auto&) {}), "");
}

TEST(Validate, NamesEveryViolation) {
  using Attempts = std::vector<Attempt>;
  EXPECT_EQ(after([](Attempts& a) { a.pop_back(); }), "task 'y' never completes\n");
  EXPECT_NE(after([](Attempts& a) { a.push_back({kY, kGpu, 9, 12, Outcome::completed}); }).find("completes 2 times"),
            std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[2].start = 5, a[2].end = 8; }).find("before its predecessor task 'x'"),
            std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[2].start = 5, a[2].end = 8; }).find("overlaps"), std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[2].end = 10; }).find("lasts 0.000000000004 s; the task takes 0.000000000003 s"),
            std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[2].worker = kCpu; }).find("class 'cpu' cannot run it"), std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[0].end = 9; }).find("was aborted after"), std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[0].start = -1; }).find("starts before time 0"), std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[0] = {kX, kCpu, 7, 8, Outcome::aborted}; }).find("after the task completed"),
            std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[0].end = 3; }).find("of the same task"), std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[0] = {kX, kCpu, 4, 8, Outcome::aborted}; }).find("of the same task"),
            std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[0].task = make_id<TaskId>(7); }).find("task number 7"), std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[0].worker = make_id<WorkerId>(7); }).find("worker number 7"), std::string::npos);
  EXPECT_NE(after([](Attempts& a) { a[2].start = 3, a[2].end = 6; }).find("both commute on datum 'd'"),
            std::string::npos);
}

TEST(Validate, LeavesDurationsFreeWhenAsked) {
  const auto longer = [](std::vector<Attempt>& attempts) { attempts[2].end = 100; };
  EXPECT_NE(after(longer), "");
  EXPECT_EQ(after(longer, Durations::free), "");
}

/// A task on the CPU writes a datum of 10 bytes and one on the GPU reads it, over a link of a byte per picosecond.
Instance linked() {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const DataId datum = builder.add_datum({"d", 10});
  const Access write{datum, AccessMode::write};
  const Access read{datum, AccessMode::read};
  builder.add_task("w", type, std::span(&write, 1));
  builder.add_task("r", type, std::span(&read, 1));
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (const ClassId c : ids<ClassId>(2)) costs.set_actual(0, c, 5);
  Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1, .memory = "gpu"}},
                    {{"ram", "gpu", 1e12, 0, {}}, {"gpu", "ram", 1e12, 0, {}}});
  return make_instance("linked", std::move(graph), std::move(platform), std::move(costs));
}

TEST(Validate, TakesTransfersAsLongAsTheyLastInARealRun) {
  const DataId datum = make_id<DataId>(0);
  const MemoryId ram = make_id<MemoryId>(0);
  const MemoryId gpu = make_id<MemoryId>(1);
  const auto run = [&](std::vector<Transfer> transfers, Durations durations) {
    Schedule schedule;
    schedule.attempts = {{kX, kCpu, 0, 5, Outcome::completed}, {kY, kGpu, 20, 25, Outcome::completed}};
    schedule.transfers = std::move(transfers);
    std::string text;
    for (const std::string& violation : validate(linked(), schedule, durations)) text += violation + "\n";
    return text;
  };
  // Slower and faster than the link, and beside another one; of a value that became outdated on the way.
  const std::vector<Transfer> slow{{datum, ram, gpu, 5, 20, 10}};
  const std::vector<Transfer> fast{{datum, ram, gpu, 6, 7, 10}};
  const std::vector<Transfer> outdated{{datum, ram, gpu, 1, 13, 10}};
  const std::vector<Transfer> beside{outdated[0], {datum, ram, gpu, 7, 18, 10}};
  EXPECT_EQ(run(slow, Durations::exact), "");
  EXPECT_NE(run(fast, Durations::exact).find("faster than its link"), std::string::npos);
  EXPECT_NE(run(beside, Durations::exact).find("overlaps"), std::string::npos);
  for (const auto& transfers : {slow, fast, beside}) EXPECT_EQ(run(transfers, Durations::free), "");
  // What is read has to be there all the same.
  const std::vector<Transfer> late{{datum, ram, gpu, 5, 21, 10}};
  for (const auto& transfers : {outdated, late, {}}) {
    EXPECT_NE(run(transfers, Durations::free).find("without datum 'd' in memory 'gpu'"), std::string::npos);
  }
}

TEST(Validate, WhatTakesNoTimeHappensInTheOrderOfItsTasks) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const DataId datum = builder.add_datum({"d", 0});
  for (const AccessMode mode : {AccessMode::reduce, AccessMode::read, AccessMode::write}) {
    const Access access{datum, mode};
    builder.add_task("task", type, std::span(&access, 1));
  }
  Instance instance = linked();
  instance.graph = builder.build();
  instance.costs = Costs(instance.graph, 2);
  for (const ClassId c : ids<ClassId>(2)) instance.costs.set_actual(0, c, 0);
  Schedule schedule;
  schedule.attempts = {{kX, kGpu, 0, 0, Outcome::completed},
                       {kY, kCpu, 0, 0, Outcome::completed},
                       {make_id<TaskId>(2), kGpu, 0, 0, Outcome::completed}};
  schedule.transfers = {{datum, make_id<MemoryId>(1), make_id<MemoryId>(0), 0, 0, 0}};
  EXPECT_EQ(validate(instance, schedule), std::vector<std::string>());
  schedule.transfers.clear();
  EXPECT_NE(validate(instance, schedule), std::vector<std::string>());
}

TEST(Validate, PartsAndTheValueMeetWhereTheyLikeAndMoreThanOnce) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const DataId datum = builder.add_datum({"d", 10});
  const Access reduce{datum, AccessMode::reduce};
  const Access read{datum, AccessMode::read};
  for (const char* name : {"a", "b"}) builder.add_task(name, type, std::span(&reduce, 1));
  builder.add_task("c", type, std::span(&read, 1));
  Instance instance = linked();
  instance.graph = builder.build();
  instance.costs = Costs(instance.graph, 2);
  for (const ClassId c : ids<ClassId>(2)) instance.costs.set_actual(0, c, 5);
  const MemoryId ram = make_id<MemoryId>(0);
  const MemoryId gpu = make_id<MemoryId>(1);
  const TaskId third = make_id<TaskId>(2);
  const auto run = [&](Attempt last, const std::vector<Transfer>& transfers) {
    Schedule schedule;
    schedule.attempts = {{kX, kGpu, 0, 5, Outcome::completed}, {kY, kGpu, 5, 10, Outcome::completed}, last};
    schedule.transfers = transfers;
    const std::vector<std::string> violations = validate(instance, schedule);
    return violations.empty() ? "" : violations.front();
  };
  const Attempt on_cpu{third, kCpu, 20, 25, Outcome::completed};
  const Attempt on_gpu{third, kGpu, 20, 25, Outcome::completed};
  const Transfer value{datum, ram, gpu, 4, 14, 10};
  const Transfer parts{datum, gpu, ram, 10, 20, 10};
  // The parts are under way to ram when the value arrives where they were left.
  EXPECT_EQ(run(on_cpu, {value, parts}), "");
  EXPECT_EQ(run(on_gpu, {value, parts}), "");
  EXPECT_EQ(run(on_cpu, {parts}), "");
  EXPECT_EQ(run(on_gpu, {value}), "");
  // Without the second part, without any, without the value.
  EXPECT_NE(run(on_cpu, {{datum, gpu, ram, 6, 16, 10}}), "");
  EXPECT_NE(run(on_cpu, {value}), "");
  EXPECT_NE(run(on_gpu, {parts}), "");
}

/// What is wrong with transfers of a datum to each of three GPUs, whose links share a bus; all have the same
/// bandwidth.
std::string flaw_of(const std::vector<std::pair<Time, Time>>& transfers, double bandwidth = 1e12) {
  TaskGraphBuilder builder;
  std::vector<ResourceClass> classes{{.name = "cpu", .workers = 1}};
  std::vector<Link> links;
  Schedule schedule;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const std::string memory = "gpu" + std::to_string(i);
    const auto& [start, end] = transfers[i];
    schedule.transfers.push_back({builder.add_datum({"d" + std::to_string(i), 12}), make_id<MemoryId>(0),
                                  make_id<MemoryId>(i + 1), start, end, 12});
    links.push_back({"ram", memory, bandwidth, 0, {"bus"}});
    links.push_back({memory, "ram", bandwidth, 0, {}});
  }
  classes.push_back({.name = "gpu", .workers = static_cast<std::uint32_t>(transfers.size()), .memory = "each"});
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  const Instance instance = make_instance("shared", std::move(graph),
                                          Platform(std::move(classes), std::move(links), {{"bus", bandwidth}}), costs);
  const std::vector<std::string> violations = validate(instance, schedule);
  return violations.empty() ? "" : violations.front();
}

TEST(Validate, ABusCarriesNoMoreThanItCan) {
  EXPECT_EQ(flaw_of({{0, 36}, {0, 36}, {0, 36}}), "");
  EXPECT_EQ(flaw_of({{0, 12}, {0, 36}, {12, 24}}), "") << "others may wait while one is urgent";
  EXPECT_EQ(flaw_of({{0, 12}, {12, 24}, {100, 112}}), "");
  EXPECT_EQ(flaw_of({{0, 12}, {0, 12}}),
            "bus 'bus' is too slow for the transfers through it, among them that of datum 'd1' [0.0, 0.000000000012]");
  EXPECT_NE(flaw_of({{0, 30}, {0, 30}, {0, 30}}), "");
  EXPECT_NE(flaw_of({{0, 100}, {50, 62}, {49, 63}}), "") << "with the idle time before";
}

TEST(Validate, ATransferMayNotTakeForEver) {
  EXPECT_EQ(flaw_of({{0, kLongestTransfer}}, 1e-6), "transfer of datum 'd0' from 'ram' to 'gpu0' [0.0, " +
                                                        format_seconds(kLongestTransfer) +
                                                        "] takes longer on its link than a transfer may");
}

}  // namespace
}  // namespace heddle::test
