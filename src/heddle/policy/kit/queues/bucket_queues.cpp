#include "heddle/policy/kit/queues/bucket_queues.hpp"

#include <algorithm>
#include <ranges>
#include <string>

#include "heddle/model/error.hpp"

namespace heddle::policy {

Option slowdown_option() {
  return flag("slowdown", true,
              "a class that is s times slower than the fastest for a type takes such a task only if at least s of them "
              "are ready for each worker of the fastest class");
}

Table<BucketId, BucketSpeed> estimated_speeds(const TaskBuckets& buckets, const BucketOrders& orders) {
  Table<BucketId, BucketSpeed> speeds(buckets.count(), {kNone<ClassId>, std::vector<double>(orders.size(), 1)});
  for (const ClassId c : orders.ids()) {
    for (const BucketId bucket : orders[c]) {
      ClassId& fastest = speeds[bucket].fastest;
      if (fastest == kNone<ClassId> || buckets.mean(bucket, c) < buckets.mean(bucket, fastest)) fastest = c;
    }
  }
  for (const ClassId c : orders.ids()) {
    for (const BucketId bucket : orders[c]) {
      BucketSpeed& speed = speeds[bucket];
      speed.slowdown[index(c)] = buckets.mean(bucket, c) / buckets.mean(bucket, speed.fastest);
    }
  }
  return speeds;
}

void replace_slowdowns(const Instance& instance, const TaskBuckets& buckets, const TypeLists& lists,
                       std::string_view owner, Table<BucketId, BucketSpeed>& speeds) {
  for (const BucketId bucket : buckets.ids()) {
    BucketSpeed given{kNone<ClassId>, std::vector<double>(lists.size(), 1)};
    bool any = false;
    for (const ClassId c : lists.ids()) {
      const auto listed = std::ranges::find(lists[c], buckets.type(bucket), &ListedType::type);
      if (listed == lists[c].end() || !buckets.can_run(bucket, c)) continue;
      if (listed->slowdown > 0) {
        given.slowdown[index(c)] = listed->slowdown;
        any = true;
      } else if (given.fastest == kNone<ClassId> || buckets.mean(bucket, c) < buckets.mean(bucket, given.fastest)) {
        given.fastest = c;
      }
    }
    if (!any) continue;
    if (given.fastest == kNone<ClassId>) {
      throw InputError(std::string(owner) + " gives every class that serves type '" +
                       std::string(instance.graph.type_name(buckets.type(bucket))) +
                       "' a slowdown; expected one without, for which the others wait");
    }
    speeds[bucket] = std::move(given);
  }
}

void BucketQueues::start(const View& view, std::shared_ptr<const TaskBuckets> buckets, BucketOrders orders) {
  buckets_ = std::move(buckets);
  memories_ = worker_memories(view.platform());
  places_ = locality_ && view.moves_data() ? view.platform().memories().size() : 1;
  queues_.assign(buckets_->count() * places_, {});
  sizes_.assign(buckets_->count(), 0);
  if (is_local() && locality_->affinity == MemoryAffinity::automatic) found_.resize(view.graph().task_count());
  workers_changed(view);
  set_orders(view, std::move(orders));
  set_speeds(estimated_speeds(*buckets_, orders_));
}

void BucketQueues::set_orders(const View& view, BucketOrders orders) {
  orders_ = std::move(orders);
  waiting_.assign(orders_.size(), 0);
  listed_by_.assign(sizes_.size(), {});
  for (const ClassId c : orders_.ids()) {
    for (const BucketId bucket : orders_[c]) {
      waiting_[c] += sizes_[bucket];
      listed_by_[bucket].push_back(c);
    }
  }
  searches_.assign(orders_.size() * places_, {});
  for (const WorkerId worker : view.platform().workers()) {
    const ClassId c = view.platform().class_of(worker);
    const MemoryId memory = view.memory_of(worker);
    std::vector<std::uint32_t>& order = searches_[index(c) * places_ + (is_local() ? index(memory) : 0)];
    if (!order.empty()) continue;
    const auto add = [&](BucketId bucket, std::size_t place) {
      order.push_back(static_cast<std::uint32_t>(position(bucket, place)));
    };
    if (is_local()) {
      for (const LocalList list : local_lists(view, orders_, c, memory, locality_->stealing)) {
        add(list.bucket, index(list.memory));
      }
    } else {
      for (const BucketId bucket : orders_[c]) add(bucket, 0);
    }
  }
}

void BucketQueues::finished(std::span<const Completion> completions) {
  if (is_local()) completions_.assign(completions.begin(), completions.end());
}

void BucketQueues::workers_changed(const View& view) {
  available_.assign(view.platform().class_count(), 0);
  for (const WorkerId worker : view.platform().workers()) {
    if (view.is_available(worker)) ++available_[view.platform().class_of(worker)];
  }
}

void BucketQueues::push(const View& view, TaskId task) {
  const BucketId bucket = buckets_->bucket(view.instance(), task);
  queues_[position(bucket, place_for(view, task))].push_back(task);
  count(bucket, 1);
}

void BucketQueues::put_back(const View& view, TaskId task) {
  const BucketId bucket = buckets_->bucket(view.instance(), task);
  queues_[position(bucket, place_for(view, task))].push_front(task);
  count(bucket, 1);
}

void BucketQueues::count(BucketId bucket, std::int32_t change) {
  const auto by = static_cast<std::uint32_t>(change);
  sizes_[bucket] += by;
  for (const ClassId c : listed_by_[bucket]) waiting_[c] += by;
}

/// Where the last predecessor to end ran; at the start, where the first worker has its data.
MemoryId BucketQueues::released_in(const View& view, TaskId task) const {
  const std::span<const TaskId> predecessors = view.graph().predecessors(task);
  for (const Completion last : std::ranges::reverse_view(completions_)) {
    if (std::ranges::binary_search(predecessors, last.task)) return view.memory_of(last.worker);
  }
  return view.memory_of(*view.platform().workers().begin());
}

std::size_t BucketQueues::place_for(const View& view, TaskId task) {
  if (!is_local()) return 0;
  const MemoryId released = released_in(view, task);
  if (locality_->affinity != MemoryAffinity::automatic) {
    return index(affine_memory(view, task, locality_->affinity, released, memories_));
  }
  for (std::size_t i = 0; i < kCandidates; ++i) {
    found_[task][i] = affine_memory(view, task, static_cast<MemoryAffinity>(i), released, memories_);
  }
  return index(found_[task][static_cast<std::size_t>(best_)]);
}

void BucketQueues::learn(const View& view, TaskId task, MemoryId taken_to) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < kCandidates; ++i) {
    if (affine_memory(view, task, static_cast<MemoryAffinity>(i), taken_to, memories_) == found_[task][i]) ++right_[i];
    if (right_[i] >= right_[best]) best = i;
  }
  best_ = static_cast<MemoryAffinity>(best);
}

bool BucketQueues::may_take(const View& view, BucketId bucket, ClassId c) const {
  const BucketSpeed& speed = speeds_[bucket];
  const double slowdown = speed.slowdown[index(c)];
  if (slowdown <= 1) return true;
  if (view.asks_ahead()) return false;
  const std::uint32_t fast_workers = available_[speed.fastest];
  return !slowdown_ || fast_workers == 0 || sizes_[bucket] >= slowdown * fast_workers;
}

TaskId BucketQueues::take(const View& view, ClassId c, std::size_t place) {
  for (const std::uint32_t position : searches_[index(c) * places_ + place]) {
    Fifo<TaskId>& queue = queues_[position];
    const BucketId bucket = make_id<BucketId>(position / places_);
    if (queue.empty() || !may_take(view, bucket, c)) continue;
    const TaskId task = queue.front();
    queue.pop_front();
    count(bucket, -1);
    return task;
  }
  return kNone<TaskId>;
}

Action BucketQueues::serve(const View& view) {
  if (is_local()) return serve_locally(view);
  for (std::size_t i = view.platform().class_count(); i-- > 0;) {
    const ClassId c = make_id<ClassId>(i);
    if (waiting_[c] == 0 || !view.has_idle(c)) continue;
    const TaskId task = take(view, c, 0);
    if (task != kNone<TaskId>) return run(task, view.first_idle(c));
  }
  return wait();
}

Action BucketQueues::serve_locally(const View& view) {
  Action action = wait();
  // Workers of one class and memory look at the same queues: where one found nothing, the next need not look.
  std::size_t in_vain = searches_.size();
  view.visit_idle([&](WorkerId worker) {
    const ClassId c = view.platform().class_of(worker);
    const MemoryId memory = view.memory_of(worker);
    const std::size_t order = index(c) * places_ + index(memory);
    if (waiting_[c] == 0 || order == in_vain) return false;
    const TaskId task = take(view, c, index(memory));
    if (task == kNone<TaskId>) {
      in_vain = order;
      return false;
    }
    if (locality_->affinity == MemoryAffinity::automatic) learn(view, task, memory);
    action = run(task, worker);
    return true;
  });
  return action;
}

}  // namespace heddle::policy
