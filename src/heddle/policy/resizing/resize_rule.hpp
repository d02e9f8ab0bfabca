#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::policy {

/// What a resizing rule asks for: the worker leaves one context for another.
struct Move {
  WorkerId worker;
  ContextId from;
  ContextId to;

  bool operator==(const Move&) const = default;
};

/// Tasks of a context that are alike to a rule: of one type, and able to run on the same classes.
struct AlikeTasks {
  std::size_t tasks = 0;
  Table<ClassId, Time> mean;  ///< estimates; kCannotRun where they cannot run
};

/// What a rule knows of a context.
struct ContextState {
  std::string name{};                      ///< for people
  std::vector<WorkerId> workers{};         ///< ascending
  std::size_t left = 0;                    ///< tasks that have not ended
  std::size_t ready = 0;                   ///< of these, those that could start now
  std::vector<AlikeTasks> waiting{};       ///< of these, those that no worker has
  TimeSum work_left = 0;                   ///< of the tasks left, each on the class that is fastest for it
  TimeSum work_done = 0;                   ///< the same of those that ended since the rule was asked last
  std::vector<std::vector<bool>> needs{};  ///< by class, which can run a task that is left; each kind of task once
};

/// What a rule knows when it is asked.
struct Situation {
  const Platform& platform;
  Time now = 0;
  Table<ContextId, ContextState> contexts{};
  Table<WorkerId, ContextId> movable{};  ///< the only context that has the worker; kNone: it is not to be moved now
  Table<WorkerId, Time> busy{};          ///< how long the worker still takes for what it was given
  Table<WorkerId, Time> idle{};          ///< how long it had nothing to do since the rule was asked last
  Time elapsed = 0;                      ///< since then
  /// The makespan after these moves, if no others follow; empty where the host cannot look ahead.
  std::function<Time(std::span<const Move>)> foresee{};

  /// Why the move cannot be made, in a sentence; empty when it can. A context that has tasks left keeps workers that
  /// can run each of them.
  [[nodiscard]] std::string objection(const Move& move) const;
  /// As if the move were made; the worker is not to be moved again now.
  void make(const Move& move);
};

/// When contexts change while they run: a small value, as a policy is. Asked each time that one of so many equal parts
/// of the tasks has ended, and when a context has no task left; between events, before the policies of contexts are
/// asked. It depends on the situation alone, so the same run has the same moves.
struct ResizeRule {
  std::string name{};
  std::size_t milestones = 64;
  /// For engines in which deciding takes time: so long at least from one time that it is asked to the next. That a
  /// context has no task left counts only if it had some for so long.
  Time pause = 0;
  bool looks_ahead = false;  ///< it needs Situation::foresee
  std::function<std::vector<Move>(const Situation&)> moves{};
};

/// `idle`: workers that had nothing to do for more than half of the time since the rule was asked last, and have
/// nothing to do now, go where tasks wait for workers. This and the next two are named after triggers of StarPU's
/// hypervisor (Hugo, Guermouche, Wacrenier and Namyst 2013); how they decide is our own.
[[nodiscard]] ResizeRule idle_rule();
/// `speed`: when the context that would end last, if each goes on as fast as since the rule was asked last, would take
/// longer than the first one with a worker less, it gets that worker.
[[nodiscard]] ResizeRule speed_rule();
/// `lp`: few moves after which all contexts end together, by the linear program of the area bound (as StarPU's feft_lp
/// and teft_lp). Each move is the one of a worker after which the last context ends first, and the rule continues until
/// this is no later than all workers together would need, or no move helps. That there are no fewer is not sure.
[[nodiscard]] ResizeRule lp_rule();
/// `simulate`: the moves after which the simulated run ends first, one worker at a time, as long as that helps.
[[nodiscard]] ResizeRule simulate_rule();

/// The names of rules, and the rule of a name.
[[nodiscard]] std::vector<std::string> resize_rule_names();
[[nodiscard]] ResizeRule resize_rule(std::string_view name);

}  // namespace heddle::policy
