#pragma once

#include <span>
#include <string>

#include "heddle/model/contexts.hpp"
#include "heddle/model/instance.hpp"

namespace heddle::runtime {

/// The scheduling contexts of a runtime, which are there before the first task is; none: one policy decides on
/// everything.
class JobContexts {
 public:
  JobContexts() = default;
  /// Throws InputError when the platform lacks such workers, two have one name, or one has no worker.
  JobContexts(const Platform& platform, std::span<const ContextRequest> requests);

  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const Table<ContextId, Context>& all() const { return all_; }
  [[nodiscard]] const std::string& name(ContextId context) const { return all_[context].name; }
  /// The one that tasks belong to whose submission names none; kNone where there are no contexts.
  [[nodiscard]] ContextId standard() const { return empty() ? kNone<ContextId> : make_id<ContextId>(all_.size() - 1); }
  /// By class, whether the context has a worker of it.
  [[nodiscard]] const Table<ClassId, bool>& classes(ContextId context) const { return classes_[context]; }
  /// Whether some context has both workers, so that one may be given what the other does not take. Without contexts
  /// this is always so.
  [[nodiscard]] bool join(WorkerId one, WorkerId other) const { return empty() || joined_[one][other]; }

 private:
  Table<ContextId, Context> all_;
  Table<ContextId, Table<ClassId, bool>> classes_;
  Table<WorkerId, Table<WorkerId, bool>> joined_;
};

}  // namespace heddle::runtime
