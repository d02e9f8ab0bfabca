#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/instance.hpp"

namespace heddle::policy {

class Lookahead;

/// What a policy may know of a run, the same in every engine. It is valid during the call it is passed to; the instance
/// lives as long as the run.
class View {
 public:
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] const Instance& instance() const { return *instance_; }
  [[nodiscard]] const Platform& platform() const { return instance_->platform; }
  [[nodiscard]] const TaskGraph& graph() const { return instance_->graph; }
  /// The believed duration of a task on a class; kCannotRun where the class cannot run it.
  [[nodiscard]] Time estimate(TaskId task, ClassId c) const { return instance_->costs.estimate(task, c); }
  [[nodiscard]] bool can_run(TaskId task, ClassId c) const { return instance_->costs.can_run(task, c); }

  /// Workers may leave a run and come back; one that left is neither idle nor running anything.
  [[nodiscard]] bool is_available(WorkerId worker) const { return workers_[worker].available; }
  [[nodiscard]] bool is_idle(WorkerId worker) const {
    return workers_[worker].available && workers_[worker].task == kNone<TaskId>;
  }
  /// The task a worker is running; kNone when it runs none.
  [[nodiscard]] TaskId running(WorkerId worker) const { return workers_[worker].task; }
  /// When the running attempt is expected to end: max(now, start + estimate). Now, when the worker runs none.
  [[nodiscard]] Time expected_end(WorkerId worker) const { return std::max(now_, workers_[worker].expected_end); }

  [[nodiscard]] bool has_idle(ClassId c) const { return classes_[c].idle > 0; }
  /// The idle worker of a class with the smallest number; kNone when there is none.
  [[nodiscard]] WorkerId first_idle(ClassId c) const { return next_idle(c, 0); }

  /// Calls visit(worker) for every idle worker in the service order: the class listed last first, inside a class the
  /// smallest number first. Stops as soon as visit returns true.
  template <class Visit>
  void visit_idle(Visit&& visit) const {
    for (std::size_t c = platform().class_count(); c-- > 0;) {
      const ClassId id = make_id<ClassId>(c);
      if (!has_idle(id)) continue;
      const std::size_t first = index(*platform().workers(id).begin());
      for (WorkerId worker = first_idle(id); worker != kNone<WorkerId>;
           worker = next_idle(id, index(worker) - first + 1)) {
        if (visit(worker)) return;
      }
    }
  }

  /// Through which a policy simulates itself; null when the host cannot (Needs::lookahead asks for it).
  [[nodiscard]] const Lookahead* lookahead() const { return lookahead_; }

 protected:
  struct Worker {
    TaskId task = kNone<TaskId>;
    bool available = true;
    Time expected_end = 0;
  };
  struct Class {
    std::uint32_t idle = 0;
    std::uint32_t first_word = 0;  ///< of the class's idle workers, one bit each
    std::uint32_t words = 0;
  };

  /// The first idle worker of a class whose number inside the class is at least `from`.
  [[nodiscard]] WorkerId next_idle(ClassId c, std::size_t from) const {
    const Class& info = classes_[c];
    std::size_t word = from / 64;
    if (info.idle == 0 || word >= info.words) return kNone<WorkerId>;
    std::uint64_t bits = idle_[info.first_word + word] & (~std::uint64_t{0} << from % 64);
    while (bits == 0) {
      if (++word == info.words) return kNone<WorkerId>;
      bits = idle_[info.first_word + word];
    }
    const std::size_t number = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return make_id<WorkerId>(index(*platform().workers(c).begin()) + number);
  }

  Time now_ = 0;
  const Instance* instance_ = nullptr;
  const Lookahead* lookahead_ = nullptr;
  Table<WorkerId, Worker> workers_;
  Table<ClassId, Class> classes_;
  std::vector<std::uint64_t> idle_;
};

/// The side of the View that belongs to the host: it records what happened. A value: a copy is a snapshot.
class HostView : public View {
 public:
  explicit HostView(const Instance& instance);

  void set_now(Time now) { now_ = now; }
  void set_lookahead(const Lookahead* lookahead) { lookahead_ = lookahead; }
  /// The idle worker begins a task that is believed to take `estimate`.
  void begin(WorkerId worker, TaskId task, Time estimate);
  /// The worker's attempt ended or was aborted.
  void end(WorkerId worker);
  /// The worker, which runs nothing, leaves or comes back.
  void set_available(WorkerId worker, bool available);

 private:
  void mark_idle(WorkerId worker, bool idle);
};

}  // namespace heddle::policy
