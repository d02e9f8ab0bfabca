// Copies that cross each other on their way, step by step; whole runs are in transfers_test.cpp.

#include "heddle/sim/data_mover.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace heddle::test {
namespace {

constexpr DataId kX = make_id<DataId>(0);
constexpr TaskId kRead = make_id<TaskId>(0);
constexpr TaskId kWrite = make_id<TaskId>(1);
constexpr TaskId kReduce = make_id<TaskId>(2);
constexpr TaskId kReadOther = make_id<TaskId>(3);
constexpr MemoryId kRam = make_id<MemoryId>(0);
constexpr MemoryId kGpu0 = make_id<MemoryId>(1);  ///< has room for 20 bytes
constexpr MemoryId kGpu1 = make_id<MemoryId>(2);
constexpr MemoryId kGpu2 = make_id<MemoryId>(3);

/// Tasks on datum x of 10 bytes, and one on another of 15; links of a byte per picosecond between ram and three GPUs,
/// some of them after the latency given.
Instance gpus(Time to_gpu1, Time from_gpu2) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  const DataId x = builder.add_datum({"x", 10});
  const DataId other = builder.add_datum({"other", 15});
  for (const Access access : {Access{x, AccessMode::read}, Access{x, AccessMode::write}, Access{x, AccessMode::reduce},
                              Access{other, AccessMode::read}}) {
    builder.add_task("task", type, std::span(&access, 1));
  }
  TaskGraph graph = builder.build();
  std::vector<ResourceClass> classes{{.name = "cpu", .workers = 1}};
  std::vector<Link> links;
  for (const char* gpu : {"gpu0", "gpu1", "gpu2"}) {
    classes.push_back({.name = gpu, .workers = 1, .memory = gpu});
    links.push_back({"ram", gpu, 1e12, 0, {}});
    links.push_back({gpu, "ram", 1e12, 0, {}});
  }
  classes[1].memory_bytes = 20;
  links[2].latency = to_gpu1;
  links[5].latency = from_gpu2;
  Costs costs(graph, classes.size());
  for (const ClassId c : ids<ClassId>(classes.size())) costs.set_actual(0, c, 1);
  return make_instance("gpus", std::move(graph), Platform(std::move(classes), std::move(links)), std::move(costs));
}

class Mover {
 public:
  explicit Mover(Time to_gpu1 = 0, Time from_gpu2 = 0)
      : instance_(gpus(to_gpu1, from_gpu2)), view_(instance_), data_(instance_) {}

  [[nodiscard]] bool has(MemoryId memory) const { return view_.has(kX, memory); }
  void run_at_once(TaskId task, MemoryId memory) {
    ask(task, memory);
    complete(task, memory);
  }
  /// The task is on a worker, and asks for its data. Whether there is room for it.
  bool ask(TaskId task, MemoryId memory) {
    const bool staged = data_.stage(view_, task, memory);
    if (staged) static_cast<void>(data_.supplied(view_, task, memory));
    return staged;
  }
  void prefetch(TaskId task, MemoryId memory) { data_.prefetch(view_, task, memory); }
  /// The task had its data, and has run.
  void complete(TaskId task, MemoryId memory) { data_.release(view_, task, memory, true); }
  void abort(TaskId task, MemoryId memory) { data_.release(view_, task, memory, false); }
  void pass(Time until) {
    while (data_.next() <= until) advance();
    view_.set_now(until);
  }
  /// When a task that asked has its data, looked at when there are news; nothing if never.
  std::optional<Time> supplied(TaskId task, MemoryId memory) {
    for (std::uint64_t seen = data_.news(memory) - 1;;) {
      if (data_.news(memory) != seen && data_.supplied(view_, task, memory)) return view_.now();
      seen = data_.news(memory);
      if (data_.next() == kMaxTime) return std::nullopt;
      advance();
    }
  }

 private:
  void advance() {
    view_.set_now(data_.next());
    data_.advance(view_, log_);
  }

  Instance instance_;
  policy::HostView view_;
  sim::DataMover data_;
  std::vector<Transfer> log_;
};

TEST(DataMover, PrivateCopiesThatPassThroughRamLeaveNoValueThere) {
  Mover mover(0, 100);
  mover.run_at_once(kWrite, kGpu2);
  mover.run_at_once(kReduce, kGpu0);
  mover.ask(kRead, kGpu1);
  mover.pass(50);
  EXPECT_FALSE(mover.has(kRam));
  EXPECT_EQ(mover.supplied(kRead, kGpu1), 110 + 10);
}

TEST(DataMover, AnotherMemoryGathersWhenNobodyWaitsInTheFirst) {
  Mover mover;
  mover.run_at_once(kWrite, kGpu1);
  mover.run_at_once(kReduce, kGpu0);
  mover.ask(kReadOther, kGpu0);  // has no room, and sends home what was accumulated
  mover.ask(kRead, kGpu1);
  mover.ask(kRead, kRam);
  mover.abort(kRead, kGpu1);
  EXPECT_EQ(mover.supplied(kRead, kRam), 10);
}

TEST(DataMover, AnotherMemoryGathersNextThoughTheFirstStillSendsTheValue) {
  Mover mover;
  mover.run_at_once(kReduce, kGpu1);
  mover.ask(kRead, kRam);
  mover.pass(10);  // all is in ram
  mover.ask(kRead, kGpu2);
  mover.abort(kRead, kGpu2);  // the value is on its way there until 20
  mover.complete(kRead, kRam);
  mover.run_at_once(kReduce, kGpu1);
  mover.ask(kRead, kGpu0);
  EXPECT_EQ(mover.supplied(kRead, kGpu0), 30);  // by way of ram
}

TEST(DataMover, PartsThatArriveWhereAPrivateCopyIsLeavingAreKept) {
  Mover mover(100, 115);
  mover.run_at_once(kWrite, kGpu2);
  mover.run_at_once(kReduce, kGpu0);
  mover.run_at_once(kReduce, kGpu1);
  mover.ask(kRead, kGpu0);
  mover.abort(kRead, kGpu0);
  mover.ask(kRead, kGpu1);
  // That of gpu1 is in gpu0 at 20 and has to come back when that of gpu0 has arrived, at 120; the link is busy with the
  // value from 125 on.
  EXPECT_EQ(mover.supplied(kRead, kGpu1), 125 + 110 + 110);
}

TEST(DataMover, WhatIsAccumulatedAfterAWriteDoesNotWaitForWhatWasBefore) {
  Mover mover(100);
  mover.run_at_once(kReduce, kGpu0);
  mover.ask(kRead, kGpu1);
  mover.abort(kRead, kGpu1);
  mover.run_at_once(kWrite, kGpu0);
  mover.run_at_once(kReduce, kGpu2);
  mover.run_at_once(kReduce, kGpu0);
  mover.ask(kRead, kRam);
  EXPECT_EQ(mover.supplied(kRead, kRam), 30);
}

TEST(DataMover, WhatWasWrittenWhileAnOldValueWasOnItsWayCanMakeRoom) {
  Mover mover;
  mover.ask(kRead, kGpu0);
  mover.abort(kRead, kGpu0);
  mover.run_at_once(kWrite, kGpu0);
  mover.pass(10);  // the old value arrives
  EXPECT_FALSE(mover.has(kRam));
  mover.ask(kReadOther, kGpu0);  // has no room
  mover.pass(20);
  EXPECT_TRUE(mover.has(kRam));
}

TEST(DataMover, WhatComesBackTakesRoomAgain) {
  Mover mover;
  mover.run_at_once(kRead, kGpu0);
  mover.pass(10);
  mover.run_at_once(kWrite, kRam);  // the copy on the GPU is of no use any more
  EXPECT_TRUE(mover.ask(kRead, kGpu0));
  EXPECT_FALSE(mover.ask(kReadOther, kGpu0));
}

TEST(DataMover, WhatIsFetchedEarlyTakesRoom) {
  Mover mover;
  mover.prefetch(kRead, kGpu0);
  EXPECT_FALSE(mover.ask(kReadOther, kGpu0));
  mover.pass(10);  // it has arrived, and goes for what is needed now
  EXPECT_TRUE(mover.ask(kReadOther, kGpu0));
}

TEST(DataMover, NothingIsFetchedEarlyThatIsStillAccumulated) {
  Mover mover;
  mover.run_at_once(kReduce, kGpu0);
  mover.prefetch(kRead, kGpu1);
  mover.prefetch(kReadOther, kGpu1);
  EXPECT_EQ(mover.supplied(kReadOther, kGpu1), 15);
  EXPECT_FALSE(mover.has(kGpu1));
}

TEST(DataMover, WhatComesTooLateLeavesRoomToTheTaskThatWrites) {
  Mover mover;
  mover.ask(kRead, kGpu0);
  mover.abort(kRead, kGpu0);
  mover.run_at_once(kWrite, kRam);
  mover.ask(kWrite, kGpu0);
  mover.pass(10);  // the old value arrives, and is of no use
  mover.complete(kWrite, kGpu0);
  mover.ask(kReadOther, kGpu0);  // has no room
  mover.pass(20);
  EXPECT_TRUE(mover.has(kRam));
}

}  // namespace
}  // namespace heddle::test
