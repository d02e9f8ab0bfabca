#pragma once

#include <cstdint>

#include "heddle/policy/view.hpp"

namespace heddle::policy {

/// The search for a task to spoliate: one that runs on another class is aborted and started anew on an idle worker,
/// which is expected to end it strictly earlier (Kumar 2017, section 3.7.1 and chapter 5; Eyraud-Dubois and Kumar 2020,
/// algorithm 1). What was done of it is lost. A search costs a look at each running task, and nothing where it was in
/// vain before and nothing has started since.
class Spoliation {
 public:
  void start(const View& view) {
    starts_ = 0;
    classes_.assign(view.platform().class_count(), {});
  }

  void started(const View& view, WorkerId worker) {
    ++starts_;
    ++classes_[view.platform().class_of(worker)].starts;
  }

  /// Among the tasks that run on other classes and would end strictly earlier if they were restarted on the idle worker
  /// now, their data fetched first, and that can be aborted: those for which may(task, class it runs on) holds, and of
  /// these the one that precedes(worker, worker) puts before all others. kNone when there is none. `may` must not begin
  /// to hold for a task while it runs.
  template <class May, class Precedes>
  [[nodiscard]] TaskId find(const View& view, WorkerId idle, May&& may, Precedes&& precedes) {
    const ClassId here = view.platform().class_of(idle);
    Class& own = classes_[here];
    if (starts_ - own.starts == own.in_vain) return kNone<TaskId>;
    WorkerId best = kNone<WorkerId>;
    for (const ClassId there : view.platform().classes()) {
      if (there == here) continue;
      for (const WorkerId worker : view.platform().workers(there)) {
        const TaskId task = view.running(worker);
        if (task == kNone<TaskId> || !view.may_abort(worker) || !gains(view, task, worker, idle, here)) continue;
        if (may(task, there) && (best == kNone<WorkerId> || precedes(worker, best))) best = worker;
      }
    }
    // A task that would not gain now gains less later, unless its data comes nearer: until another one starts there,
    // looking again is in vain.
    if (best == kNone<WorkerId> && !view.moves_data()) own.in_vain = starts_ - own.starts;
    return best == kNone<WorkerId> ? kNone<TaskId> : view.running(best);
  }

 private:
  [[nodiscard]] static bool gains(const View& view, TaskId task, WorkerId from, WorkerId to, ClassId to_class) {
    const Time duration = view.estimate(task, to_class);
    const Time left = view.expected_end(from) - view.now();
    return duration < left && view.transfer_estimate(task, view.memory_of(to)) < left - duration;
  }

  struct Class {
    std::uint64_t starts = 0;   ///< on it
    std::uint64_t in_vain = 0;  ///< on the others, when it last searched in vain
  };
  std::uint64_t starts_ = 0;  ///< on all classes
  Table<ClassId, Class> classes_;
};

}  // namespace heddle::policy
