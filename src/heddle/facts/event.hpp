#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "heddle/facts/replay.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/view.hpp"

/// What happens to policies, as plain values: policies are made and copied, see a view, are called, and answer.
namespace heddle::facts {

/// What a policy sees (policy::View) that it did not see when it was called last.
struct Change {
  struct Worker {
    WorkerId worker;
    TaskId task;        ///< that it runs; kNone when it has none
    Time expected_end;  ///< 0 when that is now or before
    bool is_idle;
    bool is_available;
  };
  struct Copy {
    DataId data;
    MemoryId memory;
    policy::HostView::Copy state;
  };

  Time now = 0;
  bool asks_ahead = false;
  std::vector<Worker> workers{};
  std::vector<Copy> copies{};
  std::vector<WorkerId> committed{};  ///< whose attempts cannot be aborted (policy::View::may_abort); see Mirror
};

/// What a Lookahead told a policy.
namespace foreseen {

struct Told {  ///< to the observer of a run
  Attempt attempt;
};
struct Events {
  std::uint64_t count;
};
struct Makespan {  ///< of a run; nothing where the observer had seen enough
  std::optional<Time> time;
};
struct MakespanOn {  ///< of a run on another instance, of so many tasks
  std::size_t tasks;
  Time time;
};
struct Until {
  TaskId task;
  policy::Lookahead::Future future;
};
struct Failure {  ///< the question ended with an InputError
  std::string sentence;
};

}  // namespace foreseen

using Foreseen = std::variant<foreseen::Told, foreseen::Events, foreseen::Makespan, foreseen::MakespanOn,
                              foreseen::Until, foreseen::Failure>;

namespace call {

struct Make {
  Origin origin;
};
/// From here on the policy goes on by itself, as `original` is now.
struct Copy {
  std::uint32_t original;
};
/// Its host calls it no more.
struct End {};
/// Before it is started it takes over what another one has learned, as that one is now.
struct Recall {
  std::uint32_t before;
};
struct Start {
  std::shared_ptr<const Instance> instance;
};
struct Ready {
  std::vector<TaskId> tasks;
};
struct Started {
  TaskId task;
  WorkerId worker;
};
struct Finished {
  std::vector<policy::Completion> completions;
};
struct Aborted {
  TaskId task;
  WorkerId worker;
};
struct Refused {
  policy::Action action;
};
struct WorkersChanged {};
struct Next {
  policy::Action answer;
};
struct KeepsOrder {
  bool answer;
};

}  // namespace call

using Call =
    std::variant<call::Make, call::Copy, call::End, call::Recall, call::Start, call::Ready, call::Started,
                 call::Finished, call::Aborted, call::Refused, call::WorkersChanged, call::Next, call::KeepsOrder>;

/// One call of one policy, or what became of it.
struct Event {
  std::uint32_t policy = 0;  ///< its number
  Call call{};
  Change seen{};                     ///< when it was called
  std::vector<Foreseen> foreseen{};  ///< what it was told meanwhile, in this order
};

}  // namespace heddle::facts
