#pragma once

#include <string>

#include "heddle/analysis/losses.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::report {

/// A run in the Trace Event Format (JSON), which Perfetto and chrome://tracing open. A class is a process and a worker
/// a thread of it, with its attempts, named like their types, and its idle time, named like the cause. Links are a
/// process of their own; transfers that share one are on as many threads as it takes. Arrows (flows) go from a task to
/// its successors, and from the attempt that wrote a datum over the transfer to the one that reads it. Times are
/// rounded down to whole nanoseconds.
[[nodiscard]] std::string trace_events(const Instance& instance, const Schedule& schedule,
                                       const analysis::Losses& losses);

}  // namespace heddle::report
