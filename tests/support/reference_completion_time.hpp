#pragma once

#include "heddle/policy/policy.hpp"

namespace heddle::test {

/// The completion-time family written a second time, in the plainest way: dm, dmda, dmdar and dmdas differ in these.
/// Every decision looks at every worker and goes through its whole queue. They share nothing with the real ones but the
/// model and the View.
struct CompletionTimeRules {
  bool counts_transfers = false;
  bool by_priority = false;    ///< batch and queues by bottom level with min ranks
  bool nearest_first = false;  ///< a worker takes first, of the equally urgent, the task that misses the fewest bytes
};
[[nodiscard]] policy::Policy reference_completion_time(CompletionTimeRules rules);

}  // namespace heddle::test
