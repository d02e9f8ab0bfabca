#pragma once

#include <span>
#include <vector>

#include "heddle/model/task_graph.hpp"
#include "heddle/policy/kit/ranks/task_buckets.hpp"

namespace heddle::policy {

/// What the tasks of each bucket release when they end, as far as the graph alone tells: means over all tasks of the
/// bucket (Flint et al. 2022, "Relevant metrics").
class ReleasedWork {
 public:
  /// The successors of a bucket's mean task in one bucket.
  struct Share {
    BucketId bucket;
    double normalized = 0;  ///< each counts 1 / (number of its predecessors)
    double count = 0;
  };

  ReleasedWork(const Instance& instance, const TaskBuckets& buckets);

  /// By ascending bucket, those that are released at all.
  [[nodiscard]] std::span<const Share> shares(BucketId bucket) const { return shares_[bucket]; }
  /// The normalized out-degree: NOD (Lin et al. 2019).
  [[nodiscard]] double normalized_out_degree(BucketId bucket) const;

 private:
  Table<BucketId, std::vector<Share>> shares_;
};

}  // namespace heddle::policy
