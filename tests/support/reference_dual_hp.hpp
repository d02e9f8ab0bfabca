#pragma once

#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

/// What a worker takes first of what its class was assigned.
enum class DualOrder { min, avg, fifo };

/// DualHP (Kumar 2017, section 5.6) written a second time on the plain loop: each guess goes through a sorted list of
/// all ready tasks. Two classes, no links, no noise. It shares nothing with the real one but the model.
[[nodiscard]] std::vector<Attempt> reference_dual_hp(const Instance& instance, DualOrder order);

}  // namespace heddle::test
