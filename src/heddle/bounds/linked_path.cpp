#include "heddle/bounds/linked_path.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "heddle/model/quickest_ways.hpp"

namespace heddle::bounds {
namespace {

/// The tasks that left the value of a datum, or parts of it, so far.
struct Writers {
  AccessMode mode = AccessMode::write;
  std::vector<TaskId> last;    ///< one, or a group that commutes on it or reduces it
  std::vector<TaskId> before;  ///< those before the group
  bool read = false;           ///< since

  /// The tasks whose values an access needs; records the access.
  std::vector<TaskId> access(AccessMode now, TaskId task) {
    const bool joins = is_grouped(now) && now == mode && !read && !last.empty();
    std::vector<TaskId> needed = joins ? before : last;
    if (now == AccessMode::read) {
      read = true;
      return needed;
    }
    if (joins) {
      last.push_back(task);
    } else {
      before = std::exchange(last, {task});
    }
    mode = now;
    read = false;
    return needed;
  }
};

class LinkedPaths {
 public:
  explicit LinkedPaths(const Instance& instance)
      : instance_(instance),
        memories_(instance.platform.memories().size()),
        ways_(instance.platform),
        homes_(home_memories(instance)),
        classes_in_(memories_),
        end_(instance.graph.task_count() * memories_, kCannotRun),
        soonest_(instance.graph.task_count(), 0),
        through_(instance.graph.task_count(), kNone<TaskId>) {
    for (const WorkerId worker : instance.platform.workers()) {
      std::vector<ClassId>& classes = classes_in_[instance.platform.memory_of(worker)];
      const ClassId c = instance.platform.class_of(worker);
      if (classes.empty() || classes.back() != c) classes.push_back(c);
    }
  }

  Bound find() {
    const TaskGraph& graph = instance_.graph;
    // Accesses are in the order of the tasks, ends in a topological one.
    Table<DataId, Writers> writers(graph.data_count());
    needs_begin_.push_back(0);
    for (const TaskId task : graph.tasks()) {
      for (const Access access : graph.accesses(task)) {
        const std::vector<TaskId> sources = writers[access.data].access(access.mode, task);
        if (!reads(access.mode)) continue;
        if (sources.empty()) needs_.push_back({access.data, kNone<TaskId>});
        for (const TaskId source : sources) needs_.push_back({access.data, source});
      }
      needs_begin_.push_back(needs_.size());
    }
    TaskId last = kNone<TaskId>;
    for (const TaskId task : graph.topological_order()) {
      set_ends(task);
      if (last == kNone<TaskId> || soonest_[task] > soonest_[last]) last = task;
    }
    Bound bound;
    bound.use.assign(instance_.platform.class_count(), 0.0);
    if (last == kNone<TaskId>) return bound;
    bound.value = soonest_[last];
    for (TaskId task = last; task != kNone<TaskId>; task = through_[task]) bound.path.push_back(task);
    std::ranges::reverse(bound.path);
    return bound;
  }

 private:
  /// Sums stay in range: a bound that is cut short is one, too.
  static constexpr Time kLatest = kMaxTime / 4;

  /// A datum that a task reads, and the task whose value it needs; kNone: the first one, at home.
  struct Need {
    DataId data;
    TaskId source;
  };

  void set_ends(TaskId task) {
    Time start = 0;
    TaskId before = kNone<TaskId>;
    for (const TaskId predecessor : instance_.graph.predecessors(task)) {
      if (soonest_[predecessor] <= start) continue;
      start = soonest_[predecessor];
      before = predecessor;
    }
    soonest_[task] = kCannotRun;
    for (const MemoryId memory : instance_.platform.memories().ids()) {
      const Time duration = fastest_in(task, memory);
      if (duration == kCannotRun) continue;
      const auto [ready, waited_for] = wait_for_data(task, memory, {start, before});
      Time& end = end_[index(task) * memories_ + index(memory)];
      end = std::min(ready + duration, kLatest);
      if (end >= soonest_[task]) continue;
      soonest_[task] = end;
      through_[task] = waited_for;
    }
  }

  [[nodiscard]] Time fastest_in(TaskId task, MemoryId memory) const {
    Time fastest = kCannotRun;
    for (const ClassId c : classes_in_[memory]) fastest = std::min(fastest, instance_.costs.actual(task, c));
    return fastest;
  }

  /// When all that the task reads can be in the memory, and the task that this waits for.
  std::pair<Time, TaskId> wait_for_data(TaskId task, MemoryId memory, std::pair<Time, TaskId> latest) {
    for (std::size_t i = needs_begin_[index(task)]; i < needs_begin_[index(task) + 1]; ++i) {
      const auto [data, source] = needs_[i];
      const std::vector<Time>& ways = ways_.of(instance_.graph.datum(data).bytes);
      Time arrival = kCannotRun;
      if (source == kNone<TaskId>) {
        arrival = ways[index(homes_[data]) * memories_ + index(memory)];
      } else {
        for (std::size_t from = 0; from < memories_; ++from) {
          const Time end = end_[index(source) * memories_ + from];
          if (end != kCannotRun) arrival = std::min(arrival, end + ways[from * memories_ + index(memory)]);
        }
      }
      if (arrival > latest.first) latest = {arrival, source};
    }
    return latest;
  }

  const Instance& instance_;
  std::size_t memories_;
  QuickestWays ways_;
  Table<DataId, MemoryId> homes_;
  Table<MemoryId, std::vector<ClassId>> classes_in_;
  std::vector<Need> needs_;
  std::vector<std::size_t> needs_begin_;  ///< by task, and one more
  std::vector<Time> end_;                 ///< by task and memory; kCannotRun where it cannot run
  Table<TaskId, Time> soonest_;           ///< the least of those
  Table<TaskId, TaskId> through_;         ///< what that waits for
};

}  // namespace

std::optional<Bound> linked_path_bound(const Instance& instance) {
  if (instance.platform.links().empty()) return std::nullopt;
  if (instance.platform.memories().size() > kMostLinkedMemories) return std::nullopt;
  return LinkedPaths(instance).find();
}

}  // namespace heddle::bounds
