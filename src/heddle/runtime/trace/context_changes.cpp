#include "heddle/runtime/trace/context_changes.hpp"

#include <algorithm>
#include <cstddef>

namespace heddle::runtime {

void ContextChanges::note(const Table<ContextId, Context>& contexts, Time now) {
  for (const ContextId id : contexts.ids()) {
    const Context& context = contexts[id];
    if (index(id) >= known_.size()) {
      first_.push_back(context);
      known_.push_back(context);
      continue;
    }
    std::vector<WorkerId>& before = known_[id].workers;
    for (const WorkerId worker : context.workers) {
      if (!std::ranges::binary_search(before, worker)) moves_.push_back({now, worker, kNone<ContextId>, id});
    }
    for (const WorkerId worker : before) {
      if (!std::ranges::binary_search(context.workers, worker)) moves_.push_back({now, worker, id, kNone<ContextId>});
    }
    before = context.workers;
  }
}

Table<ContextId, Context> ContextChanges::ever() const {
  Table<ContextId, Context> ever = first_;
  for (const WorkerMove& move : moves_) {
    if (move.to == kNone<ContextId>) continue;
    std::vector<WorkerId>& workers = ever[move.to].workers;
    const auto place = std::ranges::lower_bound(workers, move.worker);
    if (place == workers.end() || *place != move.worker) workers.insert(place, move.worker);
  }
  return ever;
}

std::vector<WorkerMove> ContextChanges::moves(const Schedule& schedule, Time begin) const {
  std::vector<WorkerMove> moves = moves_;
  for (WorkerMove& move : moves) move.at = std::max<Time>(move.at - begin, 0);
  for (std::size_t i = 0; i < moves.size();) {
    const auto [at, worker, from, to] = moves[i];
    if (from == kNone<ContextId>) {
      ++i;
      continue;
    }
    const auto here = moves.begin() + static_cast<std::ptrdiff_t>(i);
    const auto back = std::find_if(here, moves.end(),
                                   [&](const WorkerMove& later) { return later.worker == worker && later.to == from; });
    const Time returns = back == moves.end() ? kMaxTime : back->at;
    Time leaves = at;
    for (const Attempt& attempt : schedule.attempts) {
      const bool is_own = attempt.worker == worker && schedule.contexts.of[attempt.task] == from;
      if (is_own && attempt.start < returns) leaves = std::max(leaves, attempt.end);
    }
    if (leaves > returns) {
      moves.erase(back);
      moves.erase(here);
    } else {
      moves[i++].at = leaves;
    }
  }
  std::ranges::stable_sort(moves, {}, &WorkerMove::at);
  return moves;
}

}  // namespace heddle::runtime
