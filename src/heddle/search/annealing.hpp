#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "heddle/model/random.hpp"
#include "heddle/search/disjunctive_graph.hpp"
#include "heddle/search/insertion.hpp"

namespace heddle::search {

/// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) over schedules: again and again a task, nine times in ten
/// one of a critical path, goes to another place, on its worker or another one, where the paths through it are not much
/// longer than the makespan. How much is drawn anew for each move, from an exponential distribution whose mean is the
/// temperature (threshold form of the Metropolis rule).
class Annealing {
 public:
  /// The instance must outlive it. Different streams of a seed are independent.
  Annealing(const Instance& instance, const Schedule& start, std::uint64_t seed, std::uint64_t stream);

  Annealing(const Annealing&) = delete;
  Annealing& operator=(const Annealing&) = delete;

  /// Tries `moves` times; temperatures are in picoseconds and go from the first to the last geometrically. `stop` is
  /// asked now and then and ends it early. Answers how many moves were tried.
  std::uint64_t run(std::uint64_t moves, double first, double last, const std::function<bool()>& stop);

  [[nodiscard]] Time makespan() const { return graph_.makespan(); }
  [[nodiscard]] Time best_makespan() const { return best_makespan_; }
  /// The best schedule met so far.
  [[nodiscard]] Schedule best() const;
  /// The mean duration of a task in the present schedule.
  [[nodiscard]] double mean_duration() const;

 private:
  void try_move(Time limit);
  [[nodiscard]] TaskId draw_task();
  [[nodiscard]] TaskId draw_critical_task();
  [[nodiscard]] const Insertion* draw_insertion(TaskId task, Time limit);

  DisjunctiveGraph graph_;
  InsertionSearch insertions_;
  Random random_;
  Time best_makespan_;
  Schedule best_;        ///< unless the present schedule is it
  bool is_best_ = true;  ///< the present schedule has the best makespan, and `best_` is not up to date
  std::vector<TaskId> path_;
  std::vector<WorkerId> workers_;
  Insertion chosen_;
};

}  // namespace heddle::search
