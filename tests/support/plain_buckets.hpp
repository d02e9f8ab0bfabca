#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::test {

/// HeteroPrio's buckets in the plainest way: tasks of one type that the same classes can run, numbered in the order in
/// which their first tasks appear; durations are means of estimates.
class PlainBuckets {
 public:
  explicit PlainBuckets(const Instance& instance) : in_(&instance) {
    std::map<std::pair<TypeId, std::vector<bool>>, std::size_t> known;
    for (const TaskId task : in_->graph.tasks()) {
      std::vector<bool> classes;
      for (const ClassId c : in_->platform.classes()) classes.push_back(in_->costs.can_run(task, c));
      const std::size_t bucket = known.try_emplace({in_->graph.type(task), classes}, tasks_.size()).first->second;
      if (bucket == tasks_.size()) tasks_.emplace_back();
      tasks_[bucket].push_back(task);
      bucket_.push_back(bucket);
    }
  }

  [[nodiscard]] std::size_t count() const { return tasks_.size(); }
  [[nodiscard]] std::size_t of(TaskId task) const { return bucket_[task]; }
  [[nodiscard]] const std::vector<TaskId>& tasks(std::size_t bucket) const { return tasks_[bucket]; }
  [[nodiscard]] bool serves(std::size_t bucket, ClassId c) const {
    return in_->costs.can_run(tasks_[bucket].front(), c);
  }
  /// The mean duration of a bucket's tasks, at least a picosecond.
  [[nodiscard]] double mean(std::size_t bucket, ClassId c) const {
    double sum = 0;
    for (const TaskId task : tasks_[bucket]) sum += static_cast<double>(in_->costs.estimate(task, c));
    return std::max(sum / static_cast<double>(tasks_[bucket].size()), 1.0);
  }
  [[nodiscard]] ClassId fastest(std::size_t bucket) const {
    std::optional<ClassId> best;
    for (const ClassId c : in_->platform.classes()) {
      if (serves(bucket, c) && (!best || mean(bucket, c) < mean(bucket, *best))) best = c;
    }
    return best.value();
  }
  /// How many times slower a class is than the fastest.
  [[nodiscard]] double slowdown(std::size_t bucket, ClassId c) const {
    return mean(bucket, c) / mean(bucket, fastest(bucket));
  }
  /// How much faster a class is than the slowest other one; what no other class can run comes first.
  [[nodiscard]] double speedup(std::size_t bucket, ClassId c) const {
    double slowest = 0;
    for (const ClassId other : in_->platform.classes()) {
      if (other != c && serves(bucket, other)) slowest = std::max(slowest, mean(bucket, other));
    }
    return slowest == 0 ? 1e300 / mean(bucket, c) : slowest / mean(bucket, c);
  }

 private:
  const Instance* in_;
  std::vector<std::vector<TaskId>> tasks_;  ///< by bucket
  Table<TaskId, std::size_t> bucket_;
};

}  // namespace heddle::test
