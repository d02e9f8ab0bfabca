#pragma once

#include <vector>

#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/study.hpp"

namespace heddle::experiment {

/// The instances of Eyraud-Dubois and Kumar 2020, section VI.A: Cholesky, QR and LU of 4 to 60 tiles of 960, and
/// fork-join graphs of 20 phases of 100 to 500 tasks (three of each width), on 4 to 60 CPUs and 4 GPUs.
[[nodiscard]] std::vector<GridPoint> heteroprio_dep_grid(Scale scale);

/// What heteroprio_dep_grid(full) and (quick) hold, for people.
inline constexpr const char* kHeteroprioDepFull =
    "Cholesky, QR and LU of 4, 8, ..., 60 tiles and fork-join graphs of 100 to 500 tasks a phase (3 seeds) on 4, 8, "
    "..., "
    "60 CPUs and 4 GPUs";
inline constexpr const char* kHeteroprioDepQuick =
    "4, 12, 20 and 28 tiles and fork-join of 100, 300 and 500 tasks a phase (1 seed) on 4, 20, 40 and 60 CPUs and 4 "
    "GPUs";

inline constexpr const char* kForkJoin = "Fork-join";

[[nodiscard]] inline bool is_factorization(const GridPoint& point) {
  return point.application != kForkJoin;
}

}  // namespace heddle::experiment
