#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/model/task_graph.hpp"
#include "heddle/model/time.hpp"

namespace heddle {

/// How long tasks of a type take on a class, or are believed to; kCannotRun where they cannot run. Whatever can be
/// called so is one: a table, durations that an engine has learned, the performance models of another runtime.
using DurationSource = std::function<Time(TypeId, ClassId)>;

/// How long each task takes on each class, in truth (`actual`) and as policies believe (`estimate`).
///
/// Durations are kept in rows of one entry per class: row t belongs to type t, and tasks that bring durations of their
/// own have rows after those. Tasks that share a row are interchangeable to a policy: their acceleration factors are
/// equal.
class Costs {
 public:
  Costs() = default;
  /// Every task takes its type's row; no row can run anywhere yet.
  Costs(const TaskGraph& graph, std::size_t class_count);
  /// Every task takes as long as the source says of its type.
  Costs(const TaskGraph& graph, std::size_t class_count, const DurationSource& durations);

  [[nodiscard]] std::size_t class_count() const { return class_count_; }
  [[nodiscard]] std::size_t row_count() const { return class_count_ == 0 ? 0 : actual_.size() / class_count_; }
  [[nodiscard]] std::uint32_t row(TaskId task) const { return row_[task]; }
  [[nodiscard]] static std::uint32_t row(TypeId type) { return static_cast<std::uint32_t>(type); }

  /// Durations by class; kCannotRun where the class cannot run the task.
  [[nodiscard]] std::span<const Time> actual_row(std::uint32_t row) const { return slice(actual_, row); }
  [[nodiscard]] std::span<const Time> estimate_row(std::uint32_t row) const {
    return slice(estimate_.empty() ? actual_ : estimate_, row);
  }
  [[nodiscard]] std::span<const Time> actual_row(TaskId task) const { return actual_row(row_[task]); }
  [[nodiscard]] std::span<const Time> estimate_row(TaskId task) const { return estimate_row(row_[task]); }
  [[nodiscard]] Time actual(TaskId task, ClassId c) const { return actual_row(task)[index(c)]; }
  [[nodiscard]] Time estimate(TaskId task, ClassId c) const { return estimate_row(task)[index(c)]; }
  [[nodiscard]] bool can_run(TaskId task, ClassId c) const { return actual(task, c) != kCannotRun; }
  [[nodiscard]] bool estimates_differ() const { return !estimate_.empty(); }

  /// The row a task shall have for itself, so far a copy of its type's.
  std::uint32_t own_row(TaskId task);
  void set_actual(std::uint32_t row, ClassId c, Time duration);
  /// Where estimates were never set, they are the actual durations.
  void set_estimate(std::uint32_t row, ClassId c, Time duration);
  /// A class without workers runs nothing: its durations become kCannotRun, until reopened() gives them back.
  void close(ClassId c);
  [[nodiscard]] Costs reopened() const;
  /// Makes the estimates the truth of a copy: what a policy that looks ahead simulates.
  [[nodiscard]] Costs as_estimated() const;

 private:
  [[nodiscard]] std::span<const Time> slice(const std::vector<Time>& values, std::uint32_t row) const {
    return {values.data() + row * class_count_, class_count_};
  }

  std::size_t class_count_ = 0;
  std::vector<Time> actual_;
  std::vector<Time> estimate_;     ///< empty while every estimate is the truth
  std::vector<Time> open_actual_;  ///< as they were before classes were closed; empty when none was
  std::vector<Time> open_estimate_;
  Table<TaskId, std::uint32_t> row_;
  std::size_t type_count_ = 0;
};

/// The number of a scheduling context, in the order of Contexts::all.
enum class ContextId : std::uint32_t {};

/// A scheduling context: workers that have a policy of their own, to which tasks are submitted (Gazolla 2017, section
/// 2.3; StarPU's contexts).
struct Context {
  std::string name;
  std::vector<WorkerId> workers;  ///< ascending, each once, at least one
  std::string policy = "eager";   ///< with its options, as the command spells it

  bool operator==(const Context&) const = default;
};

/// Several jobs side by side on one machine. Contexts are disjoint or share workers: a worker that several have is
/// offered to them in this order. Workers that none has do nothing.
struct Contexts {
  Table<ContextId, Context> all;
  Table<TaskId, ContextId> of;  ///< the context of each task; empty when there are no contexts

  [[nodiscard]] bool empty() const { return all.empty(); }
  bool operator==(const Contexts&) const = default;
};

/// A worker that left one context for another while they ran: until `at` it is the one's, from then on the other's.
struct WorkerMove {
  Time at;
  WorkerId worker;
  ContextId from;  ///< kNone: it leaves none
  ContextId to;    ///< kNone: it joins none

  bool operator==(const WorkerMove&) const = default;
};

/// What has to be scheduled, and on what.
struct Instance {
  std::string name;
  TaskGraph graph;
  Platform platform;
  Costs costs;
  Contexts contexts{};  ///< which policy decides on which tasks and workers (policy `contexts`); mostly none
};

/// use(instance), with the estimates for the truth: what a policy may know.
template <class Use>
[[nodiscard]] auto on_estimates(const Instance& instance, Use&& use) {
  if (!instance.costs.estimates_differ()) return use(instance);
  Instance believed = instance;
  believed.costs = instance.costs.as_estimated();
  return use(std::as_const(believed));
}

/// The memory that holds each datum at the start, and in the end.
[[nodiscard]] Table<DataId, MemoryId> home_memories(const Instance& instance);

/// Makes an instance whose parts fit together. Classes without a worker run nothing: their durations become kCannotRun.
/// Throws InputError when some task can run on no worker, when a duration is negative, when data has its home in an
/// unknown memory, or when the tasks one after the other, each on its slowest class, would take more than 1/16 of what
/// Time can hold (6.7 days), or the data together have more than 1/16 of the bytes that 64 bits count (512 PiB).
[[nodiscard]] Instance make_instance(std::string name, TaskGraph graph, Platform platform, Costs costs);

/// The instance with these contexts instead of its own. Throws InputError when two have one name, one has a worker that
/// there is not, or one twice, when not each task is in one, or can run on none of its context's workers. So a context
/// without workers has no tasks. What its policy thinks of the instance is asked where the policy is made.
[[nodiscard]] Instance with_contexts(Instance instance, Contexts contexts);

}  // namespace heddle
