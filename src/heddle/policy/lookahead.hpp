#pragma once

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
};

}  // namespace heddle::policy
