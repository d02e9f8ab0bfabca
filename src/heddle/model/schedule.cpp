#include "heddle/model/schedule.hpp"

#include <algorithm>
#include <map>
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
  std::map<std::pair<WorkerId, ContextId>, std::size_t> open;  // those that have not ended
  const auto begin = [&](WorkerId worker, ContextId context, Time at) {
    open[{worker, context}] = all.size();
    all.push_back({worker, context, at, kMaxTime});
  };
  for (const ContextId id : contexts.ids()) {
    for (const WorkerId worker : contexts[id].workers) begin(worker, id, 0);
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const WorkerMove& move = moves[i];
    const std::string number = "move " + std::to_string(i + 1);
    if (i > 0 && move.at < moves[i - 1].at) throw InputError(number + " is earlier than the one before it");
    const bool leaves = move.from != kNone<ContextId>;
    const bool joins = move.to != kNone<ContextId>;
    if (!leaves && !joins) throw InputError(number + " is from no context and to none");
    const auto stay = open.find({move.worker, move.from});
    if (leaves && stay == open.end()) {
      throw InputError(number + " takes a worker from context '" + contexts[move.from].name +
                       "', which does not have it at " + format_seconds(move.at) + " s");
    }
    if (joins && open.contains({move.worker, move.to})) {
      throw InputError(number + " gives a worker to context '" + contexts[move.to].name + "', which has it at " +
                       format_seconds(move.at) + " s already");
    }
    if (leaves) {
      all[stay->second].end = move.at;
      open.erase(stay);
    }
    if (joins) begin(move.worker, move.to, move.at);
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
