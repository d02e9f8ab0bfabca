#include "heddle/sim/network.hpp"

#include <gtest/gtest.h>

#include <map>

namespace heddle::sim {
namespace {

constexpr double kBytePerPicosecond = 1e12;

Platform twins(double bus_bandwidth) {
  return Platform({{"gpu", 2, "each"}},
                  {{"ram", "gpu0", kBytePerPicosecond, 3, {"host"}}, {"ram", "gpu1", kBytePerPicosecond, 0, {"host"}}},
                  {{"host", bus_bandwidth}});
}

/// When each ticket ends, everything submitted at the given instants.
std::map<std::uint32_t, Time> ends(Network network,
                                   const std::map<Time, std::vector<std::array<std::int64_t, 2>>>& plan) {
  std::map<std::uint32_t, Time> result;
  std::uint32_t ticket = 0;
  auto next = plan.begin();
  while (next != plan.end() || network.next() != kMaxTime) {
    const bool submits = next != plan.end() && next->first <= network.next();
    const Time now = submits ? next->first : network.next();
    std::vector<Network::Ended> ended;
    if (now == network.next()) network.advance(now, ended);
    for (const Network::Ended& one : ended) result[one.ticket] = now;
    if (!submits) continue;
    for (const auto [link, bytes] : next->second) {
      network.submit(now, static_cast<std::uint32_t>(link), bytes, ticket++);
    }
    ++next;
  }
  return result;
}

TEST(Network, ATransferTakesLatencyAndBytesOverBandwidth) {
  EXPECT_EQ(ends(Network(twins(kBytePerPicosecond)), {{5, {{0, 10}}}}).at(0), 5 + 3 + 10);
}

TEST(Network, ALinkServesOneAfterTheOther) {
  const auto end = ends(Network(twins(kBytePerPicosecond)), {{0, {{0, 10}, {0, 4}}}, {6, {{0, 1}}}});
  EXPECT_EQ(end.at(0), 13);
  EXPECT_EQ(end.at(1), 13 + 3 + 4);
  EXPECT_EQ(end.at(2), 20 + 3 + 1);
}

TEST(Network, ABusIsSplitEvenlyWhileBothSend) {
  // Link 1 sends alone for 3, both share from 3 on: at 3 it has 7 left, which takes 14; then the other has 3 left.
  const auto end = ends(Network(twins(kBytePerPicosecond)), {{0, {{0, 10}, {1, 10}}}});
  EXPECT_EQ(end.at(1), 3 + 14);
  EXPECT_EQ(end.at(0), 17 + 3);
}

TEST(Network, AWideBusSlowsNobody) {
  const auto end = ends(Network(twins(2 * kBytePerPicosecond)), {{0, {{0, 10}, {1, 10}}}});
  EXPECT_EQ(end.at(0), 13);
  EXPECT_EQ(end.at(1), 10);
}

TEST(Network, ANarrowBusLimitsASingleTransfer) {
  EXPECT_EQ(ends(Network(twins(kBytePerPicosecond / 4)), {{0, {{1, 10}}}}).at(0), 40);
}

TEST(Network, DurationsAreRoundedUp) {
  EXPECT_EQ(ends(Network(twins(kBytePerPicosecond * 3)), {{0, {{1, 0}}}}).at(0), 0);
  Network thirds(Platform({{"gpu", 1, "each"}}, {{"ram", "gpu0", 3e12, 0, {}}}));
  EXPECT_EQ(ends(thirds, {{0, {{0, 10}}}}).at(0), 4);
}

}  // namespace
}  // namespace heddle::sim
