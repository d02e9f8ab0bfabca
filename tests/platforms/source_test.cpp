#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "heddle/platforms/platforms.hpp"
#include "tests/support/test_data.hpp"

/// The built-in machines say exactly what their sources say (scripts/make-platforms).
namespace heddle::platforms {
namespace {

using nlohmann::json;

/// Durations by "codelet footprint class".
using Times = std::map<std::string, Time>;

std::string canonical(const std::string& name) {
  return name == "cuda" ? "gpu" : name;
}

/// The nearest picosecond; a double holds these decimals to a thousandth of one.
Time exact(double value, double unit) {
  return static_cast<Time>(std::llround(value * unit));
}

Times measured_times(const json& codelets) {
  Times times;
  for (const auto& [codelet, facts] : codelets.items()) {
    for (const json& row : facts["pooled_by_class"]) {
      const std::string rest = " " + row["footprint"].get<std::string>() + " " + canonical(row["class"]);
      const Time time = exact(row["mean_us"], 1e6);
      times[codelet + rest] = time;
      for (const json& alias : facts["also_known_as"]) times[alias.get<std::string>() + rest] = time;
    }
  }
  return times;
}

Times builtin_times(const Machine& machine) {
  Times times;
  for (const KernelTiming& timing : machine.kernels) {
    for (const ClassTime& time : timing.seconds) {
      times[timing.codelet + " " + timing.footprint + " " + time.class_name] = time.duration;
    }
  }
  return times;
}

class MeasuredMachine : public testing::TestWithParam<const char*> {};

TEST_P(MeasuredMachine, HasEveryPooledMean) {
  HEDDLE_REQUIRE_DATA(folder);
  const json facts = json::parse(test::read_file(folder / "platforms" / (std::string(GetParam()) + ".json")));
  EXPECT_EQ(builtin_times(builtin(GetParam())), measured_times(facts["codelets"]));
}

TEST_P(MeasuredMachine, MarksWhatIsDerived) {
  HEDDLE_REQUIRE_DATA(folder);
  const json facts = json::parse(test::read_file(folder / "platforms" / (std::string(GetParam()) + ".json")));
  std::map<std::string, bool> expected;
  for (const auto& [codelet, entries] : facts["codelets"].items()) {
    for (const json& row : entries["pooled_by_class"]) {
      expected[codelet + row["footprint"].get<std::string>()] |= row.value("derived", false);
    }
  }
  for (const KernelTiming& timing : builtin(GetParam()).kernels) {
    const auto found = expected.find(timing.codelet + timing.footprint);
    if (found == expected.end()) continue;  // under another name
    EXPECT_EQ(timing.derived, found->second) << timing.codelet;
  }
}

TEST_P(MeasuredMachine, NamesTheKernelsOfSquareTiles) {
  HEDDLE_REQUIRE_DATA(folder);
  const json facts = json::parse(test::read_file(folder / "platforms" / (std::string(GetParam()) + ".json")));
  std::size_t named = 0;
  for (const KernelTiming& timing : builtin(GetParam()).kernels) {
    if (timing.kernel.empty()) continue;
    ++named;
    const json& rows = facts["codelets"][timing.codelet]["pooled_by_class"];
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const json& one) { return one["footprint"] == timing.footprint; });
    ASSERT_NE(row, rows.end());
    EXPECT_EQ((*row)["shape"]["tile"], timing.tile);
    EXPECT_EQ((*row)["shape"]["element_bytes"], timing.precision == "double" ? 8 : 4);
  }
  EXPECT_GE(named, 8U);
}

TEST_P(MeasuredMachine, HasTheMeasuredLinks) {
  HEDDLE_REQUIRE_DATA(folder);
  const json bus = json::parse(test::read_file(folder / "platforms" / (std::string(GetParam()) + ".json")))["bus"];
  std::map<std::string, std::size_t> node;
  for (std::string name : bus["nodes"]) {
    if (name.starts_with("cuda")) name.replace(0, 4, "gpu");
    node.emplace(name, node.size());
  }
  const Machine machine = builtin(GetParam());
  const auto measured = [&](std::size_t from, std::size_t to) { return bus["bandwidth_MBps"][from][to].get<double>(); };
  std::size_t direct = 0;
  for (const json& route : bus["shared_links"]["routes"]) {
    const auto position = [&](const char* end) {
      return static_cast<std::size_t>(std::ranges::find(bus["nodes"], route[end]) - bus["nodes"].begin());
    };
    const std::size_t from = position("from");
    const std::size_t to = position("to");
    // What the driver staged in main memory is no link.
    const bool staged =
        from != 0 && to != 0 && measured(from, to) < std::min(measured(from, 0), measured(0, to)) * 2 / 3;
    if (!staged) ++direct;
  }
  EXPECT_EQ(machine.links.size(), direct);
  for (const Link& link : machine.links) {
    const std::size_t from = node.at(link.from);
    const std::size_t to = node.at(link.to);
    EXPECT_NEAR(link.bandwidth, measured(from, to) * 1e6, 0.5);
    EXPECT_EQ(link.latency, exact(bus["latency_us"][from][to], 1e6));
    EXPECT_FALSE(link.via.empty());
  }
  for (const Bus& one : machine.buses) {
    EXPECT_NEAR(one.bandwidth, bus["shared_links"]["links"][one.name]["bandwidth_MBps"].get<double>() * 1e6, 0.5);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MeasuredMachine, testing::Values("mirage", "sirocco", "attila", "idgraf", "hannibal"));

void expect_table(const Machine& machine, const json& nanoseconds) {
  EXPECT_EQ(machine.kernels.size(), nanoseconds.size());
  for (const KernelTiming& timing : machine.kernels) {
    EXPECT_EQ(timing.tile, 960);
    EXPECT_EQ(timing.precision, "double");
    const json& row = nanoseconds[timing.kernel];
    ASSERT_EQ(timing.seconds.size(), row.size());
    for (const ClassTime& time : timing.seconds) EXPECT_EQ(time.duration, row[time.class_name].get<Time>() * 1000);
  }
}

TEST(PublishedMachine, HasTheTimesOfItsTable) {
  HEDDLE_REQUIRE_DATA(folder);
  const json facts = json::parse(test::read_file(folder / "kernels" / "kumar-2017.json"));
  expect_table(builtin("kumar-2017"), facts["nanoseconds"]);
  expect_table(builtin("mirage-relative"), facts["mirage_relative"]["nanoseconds"]);
}

}  // namespace
}  // namespace heddle::platforms
