#include "heddle/model/schedule.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return "completed";
    case Outcome::aborted:
      return "aborted";
    case Outcome::failed:
      return "failed";
  }
  return "?";
}

Time Schedule::makespan() const {
  Time last = 0;
  for (const Attempt& attempt : attempts) {
    if (attempt.outcome == Outcome::completed) last = std::max(last, attempt.end);
  }
  return last;
}

std::size_t Schedule::aborted_attempts() const {
  return static_cast<std::size_t>(std::ranges::count(attempts, Outcome::aborted, &Attempt::outcome));
}

std::vector<Stay> stays(const Table<ContextId, Context>& contexts, std::span<const WorkerMove> moves) {
  std::vector<Stay> all;
  for (const ContextId id : contexts.ids()) {
    for (const WorkerId worker : contexts[id].workers) all.push_back({worker, id, 0, kMaxTime});
  }
  const auto current = [&](WorkerId worker, ContextId context) {
    return std::ranges::find_if(all, [&](const Stay& stay) {
      return stay.worker == worker && stay.context == context && stay.end == kMaxTime;
    });
  };
  Time last = 0;
  for (const WorkerMove& move : moves) {
    const std::string where = "the move of worker number " + std::to_string(index(move.worker)) + " from '" +
                              contexts[move.from].name + "' to '" + contexts[move.to].name + "' at " +
                              format_seconds(move.at) + " s";
    if (move.at < last) throw InputError(where + " is listed after a later one");
    const auto from = current(move.worker, move.from);
    if (from == all.end()) throw InputError(where + " is of a worker that the first does not have");
    if (current(move.worker, move.to) != all.end()) throw InputError(where + " is of a worker that the second has");
    last = from->end = move.at;
    all.push_back({move.worker, move.to, move.at, kMaxTime});
  }
  return all;
}

void sort_by_start(const TaskGraph& graph, std::vector<Attempt>& attempts) {
  const auto times = [](const Attempt& a) { return std::pair(a.start, a.end); };
  std::ranges::stable_sort(attempts, {}, times);
  Table<TaskId, std::size_t> place(graph.task_count(), 0);
  for (std::size_t i = 0; i < attempts.size(); ++i) place[attempts[i].task] = i;
  Table<TaskId, std::size_t> topological(graph.task_count());
  std::size_t next = 0;
  for (const TaskId task : graph.topological_order()) topological[task] = next++;
  for (auto first = attempts.begin(); first != attempts.end();) {
    const auto last = std::find_if(first, attempts.end(), [&](const Attempt& a) { return times(a) != times(*first); });
    const auto end = static_cast<std::size_t>(last - attempts.begin());
    const bool misplaced = std::any_of(first, last, [&](const Attempt& a) {
      return std::ranges::any_of(graph.predecessors(a.task), [&](TaskId predecessor) {
        return place[predecessor] > place[a.task] && place[predecessor] < end;
      });
    });
    if (misplaced) std::ranges::sort(first, last, {}, [&](const Attempt& a) { return topological[a.task]; });
    first = last;
  }
}

}  // namespace heddle
