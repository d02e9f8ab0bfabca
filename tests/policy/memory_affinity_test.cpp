#include "heddle/policy/kit/placement/memory_affinity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/sim/simulation.hpp"

namespace heddle::test {
namespace {

using policy::BucketId;
using policy::LocalList;
using policy::MemoryAffinity;
using Copy = policy::HostView::Copy;

constexpr MemoryId kRam{0};
constexpr MemoryId kGpu0{1};
constexpr MemoryId kGpu1{2};

/// Two cores and two GPUs, each GPU with a memory of its own; links to and from ram, that of gpu1 twice as fast.
Platform machine() {
  constexpr double kBandwidth = 1e9;
  std::vector<Link> links;
  for (const auto& [gpu, factor] : {std::pair{"gpu0", 1}, std::pair{"gpu1", 2}}) {
    links.push_back({"ram", gpu, factor * kBandwidth, 0, {}});
    links.push_back({gpu, "ram", factor * kBandwidth, 0, {}});
  }
  return Platform({{"cpu", 2}, {"gpu", 2, std::string(ResourceClass::kEach)}}, std::move(links));
}

struct Use {
  std::int64_t bytes;
  AccessMode mode;
  std::vector<MemoryId> copies;  ///< besides that in ram, unless `left` says that there is none
  bool in_ram = true;
};

/// One task with these data.
class OneTask {
 public:
  explicit OneTask(const std::vector<Use>& uses) : instance_(make(uses)), view_(instance_) {
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const DataId data = make_id<DataId>(i);
      for (const MemoryId memory : uses[i].copies) view_.set_copy(data, memory, Copy::valid);
      view_.set_copy(data, kRam, uses[i].in_ram ? Copy::valid : Copy::none);
    }
  }

  [[nodiscard]] MemoryId found(MemoryAffinity affinity, MemoryId released_in = kRam) const {
    return policy::affine_memory(view_, TaskId{0}, affinity, released_in, policy::worker_memories(instance_.platform));
  }

 private:
  static Instance make(const std::vector<Use>& uses) {
    TaskGraphBuilder builder;
    std::vector<Access> accesses;
    for (const Use& use : uses) {
      const std::string name = "d" + std::to_string(accesses.size());
      accesses.push_back({builder.add_datum({name, use.bytes, "ram"}), use.mode});
    }
    builder.add_task("t", builder.add_type("T"), accesses);
    TaskGraph graph = builder.build();
    Costs costs(graph, 2);
    costs.set_actual(0, ClassId{0}, 10);
    costs.set_actual(0, ClassId{1}, 10);
    return make_instance("", std::move(graph), machine(), std::move(costs));
  }

  Instance instance_;
  policy::HostView view_;
};

TEST(MemoryAffinity, MostBytes) {
  const OneTask task({{100, AccessMode::read, {kGpu1}, false}, {60, AccessMode::read_write, {kGpu0}, false}});
  EXPECT_EQ(task.found(MemoryAffinity::ls_sdh), kGpu1);
  // Written bytes count squared: 60 * 60 > 100.
  EXPECT_EQ(task.found(MemoryAffinity::ls_sdh2), kGpu0);
}

TEST(MemoryAffinity, LeastMissingBytesWithThoseWrittenCountingMore) {
  // gpu0 misses 100 read bytes, gpu1 misses 70 written ones that count 2 - 1/2 times, ram misses both.
  const OneTask task({{100, AccessMode::read, {kGpu1}, false}, {70, AccessMode::write, {kGpu0}, false}});
  EXPECT_EQ(task.found(MemoryAffinity::ls_sdh), kGpu1);
  EXPECT_EQ(task.found(MemoryAffinity::ls_sdhb), kGpu0);
}

TEST(MemoryAffinity, WhatIsEverywhereDoesNotCount) {
  const OneTask task({{500, AccessMode::read_write, {kGpu0, kGpu1}}, {10, AccessMode::read, {kGpu1}, false}});
  EXPECT_EQ(task.found(MemoryAffinity::lc_smwb), kGpu1);
}

TEST(MemoryAffinity, ShortestTransfers) {
  // Half as many bytes go to gpu0, but over a link of half the speed of gpu1's: equal, and gpu0 has a smaller number.
  const OneTask equal({{100, AccessMode::read, {kGpu1}},
                       {50, AccessMode::read, {kGpu0}},
                       {900, AccessMode::read, {kGpu0, kGpu1}, false}});
  EXPECT_EQ(equal.found(MemoryAffinity::lcs), kGpu1);
  const OneTask in_ram({{100, AccessMode::read, {}}});
  EXPECT_EQ(in_ram.found(MemoryAffinity::lcs, kGpu0), kRam);
}

std::string describe(const std::vector<LocalList>& lists) {
  std::string text;
  for (const LocalList list : lists) {
    text += std::to_string(index(list.bucket)) + "@" + std::to_string(index(list.memory)) + " ";
  }
  return text;
}

TEST(StealingOrder, OwnMemoryFirstThenCloseOnesThenTheRest) {
  TaskGraphBuilder builder;
  TaskGraph graph = builder.build();
  const Instance instance = make_instance("", std::move(graph), machine(), Costs(TaskGraph(), 2));
  const policy::HostView view(instance);
  policy::BucketOrders orders(2);
  orders[ClassId{0}] = {BucketId{0}, BucketId{1}};
  orders[ClassId{1}] = {BucketId{1}, BucketId{0}};
  // Cores look everywhere for each priority, at gpu1 before gpu0: its link is faster.
  EXPECT_EQ(describe(local_lists(view, orders, ClassId{0}, kRam, {})), "0@0 0@2 0@1 1@0 1@2 1@1 ");
  // GPUs go through all priorities at home, then in the closest other memory, then in the rest: ram is close, the way
  // to gpu1 leads through it.
  EXPECT_EQ(describe(local_lists(view, orders, ClassId{1}, kGpu0, {})), "1@1 0@1 1@0 0@0 1@2 0@2 ");
  EXPECT_EQ(describe(local_lists(view, orders, ClassId{1}, kGpu0, {.close = 2, .step = 1})),
            "1@1 1@0 1@2 0@1 0@0 0@2 ");
  EXPECT_EQ(describe(local_lists(view, orders, ClassId{0}, kRam, {.close = 0})), "0@0 1@0 0@2 0@1 1@2 1@1 ");
}

// Of two equally near GPUs the one whose class orders its work most unlike one's own is the closest.
TEST(StealingOrder, FirstWhereOtherWorkIsUrgent) {
  constexpr double kBandwidth = 1e9;
  std::vector<Link> links;
  for (const char* gpu : {"like", "unlike"}) {
    links.push_back({"ram", gpu, kBandwidth, 0, {}});
    links.push_back({gpu, "ram", kBandwidth, 0, {}});
  }
  const Platform platform({{"cpu", 1}, {"like", 1, "like"}, {"unlike", 1, "unlike"}}, std::move(links));
  const Instance instance = make_instance("", TaskGraphBuilder().build(), platform, Costs(TaskGraph(), 3));
  const policy::HostView view(instance);
  policy::BucketOrders orders(3);
  orders[ClassId{0}] = {BucketId{0}, BucketId{1}, BucketId{2}};
  orders[ClassId{1}] = {BucketId{1}, BucketId{0}, BucketId{2}};
  orders[ClassId{2}] = {BucketId{2}, BucketId{0}, BucketId{1}};
  EXPECT_EQ(describe(local_lists(view, orders, ClassId{0}, kRam, {.step = 3})), "0@0 1@0 2@0 0@2 0@1 1@2 1@1 2@2 2@1 ");
  // The same order is the most alike, also compared with one that moves every bucket.
  orders[ClassId{1}] = orders[ClassId{0}];
  orders[ClassId{2}] = {BucketId{1}, BucketId{2}, BucketId{0}};
  EXPECT_EQ(describe(local_lists(view, orders, ClassId{0}, kRam, {.step = 3})), "0@0 1@0 2@0 0@2 0@1 1@2 1@1 2@2 2@1 ");
}

TEST(MemoryAffinity, EqualMemoriesAreDecidedByWhereTheTaskWasReleased) {
  const OneTask task({{100, AccessMode::read, {kGpu0, kGpu1}, false}});
  for (const MemoryAffinity affinity :
       {MemoryAffinity::ls_sdh, MemoryAffinity::ls_sdh2, MemoryAffinity::ls_sdhb, MemoryAffinity::lc_smwb}) {
    EXPECT_EQ(task.found(affinity, kGpu1), kGpu1);
    EXPECT_EQ(task.found(affinity, kRam), kGpu0);
  }
  EXPECT_EQ(task.found(MemoryAffinity::worker, kRam), kRam);
}

/// Chains of tasks, each updating a datum of its own, with durations that let the chains overtake each other.
Instance chains() {
  constexpr std::size_t kChains = 6;
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("update");
  std::vector<DataId> data;
  for (std::size_t i = 0; i < kChains; ++i) data.push_back(builder.add_datum({std::to_string(i), 1000, "ram"}));
  for (std::size_t task = 0; task < 30 * kChains; ++task) {
    const Access access{data[task % kChains], AccessMode::read_write};
    builder.add_task(std::to_string(task), type, {&access, 1});
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (const TaskId task : graph.tasks()) {
    constexpr Time kBase = 100 * kMicrosecond;
    costs.set_actual(costs.own_row(task), ClassId{1}, kBase + static_cast<Time>(index(task) % 7) * kMicrosecond);
  }
  return make_instance("chains", std::move(graph), machine(), std::move(costs));
}

TEST(LaHeteroprio, KeepsAChainWhereItsDataIs) {
  const Instance instance = chains();
  const auto transfers = [&](const std::string& policy) {
    return sim::simulate(instance, policy::Spec(policy)).transfers.size();
  };
  const std::size_t anywhere = transfers("auto-heteroprio");
  for (const char* affinity : {"ls-sdh", "ls-sdh2", "ls-sdhb", "lc-smwb", "lcs", "worker", "auto"}) {
    EXPECT_LT(3 * transfers(std::string("la-heteroprio:affinity=") + affinity), anywhere) << affinity;
  }
  EXPECT_LT(3 * transfers("auto-heteroprio:la=true"), anywhere);
}

}  // namespace
}  // namespace heddle::test
