// Simulations of hosts that cannot abort: nothing is aborted, and what would be is held back or is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "heddle/model/validate.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using host::Aborts;

/// The attempts that completed, by task.
std::vector<Attempt> completed(const Schedule& schedule) {
  std::vector<Attempt> attempts = schedule.attempts;
  std::erase_if(attempts, [](const Attempt& attempt) { return attempt.outcome != Outcome::completed; });
  std::ranges::sort(attempts, {}, &Attempt::task);
  return attempts;
}

bool has_aborted(const Schedule& schedule) {
  return std::ranges::any_of(schedule.attempts,
                             [](const Attempt& attempt) { return attempt.outcome == Outcome::aborted; });
}

/// Whether something was aborted on the class that is fastest for it, where nothing is held back.
bool aborts_on_fastest(const Instance& instance, const Schedule& schedule) {
  return std::ranges::any_of(schedule.attempts, [&](const Attempt& attempt) {
    const ClassId here = instance.platform.class_of(attempt.worker);
    const auto is_slower = [&](ClassId c) {
      return c == here || instance.costs.estimate(attempt.task, c) > instance.costs.estimate(attempt.task, here);
    };
    return attempt.outcome == Outcome::aborted && std::ranges::all_of(instance.platform.classes(), is_slower);
  });
}

class HoldingBack : public testing::TestWithParam<std::string> {
 protected:
  /// Nothing when the policy cannot take the instance.
  [[nodiscard]] static std::optional<Schedule> run(const Instance& instance, sim::Config config) {
    std::optional<policy::Policy> policy = make_policy(GetParam(), instance);
    if (!policy) return std::nullopt;
    Schedule schedule = sim::simulate(instance, std::move(*policy), GetParam(), config);
    const Durations durations = config.noise.none() ? Durations::exact : Durations::free;
    const std::vector<std::string> violations = validate(instance, schedule, durations);
    EXPECT_TRUE(violations.empty()) << violations.front();
    return schedule;
  }
};

// Where the future is as expected, what is held back is what would have been aborted, and all else is the same.
TEST_P(HoldingBack, IsTheSameAsAbortingWithoutWhatIsLost) {
  Random random(1);
  std::size_t aborted = 0;
  for (int round = 0; round < rounds(150); ++round) {
    const Instance instance = random_instance(random, {.min_classes = 2});
    const std::optional<Schedule> free = run(instance, {});
    if (!free || aborts_on_fastest(instance, *free)) continue;
    const std::optional<Schedule> held = run(instance, {.aborts = Aborts::hold_back});
    aborted += has_aborted(*free) ? 1U : 0U;
    EXPECT_FALSE(has_aborted(*held));
    ASSERT_EQ(completed(*held), completed(*free)) << "round " << round;
  }
  const policy::Spec spec(GetParam());
  const bool spoliates = spec.entry().name.starts_with("heteroprio") && spec.needs().abort;
  if (spoliates && !kSanitized) {
    EXPECT_GT(aborted, 0U);
  }
}

// Whatever else happens, nothing is aborted, all is done, and the schedule is valid.
TEST_P(HoldingBack, NothingIsAborted) {
  Random random(2);
  for (int round = 0; round < rounds(100); ++round) {
    const Instance instance = random_instance(
        random, {.min_classes = 2, .wrong_estimates = round % 4 == 1, .data = round % 2 == 0, .write_back = true});
    for (const Aborts aborts : {Aborts::hold_back, Aborts::none}) {
      const char* noise = round % 3 == 0 ? "uniform:0.5,per=execution" : "";
      const std::optional<Schedule> schedule = run(instance, {.noise = sim::Noise(noise), .seed = 3, .aborts = aborts});
      ASSERT_FALSE(schedule && has_aborted(*schedule)) << "round " << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, HoldingBack, testing::ValuesIn(registered_specs()), test_name);

}  // namespace
}  // namespace heddle::test
