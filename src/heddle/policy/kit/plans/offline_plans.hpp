#pragma once

#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/levels.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::policy {

// The plans of the offline policies heft, cpop and peft, on estimates: what starts where and when, in the order in
// which it was decided. With links, what tasks send each other takes its time (Communication).

[[nodiscard]] std::vector<Attempt> heft_plan(const Instance& instance, Rank rank);
/// Throws InputError where means over the workers need too large denominators (bottom_levels).
[[nodiscard]] std::vector<Attempt> cpop_plan(const Instance& instance);
[[nodiscard]] std::vector<Attempt> peft_plan(const Instance& instance);

}  // namespace heddle::policy
