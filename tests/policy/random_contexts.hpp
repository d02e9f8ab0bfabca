#pragma once

#include <string>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {

/// The instance with one context of all workers.
[[nodiscard]] Instance with_one_context(Instance instance, const std::string& policy);

/// The instance with up to four contexts, disjoint or not, each with a policy of the registry that can take it; fewer
/// where not each task could run in one. Some contexts have no task, some workers no context.
[[nodiscard]] Instance with_random_contexts(Random& random, Instance instance);

/// "solver:dmdas rest:ws ".
[[nodiscard]] std::string describe_contexts(const Instance& instance);

/// By the number of a round: whether tasks can be aborted.
[[nodiscard]] host::Aborts aborts_of(int round);
/// The same, noise, and how far workers ask ahead.
[[nodiscard]] sim::Config config_of(int round);

/// That no task of a context is on a worker of another.
void expect_own_workers(const Instance& instance, const Schedule& schedule);

}  // namespace heddle::test
