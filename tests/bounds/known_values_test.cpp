// What bounds and their parts compute for random instances: the same as when last looked at (known_values.txt; the
// lines whose names begin with "clp" also depend on the linear-programming library). Other tests say what is right;
// this one notices whatever changes a value, or how many steps it takes.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heddle/bounds/area.hpp"
#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/chained_bound.hpp"
#include "heddle/bounds/chains.hpp"
#include "heddle/bounds/choice.hpp"
#include "heddle/bounds/first_order.hpp"
#include "heddle/bounds/heads_and_tails.hpp"
#include "heddle/bounds/primal_dual.hpp"
#include "heddle/bounds/regret_matching.hpp"
#include "heddle/bounds/saddle_point.hpp"
#include "heddle/bounds/slack.hpp"
#include "heddle/bounds/windows.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/checksum.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

using test::Checksum;

constexpr std::uint64_t kRounds = 100;

void expect_known(const std::string& name, const Checksum& checksum) {
  test::expect_known(HEDDLE_KNOWN_VALUES, name, checksum);
}

/// A number to eight digits, which do not depend on the order of a sum.
void add_rounded(Checksum& checksum, double number) {
  if (number == 0 || !std::isfinite(number)) return checksum.add(number == 0);
  const double magnitude = std::floor(std::log10(std::abs(number)));
  checksum.add(static_cast<std::int64_t>(magnitude));
  checksum.add(static_cast<std::int64_t>(std::llround(number * std::pow(10, 8 - magnitude))));
}

void add_rounded(Checksum& checksum, const auto& numbers) {
  for (const double number : numbers) add_rounded(checksum, number);
}

void add(Checksum& checksum, const Bound& bound) {
  checksum.add(bound.value);
  checksum.add(bound.exact);
  checksum.add(bound.out_of_time);
  add_rounded(checksum, bound.use);
  checksum.add(bound.full_classes);
  checksum.add(bound.path);
  for (const ClassWindow& window : bound.windows) {
    checksum.add(window.head);
    checksum.add(window.tail);
    checksum.add(window.on);
  }
}

/// Of several shapes: up to four classes, ties or not, some graphs larger than others.
std::vector<Instance> instances(std::uint64_t seed) {
  test::Random random(seed);
  std::vector<Instance> all;
  for (std::uint64_t round = 0; round < test::rounds(kRounds); ++round) {
    test::RandomShape shape{.max_tasks = round % 3 == 0 ? std::size_t{80} : std::size_t{25},
                            .max_classes = 1 + round % 4};
    shape.max_duration = round % 2 == 0 ? 20 : 1'000'000'000;
    shape.shared_types = round % 5 < 3;
    all.push_back(test::random_instance(random, shape));
  }
  return all;
}

/// Where paths and area compete, which takes all that there is.
std::vector<Instance> tiled_instances() {
  return {test::tiled_instance("cholesky", 8, {{"cpu", 20}, {"gpu", 2}}),
          test::tiled_instance("lu", 6, {{"cpu", 6}, {"cpu5", 2}, {"gpu", 2}}),
          test::tiled_instance("qr", 6, {{"cpu", 30}, {"gpu", 3}}),
          test::tiled_instance("cholesky", 12, {{"cpu", 60}, {"gpu", 4}})};
}

TEST(KnownValues, OfBounds) {
  Checksum simple;
  Checksum with_programs;
  const auto add_all = [&](const Instance& instance) {
    add(simple, critical_path_bound(instance));
    std::uint64_t asked = 0;
    const auto count = [&] {
      ++asked;
      return false;
    };
    const Bounds bounds = compute(instance, kAllKinds, {.stop = count});
    for (const Kind kind : kAllKinds) {
      with_programs.add(bounds[kind].has_value());
      if (bounds[kind]) add(with_programs, *bounds[kind]);
      // Also when it is stopped half-way.
      std::uint64_t left = asked / 2;
      const Kind one[] = {kind};
      const Bounds stopped = compute(instance, one, {.stop = [&] { return left == 0 || --left == 0; }});
      if (stopped[kind]) add(with_programs, *stopped[kind]);
    }
    with_programs.add(asked);
  };
  for (const Instance& instance : instances(301)) add_all(instance);
  for (const Instance& instance : tiled_instances()) add_all(instance);
  expect_known("critical-path", simple);
  expect_known("clp-bounds", with_programs);
}

TEST(KnownValues, OfAreas) {
  Checksum closed;
  Checksum programs;
  for (const Instance& instance : instances(302)) {
    if (instance.platform.class_count() <= 2) add(closed, area_closed_form(instance));
    add(programs, area_linear_program(instance));
    for (const std::vector<double>& shares : area_shares(instance)) add_rounded(programs, shares);
  }
  expect_known("area", closed);
  expect_known("clp-area", programs);
}

TEST(KnownValues, OfChains) {
  Checksum checksum;
  Checksum programs;
  for (const Instance& instance : instances(303)) {
    const std::vector<Chain> chains = find_chains(instance);
    for (const Chain& chain : chains) {
      checksum.add(chain.type);
      checksum.add(chain.path);
      checksum.add(chain.others);
    }
    add(checksum, chained_bound_by_duals(instance, std::span(chains).first(std::min<std::size_t>(chains.size(), 3))));
    add(programs, chained_bound(instance, chains));
    add(programs, quick_chained_bound(instance, chains));
  }
  expect_known("chains", checksum);
  expect_known("clp-chains", programs);
}

TEST(KnownValues, OfAllocations) {
  Checksum checksum;
  std::vector<Instance> all = instances(304);
  for (Instance& instance : tiled_instances()) all.push_back(std::move(instance));
  for (const Instance& instance : all) {
    const Shares shares = fractional_allocation(instance);
    for (const TaskId task : instance.graph.tasks()) {
      for (const ClassId c : instance.platform.classes()) add_rounded(checksum, shares(task, c));
    }
  }
  expect_known("clp-allocations", checksum);
}

TEST(KnownValues, OfMarginsAndWindows) {
  Checksum checksum;
  test::Random random(305);
  for (const Instance& instance : instances(305)) {
    const HeadsAndTails found = heads_and_tails(instance);
    checksum.add(found.head);
    checksum.add(found.tail);
    const Windows windows(instance);
    const std::size_t groups = windows.groups().groups.size();
    const std::size_t classes = instance.platform.class_count();
    std::vector<double> shares(groups * classes);
    for (std::size_t group = 0; group < groups; ++group) {
      const auto c = static_cast<std::size_t>(test::draw(random, 0, static_cast<std::int64_t>(classes) - 1));
      shares[group * classes + c] = static_cast<double>(windows.groups().groups[group].tasks);
    }
    const Time known = critical_path_bound(instance).value;
    for (const std::size_t count : {1, 20}) {
      for (const ClassWindow& window : windows.too_full(shares, static_cast<double>(known), known, count)) {
        checksum.add(window.head);
        checksum.add(window.tail);
        checksum.add(window.on);
        checksum.add(windows.amounts(window, known));
      }
    }
  }
  expect_known("heads-tails-and-windows", checksum);
}

TEST(KnownValues, OfSlack) {
  Checksum checksum;
  for (const Instance& instance : instances(306)) {
    const Time length = critical_path_bound(instance).value;
    for (const double factor : {1.01, 1.2, 1.6, 3.0}) {
      const double deadline = factor * static_cast<double>(length);
      Table<TaskId, double> allowed;
      Table<TaskId, double> wanted;
      for (const TaskId task : instance.graph.tasks()) {
        const auto row = instance.costs.actual_row(task);
        const auto least = static_cast<double>(*std::ranges::min_element(row));
        allowed.push_back(least);
        wanted.push_back(least * (1 + static_cast<double>(index(task) % 4)));
      }
      const auto within = fit_within_slack(instance, deadline);
      checksum.add(within.has_value());
      if (within) add_rounded(checksum, *within);
      const auto near = fit_near(instance, deadline, wanted);
      checksum.add(near.has_value());
      if (near) add_rounded(checksum, *near);
      share_slack(instance.graph, deadline, wanted, allowed);
      add_rounded(checksum, allowed);
    }
  }
  expect_known("slack", checksum);
}

TEST(KnownValues, OfSteps) {
  Checksum checksum;
  std::vector<Instance> all = instances(307);
  all.resize(all.size() / 3);
  for (Instance& instance : tiled_instances()) all.push_back(std::move(instance));
  for (const Instance& instance : all) {
    Bound bound = area_bound(instance);
    if (bound.value == 0) continue;
    const SaddlePoint problem(instance, static_cast<double>(bound.value));
    RegretMatching matching(problem);
    matching.run(60);
    const auto add_solution = [&](const Solution& solution) {
      add_rounded(checksum, solution.shares);
      add_rounded(checksum, solution.flows);
      add_rounded(checksum, solution.duals);
      add(checksum, proven_bound(problem, solution));
      add_rounded(checksum, durations(problem, solution));
    };
    add_solution(matching.solution());
    PrimalDual primal_dual(problem, matching.solution());
    for (const std::size_t steps : {1, 20, 300}) {
      primal_dual.run(steps);
      add_solution(primal_dual.solution());
    }
    std::uint64_t asked = 0;
    const Countdown counted({}, [&] { return ++asked > 40; });
    checksum.add(close_by_steps(instance, {}, counted, bound));
    checksum.add(asked);
    add(checksum, bound);
  }
  expect_known("steps", checksum);
}

}  // namespace
}  // namespace heddle::bounds
