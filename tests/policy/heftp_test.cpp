#include <gtest/gtest.h>

#include "heddle/sim/simulation.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

std::vector<Attempt> attempts(const Instance& instance, const std::string& spec) {
  return sim::simulate(instance, policy::Spec(spec)).attempts;
}

TEST(Heftp, IsDmdasWithoutACorrection) {
  Random random(45);
  for (int round = 0; round < rounds(500); ++round) {
    const Instance instance = random_instance(random, {.wrong_estimates = round % 2 == 1, .data = round % 3 == 0});
    ASSERT_EQ(attempts(instance, "heftp"), attempts(instance, "dmdas"));
    ASSERT_EQ(attempts(instance, "heftp:priority=hint"), attempts(instance, "dmdas:priority=hint"));
  }
}

/// x is passed over on the GPU by a chain of `links` tasks of length 3, each more urgent; on the CPU it takes `cpu`.
std::string worker_of_x(std::size_t links, Time cpu, const std::string& correction) {
  TaskGraphBuilder builder;
  builder.add_task("x", builder.add_type("x"));
  const TypeId link = builder.add_type("link");
  for (std::size_t i = 1; i <= links; ++i) {
    builder.add_task("link" + std::to_string(i), link);
    if (i > 1) builder.add_edge(make_id<TaskId>(i - 1), make_id<TaskId>(i));
  }
  TaskGraph graph = builder.build();
  Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}});
  Costs costs(graph, 2);
  costs.set_actual(0, make_id<ClassId>(0), cpu);
  costs.set_actual(0, make_id<ClassId>(1), 2);
  costs.set_actual(1, make_id<ClassId>(0), 90);
  costs.set_actual(1, make_id<ClassId>(1), 3);
  const Instance instance = make_instance("passed over", std::move(graph), std::move(platform), std::move(costs));
  const Schedule schedule = sim::simulate(instance, policy::Spec("heftp:correction=" + correction));
  for (const Attempt& attempt : schedule.attempts) {
    if (attempt.task == TaskId{}) return instance.platform.worker_name(attempt.worker);
  }
  return "";
}

TEST(Heftp, LetComparesWithTheEndAfterThePassing) {
  EXPECT_EQ(worker_of_x(4, 14, "let"), "cpu0") << "on the GPU it would end at 4 x 3 + 2, no earlier";
  EXPECT_EQ(worker_of_x(4, 15, "let"), "gpu0");
  EXPECT_EQ(worker_of_x(4, 14, "none"), "gpu0");
}

TEST(Heftp, GbAsksThatTheGpusAreBusyMeanwhile) {
  EXPECT_EQ(worker_of_x(4, 12, "gb"), "cpu0") << "the chain keeps the GPU busy for 12";
  EXPECT_EQ(worker_of_x(4, 13, "gb"), "gpu0");
}

TEST(Heftp, MmsAsksThatTheMakespanIsSmaller) {
  EXPECT_EQ(worker_of_x(4, 13, "mms"), "cpu0") << "13 against 14";
  EXPECT_EQ(worker_of_x(4, 14, "mms"), "gpu0");
}

}  // namespace
}  // namespace heddle::test
