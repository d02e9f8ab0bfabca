#include "heddle/policy/kit/ranks/task_buckets.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace heddle::policy {
namespace {

constexpr BucketId kUnknown = kNone<BucketId>;

std::vector<bool> runnable(std::span<const Time> durations) {
  std::vector<bool> mask;
  for (const Time duration : durations) mask.push_back(duration != kCannotRun);
  return mask;
}

}  // namespace

TaskBuckets::TaskBuckets(const Instance& instance) : bucket_of_row_(instance.costs.row_count(), kUnknown) {
  std::map<std::pair<TypeId, std::vector<bool>>, BucketId> known;
  const std::size_t classes = instance.platform.class_count();
  for (const TaskId task : instance.graph.tasks()) {
    const std::uint32_t row = instance.costs.row(task);
    if (bucket_of_row_[row] == kUnknown) {
      const TypeId type = instance.graph.type(task);
      const auto [place, added] =
          known.try_emplace({type, runnable(instance.costs.actual_row(row))}, make_id<BucketId>(count()));
      if (added) info_.push_back({type, 0, std::vector<double>(classes, 0)});
      bucket_of_row_[row] = place->second;
    }
    Info& info = info_[bucket_of_row_[row]];
    ++info.tasks;
    for (const ClassId c : instance.platform.classes()) {
      if (instance.costs.can_run(task, c)) {
        info.mean[index(c)] += static_cast<double>(instance.costs.estimate(task, c));
      } else {
        info.mean[index(c)] = -1;
      }
    }
  }
  for (Info& info : info_) {
    for (double& mean : info.mean) {
      if (mean >= 0) mean = std::max(mean / static_cast<double>(info.tasks), 1.0);
    }
  }
}

BucketOrders orders_by_speedup(const Platform& platform, const TaskBuckets& buckets) {
  BucketOrders orders(platform.class_count());
  const auto mean = [&](BucketId bucket, ClassId c) { return buckets.mean(bucket, c); };
  for (const ClassId c : platform.classes()) {
    std::vector<std::pair<double, BucketId>> order;
    for (const BucketId bucket : buckets.ids()) {
      if (!buckets.can_run(bucket, c)) continue;
      // No other class can run it: it comes before everything.
      constexpr double kInfinite = 1e300;
      const double other = slowest_other(buckets, platform.class_count(), bucket, c, kInfinite, mean);
      order.emplace_back(-other / mean(bucket, c), bucket);
    }
    std::ranges::sort(order);
    for (const auto& [speedup, bucket] : order) orders[c].push_back(bucket);
  }
  return orders;
}

BucketOrders orders_by_lists(const TaskBuckets& buckets, const TypeLists& lists) {
  BucketOrders orders(lists.size());
  for (const ClassId c : lists.ids()) {
    for (const ListedType& listed : lists[c]) {
      for (const BucketId bucket : buckets.ids()) {
        if (buckets.type(bucket) == listed.type && buckets.can_run(bucket, c)) orders[c].push_back(bucket);
      }
    }
  }
  return orders;
}

}  // namespace heddle::policy
