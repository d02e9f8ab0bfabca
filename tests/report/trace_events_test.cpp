#include "heddle/report/trace_events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "heddle/report/utf8.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/analysis/samples.hpp"
#include "tests/report/samples.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::report::test {
namespace {

using Json = nlohmann::json;

std::vector<Json> events_of(const Instance& instance, const Schedule& schedule) {
  const Json trace = Json::parse(trace_events(instance, schedule, analysis::Losses(instance, schedule)));
  return trace["traceEvents"].get<std::vector<Json>>();
}

std::vector<Json> of_phase(const std::vector<Json>& events, const std::string& phase) {
  std::vector<Json> found;
  std::ranges::copy_if(events, std::back_inserter(found), [&](const Json& event) { return event["ph"] == phase; });
  return found;
}

using Track = std::pair<int, int>;
Track track_of(const Json& event) {
  return {event["pid"], event["tid"]};
}

/// The names of the slices of each thread, in the order of time, by the thread's name.
std::map<std::string, std::string> story(const std::vector<Json>& events) {
  std::map<Track, std::string> names;
  for (const Json& event : of_phase(events, "M")) {
    if (event["name"] == "thread_name") names[track_of(event)] = event["args"]["name"];
  }
  std::vector<Json> slices = of_phase(events, "X");
  std::ranges::stable_sort(slices, {}, [](const Json& slice) { return slice["ts"].get<double>(); });
  std::map<std::string, std::string> found;
  for (const Json& slice : slices) {
    std::string& text = found[names.at(track_of(slice))];
    text += (text.empty() ? "" : ", ") + slice["name"].get<std::string>();
  }
  return found;
}

/// Every arrow once, "type > type", sorted.
std::vector<std::string> arrows(const std::vector<Json>& events, const std::string& category) {
  const std::vector<Json> slices = of_phase(events, "X");
  const auto slice_at = [&](const Json& end) -> std::string {
    for (const Json& slice : slices) {
      const double ts = slice["ts"];
      const double at = end["ts"];
      if (track_of(slice) == track_of(end) && ts <= at && at < ts + slice["dur"].get<double>()) return slice["name"];
    }
    return "nothing";
  };
  std::map<int, std::string> from;
  for (const Json& start : of_phase(events, "s")) from[start["id"]] = slice_at(start);
  std::vector<std::string> found;
  for (const Json& end : of_phase(events, "f")) {
    EXPECT_EQ(end["bp"], "e");
    if (end["cat"] == category) found.push_back(from.at(end["id"]) + " > " + slice_at(end));
  }
  std::ranges::sort(found);
  return found;
}

TEST(TraceEvents, TellTheRunOfFourTasks) {
  const Instance instance = heddle::test::four_tasks();
  const std::vector<Json> events = events_of(instance, heddle::test::four_tasks_schedule(instance));
  EXPECT_EQ(story(events),
            (std::map<std::string, std::string>{
                {"cpu0", "P, ready task not run, no ready task, S, ready task not run, no ready task at the end"},
                {"cpu1", "ready task not run, R, no ready task, ready task not run, S"},
                {"gpu0", "no ready task at the start, waiting for data, Q, no ready task at the end"},
                {"ram > gpu0", "A"}}));
  EXPECT_EQ(arrows(events, "dependency"), (std::vector<std::string>{"P > Q", "Q > S"}));
  EXPECT_EQ(arrows(events, "data"), (std::vector<std::string>{"A > Q", "P > A"}));
  const auto aborted = std::ranges::find(events, "aborted", [](const Json& event) { return event.value("cat", ""); });
  ASSERT_NE(aborted, events.end());
  EXPECT_EQ((*aborted)["args"]["task"], "s");
  EXPECT_EQ((*aborted)["ts"], 4e6);
  EXPECT_EQ((*aborted)["dur"], 5e5);
}

/// No slice of a thread overlaps another one, and each dependency has its arrow.
TEST(TraceEvents, LeaveNoDependencyOut) {
  for (std::uint64_t round = 0; round < heddle::test::rounds(100U); ++round) {
    SCOPED_TRACE(round);
    heddle::test::Random random(round);
    heddle::test::RandomShape shape;
    shape.data = round % 2 == 1;
    const Instance instance = heddle::test::random_instance(random, shape);
    const Schedule schedule = sim::simulate(instance, policy::Spec("dmdas"));
    const std::vector<Json> events = events_of(instance, schedule);
    std::map<Track, std::vector<std::pair<double, double>>> slices;
    for (const Json& slice : of_phase(events, "X")) {
      const double start = slice["ts"];
      slices[track_of(slice)].emplace_back(start, start + slice["dur"].get<double>());
    }
    for (auto& [track, times] : slices) {
      std::ranges::sort(times);
      for (std::size_t i = 1; i < times.size(); ++i) EXPECT_LE(times[i - 1].second, times[i].first + 1e-4);
    }
    const std::vector<Json> ends = of_phase(events, "f");
    EXPECT_EQ(of_phase(events, "s").size(), ends.size());
    const auto are_dependencies = [](const Json& event) { return event["cat"] == "dependency"; };
    EXPECT_EQ(std::ranges::count_if(ends, are_dependencies), static_cast<std::ptrdiff_t>(instance.graph.edge_count()));
  }
}

TEST(TraceEvents, TransfersSideBySideHaveThreadsOfTheirOwn) {
  const Instance instance = heddle::test::four_tasks();
  Schedule schedule = heddle::test::four_tasks_schedule(instance);
  Transfer again = schedule.transfers[0];
  again.start += kSecond / 2;
  again.end += kSecond;
  schedule.transfers.push_back(again);
  again.start = again.end;
  again.end += kSecond;
  schedule.transfers.push_back(again);
  std::set<Track> tracks;
  for (const Json& slice : of_phase(events_of(instance, schedule), "X")) {
    if (slice["cat"] == "transfer") tracks.insert(track_of(slice));
  }
  EXPECT_EQ(tracks.size(), 2U);
}

TEST(TraceEvents, SurviveHostileNames) {
  const Instance instance = hostile_instance();
  Schedule schedule = greedy_schedule(instance, "x");
  add_transfers(schedule, instance);
  std::vector<std::string> types;
  for (const Json& slice : of_phase(events_of(instance, schedule), "X")) types.push_back(slice["name"]);
  for (const TypeId type : instance.graph.types()) {
    const std::string name = valid_utf8(instance.graph.type_name(type));
    EXPECT_TRUE(std::ranges::find(types, name) != types.end()) << name;
  }
}

}  // namespace
}  // namespace heddle::report::test
