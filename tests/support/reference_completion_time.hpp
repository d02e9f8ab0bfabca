#pragma once

#include <optional>

#include "heddle/model/levels.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::test {

/// The completion-time family written a second time, in the plainest way: ect, dm, dmda, dmdar and dmdas differ in
/// these. Every decision looks at every worker and goes through its whole queue. They share nothing with the real ones
/// but the model and the View.
struct CompletionTimeRules {
  bool counts_transfers = false;
  std::optional<Rank> batch =
      std::nullopt;            ///< by which bottom level tasks that become ready together are taken; none: by number
  bool sorted_queues = false;  ///< queues, too
  bool nearest_first = false;  ///< a worker takes first, of the equally urgent, the task that misses the fewest bytes
};
[[nodiscard]] policy::Policy reference_completion_time(CompletionTimeRules rules);

}  // namespace heddle::test
