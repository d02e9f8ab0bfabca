#pragma once

#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The class where a task takes least of the machine, of two: the first, with m workers, when its duration p there and
/// q on the second, with k workers, are such that p / sqrt(m) <= q / sqrt(k); compared exactly. The only class that can
/// run it, when one cannot. Canon, Marchal, Simon and Vivien 2018, section 5; the second rule of ER-LS.
[[nodiscard]] ClassId quick_allocation(const View& view, TaskId task);

}  // namespace heddle::policy
