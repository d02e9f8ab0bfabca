#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "heddle/runtime/submission/job_contexts.hpp"
#include "heddle/runtime/submission/node.hpp"
#include "heddle/runtime/submission/task_type.hpp"

namespace heddle::runtime {

/// The types of all tasks that are submitted or recorded; each is made when its first task comes.
class TypeTable {
 public:
  /// Finds the implementations of a type's kernel for the classes of the machine: its variants.
  using Bind = std::function<void(TaskType&)>;
  explicit TypeTable(Bind bind) : bind_(std::move(bind)) {}

  /// The type of a task of this kernel on such data, in one of `contexts`; kNone: in none. Throws InputError when no
  /// worker of that context can run the kernel.
  [[nodiscard]] TaskType& of(const std::shared_ptr<const KernelInfo>& kernel, std::span<const BlockAccess> accesses,
                             ContextId context, const JobContexts& contexts) {
    const Key key{kernel, accesses, context, hash(*kernel, accesses, context)};
    TaskType*& recent = recent_types_[(key.hash ^ key.hash >> 4) % recent_types_.size()];
    if (recent == nullptr || !key.fits(*recent)) [[unlikely]]
      recent = &find(key, contexts);
    return *recent;
  }
  /// Whether a worker of the context can run the kernel.
  [[nodiscard]] bool can_run(const std::shared_ptr<const KernelInfo>& kernel, ContextId context,
                             const JobContexts& contexts) const {
    return make(kernel, context, contexts).can_run();
  }

  /// Throws InputError when contexts with these workers could not run tasks of a type any more, which they can now.
  void check(const JobContexts& contexts) const;
  /// From now on contexts have these workers.
  void enter(const JobContexts& contexts);

  /// Appends those that it has not told of yet.
  void tell(std::vector<TaskType*>& types);
  /// Forgets the types that are not in `used`, that this epoch does not know, and whose kernel the program has not any
  /// more. Hands over what has to be destroyed without a lock. How many types are left.
  std::size_t forget(std::uint64_t epoch, const std::unordered_set<const TaskType*>& used,
                     std::vector<std::shared_ptr<const void>>& gone);

 private:
  struct Key {
    const std::shared_ptr<const KernelInfo>& kernel;
    std::span<const BlockAccess> accesses;
    ContextId context;
    std::size_t hash;

    [[nodiscard]] bool fits(const TaskType& type) const {
      const auto shape = [](const BlockAccess& access) { return access.block->shape; };
      return type.kernel == kernel && type.context == context &&
             std::ranges::equal(type.shapes, accesses, {}, {}, shape);
    }
  };
  [[nodiscard]] static std::size_t hash(const KernelInfo& kernel, std::span<const BlockAccess> accesses,
                                        ContextId context) {
    std::size_t hash = (reinterpret_cast<std::uintptr_t>(&kernel) >> 4) + static_cast<std::uint32_t>(context);
    for (const BlockAccess& access : accesses) {
      hash = hash * 31 + access.block->shape.rows * 7 + access.block->shape.columns;
    }
    return hash;
  }
  /// One that was not looked up lately, or is new.
  [[nodiscard]] TaskType& find(const Key& key, const JobContexts& contexts);
  [[nodiscard]] TaskType make(const std::shared_ptr<const KernelInfo>& kernel, ContextId context,
                              const JobContexts& contexts) const;

  Bind bind_;
  std::list<TaskType> types_;
  std::vector<TaskType*> new_types_;                              ///< that tell() has not told of yet
  std::unordered_multimap<std::size_t, TaskType*> type_by_hash_;  ///< of kernel, context and shapes
  std::array<TaskType*, 16> recent_types_{};                      ///< some that were looked up last, by hash
};

}  // namespace heddle::runtime
