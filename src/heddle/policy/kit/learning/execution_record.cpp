#include "heddle/policy/kit/learning/execution_record.hpp"

#include <algorithm>
#include <utility>

namespace heddle::policy {

void ExecutionRecord::start(const View& view, std::size_t buckets) {
  busy_.assign(view.platform().class_count(), {});
  executions_.assign(buckets * busy_.size(), {});
  workers_.assign(view.platform().worker_count(), {});
}

void ExecutionRecord::recall(const View& view, const ExecutionRecord& before,
                             const Table<BucketId, BucketId>& earlier) {
  for (const BucketId bucket : earlier.ids()) {
    if (earlier[bucket] == kNone<BucketId>) continue;
    for (const ClassId c : busy_.ids()) executions_[place(bucket, c)] = before.at(earlier[bucket], c);
  }
  for (const ClassId c : busy_.ids()) busy_[c].ended = before.busy_[c].ended;
  for (const WorkerId worker : workers_.ids()) {
    if (before.workers_[worker].attempts == 0 || view.running(worker) == kNone<TaskId>) continue;
    workers_[worker] = {.attempts = 1, .recalled = true};
    begin(view.platform().class_of(worker), workers_[worker], before.workers_[worker].since);
  }
}

void ExecutionRecord::begin(ClassId c, Worker& worker, Time now) {
  worker.since = now;
  ++busy_[c].running;
  busy_[c].started += static_cast<double>(now);
}

Time ExecutionRecord::end(ClassId c, Worker& worker, Time now) {
  const Time since = worker.since;
  --busy_[c].running;
  busy_[c].started -= static_cast<double>(since);
  if (--worker.attempts > 0) begin(c, worker, now);
  return now - since;
}

void ExecutionRecord::started(const View& view, WorkerId worker) {
  if (std::exchange(workers_[worker].recalled, false)) return;
  if (workers_[worker].attempts++ == 0) begin(view.platform().class_of(worker), workers_[worker], view.now());
}

void ExecutionRecord::finished(const View& view, const TaskBuckets& buckets, std::span<const Completion> completions) {
  for (const Completion completion : completions) {
    const ClassId c = view.platform().class_of(completion.worker);
    const Time duration = end(c, workers_[completion.worker], view.now());
    busy_[c].ended += static_cast<double>(duration);
    const BucketId bucket = buckets.bucket(view.instance(), completion.task);
    Executions& executions = executions_[place(bucket, c)];
    ++executions.count;
    executions.total += duration;
  }
}

void ExecutionRecord::aborted(const View& view, WorkerId worker) {
  end(view.platform().class_of(worker), workers_[worker], view.now());
}

double ExecutionRecord::proportion(BucketId bucket, ClassId c) const {
  std::uint64_t all = 0;
  for (const ClassId other : busy_.ids()) all += at(bucket, other).count;
  return all == 0 ? 0 : static_cast<double>(at(bucket, c).count) / static_cast<double>(all);
}

double ExecutionRecord::idle_proportion(const View& view, ClassId c) const {
  const auto now = static_cast<double>(view.now());
  const double elapsed = now * view.platform().worker_count(c);
  if (elapsed == 0) return 1;
  const double busy = busy_[c].ended + (now * static_cast<double>(busy_[c].running) - busy_[c].started);
  return std::clamp(1 - busy / elapsed, 0.0, 1.0);
}

}  // namespace heddle::policy
