#pragma once

#include <cstdint>
#include <vector>

#include "heddle/policy/kit/ranks/released_work.hpp"
#include "heddle/policy/kit/ranks/task_buckets.hpp"

/// The heuristics by which AutoHeteroprio orders the buckets of a class: Flint, Paillat and Bramas, "Automated
/// prioritizing heuristics for parallel task graph scheduling in heterogeneous computing", PeerJ Computer Science
/// 8:e969, 2022, doi:10.7717/peerj-cs.969, "Heuristics for automatic configuration".
namespace heddle::policy {

/// What a heuristic knows of a bucket for one class, means over the bucket's tasks. Durations are normalized: the mean
/// task of the graph takes 1 on its best class.
struct BucketMetrics {
  double own = 1;         ///< duration on the class, above 0
  double other = 1;       ///< duration on the other class; on the slowest of the others when there are more
  double nod = 0;         ///< normalized out-degree: sum of 1 / (number of predecessors) over the successors
  double urt = 0;         ///< useful released time: normalized released time of each class times its idle proportion
  double successors = 0;  ///< sum over the successors of their smallest duration

  /// Equation 4: what running the task here saves.
  [[nodiscard]] double difference() const { return other - own; }
  /// Equation 5: how many times faster the task is here.
  [[nodiscard]] double relative_difference() const { return other / own; }
};

/// What is known of a run, by bucket and class.
struct RunKnowledge {
  Table<BucketId, std::vector<double>> durations;    ///< above 0
  Table<BucketId, std::vector<double>> proportions;  ///< P_exec: which part of the bucket's tasks runs on the class
  std::vector<double> idle;                          ///< IDLE: by class, which part of the time its workers are idle
};

/// "Cost normalization": scales durations so that the graph's mean task takes 1 on its best class.
void normalize(const TaskBuckets& buckets, Table<BucketId, std::vector<double>>& durations);

/// The metrics of a bucket for each class, from normalized durations. For any number of classes: the "other
/// architecture" is the slowest of the others that can run the tasks (where there is none, any other class), and URT,
/// equation 8, sums the normalized released times of all classes:
/// NRT(c) = sum over the successors of P_exec(successor, c) * duration(successor, c) / (its number of predecessors).
[[nodiscard]] std::vector<BucketMetrics> bucket_metrics(const TaskBuckets& buckets, const ReleasedWork& released,
                                                        const RunKnowledge& known, BucketId bucket);

/// The six heuristics of the paper, and metrics alone. The implementation knows more, from a research report (Flint and
/// Bramas 2020) that the paper cites and does not repeat: they are left out.
enum class Heuristic : std::uint8_t {
  prws,           ///< parallel released work per second
  purws,          ///< the same with URT for NOD
  offset,         ///< (URT + alpha) (difference + beta)
  softplus,       ///< (1 + URT) ln(1 + e^difference)
  interpolation,  ///< between the two before
  ntc,            ///< NOD-time combination
  nod,
  urt,
  difference,
  relative_difference,
};

/// What to do where the paper contradicts itself.
///
/// Interpolation. As printed, rpg(URT) (1 + URT) (1 + difference) - (1 - rpg(URT)) ln(1 + e^-difference) with
/// rpg(x) = 1 for x > 1, else sqrt(x) sqrt(2 - x), is the offset model for a large URT; the prose wants the offset
/// model at URT = 0 and softplus, without the factor 1 + URT, from URT = 1 on.
/// PRWS and PURWS. As printed, NOD / own * (sum over the successors) + difference; the prose, and the authors'
/// implementation, add the difference to the sum.
/// NTC. As printed, difference + alpha NOD e^(-beta r^2), where r >= 1 is the relative difference or its inverse; the
/// implementation has (r - 1)^2, so that equally fast classes count NOD in full.
/// The minus signs were lost in the text at hand; without them NTC would grow with r, which the prose excludes, and the
/// implementation has them.
enum class Reading : std::uint8_t {
  formula,   ///< as printed. Meant: on such graphs it gives means near the published ones (Table 3), prose does not
  prose,     ///< as described
  software,  ///< as the authors' implementation in StarPU 1.4 computes it
};

/// The hyper-parameters with the published defaults.
struct Hyperparameters {
  double offset_alpha = 1.3;
  double offset_beta = 1;
  double ntc_alpha = 0.3;
  double ntc_beta = 0.5;
};

/// The score of a bucket for a class: the larger, the earlier it is served. The same bits everywhere.
[[nodiscard]] double priority_score(Heuristic heuristic, const BucketMetrics& metrics, Reading reading = {},
                                    const Hyperparameters& parameters = {});

}  // namespace heddle::policy
