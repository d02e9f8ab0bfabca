#pragma once

#include <cstddef>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"

namespace heddle::host {

/// Moves workers between scheduling contexts by a rule, where a policy decides in rounds (Rounds). A round may have few
/// tasks; the rule knows all that were submitted and have not ended, counted by type.
///
/// The rule is asked when a 64th (ResizeRule::milestones) of the tasks known since it was asked last has ended, and
/// when a context has none left, but not more often than its pause says. All workers go back to where they were at the
/// beginning when all tasks have ended and others come, when tasks come that no worker of their context can run, and
/// when workers leave or come back.
class Resizing {
 public:
  /// The rule must not look ahead. `durations`: what is believed of a type, asked when the rule is.
  Resizing(policy::ResizeRule rule, Platform platform, Table<ContextId, Context> contexts, DurationSource durations);

  /// Types are numbered in order.
  void add_type(ContextId context);

  // What becomes of a task of the type.
  void submitted(TypeId type);
  void ready(TypeId type);
  void given(TypeId type, WorkerId worker, Time now);
  void ended(TypeId type, WorkerId worker, Time now);
  /// The worker, which got it last, does not run it: it is ready again.
  void returned(TypeId type, WorkerId worker, Time now);
  /// The same, and no policy decides on it any more.
  void disowned(TypeId type, WorkerId worker, Time now);
  /// The worker runs something of no context, or has ended it.
  void set_occupied(WorkerId worker, bool occupied, Time now);

  /// Some worker has left or come back.
  void workers_changed() { goes_home_ = true; }

  /// Whether workers may have to move.
  [[nodiscard]] bool is_due(Time now) const;
  /// Asks the rule, if that is so. Whether workers moved. `busy`: how long each worker takes for what it has. Workers
  /// that are away stay where they are.
  [[nodiscard]] bool resize(Time now, const Table<WorkerId, Time>& busy, const Table<WorkerId, bool>& away);
  /// With the workers that they have now.
  [[nodiscard]] const Table<ContextId, Context>& contexts() const { return contexts_; }
  /// What moved so far, in the order of time. A worker that has tasks of the context that it left is that one's until
  /// they have ended.
  [[nodiscard]] std::vector<WorkerMove> moves() const;

 private:
  struct OfType {
    ContextId context;
    std::size_t left = 0;   ///< that have not ended
    std::size_t ready = 0;  ///< of these, those that are
    std::size_t given = 0;  ///< of these, those that a worker has
    std::size_t ended = 0;  ///< since the rule was asked last
  };
  struct Worker {
    std::size_t tasks = 0;  ///< that it has
    bool occupied = false;
    Time free_since = 0;  ///< when it has nothing
    Time idle = 0;        ///< since the rule was asked last, until it last got something
    bool is_shared = false;
  };
  struct OfContext {
    std::size_t left = 0;
    Time since = 0;  ///< when it got the first task after it had none
  };
  /// A worker that has tasks of the context that it left.
  struct Leaving {
    std::size_t move;
    std::size_t tasks;
  };

  void begin_part(Time now);
  void occupy(Worker& worker, Time now) const;
  void take_from(WorkerId worker, Time now);
  [[nodiscard]] bool can_run(ContextId context, TypeId type) const;
  [[nodiscard]] ContextId context_of(WorkerId worker) const;
  [[nodiscard]] policy::Situation look(Time now, const Table<WorkerId, Time>& busy,
                                       const Table<WorkerId, bool>& away) const;
  bool go_home(Time now);
  void move(Time now, const policy::Move& move);

  const policy::ResizeRule rule_;
  const Platform platform_;
  const Table<ContextId, Context> home_;  ///< as they began
  const DurationSource durations_;
  Table<ContextId, Context> contexts_;
  Table<ContextId, OfContext> of_context_;
  Table<TypeId, OfType> types_;
  Table<WorkerId, Worker> workers_;
  std::vector<WorkerMove> moves_;
  std::vector<Leaving> leaving_;
  std::size_t left_ = 0;
  std::size_t ended_ = 0;   ///< since the rule was asked last
  bool is_done_ = false;    ///< some context has come to its end since
  bool goes_home_ = false;  ///< all workers are to, and the rule begins again
  Time part_began_ = 0;
  Time now_ = 0;  ///< of what it was told last
};

}  // namespace heddle::host
