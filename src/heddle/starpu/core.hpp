#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "heddle/host/rounds.hpp"
#include "heddle/model/access.hpp"
#include "heddle/starpu/estimates.hpp"
#include "heddle/starpu/plan.hpp"
#include "heddle/starpu/recorder.hpp"
#include "heddle/starpu/task_names.hpp"

namespace heddle::starpu {

using host::TaskNumber;

/// A scheduler of tasks that are pushed and popped, free of the engine's types: what each hook of StarPU tells it, and
/// what a worker gets that asks (docs/starpu.md). Has no lock: the engine's calls must not overlap, but for began() and
/// ended().
class Core {
 public:
  struct Job {
    TypeId type{};
    std::vector<Access> accesses{};  ///< each datum once; what the task waits for follows from them
    std::int64_t priority = 0;
    std::string name{};  ///< for the record, and the plan; tasks may share it
    /// The workers that can run it, ascending, where they are not all of the classes that can run the type; else empty.
    std::vector<WorkerId> only_on{};
    bool is_pinned = false;    ///< the engine starts it itself, without a push (began_pinned)
    bool is_internal = false;  ///< the engine made it, and does not tell when it ends
  };

  struct Config {
    Platform platform;
    host::Rounds::MakePolicy make_policy;
    host::Aborts aborts = host::Aborts::none;
    /// By worker, whether it asks for the next task while it runs one; it ends tasks in the order in which it got them.
    Table<WorkerId, bool> asks_early;
    bool records = false;
    host::Rounds::CopySource copies{};  ///< where data is, on a platform with links
    Table<ContextId, Context> contexts{};
    std::shared_ptr<const policy::ResizeRule> resize{};  ///< by which workers move between the contexts
    std::optional<Plan> plan{};                          ///< that the policy follows
  };

  explicit Core(Config config);

  /// `context`: that of its tasks; kNone only where there are no contexts.
  TypeId add_type(std::string name, const Table<ClassId, bool>& can_run, ContextId context = kNone<ContextId>);
  DataId add_datum(std::int64_t bytes);
  [[nodiscard]] Estimates& estimates() { return *estimates_; }

  /// Tasks are numbered in the order of their submission.
  TaskNumber submit(const Job& job);
  /// The task waits for nothing any more. `by`: the worker whose thread tells so, if it is one.
  void push(TaskNumber task, std::optional<WorkerId> by, Time now);
  /// The worker asks: lets the policy decide. Nothing: it waits. One that does not ask early has ended what it had.
  [[nodiscard]] std::optional<TaskNumber> pop(WorkerId worker, Time now);
  /// The worker, which popped it just now, turns out to be unable to run it: these can, ascending.
  void put_back(WorkerId worker, const std::vector<WorkerId>& only_on);
  void began_pinned(TaskNumber task, WorkerId worker, Time now);
  void set_available(WorkerId worker, bool available);

  // The worker's own thread tells these two, and other calls may run meanwhile: what follows is found by the next call.
  // They say nothing of a task that the worker does not have any more.
  /// The worker has the data of the task, which it popped, and starts.
  void began(WorkerId worker, TaskNumber task, Time now);
  /// The worker has ended the task.
  void ended(WorkerId worker, TaskNumber task, Time now);

  /// Workers other than those that asked that have got a task since the last call: they shall ask.
  [[nodiscard]] std::vector<WorkerId> take_called() { return std::exchange(called_, {}); }

  /// What shall be fetched for tasks that no worker has popped, since the last call.
  [[nodiscard]] std::vector<host::Rounds::Prefetch> take_prefetches() { return rounds_.take_prefetches(); }

  [[nodiscard]] const Platform& platform() const { return platform_; }
  [[nodiscard]] bool records() const { return recorder_ != nullptr; }
  [[nodiscard]] std::size_t unfinished() const { return rounds_.unfinished(); }
  [[nodiscard]] std::size_t round_count() const { return rounds_.count(); }
  /// How many tasks, but for the engine's own and those that run where the program says, the plan did not know.
  [[nodiscard]] std::size_t unplanned() const { return unplanned_; }
  /// Which workers moved between contexts so far.
  [[nodiscard]] std::vector<WorkerMove> moves() const { return rounds_.moves(); }
  /// What happened. Only where it `records`. `copies`: of its data.
  [[nodiscard]] Recorder::Record record(std::string policy, std::vector<Copied> copies = {});

 private:
  static constexpr Time kNever = -1;
  static constexpr TaskNumber kNoTask{~std::uint64_t{0}};
  /// A task that a worker has. The worker's own thread writes start and end without a lock.
  struct Had {
    std::atomic<TaskNumber> task = kNoTask;
    Time start = kNever;
    std::atomic<Time> end = kNever;

    [[nodiscard]] TaskNumber number() const { return task.load(std::memory_order_relaxed); }
    [[nodiscard]] Time said_end() const { return end.load(std::memory_order_acquire); }
  };
  /// What a worker has. Apart from each other in memory, for what is written without a lock.
  struct alignas(64) Slot {
    std::array<Had, 4> ring;  ///< in the order in which it got them
    std::size_t first = 0;
    std::size_t count = 0;
    Time last_end = 0;  ///< of what it ended last
    bool away = false;
    bool given = false;          ///< it shall ask, for the policy has a task for it
    std::uint64_t asked_at = 0;  ///< what was new when it asked ahead last

    [[nodiscard]] Had& at(std::size_t place) { return ring[(first + place) % ring.size()]; }
    [[nodiscard]] Had* find(TaskNumber task);
    void push_back(TaskNumber task);
    /// How many they are up to the last that the predicate holds for; 0 where there is none.
    template <class Predicate>
    [[nodiscard]] std::size_t count_to_last(Predicate holds) {
      std::size_t places = count;
      while (places > 0 && !holds(at(places - 1))) --places;
      return places;
    }
  };

  [[nodiscard]] Slot& slot(WorkerId worker) { return slots_[index(worker)]; }
  [[nodiscard]] std::optional<TaskNumber> pop_narrow(WorkerId worker);
  [[nodiscard]] std::vector<WorkerId> within_context(TypeId type, const std::vector<WorkerId>& workers) const;
  void find_predecessors(TaskNumber task, const std::vector<Access>& accesses, std::vector<TaskNumber>& found);
  void enqueue_narrow(TaskNumber task);
  void close_ended();
  void close_first(WorkerId worker, Time now);
  void close(WorkerId worker, std::size_t count, Time now);
  [[nodiscard]] std::optional<TaskNumber> pop_ahead(WorkerId worker, Time now);
  [[nodiscard]] std::optional<TaskNumber> pop_given(WorkerId worker, Time now);

  const Platform platform_;
  const Table<ContextId, Context> contexts_;  ///< as they began
  Table<TypeId, ContextId> context_of_;       ///< of its tasks
  const Table<WorkerId, bool> asks_early_;
  std::unique_ptr<Estimates> estimates_;  ///< at an address that stays, for the rounds
  host::Rounds rounds_;
  std::unique_ptr<Recorder> recorder_;  ///< null: nothing is recorded
  const std::optional<Plan> plan_;
  TaskNames names_;
  std::size_t unplanned_ = 0;
  Table<DataId, AccessHistory<TaskNumber>> history_;
  host::Rounds::Task submitted_;  ///< the last one, for its memory
  // Of the few tasks that are special.
  std::unordered_set<TaskNumber> internal_;
  std::unordered_map<TaskNumber, std::vector<WorkerId>> only_on_;
  std::vector<TaskNumber> narrow_;  ///< of those in only_on_, the pushed ones, the first to serve first
  std::vector<Slot> slots_;         ///< by worker
  std::atomic<bool> some_ended_ = false;
  std::vector<WorkerId> called_;
  std::uint64_t news_ = 0;      ///< counts what the policy may not know when it is asked
  std::uint64_t asked_at_ = 0;  ///< what that was when it was asked last for workers that have nothing
};

}  // namespace heddle::starpu
