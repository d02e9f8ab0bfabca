#include "heddle/runtime/submission/job_contexts.hpp"

#include <utility>

namespace heddle::runtime {

JobContexts::JobContexts(const Platform& platform, std::span<const ContextRequest> requests) {
  Instance checked{"the runtime", TaskGraph(), platform, Costs(TaskGraph(), platform.class_count())};
  checked = with_contexts(std::move(checked), {give_workers(platform, requests), {}});
  all_ = std::move(checked.contexts.all);
  joined_.assign(platform.worker_count(), Table<WorkerId, bool>(platform.worker_count(), false));
  for (const Context& context : all_) {
    Table<ClassId, bool>& has = classes_[classes_.push_back(Table<ClassId, bool>(platform.class_count(), false))];
    for (const WorkerId one : context.workers) {
      has[platform.class_of(one)] = true;
      for (const WorkerId other : context.workers) joined_[one][other] = true;
    }
  }
}

}  // namespace heddle::runtime
