#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::policy {

/// The cost rows that some task uses, ascending.
[[nodiscard]] std::vector<std::uint32_t> used_rows(const Instance& instance);

/// Groups of similar scores: values that differ from the best of their group by less than `tolerance` times that, or
/// not at all. `descending` is sorted; the result is the number of each value's group, from 0.
[[nodiscard]] std::vector<std::uint32_t> group_similar(std::span<const double> descending, double tolerance);

/// Scores that differ by less than this part are similar (Kumar 2017, section 4.3.2, found in practice).
inline constexpr double kSimilar = 0.25;

/// What tasks are to the two classes of an instance, by acceleration factor alone: the roles that DGEMM and DSYRK
/// (`gpu`), DTRSM (`between`) and DPOTRF (`cpu`) play in Kumar 2017, section 3.7.2, for any graph. Factors fall into
/// groups of similar ones. The widest gap between neighbouring groups, as a ratio, parts the groups that GPUs look at
/// together from those that are rather for CPUs (`cpu`). The last of the former is `between` when it is not the only
/// one.
enum class Affinity : std::uint8_t { gpu, between, cpu };

/// By cost row, on estimates. Tasks that only one class can run are for it and part no groups; rows that no task uses
/// are `gpu`.
[[nodiscard]] std::vector<Affinity> affinities(const Instance& instance);

/// Scores by class, then by cost row: the larger, the better a class suits the tasks of the row. 0 where the class
/// cannot run them, and for rows that no task uses.
using Scores = Table<ClassId, std::vector<double>>;

/// The heterogeneity index: E_max E_min / E^2, where E is the duration on the class, E_max and E_min the largest and
/// smallest over the classes that can run the row (Kumar 2017, section 4.3.2). With two classes the acceleration factor
/// and its inverse. Durations of 0 count as a picosecond.
[[nodiscard]] Scores het_index_scores(const Instance& instance);

/// The part of a row's tasks that the class takes in the area bound's solution (the same section), on estimates.
[[nodiscard]] Scores area_scores(const Instance& instance);

/// Whether a class is fast (the same section): the geometric mean of its durations over the rows is below the
/// arithmetic mean of that over the classes. Rows that some class cannot run are left out, unless that leaves none for
/// some class: then each class goes by what it runs. Where all are equally fast, all are fast; classes without workers
/// are not.
[[nodiscard]] Table<ClassId, bool> fast_classes(const Instance& instance);

}  // namespace heddle::policy
