#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/policy/kit/placement/memory_affinity.hpp"
#include "heddle/policy/kit/queues/fifo.hpp"
#include "heddle/policy/kit/ranks/task_buckets.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// How fast the classes are for the tasks of a bucket.
struct BucketSpeed {
  ClassId fastest;
  std::vector<double> slowdown;  ///< by class: its duration over that of the fastest; 1 where that is not known
};

/// The option by which slow classes hold back.
[[nodiscard]] Option slowdown_option();

/// The speeds by mean estimates, among the classes that list a bucket.
[[nodiscard]] Table<BucketId, BucketSpeed> estimated_speeds(const TaskBuckets& buckets, const BucketOrders& orders);

/// Slowdowns by hand in the place of others, for the types that have any: there, classes without one never wait, and
/// the fastest of these is the one that the others wait for. Throws InputError, which starts with `owner`, if there is
/// none.
void replace_slowdowns(const Instance& instance, const TaskBuckets& buckets, const TypeLists& lists,
                       std::string_view owner, Table<BucketId, BucketSpeed>& speeds);

/// How HeteroPrio's queues respect where data is.
struct Locality {
  MemoryAffinity affinity = MemoryAffinity::ls_sdhb;
  StealingOrder stealing;
};

/// HeteroPrio's ready tasks: a first-in first-out queue per bucket, or per bucket and memory, and a list of buckets per
/// class. An idle worker takes the first task of the first queue on its list that is not empty. Where data does not
/// move, all memories are one.
///
/// With slowdown factors a class takes from a bucket only while at least slowdown * (workers of the class that is
/// fastest for it) tasks are in it: fewer, the fastest class ends sooner.
class BucketQueues {
 public:
  BucketQueues(bool slowdown, std::optional<Locality> locality) : slowdown_(slowdown), locality_(locality) {}

  void start(const View& view, std::shared_ptr<const TaskBuckets> buckets, BucketOrders orders);
  /// From now on the classes go by these orders; every bucket must be in one of them.
  void set_orders(const View& view, BucketOrders orders);
  void set_speeds(Table<BucketId, BucketSpeed> speeds) { speeds_ = std::move(speeds); }
  [[nodiscard]] const BucketOrders& orders() const { return orders_; }

  void finished(std::span<const Completion> completions);
  void push(const View& view, TaskId task);
  /// What could not be started becomes the first of its queue again.
  void put_back(const View& view, TaskId task);
  void workers_changed(const View& view);
  /// A task for an idle worker, in the service order; ahead of time only what no class runs faster.
  [[nodiscard]] Action serve(const View& view);

 private:
  [[nodiscard]] bool is_local() const { return places_ > 1; }
  [[nodiscard]] std::size_t position(BucketId bucket, std::size_t place) const {
    return index(bucket) * places_ + place;
  }
  [[nodiscard]] std::size_t place_for(const View& view, TaskId task);
  [[nodiscard]] MemoryId released_in(const View& view, TaskId task) const;
  [[nodiscard]] bool may_take(const View& view, BucketId bucket, ClassId c) const;
  [[nodiscard]] TaskId take(const View& view, ClassId c, std::size_t place);
  [[nodiscard]] Action serve_locally(const View& view);
  void count(BucketId bucket, std::int32_t change);
  void learn(const View& view, TaskId task, MemoryId taken_to);

  bool slowdown_;
  std::optional<Locality> locality_;
  std::shared_ptr<const TaskBuckets> buckets_;
  BucketOrders orders_;
  Table<BucketId, std::vector<ClassId>> listed_by_;
  Table<BucketId, BucketSpeed> speeds_;
  Table<ClassId, std::uint32_t> available_;  ///< workers that have not left
  std::vector<MemoryId> memories_;           ///< of workers
  std::size_t places_ = 1;                   ///< memories, or one for all
  /// By class and place: the positions of the queues that its workers look at, in order.
  std::vector<std::vector<std::uint32_t>> searches_;
  std::vector<Fifo<TaskId>> queues_;  ///< by bucket and place
  Table<BucketId, std::uint32_t> sizes_;
  Table<ClassId, std::uint32_t> waiting_;  ///< queued tasks that the class lists
  std::vector<Completion> completions_;    ///< of this instant

  // For MemoryAffinity::automatic: what each heuristic found when a task came, and how often that was still right.
  Table<TaskId, std::array<MemoryId, kCandidates>> found_;
  std::array<std::uint64_t, kCandidates> right_{};
  MemoryAffinity best_ = MemoryAffinity::ls_sdhb;
};

}  // namespace heddle::policy
