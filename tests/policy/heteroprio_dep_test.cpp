#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/model/levels.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/policy/independent.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/reference_heteroprio_dep.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

struct NamedOrder {
  const char* spec;
  SpoliationOrder order;
};
constexpr NamedOrder kOrders[] = {{"heteroprio-dep:order=latest", SpoliationOrder::latest},
                                  {"heteroprio-dep:order=priority", SpoliationOrder::priority},
                                  {"heteroprio-dep:order=acceleration", SpoliationOrder::acceleration}};

Schedule schedule(const Instance& instance, const std::string& spec) {
  return sim::simulate(instance, policy::Spec(spec));
}

TEST(HeteroPrioDep, GivesTheSchedulesOfThePlainReference) {
  Random random(11);
  for (int round = 0; round < rounds(3000); ++round) {
    RandomShape shape{.min_classes = 2, .max_classes = 2};
    shape.max_tasks = round % 10 == 0 ? 150 : 30;
    shape.shared_types = round % 3 != 0;
    shape.max_duration = round % 2 == 0 ? 6 : 1000;
    const Instance instance = random_instance(random, shape);
    for (const NamedOrder& order : kOrders) {
      ASSERT_EQ(schedule(instance, order.spec).attempts, reference_heteroprio_dep(instance, order.order))
          << order.spec << " round " << round;
    }
  }
}

TEST(HeteroPrioDep, StaysWithinItsGuarantee) {
  Random random(12);
  for (int round = 0; round < rounds(600); ++round) {
    RandomShape shape{.max_tasks = 6, .min_classes = 2, .max_classes = 2, .max_workers = 2};
    shape.zero_durations = false;
    shape.unrunnable = false;
    const Instance instance = random_instance(random, shape);
    const double m = instance.platform.worker_count(make_id<ClassId>(0));
    const double n = instance.platform.worker_count(make_id<ClassId>(1));
    const auto optimum = static_cast<double>(optimal_makespan(instance));
    for (const NamedOrder& order : kOrders) {
      const auto makespan = static_cast<double>(schedule(instance, order.spec).makespan());
      EXPECT_GE(makespan, optimum);
      EXPECT_LE(makespan, (2 + std::max(m / n, n / m)) * optimum);
    }
  }
}

TEST(HeteroPrioDep, BestIsTheSmallestOfTheThree) {
  Random random(13);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random, {.min_classes = 2, .max_classes = 2});
    Time least = kMaxTime;
    for (const NamedOrder& order : kOrders) least = std::min(least, schedule(instance, order.spec).makespan());
    EXPECT_EQ(schedule(instance, "heteroprio-dep:order=best").makespan(), least);
  }
}

TEST(HeteroPrioDep, BestIsChosenOnTheEstimates) {
  Random random(14);
  for (int round = 0; round < rounds(100); ++round) {
    const Instance truth = random_instance(random, {.min_classes = 2, .max_classes = 2, .wrong_estimates = true});
    Instance believed = truth;
    believed.costs = truth.costs.as_estimated();
    const NamedOrder* chosen = nullptr;
    Time least = kMaxTime;
    for (const NamedOrder& order : kOrders) {
      const Time makespan = schedule(believed, order.spec).makespan();
      if (makespan < least) {
        least = makespan;
        chosen = &order;
      }
    }
    EXPECT_EQ(schedule(truth, "heteroprio-dep:order=best").attempts, schedule(truth, chosen->spec).attempts);
  }
}

// Kumar 2017, theorem 5.8: X = (F(n+1), F(n)) and Y = (F(n), F(n-1)) with (CPU, GPU) durations. The best is X on the
// GPU and Y on the CPU, F(n); HeteroPrio starts both the other way round and the GPU cannot gain by spoliation. Factors
// F(n+1)/F(n) and F(n)/F(n-1) alternate around the golden ratio: for odd n, Y's is the larger one and goes first.
TEST(HeteroPrioDep, ReachesTheGoldenRatiosConvergents) {
  std::vector<Time> fibonacci{1, 1};
  while (fibonacci.size() < 60) fibonacci.push_back(fibonacci[fibonacci.size() - 1] + fibonacci[fibonacci.size() - 2]);
  for (std::size_t n = 2; n + 1 < fibonacci.size(); n += 2) {
    // fibonacci[i] is F(i+1).
    const Instance instance = independent({{fibonacci[n + 1], fibonacci[n]}, {fibonacci[n], fibonacci[n - 1]}}, 1, 1);
    for (const NamedOrder& order : kOrders) {
      EXPECT_EQ(schedule(instance, order.spec).makespan(), fibonacci[n + 1]) << order.spec << " n = " << n;
    }
    EXPECT_EQ(optimal_makespan(instance), fibonacci[n]);
  }
}

/// The family of theorem 2 (2020): 1 + m/n times the pattern A -> T1 -> (next A), A -> T2 -> n tasks B, then a last A.
Instance theorem_2(std::uint32_t m, std::uint32_t n, Time unit, Time epsilon) {
  TaskGraphBuilder builder;
  const TypeId a = builder.add_type("A");
  const TypeId t1 = builder.add_type("T1");
  const TypeId t2 = builder.add_type("T2");
  const TypeId b = builder.add_type("B");
  TaskId last = builder.add_task("A0", a);
  for (std::uint32_t i = 0; i < 1 + m / n; ++i) {
    const std::string number = std::to_string(i);
    const TaskId first = builder.add_task("T1_" + number, t1);
    const TaskId second = builder.add_task("T2_" + number, t2);
    builder.add_edge(last, first);
    builder.add_edge(last, second);
    for (std::uint32_t j = 0; j < n; ++j) {
      builder.add_edge(second, builder.add_task("B" + number + "_" + std::to_string(j), b));
    }
    last = builder.add_task("A" + std::to_string(i + 1), a);
    builder.add_edge(first, last);
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  const auto set = [&](TypeId type, Time gpu, Time cpu) {
    costs.set_actual(Costs::row(type), make_id<ClassId>(0), cpu);
    costs.set_actual(Costs::row(type), make_id<ClassId>(1), gpu);
  };
  set(a, 2 * epsilon, unit - 3 * epsilon);
  set(t1, 5 * epsilon, 4 * epsilon);
  set(t2, 2 * epsilon, 3 * epsilon);
  set(b, unit - epsilon, unit);
  Platform platform({{.name = "cpu", .workers = m}, {.name = "gpu", .workers = n}});
  return make_instance("theorem 2", std::move(graph), std::move(platform), std::move(costs));
}

TEST(HeteroPrioDep, MeetsTheWorstCaseFamilyOfTheorem2) {
  const Time unit = 1'000'000'000;
  for (const auto& [m, n] : {std::pair(4U, 2U), std::pair(6U, 2U), std::pair(8U, 1U), std::pair(3U, 3U)}) {
    double previous = 0;
    for (const Time epsilon : {unit / 1'000, unit / 100'000, unit / 10'000'000}) {
      const Instance instance = theorem_2(m, n, unit, epsilon);
      const double patterns = 1 + m / n;
      // The schedule of figure 6 bounds the optimum from above.
      const double better =
          2 * static_cast<double>(epsilon) + 6 * static_cast<double>(epsilon) * patterns + static_cast<double>(unit);
      const double ratio = static_cast<double>(schedule(instance, kOrders[0].spec).makespan()) / better;
      EXPECT_GT(ratio, previous);
      EXPECT_LE(ratio, patterns + 1e-6);
      previous = ratio;
    }
    EXPECT_NEAR(previous, 1 + m / n, 1e-4);
  }
}

}  // namespace
}  // namespace heddle::test
