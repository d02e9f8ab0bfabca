#include <gtest/gtest.h>

#include <string>

#include "heddle/model/levels.hpp"

namespace heddle {

static bool operator==(const Communication::Inflow& a, const Communication::Inflow& b) {
  return a.producer == b.producer && a.home == b.home && a.bytes == b.bytes;
}

static void PrintTo(const Communication::Inflow& flow, std::ostream* out) {
  *out << flow.bytes << " bytes from " << (flow.producer == kNone<TaskId> ? "home" : "task ") << index(flow.producer);
}

namespace test {
namespace {

/// Two CPUs in ram, a GPU of its own; a byte takes a picosecond, and the way to the GPU 5 more.
class CommunicationTest : public testing::Test {
 protected:
  TaskId add(std::vector<Access> accesses) {
    return builder_.add_task("task" + std::to_string(builder_.task_count()), builder_.add_type("type"), accesses);
  }
  DataId datum(std::int64_t bytes) { return builder_.add_datum({.name = "", .bytes = bytes, .home = "ram"}); }

  Communication build(bool links = true) {
    TaskGraph graph = builder_.build();
    std::vector<Link> both;
    if (links) both = {{"ram", "gpu0", 1e12, 5, {}}, {"gpu0", "ram", 1e12, 0, {}}};
    Platform platform({{.name = "cpu", .workers = 2}, {.name = "gpu", .workers = 1, .memory = "each"}}, both);
    Costs costs(graph, 2);
    for (const TypeId type : graph.types()) costs.set_actual(Costs::row(type), make_id<ClassId>(0), 1);
    instance_ = make_instance("", std::move(graph), std::move(platform), std::move(costs));
    return Communication(instance_);
  }

  static std::vector<Communication::Inflow> flows(const Communication& communication, TaskId task) {
    const auto span = communication.inflows(task);
    return {span.begin(), span.end()};
  }
  static Communication::Inflow from(TaskId producer, std::int64_t bytes) { return {producer, kNone<MemoryId>, bytes}; }
  Communication::Inflow from_ram(std::int64_t bytes) const {
    return {kNone<TaskId>, instance_.platform.find_memory("ram").value(), bytes};
  }

  TaskGraphBuilder builder_;
  Instance instance_;
};

using Flows = std::vector<Communication::Inflow>;

TEST_F(CommunicationTest, AnEdgeCarriesWhatOneWroteAndTheOtherReads) {
  const DataId x = datum(10);
  const DataId y = datum(7);
  const DataId z = datum(1);
  const TaskId writer = add({{x, AccessMode::write}, {y, AccessMode::write}});
  const TaskId reader = add({{x, AccessMode::read}, {y, AccessMode::read}, {z, AccessMode::read}});
  const TaskId last = add({{x, AccessMode::read_write}});
  const Communication communication = build();
  EXPECT_EQ(flows(communication, writer), Flows{});
  EXPECT_EQ(flows(communication, reader), (Flows{from(writer, 17), from_ram(1)}));
  // The reader in between is its only predecessor, but the writer its source.
  EXPECT_EQ(instance_.graph.predecessors(last).size(), 1U);
  EXPECT_EQ(flows(communication, last), (Flows{from(writer, 10)}));
}

TEST_F(CommunicationTest, CommutingTasksWriteTogether) {
  const DataId x = datum(10);
  const TaskId writer = add({{x, AccessMode::write}});
  const TaskId one = add({{x, AccessMode::commute}});
  const TaskId two = add({{x, AccessMode::commute}});
  const TaskId reader = add({{x, AccessMode::read}});
  const TaskId late = add({{x, AccessMode::commute}});
  const Communication communication = build();
  EXPECT_EQ(flows(communication, two), (Flows{from(writer, 10)}));
  EXPECT_EQ(flows(communication, reader), (Flows{from(one, 10), from(two, 10)}));
  EXPECT_EQ(flows(communication, late), (Flows{from(one, 10), from(two, 10)})) << "a group of its own";
}

TEST_F(CommunicationTest, ASumNeedsWhatWasThereBefore) {
  const DataId x = datum(10);
  const TaskId one = add({{x, AccessMode::reduce}});
  const TaskId two = add({{x, AccessMode::reduce}});
  const TaskId reader = add({{x, AccessMode::read}});
  const Communication communication = build();
  EXPECT_EQ(flows(communication, two), Flows{});
  EXPECT_EQ(flows(communication, reader), (Flows{from_ram(10), from(one, 10), from(two, 10)}));
}

TEST_F(CommunicationTest, MeansAreOverPairsOfWorkers) {
  const DataId x = datum(10);
  add({{x, AccessMode::read}});
  const Communication communication = build();
  // Of six ordered pairs, two are in ram, two to the GPU (15) and two from it (10).
  EXPECT_EQ(communication.mean(10), (2 * 15 + 2 * 10) / 6);
  EXPECT_EQ(communication.mean(1), (2 * 6 + 2 * 1) / 6);
}

TEST_F(CommunicationTest, IsFreeWithoutLinks) {
  const DataId x = datum(10);
  const TaskId task = add({{x, AccessMode::read}});
  const Communication communication = build(false);
  EXPECT_TRUE(communication.free());
  EXPECT_TRUE(communication.inflows(task).empty());
  EXPECT_EQ(communication.mean(10), 0);
}

}  // namespace
}  // namespace test
}  // namespace heddle
