// Counters of energy, in folders and a library made up for the test.
#include "heddle/runtime/trace/energy_counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/scratch.hpp"

namespace heddle::runtime {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kRange = 262'143'328'850;

class Powercap {
 public:
  void set(const std::string& zone, const std::string& name, std::uint64_t microjoules) const {
    const std::filesystem::path folder = std::filesystem::path(scratch_.path("powercap")) / zone;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "name") << name << "\n";
    std::ofstream(folder / "energy_uj") << microjoules << "\n";
    std::ofstream(folder / "max_energy_range_uj") << kRange << "\n";
  }
  [[nodiscard]] EnergyCounters::Places places(const std::string& nvml = "no such library") const {
    return {.powercap = scratch_.path("powercap"), .nvml = nvml};
  }

 private:
  test::Scratch scratch_;
};

TEST(EnergyCounters, CountProcessorsAndTheirMemory) {
  const Powercap powercap;
  powercap.set("intel-rapl:0", "package-0", 5'000'000);
  powercap.set("intel-rapl:0:0", "core", 1);
  powercap.set("intel-rapl:0:2", "dram", 1'000'000);
  powercap.set("intel-rapl:1", "package-1", kRange - 2'000'000);
  powercap.set("intel-rapl:2", "psys", 1);
  powercap.set("intel-rapl-mmio:0", "package-0", 1);
  EnergyCounters counters(powercap.places());
  EXPECT_EQ(counters.read().joules(), 0);
  powercap.set("intel-rapl:0", "package-0", 7'500'000);
  powercap.set("intel-rapl:0:0", "core", 1'000'000);
  powercap.set("intel-rapl:0:2", "dram", 1'250'000);
  powercap.set("intel-rapl:1", "package-1", 1'000'000);  // has begun at zero again
  powercap.set("intel-rapl:2", "psys", 9'000'000);
  powercap.set("intel-rapl-mmio:0", "package-0", 9'000'000);
  for (int again = 0; again < 2; ++again) {
    const Energy energy = counters.read();
    ASSERT_EQ(energy.counters.size(), 3U);
    EXPECT_EQ(energy.counters[0].name, "package-0");
    EXPECT_DOUBLE_EQ(energy.counters[0].joules, 2.5);
    EXPECT_EQ(energy.counters[1].name, "dram-0");
    EXPECT_DOUBLE_EQ(energy.counters[1].joules, 0.25);
    EXPECT_EQ(energy.counters[2].name, "package-1");
    EXPECT_DOUBLE_EQ(energy.counters[2].joules, 3);
    EXPECT_DOUBLE_EQ(energy.joules(), 5.75);
    EXPECT_EQ(energy.missing, "");
  }
  powercap.set("intel-rapl:1", "package-1", 1'500'000);
  EXPECT_DOUBLE_EQ(counters.read().counters[2].joules, 3.5);
}

TEST(EnergyCounters, CountCards) {
  const Powercap powercap;
  EnergyCounters counters(powercap.places(HEDDLE_FAKE_NVML));
  // The library made up has two cards, of which the first does not count; the other counts 1.5 J at each look.
  const Energy energy = counters.read();
  ASSERT_EQ(energy.counters.size(), 1U);
  EXPECT_EQ(energy.counters[0].name, "gpu-1");
  EXPECT_DOUBLE_EQ(energy.counters[0].joules, 1.5);
  EXPECT_DOUBLE_EQ(counters.read().joules(), 3);
}

TEST(EnergyCounters, SayWhyThereAreNone) {
  const Powercap powercap;
  EXPECT_THAT(EnergyCounters(powercap.places()).read().missing, HasSubstr("no counters of energy that are known"));
  powercap.set("intel-rapl:0", "package-0", 5);
  std::filesystem::resize_file(powercap.places().powercap + "/intel-rapl:0/energy_uj", 0);
  EnergyCounters counters(powercap.places());
  EXPECT_THAT(counters.read().missing, HasSubstr("may not be read by this user"));
  EXPECT_TRUE(counters.read().counters.empty());
  // Also where a card counts.
  EnergyCounters of_card(powercap.places(HEDDLE_FAKE_NVML));
  const Energy energy = of_card.read();
  EXPECT_EQ(energy.counters.size(), 1U);
  EXPECT_THAT(energy.missing, HasSubstr("may not be read by this user"));
}

TEST(EnergyCounters, AreOpenedByTheFirstQuestion) {
  Runtime runtime({.workers = "cpu=1", .history = ""});
  const Energy first = runtime.energy();
  EXPECT_NE(first.counters.empty(), first.missing.empty());
  EXPECT_EQ(runtime.energy().counters.size(), first.counters.size());
}

}  // namespace
}  // namespace heddle::runtime
