#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/policy/kit/ranks/type_lists.hpp"

namespace heddle::policy {

/// HeteroPrio's buckets: groups of tasks that are interchangeable to it.
enum class BucketId : std::uint32_t {};

/// One bucket per type of task (Agullo et al. 2016; Flint et al. 2022, "Formalization"). Tasks of one type that bring
/// durations of their own stay together, and their mean stands for all of them, as the papers have it; but a bucket
/// holds only tasks that the same classes can run, so that a type falls apart where they differ. Buckets are numbered
/// in the order in which their first tasks appear.
class TaskBuckets {
 public:
  explicit TaskBuckets(const Instance& instance);

  [[nodiscard]] std::size_t count() const { return info_.size(); }
  [[nodiscard]] IdRange<BucketId> ids() const { return info_.ids(); }
  [[nodiscard]] BucketId bucket(const Instance& instance, TaskId task) const {
    return bucket_of_row_[instance.costs.row(task)];
  }
  [[nodiscard]] TypeId type(BucketId bucket) const { return info_[bucket].type; }
  /// How many tasks of the graph belong to it.
  [[nodiscard]] std::size_t task_count(BucketId bucket) const { return info_[bucket].tasks; }
  [[nodiscard]] bool can_run(BucketId bucket, ClassId c) const { return info_[bucket].mean[index(c)] >= 0; }
  /// The mean estimate of its tasks in picoseconds, at least one; the class must be able to run them.
  [[nodiscard]] double mean(BucketId bucket, ClassId c) const { return info_[bucket].mean[index(c)]; }

 private:
  struct Info {
    TypeId type;
    std::size_t tasks = 0;
    std::vector<double> mean;  ///< by class; negative where the class cannot run the tasks
  };

  std::vector<BucketId> bucket_of_row_;
  Table<BucketId, Info> info_;
};

/// For each class, the buckets that it serves, the first first.
using BucketOrders = Table<ClassId, std::vector<BucketId>>;

/// Each class prefers what it runs best: by decreasing duration on the slowest of the other classes that can run the
/// tasks over its own duration, on mean estimates. With two classes the GPU's list is by decreasing acceleration
/// factor and the CPU's by increasing. Equal buckets by number.
[[nodiscard]] BucketOrders orders_by_speedup(const Platform& platform, const TaskBuckets& buckets);

/// The duration on the slowest of the other classes that can run the bucket; `otherwise` when no other can. This is
/// the paper's "other architecture" for any number of classes.
template <class Cost>
[[nodiscard]] double slowest_other(const TaskBuckets& buckets, std::size_t classes, BucketId bucket, ClassId here,
                                   double otherwise, Cost&& cost) {
  double slowest = -1;
  for (const ClassId c : heddle::ids<ClassId>(classes)) {
    if (c != here && buckets.can_run(bucket, c)) slowest = std::max(slowest, cost(bucket, c));
  }
  return slowest < 0 ? otherwise : slowest;
}

/// Orders given by hand; their slowdowns are left to estimated_speeds().
[[nodiscard]] BucketOrders orders_by_lists(const TaskBuckets& buckets, const TypeLists& lists);

}  // namespace heddle::policy
