#include "heddle/bounds/certificate.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/brute_force.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::bounds {
namespace {

Platform two_and_one() {
  return Platform({{"a", 2, "ram", {}}, {"b", 1, "ram", {}}});
}

TEST(Certificate, WithoutDualValuesAndFlowProvesNothing) {
  Certificate certificate(two_and_one(), std::vector<double>{0, 0});
  certificate.add_work(std::vector<Time>{5, 7}, 10, 0);
  EXPECT_EQ(certificate.bound(), 0);
  EXPECT_TRUE(certificate.weighed_classes().empty());
}

TEST(Certificate, WeighsWorkWithDualValues) {
  Certificate certificate(two_and_one(), std::vector<double>{0.25, 0.5});
  certificate.add_work(std::vector<Time>{8, 3}, 5, 0);           // the cheaper is b: 5 x 0.5 x 3
  certificate.add_work(std::vector<Time>{kCannotRun, 4}, 1, 0);  // 0.5 x 4
  EXPECT_EQ(certificate.bound(), 9);                             // 9.5 / (2 x 0.25 + 0.5)
  EXPECT_EQ(certificate.weighed_classes().size(), 2U);
}

TEST(Certificate, WeighsPathsWithFlow) {
  Certificate certificate(two_and_one(), std::vector<double>{0, 0});
  const auto flow = Certificate::units(0.5);
  certificate.add_work(std::vector<Time>{8, 3}, 2, flow);
  certificate.add_flow(flow, 11);
  EXPECT_EQ(certificate.bound(), 17);
}

TEST(Certificate, NumbersThatNoDualHasAreHarmless) {
  EXPECT_EQ(Certificate::units(-0.1), 0);
  EXPECT_EQ(Certificate::units(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(Certificate::units(std::numeric_limits<double>::infinity()), Certificate::units(2));
}

/// A certificate with random dual values and a random amount of flow on each of a few random paths.
Certificate random_certificate(test::Random& random, const Instance& instance) {
  const auto amount = [&] { return static_cast<double>(test::draw(random, 0, 8)) / 8; };
  std::vector<double> duals(instance.platform.class_count());
  for (double& dual : duals) dual = amount();
  Certificate certificate(instance.platform, duals);
  Table<TaskId, Certificate::Units> flow(instance.graph.task_count(), 0);
  for (int paths = 0; paths < 3; ++paths) {
    const auto weight = Certificate::units(amount());
    auto task = make_id<TaskId>(
        static_cast<std::size_t>(test::draw(random, 0, static_cast<std::int64_t>(instance.graph.task_count()) - 1)));
    certificate.add_flow(weight);
    flow[task] += weight;
    for (auto next = instance.graph.successors(task); !next.empty(); next = instance.graph.successors(task)) {
      task = next[static_cast<std::size_t>(test::draw(random, 0, static_cast<std::int64_t>(next.size()) - 1))];
      flow[task] += weight;
    }
  }
  for (const TaskId task : instance.graph.tasks()) {
    certificate.add_work(instance.costs.actual_row(task), 1, flow[task]);
  }
  return certificate;
}

TEST(Certificate, NoDualValuesAndNoFlowProveMoreThanTheOptimum) {
  for (std::uint64_t seed = 0; seed < test::rounds(300U); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    test::RandomShape shape;
    shape.max_tasks = 5;
    shape.max_classes = 2;
    shape.max_workers = 2;
    const Instance instance = test::random_instance(random, shape);
    const Time optimum = test::optimal_makespan(instance);
    for (int i = 0; i < 50; ++i) EXPECT_LE(random_certificate(random, instance).bound(), optimum);
  }
}

}  // namespace
}  // namespace heddle::bounds
