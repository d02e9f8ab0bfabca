#include "heddle/model/observed_links.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/model/routes.hpp"

namespace heddle {
namespace {

/// 5 ps and 10 bytes in a picosecond, in both directions.
Platform linked() {
  return Platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1, .memory = "each"}},
                  {{.from = "ram", .to = "gpu0", .bandwidth = 1e13, .latency = 5, .via = {}},
                   {.from = "gpu0", .to = "ram", .bandwidth = 1e13, .latency = 5, .via = {}}});
}

constexpr MemoryId kRam{0};
constexpr MemoryId kGpu{1};

TEST(ObservedLinks, AreAsFastAsTheirQuickestTransfer) {
  const std::vector<Transfer> transfers{{DataId{0}, kRam, kGpu, 0, 30, 100},
                                        {DataId{0}, kRam, kGpu, 40, 43, 100},  // in a fifth of the time
                                        {DataId{0}, kRam, kGpu, 50, 60, 100},
                                        {DataId{1}, kGpu, kRam, 10, 2000, 100}};
  const Platform seen = with_links_of(linked(), transfers);
  ASSERT_EQ(seen.links().size(), 2U);
  EXPECT_NEAR(seen.links()[0].bandwidth, 5e13, 1e9);
  EXPECT_EQ(seen.links()[0].latency, 0);
  EXPECT_NEAR(seen.links()[1].bandwidth, 1e13, 1e8) << "slower transfers say nothing of a link";
  const Routes routes(seen);
  for (const Transfer& transfer : transfers) {
    EXPECT_LE(routes.duration(transfer.from, transfer.to, transfer.bytes), transfer.end - transfer.start);
  }
}

TEST(ObservedLinks, AreAsFastAsTheirTransfersInTheMean) {
  const std::vector<Transfer> transfers{{DataId{0}, kRam, kGpu, 0, 30, 100}, {DataId{0}, kRam, kGpu, 40, 55, 100}};
  const Platform seen = with_mean_links_of(linked(), transfers);  // 45 ps, and 15 ps each were expected
  EXPECT_NEAR(seen.links()[0].bandwidth, 1e13 / 1.5, 1e8);
  EXPECT_EQ(seen.links()[0].latency, 7);
  EXPECT_EQ(seen.links()[1].bandwidth, 1e13) << "without a transfer";
}

TEST(ObservedLinks, ATransferThatTookNoTimeLeavesALinkABandwidth) {
  const Platform seen = with_links_of(linked(), std::vector<Transfer>{{DataId{0}, kRam, kGpu, 7, 7, 0}});
  EXPECT_NEAR(seen.links()[0].bandwidth, 1e19, 1e15);
}

TEST(ObservedLinks, AreNoneWhereThereAreNone) {
  const Platform free({{.name = "cpu", .workers = 2}});
  EXPECT_TRUE(with_links_of(free, {}).links().empty());
}

}  // namespace
}  // namespace heddle
