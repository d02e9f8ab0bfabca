#include "heddle/io/starpu/contraction.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// Goes through the graph in topological order and keeps, for each task that is taken out, the kept tasks it waits for.
class Contraction {
 public:
  Contraction(const TaskGraph& graph, const Table<TaskId, bool>& kept, std::size_t most_scanned)
      : graph_(graph),
        kept_(kept),
        left_(most_scanned),
        set_of_(graph.task_count(), 0),
        last_met_by_(graph.task_count(), kNone<TaskId>) {
    sets_.emplace_back();  // the empty set is number 0
  }

  std::vector<PassedDependency> run() {
    for (const TaskId task : graph_.topological_order()) {
      if (kept_[task]) {
        for_each_waited(task, [&](TaskId from) { dependencies_.push_back({from, task}); });
      } else {
        set_of_[task] = shared_set(task).value_or(sets_.size());
        if (set_of_[task] == sets_.size()) add_set(task);
      }
    }
    return std::move(dependencies_);
  }

 private:
  /// The set of the predecessors when they all have the same one: a chain, however long, stores it once.
  [[nodiscard]] std::optional<std::size_t> shared_set(TaskId task) const {
    std::size_t shared = 0;
    for (const TaskId from : graph_.predecessors(task)) {
      if (kept_[from]) return std::nullopt;
      const std::size_t set = set_of_[from];
      if (set == 0) continue;
      if (shared != 0 && set != shared) return std::nullopt;
      shared = set;
    }
    return shared;
  }

  void add_set(TaskId task) {
    std::vector<TaskId> waited;
    for_each_waited(task, [&](TaskId from) { waited.push_back(from); });
    sets_.push_back(std::move(waited));
  }

  /// Calls `visit` once for each kept task that `task` waits for, directly or through tasks that are taken out.
  template <class Visit>
  void for_each_waited(TaskId task, Visit visit) {
    const auto meet = [&](TaskId from) {
      if (last_met_by_[from] != task) visit(from);
      last_met_by_[from] = task;
    };
    for (const TaskId from : graph_.predecessors(task)) {
      if (kept_[from]) {
        meet(from);
        continue;
      }
      const std::vector<TaskId>& through = sets_[set_of_[from]];
      spend(through.size() + 1);
      for (const TaskId source : through) meet(source);
    }
  }

  void spend(std::size_t scanned) {
    if (scanned > left_) {
      throw InputError(
          "the synchronisation records join too many tasks: the dependencies that pass through them are too many");
    }
    left_ -= scanned;
  }

  const TaskGraph& graph_;
  const Table<TaskId, bool>& kept_;
  std::size_t left_;  ///< of what may be scanned
  std::vector<std::vector<TaskId>> sets_;
  Table<TaskId, std::size_t> set_of_;
  Table<TaskId, TaskId> last_met_by_;
  std::vector<PassedDependency> dependencies_;
};

}  // namespace

std::vector<PassedDependency> contract(const TaskGraph& graph, const Table<TaskId, bool>& kept,
                                       std::size_t most_scanned) {
  return Contraction(graph, kept, most_scanned).run();
}

}  // namespace heddle::io
