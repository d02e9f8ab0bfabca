#pragma once

#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"

namespace heddle::policy {

class Policy;

/// Through this a policy looks ahead: its host simulates, from the present moment and on the estimates, what would
/// happen if another policy took over. Handed in by the host through the View.
class Lookahead {
 public:
  virtual ~Lookahead() = default;

  /// The makespan of the whole run if `policy` decided from now on. It must have been told every fact so far, as a copy
  /// of the asking policy has; it is told no fact again. Without noise the answer is what would happen.
  [[nodiscard]] virtual Time makespan(Policy policy) const = 0;

  /// What happens until a task has completed.
  struct Future {
    Time end = 0;                ///< when it has
    Table<ClassId, bool> idled;  ///< whether some worker of the class had nothing to do meanwhile
  };
  /// The same, no further than until a task that has not completed yet has: cheaper than the whole run.
  [[nodiscard]] virtual Future until(Policy policy, TaskId task) const = 0;
};

}  // namespace heddle::policy
