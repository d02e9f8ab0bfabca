// Typical mistakes in policies, made and put right as runtime.cpp explains.
#include "heddle/policy/policy.hpp"

#include <span>

using namespace heddle;
using namespace heddle::policy;

namespace {

struct Idle {
  void ready(const View&, std::span<const TaskId>) {}
  Action next(const View&) { return wait(); }
};

#ifdef MISSPELT
// no fact is called finishd: did you mean finished?
struct Misspelt : Idle {
  void finishd(const View&, std::span<const Completion>) {}
};
const Policy misspelt{Misspelt()};
#else
struct Misspelt : Idle {
  void finished(const View&, std::span<const Completion>) {}
};
const Policy misspelt{Misspelt()};
#endif

#ifdef SWAPPED
// a policy's aborted is public and takes (const View&, TaskId, WorkerId)
struct Swapped : Idle {
  void aborted(const View&, WorkerId, TaskId) {}
};
const Policy swapped{Swapped()};
#else
struct Swapped : Idle {
  void aborted(const View&, TaskId, WorkerId) {}
};
const Policy swapped{Swapped()};
#endif

#ifdef PRIVATE
// a policy's started is public and takes (const View&, TaskId, WorkerId)
class Hidden : public Idle {
  void started(const View&, TaskId, WorkerId) {}
};
const Policy hidden{Hidden()};
#else
class Hidden : public Idle {
 public:
  void started(const View&, TaskId, WorkerId) {}
};
const Policy hidden{Hidden()};
#endif

#ifdef ONE_COMPLETION
// a policy's finished is public and takes (const View&, std::span<const Completion>)
struct One : Idle {
  void finished(const View&, Completion) {}
};
const Policy one{One()};
#else
struct One : Idle {
  void finished(const View&, std::span<const Completion>) {}
};
const Policy one{One()};
#endif

#ifdef NO_READY
// a policy needs ready(const View&, std::span<const TaskId>) and
struct Deaf {
  Action next(const View&) { return wait(); }
};
const Policy deaf{Deaf()};
#else
struct Deaf : Idle {};
const Policy deaf{Deaf()};
#endif

#ifdef ABORT_AS_A_FACT
// no fact is called abort: did you mean aborted?
struct Aborts : Idle {
  void abort(const View&, TaskId, WorkerId) {}
};
const Policy aborts{Aborts()};
#else
// What takes something else is the policy's own.
struct Aborts : Idle {
  void abort(TaskId) {}
};
const Policy aborts{Aborts()};
#endif

#ifdef PRIVATE_CONSTANT
// a policy's kPolls is a public static constexpr bool
class Secretive : public Idle {
  static constexpr bool kPolls = true;
};
const Policy secretive{Secretive()};
#else
class Secretive : public Idle {
 public:
  static constexpr bool kPolls = true;
};
const Policy secretive{Secretive()};
#endif

#ifdef POLLS_BY_VIEW
// a policy's polls is public and takes nothing
struct Pollster : Idle {
  [[nodiscard]] bool polls(const View&) const { return true; }
};
const Policy pollster{Pollster()};
#else
struct Pollster : Idle {
  [[nodiscard]] bool polls() const { return true; }
};
const Policy pollster{Pollster()};
#endif

#ifdef FOLLOWS_BY_VIEW
// a policy's follows_best is public and takes nothing
struct Follower : Idle {
  [[nodiscard]] bool follows_best(const View&) const { return true; }
};
const Policy follower{Follower()};
#else
struct Follower : Idle {
  [[nodiscard]] bool follows_best() const { return true; }
};
const Policy follower{Follower()};
#endif

#ifdef RECALLS_ANOTHER
// a policy's recall is public and takes (const P&), P being its own class
struct Amnesiac : Idle {
  void recall(int) {}
};
const Policy amnesiac{Amnesiac()};
#else
struct Amnesiac : Idle {
  void recall(const Amnesiac&) {}
};
const Policy amnesiac{Amnesiac()};
#endif

#ifdef RECALLED
// no fact is called recalled: did you mean recall?
struct Recalled : Idle {
  void recalled(const Recalled&) {}
};
const Policy recalled{Recalled()};
#endif

}  // namespace
