// How fast links are: measured, learnt from what runs move, and kept from one run to the next.
#include "heddle/runtime/models/links.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "heddle/model/random.hpp"
#include "heddle/model/routes.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime {
namespace {

using test::Scratch;

/// A link as it is, whatever is believed of it.
struct TrueLink {
  LinkSpeed speed{20 * kMicrosecond, 10e9};
  Random random{5};

  /// How long so many bytes take: some percent more or less.
  [[nodiscard]] Time move(std::size_t bytes) {
    const Time time = speed.latency + transfer_time(static_cast<std::int64_t>(bytes), ByteRate(speed.bandwidth));
    return time * static_cast<Time>(97 + random.below(7)) / 100;
  }
};

void expect_like(const LinkSpeed& found, const LinkSpeed& expected) {
  EXPECT_NEAR(static_cast<double>(found.latency), static_cast<double>(expected.latency),
              0.1 * static_cast<double>(expected.latency));
  EXPECT_NEAR(found.bandwidth, expected.bandwidth, 0.1 * expected.bandwidth);
}

TEST(Links, AreLearntFromTransfersOfAllSizes) {
  for (const double wrong : {0.5, 1.0, 2.0}) {
    TrueLink link;
    LinkSpeed believed{static_cast<Time>(wrong * static_cast<double>(link.speed.latency)),
                       link.speed.bandwidth / wrong};
    MeasuredLink measured;
    for (int run = 0; run < 10; ++run) {
      for (int i = 0; i < 200; ++i) {
        const std::size_t bytes = std::size_t{1} << link.random.below(26);
        observe(measured, believed, bytes, link.move(bytes));
      }
      believed = speed_of(measured);
    }
    expect_like(believed, link.speed);
  }
}

TEST(Links, AreNotMovedByWildOutliers) {
  TrueLink link;
  MeasuredLink measured;
  for (int i = 0; i < 300; ++i) {
    const std::size_t bytes = i % 2 == 0 ? 64 : 4 << 20;
    const Time factor = i % 16 < 2 ? 1000 : 1;  // two of eight of each kind
    observe(measured, link.speed, bytes, factor * link.move(bytes));
  }
  expect_like(speed_of(measured), link.speed);
}

TEST(Links, FollowALastingChange) {
  TrueLink link;
  MeasuredLink measured;
  LinkSpeed believed = link.speed;
  link.speed = {link.speed.latency * 2, link.speed.bandwidth / 4};
  for (int run = 0; run < 10; ++run) {
    for (int i = 0; i < 50; ++i) {
      const std::size_t bytes = i % 2 == 0 ? 64 : 8 << 20;
      observe(measured, believed, bytes, link.move(bytes));
    }
    believed = speed_of(measured);
  }
  expect_like(believed, link.speed);
}

TEST(Links, SurviveAnythingThatADeviceSays) {
  const LinkSpeed believed{kMicrosecond, 1e9};
  for (const Time duration : {Time{0}, Time{1}, kLongestTransfer}) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{1} << 40}) {
      MeasuredLink link;
      observe(link, believed, 1, kMicrosecond);
      observe(link, believed, 1 << 20, kMicrosecond);
      observe(link, believed, bytes, duration);
      EXPECT_GT(speed_of(link).bandwidth, 0);
      EXPECT_GE(speed_of(link).latency, 0);
    }
  }
}

Config with(const std::shared_ptr<FakeBackend>& backend, const std::string& history) {
  return {.workers = "cpu=1,fake=2", .backends = {backend}, .policy = "eager", .history = history};
}

TEST(Links, AreMeasuredOnce) {
  const Scratch scratch;
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{.devices = 2});
  std::vector<Link> first;
  {
    const Runtime runtime(with(backend, scratch.path("h")));
    first = runtime.platform().links();
  }
  const std::size_t copies = backend->counts().copies;
  EXPECT_GT(copies, 0U);
  const Runtime runtime(with(backend, scratch.path("h")));
  EXPECT_EQ(backend->counts().copies, copies) << "known";
  const std::vector<Link>& again = runtime.platform().links();
  ASSERT_EQ(first.size(), 4U);
  ASSERT_EQ(again.size(), 4U);
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_EQ(again[i].from, first[i].from);
    EXPECT_EQ(again[i].to, first[i].to);
    EXPECT_EQ(again[i].latency, first[i].latency);
    EXPECT_EQ(again[i].bandwidth, first[i].bandwidth);
  }
}

/// Of one that is locked, each attempt would wait for the lock.
TEST(Links, OfAHistoryThatCannotBeReadAreReportedOnceForTheWholeRun) {
  const Scratch scratch;
  int warnings = 0;
  Config config =
      with(std::make_shared<FakeBackend>(FakeBackend::Options{.devices = 2}), scratch.write("thesis", "Chapter 1"));
  config.warn = [&](const std::string& /*sentence*/) { ++warnings; };
  {
    const Runtime runtime(config);
    EXPECT_EQ(runtime.platform().links().size(), 4U);
  }
  EXPECT_EQ(warnings, 1);
}

TEST(Links, AreMeasuredEachTimeWithoutAHistory) {
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{.devices = 2});
  static_cast<void>(Runtime(with(backend, "")));
  const std::size_t copies = backend->counts().copies;
  static_cast<void>(Runtime(with(backend, "")));
  EXPECT_EQ(backend->counts().copies, 2 * copies);
}

TEST(Links, OfOtherDevicesAreNotBelieved) {
  const Scratch scratch;
  const auto backend = [](std::string name) {
    return std::make_shared<FakeBackend>(FakeBackend::Options{.devices = 2, .name = std::move(name)});
  };
  static_cast<void>(Runtime(with(backend("one"), scratch.path("h"))));
  const auto other = backend("another");
  static_cast<void>(Runtime(with(other, scratch.path("h"))));
  EXPECT_GT(other->counts().copies, 0U);
}

TEST(Links, AreMeasuredWhereTheHistoryCannotBeRead) {
  const Scratch scratch;
  std::vector<std::string> warnings;
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{.devices = 2});
  Config config = with(backend, scratch.path("."));  // a folder
  config.warn = [&](const std::string& sentence) { warnings.push_back(sentence); };
  {
    const Runtime runtime(config);
    EXPECT_EQ(runtime.platform().links().size(), 4U);
  }
  EXPECT_FALSE(warnings.empty());
}

TEST(Links, AreLearntFromARun) {
  const Scratch scratch;
  const History history(scratch.path("h"), this_machine());
  const std::string device = "fake 0: a fake";
  // Far too fast: only what a run tells can change that.
  const auto estimate = [](Time time) { return Estimate(1, std::vector<Time>{time}); };
  const std::vector<MeasuredLink> before{{"ram", device, estimate(1), estimate(1000)},
                                         {device, "ram", estimate(1), estimate(1000)}};
  history.add_links(before);
  const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{});
  const Kernel<std::span<int>> kernel("touch", on_opencl_native([](std::span<int> x) { x[0] += 1; }));
  Config config = with(backend, scratch.path("h"));
  config.workers = "cpu=1,fake=1";
  {
    Runtime runtime(config);
    EXPECT_EQ(runtime.platform().links().front().latency, 1);
    EXPECT_EQ(backend->counts().copies, 0U);
    std::vector<int> values(1 << 16);
    const auto data = runtime.data(values);
    for (int i = 0; i < 20; ++i) {
      runtime.submit(kernel, rw(data));
      runtime.wait();
    }
  }
  const auto after = history.read_links();
  ASSERT_EQ(after.size(), 2U);
  for (const MeasuredLink& link : after) {
    EXPECT_EQ(link.mebibyte.count(), 21U);
    EXPECT_GT(link.mebibyte.mean(), kMicrosecond) << "no memory moves 1 TiB a second";
  }
}

}  // namespace
}  // namespace heddle::runtime
