#pragma once

#include <vector>

#include "heddle/analysis/losses.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::analysis {

/// By attempt: no sooner can all that it reads have been in its memory, whatever the transfers were that the schedule
/// does not have. A datum is in the memory of the attempt that wrote it last, or at home, and comes from there by the
/// quickest way, unless an attempt in the memory has read it since. Data that tasks reduce are left out: their value
/// is in several places. 0 without links. O((n + accesses) log n) for n attempts, and memories^3 for each size of data.
[[nodiscard]] std::vector<Time> soonest_data(const Instance& instance, const Schedule& schedule);

/// How much of Cause::data_or_overhead must at least have been waiting for data, by class: what of it lies before
/// soonest_data of the worker's next attempt.
[[nodiscard]] Table<ClassId, TimeSum> least_data_waits(const Instance& instance, const Schedule& schedule,
                                                       const Losses& losses);

}  // namespace heddle::analysis
