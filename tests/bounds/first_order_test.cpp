#include "heddle/bounds/first_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/longest_paths.hpp"
#include "heddle/bounds/primal_dual.hpp"
#include "heddle/bounds/regret_matching.hpp"
#include "heddle/bounds/saddle_point.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

Instance random_instance(std::uint64_t seed) {
  test::Random random(seed);
  return test::random_instance(random, {.max_tasks = 40, .max_classes = 4, .max_duration = 1'000'000'000});
}

/// The longest path and the work of each class, of tasks that take `durations` when shared out by `share(task, class)`.
template <class Share>
double makespan(const Instance& instance, const Table<TaskId, double>& durations, Share&& share) {
  double makespan = LongestPaths(instance.graph, durations).longest();
  for (const ClassId c : instance.platform.classes()) {
    double work = 0;
    for (const TaskId task : instance.graph.tasks()) {
      if (instance.costs.can_run(task, c)) {
        work += share(task, c) * static_cast<double>(instance.costs.actual(task, c));
      }
    }
    if (work > 0) makespan = std::max(makespan, work / instance.platform.worker_count(c));
  }
  return makespan;
}

/// What the simplex method finds: the makespan of its solution.
double linear_program(const Instance& instance) {
  const Shares shares = fractional_allocation(instance, 1e-8);
  return makespan(instance, shares.durations(instance), shares);
}

double makespan(const SaddlePoint& problem, const Solution& solution) {
  const Instance& instance = problem.instance;
  Table<TaskId, std::size_t> row(problem.tasks);
  for (std::size_t t = 0; t < problem.tasks; ++t) row[instance.graph.topological_order()[t]] = t * problem.classes;
  return makespan(instance, durations(problem, solution),
                  [&](TaskId task, ClassId c) { return solution.shares[row[task] + index(c)]; });
}

/// The bound that steps reach from next to nothing, which has to be the linear program's.
void expect_closed(const Instance& instance) {
  Bound bound = area_bound(instance);
  if (bound.value == 0) return;
  ASSERT_TRUE(close_by_steps(instance, {}, Countdown(), bound)) << instance.name;
  const double expected = linear_program(instance);
  EXPECT_TRUE(bound.exact);
  EXPECT_LE(static_cast<double>(bound.value), expected * (1 + 1e-9) + 1) << instance.name;
  EXPECT_GE(static_cast<double>(bound.value), expected * (1 - 1e-6) - 2) << instance.name;
  for (const ClassId c : instance.platform.classes()) {
    EXPECT_LE(bound.use[c], (expected * (1 + 2e-6) + 2) * instance.platform.worker_count(c));
  }
}

/// Tiles that graphs have less under the sanitizers: their linear programs are solved in a quarter of the time.
constexpr std::size_t kFewer = test::kSanitized ? 3 : 0;

TEST(FirstOrder, AgreesWithTheLinearProgramWherePathAndAreaCompete) {
  expect_closed(test::tiled_instance("cholesky", 12 - kFewer, {{"cpu", 60}, {"gpu", 4}}));
  expect_closed(test::tiled_instance("lu", 10 - kFewer, {{"cpu", 60}, {"gpu", 4}}));
  expect_closed(test::tiled_instance("qr", 10 - kFewer, {{"cpu", 40}, {"gpu", 2}}));
}

TEST(FirstOrder, AgreesWithItForThreeClasses) {
  expect_closed(test::tiled_instance("cholesky", 10 - kFewer, {{"cpu", 40}, {"cpu5", 4}, {"gpu", 3}}));
  expect_closed(test::tiled_instance("lu", 9 - kFewer, {{"cpu", 40}, {"cpu5", 4}, {"gpu", 3}}));
  expect_closed(test::tiled_instance("qr", 8 - kFewer, {{"cpu", 40}, {"cpu5", 4}, {"gpu", 2}}));
}

TEST(FirstOrder, AgreesWithItOnRandomGraphs) {
  for (std::uint64_t seed = 0; seed < (test::kSanitized ? 15 : 60); ++seed) {
    SCOPED_TRACE(seed);
    expect_closed(random_instance(seed));
  }
}

TEST(FirstOrder, NamesAPathThatBinds) {
  const Instance instance = test::tiled_instance("qr", 10 - kFewer, {{"cpu", 40}, {"gpu", 2}});
  Bound bound = critical_path_bound(instance);
  bound.path.clear();
  ASSERT_TRUE(close_by_steps(instance, {}, Countdown(), bound));
  ASSERT_GE(bound.path.size(), 2U);
  EXPECT_TRUE(instance.graph.predecessors(bound.path.front()).empty());
  EXPECT_TRUE(instance.graph.successors(bound.path.back()).empty());
  for (std::size_t i = 1; i < bound.path.size(); ++i) {
    const auto successors = instance.graph.successors(bound.path[i - 1]);
    EXPECT_NE(std::ranges::find(successors, bound.path[i]), successors.end());
  }
  EXPECT_FALSE(bound.full_classes.empty());
}

TEST(FirstOrder, TimeThatIsOverLeavesABound) {
  const Instance instance = test::tiled_instance("qr", 10, {{"cpu", 40}, {"gpu", 2}});
  Bound bound = area_bound(instance);
  EXPECT_FALSE(close_by_steps(instance, {}, Countdown(0.0), bound));
  EXPECT_EQ(bound.value, area_bound(instance).value);
}

/// Whatever the numbers, what they prove is true.
TEST(SaddlePoint, AnyFlowAndDualValuesProveABound) {
  for (std::uint64_t seed = 0; seed < test::rounds(1000U); ++seed) {
    SCOPED_TRACE(seed);
    const Instance instance = random_instance(seed);
    const SaddlePoint problem(instance, 1e9);
    test::Random random(seed);
    const auto draw = [&] { return static_cast<double>(test::draw(random, -5, 20)) / 10; };
    Solution solution;
    for (std::size_t e = 0; e < problem.to.size(); ++e) solution.flows.push_back(draw());
    for (std::size_t r = 0; r < problem.classes; ++r) solution.duals.push_back(draw());
    EXPECT_LE(static_cast<double>(proven_bound(problem, solution).value), linear_program(instance) * (1 + 1e-9) + 1);
  }
}

TEST(SaddlePoint, NoFlowAndNoDualValuesProveNothing) {
  const Instance instance = random_instance(1);
  const SaddlePoint problem(instance, 1e9);
  const Bound bound = proven_bound(
      problem,
      {.shares = {}, .flows = std::vector(problem.to.size(), 0.0), .duals = std::vector(problem.classes, 0.0)});
  EXPECT_EQ(bound.value, 0);
  EXPECT_TRUE(bound.full_classes.empty());
  EXPECT_TRUE(bound.path.empty());
}

TEST(SaddlePoint, FlowAndDualValuesProveTheSameInAnyUnit) {
  std::size_t some = 0;
  for (std::uint64_t seed = 0; seed < test::rounds(100U); ++seed) {
    SCOPED_TRACE(seed);
    const Instance instance = random_instance(seed);
    const SaddlePoint problem(instance, 1e9);
    test::Random random(seed);
    Solution solution;
    for (std::size_t e = 0; e < problem.to.size(); ++e)
      solution.flows.push_back(static_cast<double>(test::draw(random, 0, 20)));
    for (std::size_t r = 0; r < problem.classes; ++r)
      solution.duals.push_back(static_cast<double>(test::draw(random, 0, 20)));
    const Time value = proven_bound(problem, solution).value;
    if (value > 0) ++some;
    for (double& flow : solution.flows) flow /= 1024;
    for (double& dual : solution.duals) dual /= 1024;
    EXPECT_EQ(proven_bound(problem, solution).value, value);
  }
  EXPECT_GT(some, test::rounds(50U));
}

TEST(SaddlePoint, DurationsAreThoseOfTheShares) {
  const Instance instance = test::tiled_instance("cholesky", 3, {{"cpu", 2}, {"gpu", 1}});
  const SaddlePoint problem(instance, 1e9);
  Solution solution;
  for (std::size_t t = 0; t < problem.tasks; ++t) solution.shares.insert(solution.shares.end(), {0.25, 0.75});
  const Table<TaskId, double> lengths = durations(problem, solution);
  for (const TaskId task : instance.graph.tasks()) {
    const auto row = instance.costs.actual_row(task);
    EXPECT_NEAR(lengths[task], 0.25 * static_cast<double>(row[0]) + 0.75 * static_cast<double>(row[1]), 1);
  }
}

/// Of the bound that is missing, a round in ten leaves the less the more rounds there were.
TEST(RegretMatching, ComesNearInAFewHundredRounds) {
  const Instance instance = test::tiled_instance("lu", 12, {{"cpu", 60}, {"gpu", 4}});
  const auto exact = static_cast<double>(iterative_bound(instance).value);
  const SaddlePoint problem(instance, exact);
  RegretMatching game(problem);
  game.run(1000);
  EXPECT_GE(static_cast<double>(proven_bound(problem, game.solution()).value), exact * (1 - 1e-3));
  EXPECT_LE(makespan(problem, game.solution()), exact * (1 + 1e-2));
}

/// From nothing at all, on its own.
TEST(PrimalDual, ComesToTheEndFromAnywhere) {
  const Instance instance = test::tiled_instance("cholesky", 8 - kFewer, {{"cpu", 40}, {"gpu", 2}});
  const auto exact = static_cast<double>(iterative_bound(instance).value);
  const SaddlePoint problem(instance, exact);
  PrimalDual method(problem, RegretMatching(problem).solution());
  method.run(20'000);
  EXPECT_GE(static_cast<double>(proven_bound(problem, method.solution()).value), exact * (1 - 1e-6));
  EXPECT_LE(makespan(problem, method.solution()), exact * (1 + 1e-4));
}

/// Steps after which what is proven is less than `gap` below the bound, looked at every hundred.
std::size_t steps_to(const Instance& instance, double gap, std::size_t rounds_before) {
  const auto exact = static_cast<double>(iterative_bound(instance).value);
  const SaddlePoint problem(instance, exact);
  RegretMatching game(problem);
  game.run(rounds_before);
  PrimalDual method(problem, game.solution());
  std::size_t steps = 0;
  while (static_cast<double>(proven_bound(problem, method.solution()).value) < exact * (1 - gap) && steps < 100'000) {
    method.run(100);
    steps += 100;
  }
  return steps;
}

/// A fifth more than it takes: what is wrong with its steps or restarts shows in their number only.
TEST(PrimalDual, TakesNoMoreStepsThanItDid) {
  EXPECT_LE(steps_to(random_instance(10), 1e-6, 0), 6'300 * 6 / 5);
  EXPECT_LE(steps_to(random_instance(42), 1e-6, 0), 5'200 * 6 / 5);
  EXPECT_LE(steps_to(random_instance(45), 1e-6, 0), 4'100 * 6 / 5);
}

TEST(PrimalDual, GoesOnFromWhatRegretMatchingFound) {
  const Instance instance = test::tiled_instance("cholesky", 10, {{"cpu", 40}, {"gpu", 3}});
  EXPECT_LE(steps_to(instance, 1e-7, 1000), 1'300 * 6 / 5);
}

}  // namespace
}  // namespace heddle::bounds
