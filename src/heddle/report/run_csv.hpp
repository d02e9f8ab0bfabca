#pragma once

#include <string>

#include "heddle/analysis/losses.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::report {

/// A run as a table, a line each: its attempts in the order in which they ended, its transfers, and the idle time of
/// its workers by cause. Columns that say nothing of a line are empty there; times are exact seconds.
[[nodiscard]] std::string run_csv(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses);

}  // namespace heddle::report
