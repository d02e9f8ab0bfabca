#pragma once

#include <vector>

#include "heddle/bounds/bounds.hpp"

namespace heddle::bounds {

/// The area bound of one or two classes (those with workers), in exact rational arithmetic: tasks go to the second
/// class by decreasing acceleration factor until its work per worker would pass that of the first; the task on the
/// border is shared out (Eyraud-Dubois and Kumar 2020, section III.A). Time O(tasks + rows log rows). Throws
/// InternalError when more classes have workers.
[[nodiscard]] Bound area_closed_form(const Instance& instance);

/// The area bound of any number of classes by linear programming, one set of variables per distinct cost row.
[[nodiscard]] Bound area_linear_program(const Instance& instance);

/// How the linear program shares tasks out: by class, then by cost row, the part of the row's tasks that the class
/// takes, to the nearest millionth; 0 for rows that no task uses. Where several solutions are optimal, the solver's.
[[nodiscard]] Table<ClassId, std::vector<double>> area_shares(const Instance& instance);

/// Dual values of the area bound: how many picoseconds of the bound a picosecond of one worker of each class is worth.
/// Weighed with the numbers of workers they add up to 1. In closed form when two classes have workers, where the tasks
/// on the border are worth the same on both; otherwise by linear programs and, where several are optimal, the solver's.
[[nodiscard]] Table<ClassId, double> area_duals(const Instance& instance);

}  // namespace heddle::bounds
