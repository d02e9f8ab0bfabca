#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "heddle/model/contexts.hpp"
#include "heddle/model/instance.hpp"

namespace heddle::runtime {

/// The scheduling contexts of a runtime; none: one policy decides on everything. What changes them makes others, and
/// throws InputError, in one sentence, when it makes no sense.
class JobContexts {
 public:
  JobContexts() = default;
  /// Throws InputError when the platform lacks such workers, two have one name, or one has no worker.
  JobContexts(const Platform& platform, std::span<const ContextRequest> requests);

  /// One more: what it counts is of the workers that no open context has.
  [[nodiscard]] JobContexts with(const Platform& platform, const ContextRequest& request) const;
  /// The context has more workers: those named, and as many as counted that no open context has.
  [[nodiscard]] JobContexts with_workers(const Platform& platform, ContextId context, const ContextRequest& more) const;
  /// The context has fewer: without those named, and without as many as counted, the last ones. It keeps some;
  /// all, if its policy follows a schedule.
  [[nodiscard]] JobContexts without_workers(const Platform& platform, ContextId context,
                                            const ContextRequest& less) const;
  /// The context is given no more tasks, and the heir has its workers, too.
  [[nodiscard]] JobContexts closed(const Platform& platform, ContextId context, ContextId heir) const;

  /// The same contexts, with other workers.
  [[nodiscard]] JobContexts with_all(const Platform& platform, Table<ContextId, Context> all) const;

  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const Table<ContextId, Context>& all() const { return all_; }
  [[nodiscard]] const std::string& name(ContextId context) const { return all_[context].name; }
  [[nodiscard]] bool is_closed(ContextId context) const { return closed_[context]; }
  [[nodiscard]] bool some_closed() const { return std::ranges::find(closed_, true) != closed_.end(); }
  /// The one that tasks belong to whose submission names none: of those that are open the one made last, or else the
  /// last; kNone where there are no contexts.
  [[nodiscard]] ContextId standard() const;
  /// By class, whether the context has a worker of it.
  [[nodiscard]] const Table<ClassId, bool>& classes(ContextId context) const { return classes_[context]; }
  /// Whether some context has both workers, so that one may be given what the other does not take. Without contexts
  /// this is always so.
  [[nodiscard]] bool join(WorkerId one, WorkerId other) const { return empty() || joined_[one][other]; }

 private:
  void check_open(ContextId context) const;
  [[nodiscard]] bool is_free(WorkerId worker) const;
  [[nodiscard]] std::vector<WorkerId> resolve(const Platform& platform, const ContextRequest& request) const;
  void note(const Platform& platform);

  Table<ContextId, Context> all_;
  Table<ContextId, bool> closed_;
  Table<ContextId, Table<ClassId, bool>> classes_;
  Table<WorkerId, Table<WorkerId, bool>> joined_;
};

}  // namespace heddle::runtime
