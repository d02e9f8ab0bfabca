// Records of the plug-in for StarPU: what copies of data become there.
#include "heddle/starpu/recorder.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "heddle/model/validate.hpp"
#include "heddle/starpu/copies.hpp"
#include "heddle/starpu/report.hpp"
#include "heddle/starpu/settings.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::test {
namespace {

using starpu::Copied;
using starpu::Recorder;

constexpr MemoryId kRam{0};
constexpr MemoryId kFirst{1};
constexpr MemoryId kSecond{2};
constexpr WorkerId kCpu{0};
constexpr WorkerId kGpu{1};
constexpr WorkerId kOtherGpu{2};

/// Data of 100, 200, 300, ... bytes, and tasks that access it.
class Copies : public testing::Test {
 protected:
  DataId datum() {
    const std::int64_t bytes = 100 * static_cast<std::int64_t>(++data_);
    return builder_.add_datum({.name = "", .bytes = bytes});
  }
  void run(WorkerId worker, Time start, Time end, std::vector<Access> accesses) {
    const TaskId task = builder_.add_task("t" + std::to_string(attempts_.size()), type_, accesses);
    attempts_.push_back({task, worker, start, end, Outcome::completed});
  }
  std::vector<Transfer> transfers(std::vector<Copied> copies) {
    return starpu::transfers_of(std::move(copies), builder_.build(), attempts_);
  }

  TaskGraphBuilder builder_;
  TypeId type_ = builder_.add_type("work");
  std::vector<Attempt> attempts_;

 private:
  std::size_t data_ = 0;
};

TEST_F(Copies, OnALinkComeOneAfterTheOtherAndShareTheTimeByTheirBytes) {
  const DataId one = datum();
  const DataId two = datum();
  const DataId three = datum();
  const std::vector<Copied> copies{{three, kRam, kFirst, 50, 80},   // after a pause
                                   {two, kRam, kFirst, 12, 40},     // behind the next
                                   {one, kRam, kFirst, 10, 40},     //
                                   {one, kFirst, kSecond, 20, 30},  // on another link
                                   {two, kFirst, kRam, 20, 30}};
  const std::vector<Transfer> expected{{one, kRam, kFirst, 10, 20, 100},
                                       {two, kRam, kFirst, 20, 40, 200},
                                       {two, kFirst, kRam, 20, 30, 200},
                                       {one, kFirst, kSecond, 20, 30, 100},
                                       {three, kRam, kFirst, 50, 80, 300}};
  EXPECT_EQ(transfers(copies), expected);
}

TEST_F(Copies, EndWhenTheyWereSeenToHaveEnded) {
  const DataId one = datum();
  const DataId two = datum();
  const DataId three = datum();
  // The first was quicker than its share, and the last began after the others had their shares.
  const std::vector<Transfer> expected{
      {one, kRam, kFirst, 0, 1, 100}, {two, kRam, kFirst, 1, 24, 200}, {three, kRam, kFirst, 55, 60, 300}};
  EXPECT_EQ(transfers({{one, kRam, kFirst, 0, 1}, {three, kRam, kFirst, 55, 60}, {two, kRam, kFirst, 0, 60}}),
            expected);
}

TEST_F(Copies, HaveEndedWhenALaterOneOfTheLinkHas) {
  const DataId one = datum();
  const DataId two = datum();
  const DataId three = datum();
  const std::vector<Transfer> expected{{one, kRam, kFirst, 0, 6, 100},  // a third of the time until 20
                                       {two, kRam, kFirst, 10, 20, 200},
                                       {three, kRam, kFirst, 40, 50, 300}};
  EXPECT_EQ(transfers({{two, kRam, kFirst, 10, 20}, {one, kRam, kFirst, 0, 60}, {three, kRam, kFirst, 40, 50}}),
            expected);
}

// Not even those that began late, of many that were seen at once.
TEST_F(Copies, TakeSomeTime) {
  std::vector<Copied> copies;
  for (Time start = 0; start < 100; ++start) copies.push_back({datum(), kRam, kFirst, 1000 * start, 100'000});
  Time end = 0;
  for (const Transfer& transfer : transfers(copies)) {
    EXPECT_GE(transfer.start, end);
    EXPECT_GT(transfer.end, transfer.start);
    end = transfer.end;
  }
  EXPECT_LE(end, 100'000);
}

TEST_F(Copies, AreNotMadeWhileATaskWrites) {
  const DataId data = datum();
  run(kGpu, 0, 12, {{data, AccessMode::write}});        // ends when it is copied
  run(kCpu, 15, 30, {{data, AccessMode::read}});        // does not matter
  run(kCpu, 20, 30, {{data, AccessMode::read_write}});  // begins when it has been copied
  run(kGpu, 40, 50, {{data, AccessMode::write}});
  const std::vector<Transfer> expected{{data, kFirst, kRam, 10, 20, 100}};
  EXPECT_EQ(transfers({{data, kFirst, kRam, 10, 60}}), expected);
  EXPECT_EQ(attempts_[0].end, 10);
  EXPECT_EQ(attempts_[1].end, 30);
  EXPECT_EQ(attempts_[2].start, 20);
}

TEST_F(Copies, OfNothingTakeNoTime) {
  const DataId data = builder_.add_datum({.name = "", .bytes = 0});
  const std::vector<Transfer> expected{{data, kRam, kFirst, 10, 10, 0}};
  EXPECT_EQ(transfers({{data, kRam, kFirst, 10, 20}}), expected);
}

/// A core and two devices, whose links take 5 ps and bring 10 bytes in a picosecond.
class Record : public testing::Test {
 protected:
  static Platform machine() {
    std::vector<Link> links;
    for (const char* from : {"ram", "gpu0", "gpu1"}) {
      for (const char* to : {"ram", "gpu0", "gpu1"}) {
        if (std::string(from) != to)
          links.push_back({.from = from, .to = to, .bandwidth = 1e13, .latency = 5, .via = {}});
      }
    }
    return Platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 2, .memory = "each"}}, std::move(links));
  }
  Record() : type_(recorder_.add_type("work")) { estimates_.add_type(Table<ClassId, bool>(2, true)); }

  void run(WorkerId worker, Time start, Time end, std::vector<Access> accesses) {
    recorder_.ran(recorder_.add({"t" + std::to_string(++count_), type_, std::move(accesses)}), worker, start, end);
  }
  Recorder::Record finish(std::vector<Copied> copies) {
    Recorder::Record record = recorder_.finish(machine(), estimates_, "any", std::move(copies));
    EXPECT_EQ(validate(record.instance, record.schedule), std::vector<std::string>());
    return record;
  }

  Recorder recorder_;
  starpu::Estimates estimates_{2};
  TypeId type_;

 private:
  int count_ = 0;
};

TEST_F(Record, TimesCountFromTheFirstCopy) {
  const DataId data = recorder_.add_datum(100);
  run(kGpu, 130, 150, {{data, AccessMode::read}});
  const Recorder::Record record = finish({{data, kRam, kFirst, 110, 130}});
  const std::vector<Transfer> expected{{data, kRam, kFirst, 0, 20, 100}};
  EXPECT_EQ(record.schedule.transfers, expected);
  EXPECT_EQ(record.schedule.attempts.at(0).start, 20);
  EXPECT_EQ(record.gap, "");
}

TEST_F(Record, LinksAreAsFastAsTheirQuickestCopy) {
  const DataId data = recorder_.add_datum(100);
  run(kGpu, 103, 110, {{data, AccessMode::read}});
  run(kOtherGpu, 190, 200, {{data, AccessMode::read}});
  const Recorder::Record record = finish({{data, kRam, kFirst, 100, 103}, {data, kRam, kSecond, 100, 190}});
  for (const Link& link : record.instance.platform.links()) {
    const bool was_fast = link.from == "ram" && link.to == "gpu0";
    EXPECT_NEAR(link.bandwidth, was_fast ? 5e13 : 1e13, 1e9) << link.from << link.to;
    EXPECT_EQ(link.latency, was_fast ? 0 : 4) << link.from << link.to;
  }
}

TEST_F(Record, DataIsAtHomeWhereItWasFirstReadOrCopiedFrom) {
  std::vector<DataId> data;
  for (int i = 0; i < 5; ++i) data.push_back(recorder_.add_datum(100));
  run(kGpu, 10, 20, {{data[0], AccessMode::read}, {data[1], AccessMode::write}, {data[2], AccessMode::reduce}});
  run(kOtherGpu, 50, 60, {{data[3], AccessMode::read}, {data[0], AccessMode::read}});
  const Recorder::Record record = finish({{data[3], kFirst, kSecond, 20, 40}, {data[0], kFirst, kSecond, 30, 50}});
  const char* homes[] = {"gpu0", "ram", "ram", "gpu0", "ram"};
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(record.instance.graph.datum(data[i]).home, homes[i]) << i;
}

TEST_F(Record, TasksThatCommuteEndBeforeTheNextStarts) {
  const DataId data = recorder_.add_datum(100);
  run(kGpu, 10, 30, {{data, AccessMode::commute}});
  run(kOtherGpu, 20, 40, {{data, AccessMode::commute}});
  const std::vector<Attempt> attempts = finish({}).schedule.attempts;
  EXPECT_EQ(attempts.at(0).end, 10);
  EXPECT_EQ(attempts.at(1).start, 10);
}

TEST_F(Record, HasNoLinksWhereSomeCopiesAreNotKnown) {
  const DataId data = recorder_.add_datum(100);
  run(kGpu, 10, 20, {{data, AccessMode::write}});
  run(kCpu, 30, 40, {{data, AccessMode::read}});
  run(kOtherGpu, 60, 70, {{data, AccessMode::read}});
  const Recorder::Record record = finish({{data, kRam, kSecond, 45, 60}});
  EXPECT_EQ(record.gap, "task 't2' starts on cpu0 at 0.00000000002 without datum 'd0' in memory 'ram'");
  EXPECT_TRUE(record.instance.platform.links().empty());
  EXPECT_TRUE(record.schedule.transfers.empty());
  EXPECT_EQ(record.schedule.attempts.size(), 3U);
  const Scratch scratch;
  const starpu::Settings settings{.record = scratch.path("run.json")};
  testing::internal::CaptureStderr();
  starpu::report(record, settings, 0, std::nullopt);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: HEDDLE_RECORD: StarPU moved data unseen, so the record has no transfers: " + record.gap + "\n");
}

}  // namespace
}  // namespace heddle::test
