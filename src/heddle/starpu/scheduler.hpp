#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "heddle/facts/log.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/starpu/assignment.hpp"
#include "heddle/starpu/clock.hpp"
#include "heddle/starpu/copy_watch.hpp"
#include "heddle/starpu/core.hpp"
#include "heddle/starpu/lock.hpp"
#include "heddle/starpu/machine.hpp"
#include "heddle/starpu/plan.hpp"
#include "heddle/starpu/reader.hpp"
#include "heddle/starpu/settings.hpp"

namespace heddle::starpu {

/// The scheduler of one of StarPU's contexts: its hooks, told to a Core under the mutex of the context.
class Scheduler final : private Reader::Catalogue {
 public:
  /// Throws InputError when the settings do not fit the machine.
  Scheduler(unsigned context, Settings settings);
  ~Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void submit(starpu_task* task);
  void push(starpu_task* task);
  [[nodiscard]] starpu_task* pop();
  void pre_exec(starpu_task* task);
  void post_exec(starpu_task* task);
  void set_available(std::span<const int> workers, bool available);
  /// At the end: writes, and says in a line, what the user wants to know of what happened.
  void report();

 private:
  static constexpr Time kNever = -1;
  TypeId add_type(const std::string& codelet, std::string name, const Table<ClassId, bool>& can_run) override;
  DataId add_datum(starpu_data_handle_t handle, std::int64_t bytes) override;
  [[nodiscard]] bool is_gone(starpu_data_handle_t handle) const override;
  void tell(TypeId type, ClassId c, Time duration) override;
  TaskNumber make_known(starpu_task* task);
  [[nodiscard]] policy::HostView::Copy copy(DataId data, MemoryId memory) const;
  void prefetch();
  [[nodiscard]] starpu_task* pop_locked(WorkerId worker);
  [[nodiscard]] bool choose_implementation(starpu_task* task, WorkerId worker) const;
  void forget(const starpu_task* task, TaskNumber number);
  [[nodiscard]] bool is_overdue() const;
  void wake(WorkerId worker) const;
  void wake_one() const;
  void called_back(starpu_task* task);
  void note_end(WorkerId worker, const starpu_task* task);
  void note_return(Time now);
  void note_change() { version_.fetch_add(1, std::memory_order_release); }

  /// A task that a worker has.
  struct Popped {
    const starpu_task* task;
    TaskNumber number;
    // Of the program (watch).
    void (*callback)(void*) = nullptr;
    void* argument = nullptr;
  };
  void note_popped(starpu_task* task, TaskNumber number, WorkerId worker);
  void watch(starpu_task* task, Popped& popped);
  /// A worker's thread's own.
  struct alignas(64) Mine {
    std::uint64_t seen = 0;        ///< the version at which it was given nothing
    bool is_returning = false;     ///< it has ended a task, and asks when it has released what waited for that
    std::vector<Popped> popped{};  ///< what it has

    [[nodiscard]] Popped* find(const starpu_task* task);
  };

  const unsigned context_;
  const Settings settings_;
  const Machine machine_;
  Assignment assignment_;
  const policy::Spec spec_;
  const Platform shown_;                     ///< to the policy
  const std::optional<Plan> plan_;           ///< that the policy follows
  const std::shared_ptr<facts::Log> facts_;  ///< null: the user does not want it
  const Clock clock_;
  const std::unique_ptr<CopyWatch> copies_;  ///< null: nothing is recorded, or there is one memory
  Reader reader_;  ///< has a mutex of its own, locked before mutex_, which workers need more urgently

  Mutex mutex_;
  Core core_;
  Time deciding_ = 0;  ///< for so long decisions were waited for, where the user wants to know
  Table<DataId, starpu_data_handle_t> handles_;
  std::pmr::unsynchronized_pool_resource memory_;
  std::pmr::unordered_map<const starpu_task*, TaskNumber> number_of_{&memory_};  ///< from submission until it is popped
  SlidingVector<starpu_task*> task_of_;                                          ///< likewise; after that null
  // Apart from what the mutex guards: idle workers read them again and again.
  alignas(64) std::atomic<std::uint64_t> version_{1};  ///< changes with all that happens but the return of workers
  alignas(64) std::atomic<Time> returning_{kNever};    ///< since when workers return
  Table<WorkerId, Mine> mine_;
};

}  // namespace heddle::starpu
