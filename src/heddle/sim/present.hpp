#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/host/session.hpp"
#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::sim {

/// A moment in a run that another engine makes happen.
struct Present {
  /// What a worker was given and has not ended.
  struct Work {
    std::vector<TaskId> tasks;  ///< in the order in which they were given
    std::optional<Time> since;  ///< when the first of them started; nothing while it waits, for its data for example
  };

  /// What a memory has of a datum.
  struct Copy {
    policy::HostView::Copy state = policy::HostView::Copy::none;
    bool partial = false;  ///< and what reducing tasks accumulated there in private
    Time since = 0;        ///< when it is coming: since when its transfer runs
  };

  Time now = 0;
  /// Whether the policy that asks has been told so far what is ready and what runs; not in its start(). What it finds
  /// there is one task on a worker (View::running): those that were given after it are ready again.
  bool started = true;
  /// Workers of which the policy was told that they have left are about to come back.
  bool workers_return = false;
  /// What Policy::keeps_order says of the policy that gave tasks to workers: which tasks hold data they commute on.
  bool keeps_order = false;
  Table<TaskId, host::Status> status;
  Table<WorkerId, Work> work;
  /// By datum and memory; empty when all data is at home, as it is where there are no links.
  std::vector<Copy> copies;
};

}  // namespace heddle::sim
