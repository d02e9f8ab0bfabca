#include "heddle/policy/kit/ranks/released_work.hpp"

#include <algorithm>

namespace heddle::policy {

ReleasedWork::ReleasedWork(const Instance& instance, const TaskBuckets& buckets) : shares_(buckets.count()) {
  Table<BucketId, std::vector<TaskId>> members(buckets.count());
  for (const TaskId task : instance.graph.tasks()) members[buckets.bucket(instance, task)].push_back(task);
  Table<BucketId, Share> sums(buckets.count(), {});
  for (const BucketId bucket : buckets.ids()) {
    std::vector<BucketId> touched;
    for (const TaskId task : members[bucket]) {
      for (const TaskId successor : instance.graph.successors(task)) {
        const BucketId released = buckets.bucket(instance, successor);
        if (sums[released].count == 0) touched.push_back(released);
        sums[released].normalized += 1 / static_cast<double>(instance.graph.predecessors(successor).size());
        sums[released].count += 1;
      }
    }
    std::ranges::sort(touched);
    const auto tasks = static_cast<double>(members[bucket].size());
    for (const BucketId released : touched) {
      shares_[bucket].push_back({released, sums[released].normalized / tasks, sums[released].count / tasks});
      sums[released] = {};
    }
  }
}

double ReleasedWork::normalized_out_degree(BucketId bucket) const {
  double sum = 0;
  for (const Share& share : shares_[bucket]) sum += share.normalized;
  return sum;
}

}  // namespace heddle::policy
