#pragma once

#include <cstdint>
#include <optional>

#include "heddle/model/levels.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::test {

/// The completion-time family written a second time, in the plainest way: ect, dm, dmda, dmdar, dmdas and slack
/// differ in these. Every decision looks at every worker and goes through its whole queue. They share nothing with the
/// real ones but the model, the View and the dual values of the area bound.
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
  /// Tasks that can wait go where they cost the machine least, and let tasks of their queues pass whose data is nearer.
  bool places_with_slack = false;
  bool passes_with_slack = false;
};
[[nodiscard]] policy::Policy reference_completion_time(CompletionTimeRules rules);

}  // namespace heddle::test
