#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/policy/policy.hpp"
#include "heddle/policy/registry.hpp"
#include "tests/runtime/stepper.hpp"

namespace heddle::runtime {

// What tests that step through the scheduler have in common.

using Tasks = std::vector<std::uint64_t>;

inline constexpr Time kBelieved = kMillisecond;  ///< of a task that was never measured
inline constexpr Time kShortTask = kMicrosecond / 2;
inline constexpr WorkerId kWorker0{0};
inline constexpr WorkerId kWorker1{1};

inline constexpr auto kRead = AccessMode::read;
inline constexpr auto kWrite = AccessMode::write;
inline constexpr auto kReadWrite = AccessMode::read_write;

inline const Kernel kEmpty("empty", on_cpu([] {}));
inline const Kernel kAddOneInt("add", on_cpu([](int& x) { ++x; }), on_opencl_native([](int& x) { ++x; }));
inline const Kernel kPutOneInt("put", on_cpu([](int& x) { x = 1; }));
inline const Kernel kCopyInt("copy", on_cpu([](const int& from, int& to) { to = from; }));
inline const Kernel kSumInts("sum", on_cpu([](const int& a, const int& b, int& sum) { sum = a + b; }));

/// Has another policy decide, and writes down what it is told.
class Told {
 public:
  using Log = std::vector<std::string>;

  Told(std::shared_ptr<Log> log, policy::Policy decides) : log_(std::move(log)), decides_(std::move(decides)) {}

  void start(const policy::View& view) {
    note("start", view.graph().task_count());
    decides_.start(view);
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) note("ready", index(task));
    decides_.ready(view, tasks);
  }
  void started(const policy::View& view, TaskId task, WorkerId worker) {
    note("started", index(task), worker);
    decides_.started(view, task, worker);
  }
  void finished(const policy::View& view, std::span<const policy::Completion> done) {
    for (const policy::Completion& one : done) note("finished", index(one.task), one.worker);
    decides_.finished(view, done);
  }
  void aborted(const policy::View& view, TaskId task, WorkerId worker) {
    note("aborted", index(task), worker);
    decides_.aborted(view, task, worker);
  }
  void workers_changed(const policy::View& view) {
    const auto workers = view.platform().workers();
    const auto here = std::ranges::count_if(workers, [&](WorkerId worker) { return view.is_available(worker); });
    note("workers", static_cast<std::size_t>(here));
    decides_.workers_changed(view);
  }
  [[nodiscard]] policy::Action next(const policy::View& view) { return decides_.next(view); }

 private:
  void note(const std::string& what, std::size_t number, WorkerId worker = kNone<WorkerId>) {
    log_->push_back(what + " " + std::to_string(number));
    if (worker != kNone<WorkerId>) log_->back() += " on " + std::to_string(index(worker));
  }

  std::shared_ptr<Log> log_;
  policy::Policy decides_;
};

/// Decides what the test says, then waits.
struct Ordered {
  struct Orders {
    std::deque<policy::Action> actions;
    Time start_takes = 0;
    Stepper* run = nullptr;
  };
  std::shared_ptr<Orders> orders = std::make_shared<Orders>();

  void start(const policy::View&) const { orders->run->pass(orders->start_takes); }
  static void ready(const policy::View&, std::span<const TaskId>) {}
  [[nodiscard]] policy::Action next(const policy::View&) const {
    if (orders->actions.empty()) return policy::wait();
    const policy::Action action = orders->actions.front();
    orders->actions.pop_front();
    return action;
  }
};

/// A run under `eager` whose policy's facts are written down.
struct ToldEager {
  std::shared_ptr<Told::Log> log = std::make_shared<Told::Log>();
  Stepper run{{.workers = "cpu=2", .decider = policy::Policy(Told(log, policy::Spec("eager").make(1)))}};

  [[nodiscard]] Told::Log take_log() { return std::exchange(*log, {}); }
  [[nodiscard]] auto starts() const {
    return std::ranges::count_if(*log, [](const std::string& fact) { return fact.starts_with("start "); });
  }
};

/// A run under a policy that does what the test says.
struct OrderedRun {
  explicit OrderedRun(const std::string& workers = "cpu=2") : run({.workers = workers, .decider = policy}) {
    policy.orders->run = &run;
  }

  void order(std::initializer_list<policy::Action> actions) const { policy.orders->actions = actions; }

  Ordered policy;
  Stepper run;
};

/// Two workers at once execute what they were given, for so long each; whether there was anything.
inline bool execute_both(Stepper& run, Time duration, Time waited = 0) {
  const bool first = run.begin(0) != 0;
  const bool second = run.begin(1) != 0;
  run.pass(duration);
  if (first) run.end(0, waited);
  if (second) run.end(1, waited);
  return first || second;
}

/// Tasks of such a length until their duration is known.
inline void learn_duration(Stepper& run, Time duration) {
  run.submit_many(kEmpty, 8);
  run.look_around(0);
  while (run.progress().unfinished() > 0) {
    if (!execute_both(run, duration)) FAIL() << "no task is given to anybody";
  }
}

}  // namespace heddle::runtime
