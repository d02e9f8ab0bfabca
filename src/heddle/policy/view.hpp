#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/routes.hpp"

namespace heddle::policy {

/// What a policy answers when workers are idle.
struct Action {
  enum class Kind : std::uint8_t {
    wait,      ///< nothing to do until the next fact
    run,       ///< start a ready task on an idle worker
    restart,   ///< spoliation: abort a running task and start it anew on an idle worker
    preempt,   ///< abort a running task; it becomes ready again
    prefetch,  ///< fetch what a ready task reads into the memory of a worker: a hint, answered by no fact
  };

  Kind kind = Kind::wait;
  TaskId task = kNone<TaskId>;
  WorkerId worker = kNone<WorkerId>;  ///< where it shall run; unused by `preempt`

  bool operator==(const Action&) const = default;
};

[[nodiscard]] constexpr Action wait() {
  return {};
}
[[nodiscard]] constexpr Action run(TaskId task, WorkerId worker) {
  return {Action::Kind::run, task, worker};
}
[[nodiscard]] constexpr Action restart(TaskId task, WorkerId worker) {
  return {Action::Kind::restart, task, worker};
}
[[nodiscard]] constexpr Action preempt(TaskId task) {
  return {Action::Kind::preempt, task, kNone<WorkerId>};
}

[[nodiscard]] constexpr Action prefetch(TaskId task, WorkerId worker) {
  return {Action::Kind::prefetch, task, worker};
}

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
  /// Whether the worker asks for a task: it has none or, when it asks ahead, room for one more.
  [[nodiscard]] bool is_idle(WorkerId worker) const {
    const std::uint32_t bit = workers_[worker].idle_bit;
    return (idle_[bit / 64] >> bit % 64 & 1) != 0;
  }
  /// Where data has to be moved, workers ask ahead: after the policy has answered wait() it is asked once more, and now
  /// the idle workers are those that run something and have room for a task, whose data is fetched meanwhile. What
  /// they are given starts when they are free. Nothing may be restarted on them. For policies that poll
  /// (Policy::polls), the simulator asks once for both, the idle workers and those with room.
  [[nodiscard]] bool asks_ahead() const { return asks_ahead_; }
  /// The task a worker is running, or fetches data for; kNone when it has none.
  [[nodiscard]] TaskId running(WorkerId worker) const { return workers_[worker].task; }
  /// When the worker is expected to be free, max(now, start + estimate) of the running attempt, and after what it was
  /// given ahead. Now, when it has nothing.
  [[nodiscard]] Time expected_end(WorkerId worker) const { return std::max(now_, workers_[worker].expected_end); }
  /// Whether the attempt that the worker runs can be aborted; where it cannot, a restart or a preemption is refused.
  /// Some hosts can abort nothing; of these, some hold back what would be aborted (host::Aborts::hold_back): only what
  /// they hold back can be.
  [[nodiscard]] bool may_abort(WorkerId worker) const { return may_abort(running(worker)); }

  /// Whether data takes time to move. Otherwise it is everywhere at once, and all that follows is zero or true.
  [[nodiscard]] bool moves_data() const { return !routes_->free(); }
  [[nodiscard]] const Routes& routes() const { return *routes_; }
  [[nodiscard]] MemoryId memory_of(WorkerId worker) const { return platform().memory_of(worker); }
  /// Whether a valid copy is in the memory.
  [[nodiscard]] bool has(DataId data, MemoryId memory) const { return !moves_data() || bit(present_, data, memory); }
  /// Whether a valid copy is in the memory, or on its way there.
  [[nodiscard]] bool holds(DataId data, MemoryId memory) const { return !moves_data() || bit(copies_, data, memory); }
  /// Bytes that a task reads and that are neither in the memory nor on their way there.
  [[nodiscard]] std::int64_t missing_bytes(TaskId task, MemoryId memory) const;
  /// Bytes that a task reads and that are not in the memory yet.
  [[nodiscard]] std::int64_t absent_bytes(TaskId task, MemoryId memory) const;
  /// How long it takes to bring a datum into a memory from the nearest that has it, when `sharers` transfers divide the
  /// bandwidth of each link evenly.
  [[nodiscard]] Time transfer_estimate(DataId data, MemoryId memory, std::size_t sharers = 1) const;
  /// The same for all that a task reads, one after the other.
  [[nodiscard]] Time transfer_estimate(TaskId task, MemoryId memory, std::size_t sharers = 1) const {
    return moves_data() ? transfers_estimate(task, memory, sharers) : 0;
  }

  /// Calls visit(data, memory) wherever there is something else, or it is further, than in `before`, a view of the same
  /// instance: for hosts that tell others what changes.
  template <class Visit>
  void visit_moved(const View& before, Visit&& visit) const {
    const std::size_t memories = platform().memories().size();
    for (std::size_t word = 0; word < copies_.size(); ++word) {
      std::uint64_t bits = (copies_[word] ^ before.copies_[word]) | (present_[word] ^ before.present_[word]);
      for (; bits != 0; bits &= bits - 1) {
        const std::size_t number = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        visit(make_id<DataId>(number / memories), make_id<MemoryId>(number % memories));
      }
    }
  }

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
      for (WorkerId worker = first_idle(id); worker != kNone<WorkerId>;
           worker = next_idle(id, index(worker) - classes_[id].first_worker + 1)) {
        if (visit(worker)) return;
      }
    }
  }

  /// Through which a policy simulates itself, in start() and next(); null in other calls, and when the host cannot
  /// (Needs::lookahead asks for it).
  [[nodiscard]] const Lookahead* lookahead() const { return lookahead_; }

 protected:
  struct Worker {
    TaskId task = kNone<TaskId>;
    bool available = true;
    ClassId resource_class{};
    std::uint32_t idle_bit = 0;  ///< its place in idle_
    Time expected_end = 0;
  };
  struct Class {
    std::uint32_t idle = 0;
    std::uint32_t first_worker = 0;
    std::uint32_t first_word = 0;  ///< of the class's idle workers, one bit each
    std::uint32_t words = 0;
  };

  [[nodiscard]] Time transfers_estimate(TaskId task, MemoryId memory, std::size_t sharers) const;
  [[nodiscard]] bool bit(const std::vector<std::uint64_t>& bits, DataId data, MemoryId memory) const {
    const std::size_t number = index(data) * platform().memories().size() + index(memory);
    return (bits[number / 64] >> number % 64 & 1) != 0;
  }

  /// Shows data where another view does, of a run with the same data and memories, and whether anything can be aborted.
  void show_data(const View& of) {
    aborts_ = of.aborts_;
    if (of.copies_.empty()) return;
    copies_ = of.copies_;
    present_ = of.present_;
  }

  /// The same for the attempt at a task; kNone: for one that begins now.
  [[nodiscard]] bool may_abort(TaskId task) const {
    if (committed_.empty() || task == kNone<TaskId>) return aborts_;
    return aborts_ && (committed_[index(task) / 64] >> index(task) % 64 & 1) == 0;
  }

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
    return make_id<WorkerId>(info.first_worker + number);
  }

  Time now_ = 0;
  bool asks_ahead_ = false;
  bool aborts_ = true;  ///< attempts can be aborted, but for those that are committed
  const Instance* instance_ = nullptr;
  const Lookahead* lookahead_ = nullptr;
  std::shared_ptr<const Routes> routes_;
  Table<WorkerId, Worker> workers_;
  Table<ClassId, Class> classes_;
  std::vector<std::uint64_t> idle_;  ///< one bit per worker, class by class
  /// One bit per datum and memory; empty when data does not move.
  std::vector<std::uint64_t> copies_;   ///< valid, or on its way
  std::vector<std::uint64_t> present_;  ///< valid
  /// One bit per task, whose attempt cannot be aborted; empty when there is none.
  std::vector<std::uint64_t> committed_;
};

/// The side of the View that belongs to the host: it records what happened. A value: a copy is a snapshot.
class HostView : public View {
 public:
  /// Throws InputError when the platform has links that do not reach some memory (Routes).
  explicit HostView(const Instance& instance);

  void set_now(Time now) { now_ = now; }
  void set_lookahead(const Lookahead* lookahead) { lookahead_ = lookahead; }
  /// The idle worker begins a task that is believed to take `estimate`.
  void begin(WorkerId worker, TaskId task, Time estimate) {
    workers_[worker].task = task;
    workers_[worker].expected_end = now_ + estimate;
    mark_idle(worker, false);
  }
  /// The worker's attempt ended or was aborted.
  void end(WorkerId worker) {
    workers_[worker].task = kNone<TaskId>;
    workers_[worker].expected_end = 0;
    mark_idle(worker, true);
  }
  /// The worker, which runs nothing, leaves or comes back.
  void set_available(WorkerId worker, bool available) {
    if (workers_[worker].available == available) return;
    workers_[worker].available = available;
    mark_idle(worker, available);
  }
  /// From now on no attempt can be aborted.
  void forbid_aborts() { aborts_ = false; }
  /// Whether the attempt at the task that begins, or runs, is one that cannot be aborted.
  void set_committed(TaskId task, bool committed) {
    if (committed_.empty() && !committed) return;
    if (committed_.empty()) committed_.resize((graph().task_count() + 63) / 64);
    const std::uint64_t bit = std::uint64_t{1} << index(task) % 64;
    std::uint64_t& word = committed_[index(task) / 64];
    word = committed ? word | bit : word & ~bit;
  }
  using View::may_abort;
  using View::show_data;
  /// Given ahead, or taken back: the worker is expected to be free at `expected_end`.
  void set_expected_end(WorkerId worker, Time expected_end) { workers_[worker].expected_end = expected_end; }
  /// What another view shows of a worker.
  struct Shown {
    TaskId task = kNone<TaskId>;  ///< that it runs; kNone: nothing
    Time expected_end = 0;
    bool is_idle = false;
    bool is_available = true;
  };
  /// Shows the same of a worker here.
  void show(WorkerId worker, const Shown& shown) {
    Worker& info = workers_[worker];
    info.available = shown.is_available;
    info.task = shown.task;
    info.expected_end = shown.expected_end;
    mark_idle(worker, shown.is_idle);
  }
  /// Workers ask ahead from now on, or no more; mark_idle() says which do.
  void set_asks_ahead(bool asks_ahead) { asks_ahead_ = asks_ahead; }
  /// A worker that has left is not idle, whatever is said of it.
  void mark_idle(WorkerId worker, bool idle) {
    const Worker& info = workers_[worker];
    idle = idle && info.available;
    const std::uint64_t bit = std::uint64_t{1} << info.idle_bit % 64;
    std::uint64_t& word = idle_[info.idle_bit / 64];
    if (((word & bit) != 0) == idle) return;
    word ^= bit;
    classes_[info.resource_class].idle += idle ? 1U : ~0U;
  }
  /// What a memory has of a datum.
  enum class Copy : std::uint8_t { none, coming, valid };
  void set_copy(DataId data, MemoryId memory, Copy copy);
};

// Which answers are legal.

/// What a host says of a policy that acts within one instant without end.
inline constexpr const char* kEndless = "it does not stop acting within one instant";

/// Whether so many actions of one instant are too many: a sound policy aborts each worker, and has the data of each
/// task fetched, a few times at most.
[[nodiscard]] inline bool is_endless(std::size_t actions, const View& view) {
  constexpr std::size_t kNeverMany = 4096;
  if (actions <= kNeverMany) [[likely]]
    return false;
  return actions > kNeverMany + 64 * view.platform().worker_count() + 2 * view.graph().task_count();
}

/// Why the answer, about a task that there is, cannot be carried out; null when it can be. `ready`, `runs`: whether the
/// task is, and does.
[[nodiscard]] inline const char* objection_to(const Action& action, const View& view, bool ready, bool runs) {
  using Kind = Action::Kind;
  const bool aborts = action.kind == Kind::restart || action.kind == Kind::preempt;
  if (aborts) [[unlikely]] {
    if (!runs) return "the task is not running";
    if (action.kind == Kind::preempt) return nullptr;
  } else if (!ready) [[unlikely]] {
    return "the task is not ready";
  }
  if (index(action.worker) >= view.platform().worker_count()) [[unlikely]]
    return "there is no such worker";
  if (action.kind == Kind::prefetch) [[unlikely]]
    return nullptr;
  if (!view.is_idle(action.worker)) [[unlikely]]
    return "the worker is not idle";
  if (!view.can_run(action.task, view.platform().class_of(action.worker))) [[unlikely]]
    return "the worker's class cannot run the task";
  if (aborts && view.asks_ahead()) [[unlikely]]
    return "workers that ask ahead are busy";
  return nullptr;
}

/// The same in a sentence, for an answer to which there is an objection.
[[nodiscard]] std::string describe_illegal(const Action& action, const View& view, const char* objection);

}  // namespace heddle::policy
