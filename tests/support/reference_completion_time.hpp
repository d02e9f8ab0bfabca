#pragma once

#include <cstdint>
#include <optional>

#include "heddle/model/levels.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::test {

/// The completion-time family written a second time, in the plainest way: ect, dm, dmda, dmdar and dmdas differ in
/// these. Every decision looks at every worker and goes through its whole queue. They share nothing with the real ones
/// but the model and the View.
struct CompletionTimeRules {
  bool counts_transfers = false;
  /// By which bottom level tasks that become ready together are taken; none: by number.
  std::optional<Rank> batch = std::nullopt;
  /// Queues are in that order, too.
  bool sorted_queues = false;
  /// Of the equally urgent tasks of its queue, a worker takes first the one that misses the fewest bytes.
  bool nearest_first = false;
  /// Transfers that end while the worker is busy delay nothing.
  bool hides_transfers = true;
  /// Parts of a thousand of the transfers that count besides.
  std::int64_t link_price = 1000;
};
[[nodiscard]] policy::Policy reference_completion_time(CompletionTimeRules rules);

}  // namespace heddle::test
