#include "heddle/policy/priority_heuristics.hpp"

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
