#include "heddle/runtime/scheduling/resizable_contexts.hpp"

#include <algorithm>
#include <vector>

namespace heddle::runtime {

void ResizableContexts::move(const Platform& platform, Table<ContextId, Context> all,
                             std::span<const WorkerMove> moves) {
  for (const WorkerMove& move : moves) {
    std::erase(all[move.from].workers, move.worker);
    std::vector<WorkerId>& workers = all[move.to].workers;
    workers.insert(std::ranges::lower_bound(workers, move.worker), move.worker);
  }
  now_ = now_.with_all(platform, std::move(all));
  is_resized_ = true;
}

bool ResizableContexts::lack_workers(std::span<Node* const> nodes) const {
  return is_resized_ && std::ranges::any_of(nodes, [&](const Node* node) {
           const TaskType& type = *node->type;
           const Table<ClassId, bool>& has = now_.classes(type.context);
           return !type.lost && std::ranges::none_of(has.ids(), [&](ClassId c) { return has[c] && type.runs_on(c); });
         });
}

}  // namespace heddle::runtime
