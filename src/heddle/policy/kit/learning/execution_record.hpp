#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/policy/kit/ranks/task_buckets.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// What a policy measures while it runs: where the tasks of each bucket were executed, how long they took, and how long
/// each class was busy. Aborted attempts count as idle time.
class ExecutionRecord {
 public:
  void start(const View& view, std::size_t buckets);
  /// After start(): goes on with the record of the run before. `earlier` says which bucket each bucket was there;
  /// kNone for one that there was not. Attempts that run were begun then.
  void recall(const View& view, const ExecutionRecord& before, const Table<BucketId, BucketId>& earlier);
  void started(const View& view, WorkerId worker);
  void finished(const View& view, const TaskBuckets& buckets, std::span<const Completion> completions);
  void aborted(const View& view, WorkerId worker);

  /// Completed attempts of the bucket's tasks on the class.
  [[nodiscard]] std::uint64_t executions(BucketId bucket, ClassId c) const { return at(bucket, c).count; }
  /// Their mean duration in picoseconds; there must be some.
  [[nodiscard]] double mean(BucketId bucket, ClassId c) const {
    return static_cast<double>(at(bucket, c).total) / static_cast<double>(at(bucket, c).count);
  }
  /// Which part of the bucket's executions were on the class: P_exec. 0 while there are none.
  [[nodiscard]] double proportion(BucketId bucket, ClassId c) const;
  /// IDLE: which part of the time so far the workers of a class did nothing. 1 at the start.
  [[nodiscard]] double idle_proportion(const View& view, ClassId c) const;

 private:
  struct Executions {
    std::uint64_t count = 0;
    Time total = 0;
  };
  struct Busy {
    double ended = 0;    ///< worker time of completed attempts
    double started = 0;  ///< sum of the start times of those that run
    std::size_t running = 0;
  };

  [[nodiscard]] std::size_t place(BucketId bucket, ClassId c) const { return index(bucket) * busy_.size() + index(c); }
  [[nodiscard]] const Executions& at(BucketId bucket, ClassId c) const { return executions_[place(bucket, c)]; }
  struct Worker {
    Time since = 0;              ///< when its attempt began: it was free, and had been told to
    std::uint32_t attempts = 0;  ///< with those it was given ahead
    bool recalled = false;       ///< one of which start() saw, and started() is about to tell
  };

  void begin(ClassId c, Worker& worker, Time now);
  /// Ends the worker's attempt and returns how long it took.
  Time end(ClassId c, Worker& worker, Time now);

  std::vector<Executions> executions_;  ///< by bucket and class
  Table<ClassId, Busy> busy_;
  Table<WorkerId, Worker> workers_;
};

}  // namespace heddle::policy
