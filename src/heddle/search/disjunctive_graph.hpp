#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::search {

/// A schedule as a graph (Roy and Sussmann 1964): which tasks each worker runs, in which order, and every task as early
/// as its predecessors and the task before it on its worker permit. Knows for each task when it starts and how long it
/// takes from there to the end of the longest path, and keeps both up to date while tasks move from place to place;
/// what a move leaves as it was is not looked at again.
///
/// Actual durations, free transfers. Tasks that commute on a datum keep the order that they had in the first schedule.
class DisjunctiveGraph {
 public:
  /// The completed attempts of a valid schedule; of tasks that it does not start as early as it could, all later ones
  /// move up. The instance must outlive it.
  DisjunctiveGraph(const Instance& instance, const Schedule& schedule);

  [[nodiscard]] const Instance& instance() const { return *instance_; }
  [[nodiscard]] Time makespan() const { return makespan_; }
  [[nodiscard]] WorkerId worker(TaskId task) const { return worker_[task]; }
  [[nodiscard]] Time start(TaskId task) const { return end_[task] - duration_[task]; }
  [[nodiscard]] Time end(TaskId task) const { return end_[task]; }
  /// The longest path that starts with the task, the task included: makespan() - rest() is its latest start.
  [[nodiscard]] Time rest(TaskId task) const { return rest_[task]; }
  [[nodiscard]] Time tail(TaskId task) const { return rest_[task] - duration_[task]; }
  [[nodiscard]] Time duration(TaskId task) const { return duration_[task]; }

  /// What a task must wait for and what must wait for it, whatever workers do.
  [[nodiscard]] std::span<const TaskId> predecessors(TaskId task) const { return predecessors_.of(task); }
  [[nodiscard]] std::span<const TaskId> successors(TaskId task) const { return successors_.of(task); }
  /// Tasks without successors: one of them ends last.
  [[nodiscard]] std::span<const TaskId> exits() const { return exits_; }

  /// A worker's tasks in order, and where a task is among them.
  [[nodiscard]] std::span<const TaskId> sequence(WorkerId worker) const { return sequence_[worker]; }
  [[nodiscard]] std::size_t position(TaskId task) const { return position_[task]; }
  /// The tasks before and after it on its worker; kNone where there is none.
  [[nodiscard]] TaskId before(TaskId task) const { return before_[task]; }
  [[nodiscard]] TaskId after(TaskId task) const { return after_[task]; }

  /// Takes a task from its place to a position in a worker's sequence, counted without the task; its class must be able
  /// to run it. False, and nothing is changed, when the task would have to wait for itself. Time grows with the number
  /// of tasks whose start or rest changes.
  bool move(TaskId task, WorkerId worker, std::size_t position);

  [[nodiscard]] Schedule schedule() const;

 private:
  /// Compressed adjacency.
  struct Arcs {
    std::vector<std::uint32_t> begin{0};
    std::vector<TaskId> tasks;

    [[nodiscard]] std::span<const TaskId> of(TaskId task) const {
      return {tasks.data() + begin[index(task)], tasks.data() + begin[index(task) + 1]};
    }
  };
  /// Tasks whose times may be out of date, by their place in the topological order.
  class Stale {
   public:
    void resize(std::size_t tasks) { words_.assign(tasks / kBits + 1, 0); }
    void insert(std::uint32_t place) { words_[place / kBits] |= std::uint64_t{1} << (place % kBits); }
    /// Visits them in order from the first that can be one, or from the last backwards, each once; visits may insert
    /// further ones ahead.
    template <class Visit>
    void drain_from(std::uint32_t first, Visit visit);
    template <class Visit>
    void drain_back_from(std::uint32_t last, Visit visit);

   private:
    static constexpr std::uint32_t kBits = 64;
    std::vector<std::uint64_t> words_;
  };

  void add_arcs(const std::vector<Attempt>& attempts);
  void add_places(const std::vector<Attempt>& attempts);
  void compute_times();
  void link(TaskId first, TaskId second);
  void take_out(TaskId task);
  void put(TaskId task, WorkerId worker, std::size_t position);
  bool repair_order(TaskId moved);
  bool pull_behind(TaskId moved, TaskId first);
  bool pull_before(TaskId moved, TaskId last);
  void renumber(std::uint32_t first, std::uint32_t last);
  void update_ends(std::uint32_t first);
  void update_rests(std::uint32_t last);
  void update_makespan();
  [[nodiscard]] Time earliest_end(TaskId task) const;
  [[nodiscard]] Time longest_rest(TaskId task) const;

  const Instance* instance_;
  Arcs predecessors_;
  Arcs successors_;
  std::vector<TaskId> exits_;

  Table<WorkerId, std::vector<TaskId>> sequence_;
  Table<TaskId, WorkerId> worker_;
  Table<TaskId, std::uint32_t> position_;  ///< in its worker's sequence
  Table<TaskId, Time> duration_;
  Table<TaskId, TaskId> before_;
  Table<TaskId, TaskId> after_;
  Table<TaskId, Time> end_;
  Table<TaskId, Time> rest_;
  Time makespan_ = 0;

  std::vector<TaskId> order_;           ///< topological, workers' sequences included
  Table<TaskId, std::uint32_t> place_;  ///< in `order_`
  Stale stale_;
  Table<TaskId, char> reached_;  ///< all false between calls of repair_order
  std::vector<TaskId> segment_;  ///< room for repair_order
};

}  // namespace heddle::search
