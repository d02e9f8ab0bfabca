#pragma once

#include <string>

#include "heddle/analysis/losses.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::report {

/// A run as a Paje trace (B. de Oliveira Stein and J. Chassin de Kergommeaux, "Paje trace file format"), which ViTE
/// opens. Containers: the machine, its classes with their workers, and its memories. A worker's states are its
/// attempts, by type, and its idle time, by cause; what takes no time has no state. Links: transfers between memories,
/// and from an attempt to those that waited for it last as a predecessor, or for what it wrote. Times are exact
/// seconds.
[[nodiscard]] std::string paje_trace(const Instance& instance, const Schedule& schedule,
                                     const analysis::Losses& losses);

}  // namespace heddle::report
