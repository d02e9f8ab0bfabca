#include "heddle/sim/network.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <utility>

#include "heddle/model/error.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::sim {
namespace {

constexpr double kBytePerPicosecond = 1e12;

Platform twins(double bus_bandwidth) {
  return Platform({{"gpu", 2, "each"}},
                  {{"ram", "gpu0", kBytePerPicosecond, 3, {"host"}}, {"ram", "gpu1", kBytePerPicosecond, 0, {"host"}}},
                  {{"host", bus_bandwidth}});
}

/// Pairs of link and bytes, by the instant at which they are submitted.
using Plan = std::map<Time, std::vector<std::array<std::int64_t, 2>>>;

/// When each ticket ends.
std::map<std::uint32_t, Time> ends(const Platform& platform, const Plan& plan) {
  std::int64_t largest = 0;
  for (const auto& [start, transfers] : plan) {
    for (const auto [link, bytes] : transfers) largest = std::max(largest, bytes);
  }
  Network network(platform, largest);
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
  EXPECT_EQ(ends(twins(kBytePerPicosecond), {{5, {{0, 10}}}}).at(0), 5 + 3 + 10);
}

TEST(Network, ALinkServesOneAfterTheOther) {
  const auto end = ends(twins(kBytePerPicosecond), {{0, {{0, 10}, {0, 4}}}, {6, {{0, 1}}}});
  EXPECT_EQ(end.at(0), 13);
  EXPECT_EQ(end.at(1), 13 + 3 + 4);
  EXPECT_EQ(end.at(2), 20 + 3 + 1);
}

TEST(Network, ABusIsSplitEvenlyWhileBothSend) {
  // Link 1 sends alone for 3, both share from 3 on: at 3 it has 7 left, which takes 14; then the other has 3 left.
  const auto end = ends(twins(kBytePerPicosecond), {{0, {{0, 10}, {1, 10}}}});
  EXPECT_EQ(end.at(1), 3 + 14);
  EXPECT_EQ(end.at(0), 17 + 3);
}

TEST(Network, AWideBusSlowsNobody) {
  const auto end = ends(twins(2 * kBytePerPicosecond), {{0, {{0, 10}, {1, 10}}}});
  EXPECT_EQ(end.at(0), 13);
  EXPECT_EQ(end.at(1), 10);
}

TEST(Network, ANarrowBusLimitsASingleTransfer) {
  EXPECT_EQ(ends(twins(kBytePerPicosecond / 4), {{0, {{1, 10}}}}).at(0), 40);
}

TEST(Network, DurationsAreRoundedUp) {
  EXPECT_EQ(ends(twins(kBytePerPicosecond * 3), {{0, {{1, 0}}}}).at(0), 0);
  const Platform thirds({{"gpu", 1, "each"}}, {{"ram", "gpu0", 3e12, 0, {}}});
  EXPECT_EQ(ends(thirds, {{0, {{0, 10}}}}).at(0), 4);
}

/// A link from ram to each of some GPUs, all through the first of the buses, every third through the second as well.
Platform star(std::uint32_t gpus, double link_bandwidth, const std::vector<double>& bus_bandwidths) {
  std::vector<Bus> buses;
  for (const double bandwidth : bus_bandwidths) buses.push_back({"bus" + std::to_string(buses.size()), bandwidth});
  std::vector<Link> links;
  for (std::uint32_t i = 0; i < gpus; ++i) {
    links.push_back({"ram", "gpu" + std::to_string(i), link_bandwidth, 0, {"bus0"}});
    if (buses.size() > 1 && i % 3 == 0) links.back().via.emplace_back("bus1");
  }
  return Platform({{"gpu", gpus, "each"}}, std::move(links), std::move(buses));
}

TEST(Network, EqualSharesOfABusAreExact) {
  const Platform platform = star(3, 1e10, {1e8});
  for (const auto& [ticket, end] : ends(platform, {{0, {{0, 8'000'000}, {1, 8'000'000}, {2, 8'000'000}}}})) {
    EXPECT_EQ(end, 24 * kSecond / 100) << ticket;
  }
}

TEST(Network, ExactEndsComeOutExactForAnyNumberOfSharers) {
  // Too many for units that make all shares whole numbers.
  constexpr std::uint32_t kGpus = 97;
  const Platform platform = star(kGpus, 1e12, {1e12});
  std::vector<std::array<std::int64_t, 2>> transfers;
  for (std::int64_t link = 0; link < kGpus; ++link) transfers.push_back({link, 1'000'000'007 * (link + 1)});
  for (const auto& [ticket, end] : ends(platform, {{0, transfers}})) {
    // All send as much as this one, or all they have.
    const std::int64_t own = 1'000'000'007 * (std::int64_t{ticket} + 1);
    std::int64_t sent = 0;
    for (const auto& [link, bytes] : transfers) sent += std::min(own, bytes);
    EXPECT_EQ(end, sent) << ticket;
  }
}

TEST(Network, ALinkKeepsItsPaceWhereUnitsAreRounded) {
  // 97 may share the bus; a picosecond of this link is not a whole number of the units left.
  EXPECT_EQ(ends(star(97, 7e9, {1e12}), {{0, {{5, 7'000'000}}}}).at(0), kSecond / 1000);
}

TEST(Network, WhatIsLeftForTheLastPicosecondMayBeTiny) {
  // A link of p / (p - 1) bytes per picosecond, p = 8192e12 + 1: p - 1 bytes take p - 2 + 1 / p picoseconds.
  constexpr std::int64_t kBytes = 8'192'000'000'000'000;
  const Platform platform({{"gpu", 1, "each"}}, {{"ram", "gpu0", 1e12 + 0x1p-13, 0, {}}});
  EXPECT_EQ(ends(platform, {{0, {{0, kBytes}}}}).at(0), kBytes);
}

/// A fraction in lowest terms.
struct Fraction {
  __extension__ using Wide = __int128;

  Wide over;
  Wide under;

  Fraction(Wide numerator, Wide denominator) : over(numerator), under(denominator) {
    Wide divisor = numerator;
    for (Wide other = denominator; other != 0;) divisor = std::exchange(other, divisor % other);
    if (divisor < 0) divisor = -divisor;
    over /= divisor;
    under /= divisor;
  }
  Fraction operator*(const Fraction& other) const { return {over * other.over, under * other.under}; }
  Fraction operator-(const Fraction& other) const {
    return {over * other.under - other.over * under, under * other.under};
  }
  [[nodiscard]] Time rounded_up() const { return static_cast<Time>((over + under - 1) / under); }
};

/// Transfers that all begin at 0, each on its own link of a star, second by second: when each ends.
std::map<std::uint32_t, Time> exact_ends(std::int64_t link_bandwidth, const std::vector<std::int64_t>& buses,
                                         const std::vector<std::int64_t>& bytes) {
  std::map<std::uint32_t, Fraction> left;
  for (const std::int64_t one : bytes) left.emplace(static_cast<std::uint32_t>(left.size()), Fraction(one, 1));
  const auto share = [&](std::uint32_t link) {
    const auto thirds = std::ranges::count_if(left, [](const auto& one) { return one.first % 3 == 0; });
    Fraction least(link_bandwidth, kSecond);
    const auto limit = [&](Fraction other) {
      if (other.over * least.under < least.over * other.under) least = other;
    };
    limit({buses[0], kSecond * static_cast<std::int64_t>(left.size())});
    if (buses.size() > 1 && link % 3 == 0) limit({buses[1], kSecond * thirds});
    return least;
  };
  std::map<std::uint32_t, Time> result;
  for (Time now = 0; !left.empty();) {
    std::map<std::uint32_t, Fraction> shares;
    Time step = kMaxTime;
    for (const auto& [link, rest] : left) {
      const Fraction& own = shares.emplace(link, share(link)).first->second;
      step = std::min(step, (rest * Fraction(own.under, own.over)).rounded_up());
    }
    now += step;
    for (auto one = left.begin(); one != left.end();) {
      const Fraction sent = shares.at(one->first) * Fraction(step, 1);
      one->second = one->second - sent;
      if (one->second.over <= 0) result[one->first] = now;
      one = one->second.over <= 0 ? left.erase(one) : std::next(one);
    }
  }
  return result;
}

TEST(Network, AgreesWithFractions) {
  test::Random random(11);
  for (int round = 0; round < test::rounds(2000); ++round) {
    const auto bandwidth = [&] { return test::draw(random, 1, 40) * (round % 2 == 0 ? 100'000'000 : 98'765'431); };
    const std::int64_t link = bandwidth();
    std::vector<std::int64_t> buses{bandwidth()};
    if (round % 3 > 0) buses.push_back(bandwidth());
    Plan plan;
    std::vector<std::int64_t> bytes;
    for (std::int64_t i = test::draw(random, 1, 5); i >= 0; --i) {
      plan[0].push_back({static_cast<std::int64_t>(bytes.size()), test::draw(random, 1, 20) * 1000});
      bytes.push_back(plan[0].back()[1]);
    }
    const Platform platform = star(static_cast<std::uint32_t>(bytes.size()), static_cast<double>(link),
                                   std::vector<double>(buses.begin(), buses.end()));
    ASSERT_EQ(ends(platform, plan), exact_ends(link, buses, bytes)) << "round " << round;
  }
}

TEST(Network, RefusesWhatTakesTooLong) {
  const Platform slow({{"gpu", 1, "each"}}, {{"ram", "gpu0", 1, 0, {}}});
  EXPECT_EQ(ends(slow, {{0, {{0, 576'460}}}}).at(0), 576'460 * kSecond);
  EXPECT_THROW((void)ends(slow, {{0, {{0, 576'461}}}}), InputError);
  const std::vector<std::array<std::int64_t, 2>> many(17, {0, 576'460});
  EXPECT_THROW((void)ends(slow, {{0, many}}), InputError) << "one after the other they pass 64 bits";
  const Platform late({{"gpu", 1, "each"}}, {{"ram", "gpu0", 1e12, kLongestTransfer, {}}});
  EXPECT_THROW((void)ends(late, {{0, {{0, 1}}}}), InputError);
  const Platform just({{"gpu", 1, "each"}}, {{"ram", "gpu0", 1e12, kLongestTransfer - 2, {}}});
  EXPECT_EQ(ends(just, {{0, {{0, 1}}}}).at(0), kLongestTransfer - 1);
  try {
    (void)ends(just, {{0, {{0, 2}}}});
    FAIL() << "a picosecond too long";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a transfer of 2 bytes takes longer than the 576460 s that a transfer may take");
  }
}

}  // namespace
}  // namespace heddle::sim
