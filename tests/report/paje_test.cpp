#include "heddle/report/paje.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/model/validate.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/analysis/samples.hpp"
#include "tests/report/paje_reader.hpp"
#include "tests/report/samples.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::report::test {
namespace {

PajeTrace trace_of(const Instance& instance, const Schedule& schedule) {
  PajeTrace trace = read_paje(paje_trace(instance, schedule, analysis::Losses(instance, schedule)));
  EXPECT_EQ(trace.errors, std::vector<std::string>());
  return trace;
}

TEST(Paje, TellsTheRunOfFourTasks) {
  const Instance instance = heddle::test::four_tasks();
  const Schedule schedule = heddle::test::four_tasks_schedule(instance);
  const PajeTrace trace = trace_of(instance, schedule);
  EXPECT_EQ(trace.parents, (std::map<std::string, std::string>{{"four tasks", ""},
                                                               {"cpu", "four tasks"},
                                                               {"cpu0", "cpu"},
                                                               {"cpu1", "cpu"},
                                                               {"gpu", "four tasks"},
                                                               {"gpu0", "four tasks"},  // the memory, after the worker
                                                               {"ram", "four tasks"}}));
  const auto lasted = [&](const std::string& container, const std::string& value) {
    std::string times;
    for (const PajeState& state : trace.states) {
      if (state.container == container && state.value == value)
        times += state.task + " " + state.start + "-" + state.end;
    }
    return times;
  };
  EXPECT_EQ(lasted("cpu0", "P"), "p 0.0-2.0");
  EXPECT_EQ(lasted("cpu0", "aborted work"), "s 4.0-4.5");
  EXPECT_EQ(lasted("cpu0", "no ready task at the end"), " 5.0-6.0");
  EXPECT_EQ(lasted("gpu0", "waiting for data"), " 2.0-3.0");
  std::vector<std::string> links;
  for (const PajeLink& link : trace.links) {
    links.push_back(link.type + " " + link.value + " " + link.from + ">" + link.to + " " + link.start + "-" + link.end);
  }
  std::ranges::sort(links);
  EXPECT_EQ(links,
            (std::vector<std::string>{"Transfer A ram>gpu0 2.0-3.0", "Waited data cpu0>gpu0 2.0-3.0",
                                      "Waited predecessor gpu0>cpu0 4.0-4.0", "Waited predecessor gpu0>cpu1 4.0-5.0"}));
}

TEST(Paje, SurvivesHostileNames) {
  const Instance instance = hostile_instance();
  Schedule schedule = greedy_schedule(instance, "x");
  add_transfers(schedule, instance);
  const PajeTrace trace = trace_of(instance, schedule);
  EXPECT_EQ(trace.links.size(), schedule.transfers.size());
}

/// States are the attempts and all idle time: together, every worker's time up to the makespan.
TEST(Paje, LeavesNothingOut) {
  std::size_t links = 0;
  for (std::uint64_t round = 0; round < heddle::test::rounds(200U); ++round) {
    SCOPED_TRACE(round);
    heddle::test::Random random(round);
    heddle::test::RandomShape shape;
    shape.data = round % 2 == 1;
    const Instance instance = heddle::test::random_instance(random, shape);
    const Schedule schedule = sim::simulate(instance, policy::Spec("heft"));
    ASSERT_EQ(validate(instance, schedule), std::vector<std::string>());
    const PajeTrace trace = trace_of(instance, schedule);
    TimeSum all = 0;
    TimeSum kernels = 0;
    for (const PajeState& state : trace.states) {
      const Time length = *parse_time(state.end) - *parse_time(state.start);
      all += length;
      if (!state.task.empty()) kernels += length;
    }
    EXPECT_TRUE(all == static_cast<TimeSum>(schedule.makespan()) * static_cast<Time>(instance.platform.worker_count()));
    TimeSum ran = 0;
    for (const Attempt& attempt : schedule.attempts) ran += attempt.end - attempt.start;
    EXPECT_TRUE(kernels == ran);
    links += std::ranges::count(trace.links, "Transfer", &PajeLink::type);
    EXPECT_EQ(std::ranges::count(trace.links, "Transfer", &PajeLink::type), std::ssize(schedule.transfers));
  }
  EXPECT_GT(links, heddle::test::rounds(100U));
}

TEST(PajeReader, FindsWhatIsWrong) {
  const Instance instance = heddle::test::four_tasks();
  const Schedule schedule = heddle::test::four_tasks_schedule(instance);
  const std::string text = paje_trace(instance, schedule, analysis::Losses(instance, schedule));
  const auto errors = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t place = changed.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    changed.replace(place, from.size(), to);
    return read_paje(changed).errors.size();
  };
  EXPECT_EQ(errors("", ""), 0U);
  EXPECT_GT(errors("\n8 ", "\n77 "), 0U);
  EXPECT_GT(errors("\n8 2.0 Activity w0", ""), 0U);
  EXPECT_GT(errors("\n10 3.0 Transfer", "\n10 1.0 Transfer"), 0U);
  EXPECT_GT(errors("% Task string\n", ""), 0U);
  EXPECT_GT(errors("\n6 6.0 Memory m0", ""), 0U);
}

}  // namespace
}  // namespace heddle::report::test
