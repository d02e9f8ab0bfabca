#pragma once

#include <optional>

#include "heddle/model/instance.hpp"

namespace heddle::bounds {

/// Lets tasks take longer where every path still ends by the deadline: `allowed` picoseconds so far, up to `wanted`.
/// The slack of a path is shared out among its tasks in proportion to what they still want, again and again until
/// little is left. Paths of the allowed durations end by the deadline before and after.
void share_slack(const TaskGraph& graph, double deadline, const Table<TaskId, double>& wanted,
                 Table<TaskId, double>& allowed);

/// Looks for a solution of the iterative bound's program by the deadline: tasks within what share_slack allows them,
/// and the work spread over the classes as well as that permits. Picoseconds of work by class when there is one;
/// nothing proves nothing. Finds one quickly wherever critical path or area alone rules and leaves the other some room.
[[nodiscard]] std::optional<Table<ClassId, double>> fit_within_slack(const Instance& instance, double deadline);

/// The same from a solution that nearly keeps the deadline: its tasks last as long as given, less where paths are too
/// long, more where there is slack.
[[nodiscard]] std::optional<Table<ClassId, double>> fit_near(const Instance& instance, double deadline,
                                                             const Table<TaskId, double>& durations);

}  // namespace heddle::bounds
