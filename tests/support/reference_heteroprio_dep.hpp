#pragma once

#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

enum class SpoliationOrder { latest, priority, acceleration };

/// HeteroPrioDep written a second time, in the plainest way: one loop with ordered sets, no engine, no policy
/// interface. Two classes, no noise. Tests compare schedules with it and benchmarks times; it shares nothing with the
/// real one but the model.
[[nodiscard]] std::vector<Attempt> reference_heteroprio_dep(const Instance& instance, SpoliationOrder order);

}  // namespace heddle::test
