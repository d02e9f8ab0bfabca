#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/hints.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/starpu/settings.hpp"

namespace heddle::starpu {

/// Which tasks belong to which of the scheduling contexts that the user divides StarPU's workers into. Whatever these
/// are called, they have nothing to do with StarPU's own contexts, each of which has a scheduler.
class Assignment {
 public:
  /// No contexts: one policy decides on everything.
  Assignment() = default;
  /// The contexts of the settings, in the first of StarPU's own contexts; none in others. Throws InputError when they
  /// do not fit the platform.
  Assignment(const Settings& settings, unsigned context, const Platform& platform);

  [[nodiscard]] const Table<ContextId, Context>& contexts() const { return contexts_; }
  /// Where tasks of a codelet belong that classes can run: the context that the last hint names; without a hint the one
  /// listed last, or the first before it that can run them. kNone: there are no contexts. Throws InputError when the
  /// context cannot run them.
  [[nodiscard]] ContextId of(std::string_view codelet, const Table<ClassId, bool>& can_run);
  /// The codelets that hints name and that no task had so far.
  [[nodiscard]] std::vector<std::string> unseen() const;

 private:
  struct Rule {
    std::string codelet;
    ContextId context;
    bool is_seen = false;
  };

  [[nodiscard]] bool has_worker(ContextId context, const Table<ClassId, bool>& can_run) const;

  Platform platform_;
  Table<ContextId, Context> contexts_;
  std::vector<Rule> rules_;
};

}  // namespace heddle::starpu
