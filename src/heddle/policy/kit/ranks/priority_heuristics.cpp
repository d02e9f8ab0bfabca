#include "heddle/policy/kit/ranks/priority_heuristics.hpp"

#include <algorithm>
#include <cmath>

#include "heddle/model/random.hpp"

namespace heddle::policy {
namespace {

/// ln(1 + e^x), also where e^x would overflow.
double softplus(double x) {
  return std::max(x, 0.0) + deterministic_log(1 + deterministic_exp(-std::max(x, -x)));
}

/// Rises from 0 at 0 to 1 from 1 on.
double rpg(double x) {
  return x > 1 ? 1 : std::sqrt(x) * std::sqrt(2 - x);
}

/// Equation 9 with `released` for NOD or URT.
double released_work_per_second(const BucketMetrics& metrics, double released, Reading reading) {
  const double rate = released / metrics.own;
  return reading == Reading::formula ? rate * metrics.successors + metrics.difference()
                                     : rate * (metrics.successors + metrics.difference());
}

double interpolation(const BucketMetrics& metrics, Reading reading) {
  const double difference = metrics.difference();
  const double weight = rpg(metrics.urt);
  const double offset = (1 + metrics.urt) * (1 + difference);
  if (reading == Reading::prose) return (1 - weight) * offset + weight * softplus(difference);
  return weight * offset - (1 - weight) * softplus(-difference);
}

double nod_time_combination(const BucketMetrics& metrics, Reading reading, const Hyperparameters& parameters) {
  const double relative = metrics.relative_difference();
  const double ratio = std::max(relative, 1 / relative) - (reading == Reading::software ? 1 : 0);
  return metrics.difference() +
         parameters.ntc_alpha * metrics.nod * deterministic_exp(-parameters.ntc_beta * (ratio * ratio));
}

}  // namespace

void normalize(const TaskBuckets& buckets, Table<BucketId, std::vector<double>>& durations) {
  double best = 0;
  double tasks = 0;
  for (const BucketId bucket : buckets.ids()) {
    const auto count = static_cast<double>(buckets.task_count(bucket));
    best += count * *std::ranges::min_element(durations[bucket]);
    tasks += count;
  }
  for (std::vector<double>& row : durations) {
    for (double& duration : row) duration *= tasks / best;
  }
}

std::vector<BucketMetrics> bucket_metrics(const TaskBuckets& buckets, const ReleasedWork& released,
                                          const RunKnowledge& known, BucketId bucket) {
  const std::size_t classes = known.idle.size();
  BucketMetrics metrics;
  metrics.nod = released.normalized_out_degree(bucket);
  for (const ReleasedWork::Share& share : released.shares(bucket)) {
    const std::vector<double>& durations = known.durations[share.bucket];
    metrics.successors += share.count * *std::ranges::min_element(durations);
    for (std::size_t c = 0; c < classes; ++c) {
      metrics.urt += share.normalized * known.proportions[share.bucket][c] * durations[c] * known.idle[c];
    }
  }
  std::vector<BucketMetrics> by_class(classes, metrics);
  const std::vector<double>& durations = known.durations[bucket];
  for (const ClassId c : heddle::ids<ClassId>(classes)) {
    by_class[index(c)].own = durations[index(c)];
    const double otherwise = durations[classes > 1 && c == ClassId{0} ? 1 : 0];
    by_class[index(c)].other = slowest_other(buckets, classes, bucket, c, otherwise,
                                             [&](BucketId, ClassId other) { return durations[index(other)]; });
  }
  return by_class;
}

double priority_score(Heuristic heuristic, const BucketMetrics& metrics, Reading reading,
                      const Hyperparameters& parameters) {
  switch (heuristic) {
    case Heuristic::prws:
      return released_work_per_second(metrics, metrics.nod, reading);
    case Heuristic::purws:
      return released_work_per_second(metrics, metrics.urt, reading);
    case Heuristic::offset:
      return (metrics.urt + parameters.offset_alpha) * (metrics.difference() + parameters.offset_beta);
    case Heuristic::softplus:
      return (1 + metrics.urt) * softplus(metrics.difference());
    case Heuristic::interpolation:
      return interpolation(metrics, reading);
    case Heuristic::ntc:
      return nod_time_combination(metrics, reading, parameters);
    case Heuristic::nod:
      return metrics.nod;
    case Heuristic::urt:
      return metrics.urt;
    case Heuristic::difference:
      return metrics.difference();
    case Heuristic::relative_difference:
      return metrics.relative_difference();
  }
  return 0;
}

}  // namespace heddle::policy
