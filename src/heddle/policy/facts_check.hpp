#pragma once

#include <span>
#include <type_traits>

#include "heddle/policy/view.hpp"

/// Checks at compile time of what a policy wants to be told (policy.hpp). A fact is told to the policies that have a
/// member of its name, so a slip of the pen would silently leave it out.
namespace heddle::policy {

struct Completion;

namespace detail {

// Whether a class has a member of that name, of whatever kind and type: a second one then makes the name ambiguous.
// From final classes nothing can be derived, so that this is not known of them.
#define HEDDLE_KNOWS_MEMBER(name)                                          \
  struct One_##name {                                                      \
    int name;                                                              \
  };                                                                       \
  template <class P>                                                       \
  struct Two_##name : P, One_##name {};                                    \
  template <class P>                                                       \
  inline constexpr bool kHas_##name = !requires { &Two_##name<P>::name; }; \
  template <class P>                                                       \
    requires std::is_final_v<P>                                            \
  inline constexpr bool kHas_##name<P> = false;
HEDDLE_KNOWS_MEMBER(recall)
HEDDLE_KNOWS_MEMBER(start)
HEDDLE_KNOWS_MEMBER(started)
HEDDLE_KNOWS_MEMBER(finished)
HEDDLE_KNOWS_MEMBER(aborted)
HEDDLE_KNOWS_MEMBER(refused)
HEDDLE_KNOWS_MEMBER(workers_changed)
HEDDLE_KNOWS_MEMBER(keeps_order)
HEDDLE_KNOWS_MEMBER(kKeepsOrder)  // NOLINT(readability-identifier-naming): as policies call it
HEDDLE_KNOWS_MEMBER(polls)
HEDDLE_KNOWS_MEMBER(follows_best)
HEDDLE_KNOWS_MEMBER(kPolls)  // NOLINT(readability-identifier-naming): likewise
#undef HEDDLE_KNOWS_MEMBER

/// Has the facts right, or says at compile time what is wrong.
template <class P>
struct FactsOf {
  static constexpr bool kRight = true;

  static P& policy;
  static const P& before;
  static const View& view;
  static TaskId& task;
  static WorkerId& worker;
  static Action& action;
  static std::span<const Completion>& completions;

// `spelling` is called as the fact is: with `arguments`.
#define HEDDLE_MEMBER(spelling, arguments) requires { static_cast<void>(policy.spelling arguments); }
#define HEDDLE_FACT(fact, arguments, parameters)                   \
  static_assert(!kHas_##fact<P> || HEDDLE_MEMBER(fact, arguments), \
                "a policy's " #fact " is public and takes " parameters)
#define HEDDLE_CONSTANT(name)                                                                  \
  static_assert(                                                                               \
      !kHas_##name<P> || requires { requires std::is_same_v<decltype(P::name), const bool>; }, \
      "a policy's " #name " is a public static constexpr bool")
#define HEDDLE_NOT(spelling, fact, arguments) \
  static_assert(!HEDDLE_MEMBER(spelling, arguments), "no fact is called " #spelling ": did you mean " #fact "?")

  HEDDLE_FACT(recall, (before), "(const P&), P being its own class");
  HEDDLE_FACT(start, (view), "(const View&)");
  HEDDLE_FACT(started, (view, task, worker), "(const View&, TaskId, WorkerId)");
  HEDDLE_FACT(finished, (view, completions), "(const View&, std::span<const Completion>)");
  HEDDLE_FACT(aborted, (view, task, worker), "(const View&, TaskId, WorkerId)");
  HEDDLE_FACT(refused, (view, action), "(const View&, Action)");
  HEDDLE_FACT(workers_changed, (view), "(const View&)");
  HEDDLE_FACT(keeps_order, (), "nothing");
  HEDDLE_FACT(polls, (), "nothing");
  HEDDLE_FACT(follows_best, (), "nothing");
  HEDDLE_CONSTANT(kKeepsOrder);
  HEDDLE_CONSTANT(kPolls);

  // What is often written instead.
  HEDDLE_NOT(recalls, recall, (before));
  HEDDLE_NOT(recal, recall, (before));
  HEDDLE_NOT(recalled, recall, (before));
  HEDDLE_NOT(on_recall, recall, (before));
  HEDDLE_NOT(begin, start, (view));
  HEDDLE_NOT(starts, start, (view));
  HEDDLE_NOT(strat, start, (view));
  HEDDLE_NOT(on_start, start, (view));
  HEDDLE_NOT(begun, started, (view, task, worker));
  HEDDLE_NOT(startd, started, (view, task, worker));
  HEDDLE_NOT(stared, started, (view, task, worker));
  HEDDLE_NOT(strated, started, (view, task, worker));
  HEDDLE_NOT(on_started, started, (view, task, worker));
  HEDDLE_NOT(completed, finished, (view, completions));
  HEDDLE_NOT(ended, finished, (view, completions));
  HEDDLE_NOT(finish, finished, (view, completions));
  HEDDLE_NOT(finishd, finished, (view, completions));
  HEDDLE_NOT(finised, finished, (view, completions));
  HEDDLE_NOT(finshed, finished, (view, completions));
  HEDDLE_NOT(on_finished, finished, (view, completions));
  HEDDLE_NOT(abort, aborted, (view, task, worker));
  HEDDLE_NOT(abortd, aborted, (view, task, worker));
  HEDDLE_NOT(aboted, aborted, (view, task, worker));
  HEDDLE_NOT(cancelled, aborted, (view, task, worker));
  HEDDLE_NOT(preempted, aborted, (view, task, worker));
  HEDDLE_NOT(restarted, aborted, (view, task, worker));
  HEDDLE_NOT(on_aborted, aborted, (view, task, worker));
  HEDDLE_NOT(refuse, refused, (view, action));
  HEDDLE_NOT(refusd, refused, (view, action));
  HEDDLE_NOT(rejected, refused, (view, action));
  HEDDLE_NOT(on_refused, refused, (view, action));
  HEDDLE_NOT(worker_changed, workers_changed, (view));
  HEDDLE_NOT(workers_change, workers_changed, (view));
  HEDDLE_NOT(worker_change, workers_changed, (view));
  HEDDLE_NOT(keep_order, keeps_order, ());
  HEDDLE_NOT(polling, polls, ());
  HEDDLE_NOT(notes, note, ());
  HEDDLE_NOT(follow_best, follows_best, ());
#undef HEDDLE_NOT
#undef HEDDLE_CONSTANT
#undef HEDDLE_FACT
#undef HEDDLE_MEMBER
};

}  // namespace detail
}  // namespace heddle::policy
