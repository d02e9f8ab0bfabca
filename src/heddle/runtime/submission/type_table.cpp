#include "heddle/runtime/submission/type_table.hpp"

#include <string>

#include "heddle/model/error.hpp"

namespace heddle::runtime {

TaskType& TypeTable::find(const Key& key, const JobContexts& contexts) {
  const auto [first, last] = type_by_hash_.equal_range(key.hash);
  for (auto known = first; known != last; ++known) {
    if (key.fits(*known->second)) return *known->second;
  }
  TaskType type = make(key.kernel, key.context, contexts);
  if (!type.can_run()) {
    throw InputError(
        "kernel '" + key.kernel->name + "' has no implementation for any worker of " +
        (key.context == kNone<ContextId> ? "this runtime" : "context '" + contexts.name(key.context) + "'"));
  }
  for (const BlockAccess& access : key.accesses) type.shapes.push_back(access.block->shape);
  TaskType& added = types_.emplace_back(std::move(type));
  new_types_.push_back(&added);
  type_by_hash_.emplace(key.hash, &added);
  return added;
}

TaskType TypeTable::make(const std::shared_ptr<const KernelInfo>& kernel, ContextId context,
                         const JobContexts& contexts) const {
  TaskType type;
  type.kernel = kernel;
  type.context = context;
  bind_(type);
  if (context != kNone<ContextId>) type.inside = contexts.classes(context);
  type.has_choice = type.choices() > 1;
  type.combines = kernel == combining_kernel();
  return type;
}

void TypeTable::check(const JobContexts& contexts) const {
  const auto choices = [&](const TaskType& type) {
    TaskType changed = type;
    changed.inside = contexts.classes(type.context);
    return changed.choices();
  };
  for (const TaskType& type : types_) {
    if (type.context == kNone<ContextId> || !type.can_run() || choices(type) > 0) continue;
    throw InputError("context '" + contexts.name(type.context) + "' would have no worker left that can run kernel '" +
                     type.kernel->name + "', which was submitted to it");
  }
}

void TypeTable::enter(const JobContexts& contexts) {
  for (TaskType& type : types_) {
    if (type.context == kNone<ContextId>) continue;
    type.inside = contexts.classes(type.context);
    type.has_choice = type.choices() > 1;
  }
}

void TypeTable::tell(std::vector<TaskType*>& types) {
  types.insert(types.end(), new_types_.begin(), new_types_.end());
  new_types_.clear();
}

std::size_t TypeTable::forget(std::uint64_t epoch, const std::unordered_set<const TaskType*>& used,
                              std::vector<std::shared_ptr<const void>>& gone) {
  std::unordered_map<const KernelInfo*, long> held;  // by types
  for (const TaskType& type : types_) ++held[type.kernel.get()];
  // Asked once of each type: the program may let go of a kernel meanwhile.
  const auto unused = std::make_shared<std::list<TaskType>>();
  std::unordered_set<const TaskType*> forgotten;
  for (auto next = types_.begin(); next != types_.end();) {
    const auto type = next++;
    const bool has_tasks = type->epoch == epoch || used.contains(&*type);
    if (has_tasks || type->kernel.use_count() != held[type->kernel.get()]) continue;
    forgotten.insert(&*type);
    unused->splice(unused->end(), types_, type);
  }
  std::erase_if(new_types_, [&](const TaskType* type) { return forgotten.contains(type); });
  std::erase_if(type_by_hash_, [&](const auto& known) { return forgotten.contains(known.second); });
  recent_types_.fill(nullptr);
  gone.push_back(unused);
  return types_.size();
}

}  // namespace heddle::runtime
