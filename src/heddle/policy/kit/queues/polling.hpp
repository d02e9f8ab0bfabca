#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/policy/policy.hpp"

namespace heddle::policy {

/// In which order workers come for the tasks of a queue that they share, and which tasks are in it by then, within one
/// instant. For policies that poll (Policy::polls), as StarPU's workers do.
///
/// A worker that ended a task pushes what it released, one task after the other, and then comes for a task itself. Each
/// push wakes one worker that sleeps, in the service order. These steps take about a microsecond each, so they cost
/// nothing, but they decide who runs a task, and so which memory its data goes to. A core that released one task comes
/// before those that it woke; one that released many finds that others took them. A worker with a memory of its own has
/// transfers to look after and comes a step later. So does one that wrote a value that is now to be written back
/// (Datum::write_back), which it asks for.
///
/// Where idle workers are asked alone, and wherever data does not move, all tasks are there and the workers come in the
/// service order.
class Polling {
 public:
  void start(const View& view);
  void started(const View& view, WorkerId worker) {
    if (view.moves_data()) note_started(view, worker);
  }
  void finished(const View& view, std::span<const Completion> completions) {
    if (view.moves_data()) note_finished(view, completions);
  }
  /// Calls arrive(task) where all tasks are there at once; the others arrive in next().
  template <class Arrive>
  void ready(const View& view, std::span<const TaskId> tasks, Arrive&& arrive) {
    if (view.moves_data()) return note_ready(tasks);
    for (const TaskId task : tasks) arrive(task);
  }

  /// What a policy answers next: calls arrive(task) for the ready tasks as they are pushed, and take(worker) for the
  /// workers that come, until it returns a task, which is to run there; kNone: the worker finds none.
  template <class Arrive, class Take>
  [[nodiscard]] Action next(const View& view, Arrive&& arrive, Take&& take) {
    Action action = wait();
    visit(view, arrive, [&](WorkerId worker) {
      const TaskId task = take(worker);
      if (task == kNone<TaskId>) return false;
      action = run(task, worker);
      return true;
    });
    return action;
  }

 private:
  struct Push {
    TaskId task;
    std::uint32_t step;
  };
  struct Visit {
    WorkerId worker;
    std::uint32_t step;
  };

  /// Calls arrive(task) as above, and serve(worker) until it returns true.
  template <class Arrive, class Serve>
  void visit(const View& view, Arrive&& arrive, Serve&& serve) {
    if (!view.moves_data()) return view.visit_idle(serve);
    const bool in_steps = view.asks_ahead();
    if (in_steps) {
      if (!planned_) plan(view);
      while (next_visit_ < visits_.size()) {
        const Visit visit = visits_[next_visit_++];
        while (next_push_ < pushes_.size() && pushes_[next_push_].step <= visit.step)
          arrive(pushes_[next_push_++].task);
        if (view.is_idle(visit.worker) && serve(visit.worker)) return;
      }
    }
    while (next_push_ < pushes_.size()) arrive(pushes_[next_push_++].task);
    if (!in_steps) return view.visit_idle(serve);
    // Workers that sleep come before those that are busy with what they did.
    bool done = false;
    for (const bool awake : {false, true}) {
      if (done) return;
      view.visit_idle([&](WorkerId worker) {
        if ((awake_[worker] == view.now()) == awake) done = serve(worker);
        return done;
      });
    }
  }

  void note_started(const View& view, WorkerId worker);
  void note_finished(const View& view, std::span<const Completion> completions);
  void note_ready(std::span<const TaskId> tasks);
  void plan(const View& view);

  // Only where data moves.
  Table<TaskId, bool> writes_last_;      ///< a value to be written back
  Table<WorkerId, Time> awake_;          ///< when the worker last ended or was given a task
  std::vector<Completion> completions_;  ///< of this instant
  std::vector<Push> pushes_;
  std::vector<Visit> visits_;
  std::size_t next_push_ = 0;
  std::size_t next_visit_ = 0;
  bool planned_ = true;
};

}  // namespace heddle::policy
