#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "heddle/runtime/scheduling/resizable_contexts.hpp"
#include "heddle/runtime/scheduling/worker.hpp"

namespace heddle::runtime {

/// The workers: how many of them have nothing to do, back off, or are away, and which could do the work of others, with
/// which they share a context.
class WorkerSet {
 public:
  /// Both must outlive it. No worker has anything to do.
  WorkerSet(const std::vector<std::unique_ptr<Worker>>& workers, const ResizableContexts& contexts)
      : workers_(workers), contexts_(contexts), idle_(workers.size()) {}

  [[nodiscard]] Worker& operator[](WorkerId id) const { return *workers_[index(id)]; }
  [[nodiscard]] auto begin() const { return workers_.begin(); }
  [[nodiscard]] auto end() const { return workers_.end(); }
  [[nodiscard]] std::size_t size() const { return workers_.size(); }

  /// Adds an execution to what the worker was given: which one, the caller says.
  [[nodiscard]] Execution& give(Worker& worker) {
    Execution& execution = *worker.unused.back();
    worker.unused.pop_back();
    if (worker.given.empty()) --idle_;
    worker.given.push_back(&execution);
    return execution;
  }
  void take_from(Worker& worker, Execution& execution) {
    worker.given.erase(std::ranges::find(worker.given, &execution));
    worker.unused.push_back(&execution);
    if (worker.given.empty()) ++idle_;
  }
  /// The worker has no task, and is given none. Where no other can take its tasks, these wait: not for long.
  void begin_back_off(Worker& worker) {
    worker.back_off.begin(has_busy_companions(worker));
    ++backed_off_, --idle_;
  }
  void end_back_off(Worker& worker, bool missed) {
    worker.back_off.end(missed);
    --backed_off_, ++idle_;
  }
  /// The thread of the worker, which has no task, is not run.
  void leave(Worker& worker) {
    worker.away = true;
    ++away_, --idle_;
  }
  void come_back(Worker& worker) {
    worker.away = false;
    --away_, ++idle_;
  }

  /// Whether a worker has nothing to do, does not back off, and is not away.
  [[nodiscard]] bool some_idle() const { return idle_ > 0; }
  [[nodiscard]] bool some_back_off() const { return backed_off_ > 0; }
  [[nodiscard]] bool some_away() const { return away_ > 0; }
  [[nodiscard]] bool none_busy() const { return idle_ + backed_off_ + away_ == workers_.size(); }
  /// Whether the worker alone is idle, and others are busy.
  [[nodiscard]] bool is_alone_idle(const Worker& worker) const {
    return worker.given.empty() && idle_ == 1 && backed_off_ + away_ + 1 < workers_.size();
  }
  /// Whether a worker is idle that might be given what this one has: without contexts, any.
  [[nodiscard]] bool some_idle_beside(const Worker& worker) const {
    return idle_ > 0 && (contexts_.now().empty() || has_idle_companion(worker));
  }
  /// Whether in each context of the worker another one works; without contexts, some other does.
  [[nodiscard]] bool has_busy_companions(const Worker& worker) const;
  /// Whether there are other workers that may have what this one could.
  [[nodiscard]] bool has_partners(WorkerId worker) const;
  /// Whether one of these has a task that does not wait for room itself.
  [[nodiscard]] bool partners_work(WorkerId worker) const;

 private:
  [[nodiscard]] bool has_idle_companion(const Worker& worker) const;

  const std::vector<std::unique_ptr<Worker>>& workers_;
  const ResizableContexts& contexts_;
  std::size_t idle_;
  std::size_t backed_off_ = 0;
  std::size_t away_ = 0;
};

}  // namespace heddle::runtime
