#include <gtest/gtest.h>

#include <cmath>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/error.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {
namespace {

constexpr ClassId kCpu = make_id<ClassId>(0);
constexpr ClassId kGpu = make_id<ClassId>(1);

/// `count` tasks of each of `types` types, a second on the CPU and half a second on the GPU.
Instance many(std::size_t types, std::size_t count) {
  TaskGraphBuilder builder;
  for (std::size_t t = 0; t < types; ++t) {
    const TypeId type = builder.add_type("t" + std::to_string(t));
    for (std::size_t i = 0; i < count; ++i) builder.add_task("task" + std::to_string(t * count + i), type);
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (std::uint32_t row = 0; row < types; ++row) {
    costs.set_actual(row, kCpu, kSecond);
    costs.set_actual(row, kGpu, kSecond / 2);
  }
  return make_instance("many", std::move(graph),
                       Platform({{.name = "cpu", .workers = 4}, {.name = "gpu", .workers = 2}}), std::move(costs));
}

TEST(Noise, UniformStaysInItsRange) {
  const Instance instance = many(1, 2000);
  const auto durations = sim::Noise("uniform:0.1,per=execution").durations(instance, 7);
  double sum = 0;
  for (const TaskId task : instance.graph.tasks()) {
    const Time duration = durations(task, kCpu, 0);
    EXPECT_GE(duration, kSecond * 9 / 10);
    EXPECT_LE(duration, kSecond * 11 / 10);
    sum += to_seconds(duration);
  }
  EXPECT_NEAR(sum / 2000, 1, 0.01);
}

TEST(Noise, LognormalHasMeanOne) {
  const Instance instance = many(1, 20000);
  const auto durations = sim::Noise("lognormal:0.3,per=execution").durations(instance, 7);
  double sum = 0;
  double squares = 0;
  for (const TaskId task : instance.graph.tasks()) {
    const double duration = to_seconds(durations(task, kCpu, 0));
    sum += duration;
    squares += duration * duration;
  }
  const double mean = sum / 20000;
  EXPECT_NEAR(mean, 1, 0.01);
  EXPECT_NEAR(squares / 20000 - mean * mean, std::exp(0.09) - 1, 0.01);
}

TEST(Noise, PerTypeIsConstantPerTypeAndClass) {
  const Instance instance = many(2, 3);
  const auto durations = sim::Noise("uniform:0.5").durations(instance, 3);
  const auto task = [](std::size_t number) { return make_id<TaskId>(number); };
  EXPECT_EQ(durations(task(0), kCpu, 0), durations(task(2), kCpu, 5));
  EXPECT_NE(durations(task(0), kCpu, 0), durations(task(3), kCpu, 0));
  EXPECT_NE(durations(task(0), kCpu, 0), 2 * durations(task(0), kGpu, 0));
}

TEST(Noise, DrawsDependOnTheSeedAndTheAttempt) {
  const Instance instance = many(1, 1);
  const TaskId task = make_id<TaskId>(0);
  const sim::Noise noise("uniform:0.5,per=execution");
  const auto one = noise.durations(instance, 1);
  EXPECT_EQ(one(task, kCpu, 0), noise.durations(instance, 1)(task, kCpu, 0));
  EXPECT_NE(one(task, kCpu, 0), noise.durations(instance, 2)(task, kCpu, 0));
  EXPECT_NE(one(task, kCpu, 0), one(task, kCpu, 1));
}

TEST(Noise, NormalizedKeepsTheAreaBound) {
  const Instance instance = many(6, 10);
  for (const char* text : {"uniform:0.4,normalized=true", "lognormal:0.4,per=execution,normalized=true"}) {
    const auto durations = sim::Noise(text).durations(instance, 5);
    Instance perturbed = instance;
    for (const TaskId task : instance.graph.tasks()) {
      const std::uint32_t row = perturbed.costs.own_row(task);
      for (const ClassId c : {kCpu, kGpu}) perturbed.costs.set_actual(row, c, durations(task, c, 0));
    }
    const double before = to_seconds(bounds::area_bound(instance).value);
    EXPECT_NEAR(to_seconds(bounds::area_bound(perturbed).value) / before, 1, 1e-9) << text;
  }
}

TEST(Noise, NormalizedLeavesWorkThatTakesNoTimeAsItIs) {
  Instance instance = many(1, 2);
  for (const ClassId c : {kCpu, kGpu}) instance.costs.set_actual(0, c, 0);
  for (const char* text : {"uniform:0.4,normalized=true", "uniform:0.4,per=execution,normalized=true"}) {
    EXPECT_EQ(sim::Noise(text).durations(instance, 5)(make_id<TaskId>(0), kCpu, 0), 0) << text;
  }
}

TEST(Noise, ReachesTheClassesBehindOneThatCannotRun) {
  Instance instance = many(1, 1);
  instance.costs.set_actual(0, kCpu, kCannotRun);
  const auto durations = sim::Noise("uniform:0.5").durations(instance, 3);
  EXPECT_EQ(durations(make_id<TaskId>(0), kCpu, 0), kCannotRun);
  EXPECT_NE(durations(make_id<TaskId>(0), kGpu, 0), kSecond / 2);
}

TEST(Noise, NamesWhatIsPossible) {
  EXPECT_THROW(sim::Noise("unifrom:0.1"), InputError);
  EXPECT_THROW(sim::Noise("uniform:2"), InputError);
  EXPECT_THROW(sim::Noise("uniform:x"), InputError);
  EXPECT_THROW(sim::Noise("uniform:0.1,per=task"), InputError);
  EXPECT_THROW(sim::Noise("uniform:0.1,normalized=maybe"), InputError);
  EXPECT_THROW(sim::Noise("uniform:0.1,normal=true"), InputError);
  EXPECT_TRUE(sim::Noise("none").none());
}

}  // namespace
}  // namespace heddle::test
