#include <gtest/gtest.h>

#include "heddle/sim/simulation.hpp"
#include "tests/policy/independent.hpp"

namespace heddle::test {
namespace {

TEST(RandomPolicy, GivesWorkersTasksInProportionToTheirSpeed) {
  // Two CPUs, and two GPUs that are three times as fast.
  const Instance instance = independent(std::vector(8000, std::pair<Time, Time>(30, 10)), 2, 2);
  std::vector<double> tasks(4, 0.0);
  for (const Attempt& attempt : sim::simulate(instance, policy::Spec("random")).attempts)
    ++tasks[index(attempt.worker)];
  EXPECT_NEAR(tasks[0], 1000, 100);
  EXPECT_NEAR(tasks[1], 1000, 100);
  EXPECT_NEAR(tasks[2], 3000, 150);
  EXPECT_NEAR(tasks[3], 3000, 150);
}

}  // namespace
}  // namespace heddle::test
