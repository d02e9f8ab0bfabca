#pragma once

#include <starpu.h>
#include <starpu_scheduler.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "heddle/starpu/core.hpp"
#include "heddle/starpu/machine.hpp"
#include "heddle/starpu/settings.hpp"

namespace heddle::starpu {

/// The scheduler of one of StarPU's contexts: its hooks, told to a Core under the mutex of the context.
class Scheduler {
 public:
  /// Throws InputError when the settings make no sense.
  explicit Scheduler(unsigned context);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void submit(starpu_task* task);
  void push(starpu_task* task);
  [[nodiscard]] starpu_task* pop();
  void pre_exec(starpu_task* task);
  void post_exec();
  void set_available(std::span<const int> workers, bool available);
  /// Where the user wants it, writes what happened.
  void write_record();

 private:
  class Lock;
  static constexpr Time kNever = -1;
  /// Codelet, layout of the data, and by class whether it can run there.
  using TypeKey = std::tuple<const starpu_codelet*, std::uint32_t, std::vector<bool>>;
  struct HandleKey {
    starpu_data_handle_t handle;
    std::size_t bytes;
    auto operator<=>(const HandleKey&) const = default;
  };

  [[nodiscard]] Time now() const;
  [[nodiscard]] std::optional<WorkerId> this_worker() const;
  [[nodiscard]] std::vector<WorkerId> eligible(starpu_task* task) const;
  TaskNumber make_known(starpu_task* task);
  [[nodiscard]] TypeId type_of(starpu_task* task, const Table<ClassId, bool>& can_run, bool is_internal);
  void tell_models(starpu_task* task, TypeId type, const Table<ClassId, bool>& can_run);
  void find_accesses(starpu_task* task, std::vector<Access>& found);
  [[nodiscard]] DataId datum_of(starpu_data_handle_t handle);
  [[nodiscard]] starpu_task* pop_locked(WorkerId worker);
  [[nodiscard]] bool choose_implementation(starpu_task* task, WorkerId worker) const;
  void forget(const starpu_task* task, TaskNumber number);
  [[nodiscard]] bool is_overdue() const;
  void wake(WorkerId worker) const;
  void wake_one() const;
  void note_return();
  void note_change() { version_.fetch_add(1, std::memory_order_release); }

  /// A worker's thread's own.
  struct alignas(64) Mine {
    std::uint64_t seen = 0;     ///< the version at which it was given nothing
    bool is_returning = false;  ///< it has ended a task, and asks when it has released what waited for that
  };

  const unsigned context_;
  const Settings settings_;
  const Machine machine_;
  const policy::Spec spec_;
  const double origin_;
  starpu_pthread_mutex_t mutex_;
  Core core_;
  Core::Job job_;  ///< the last one that was made, for its memory
  std::map<TypeKey, TypeId> types_;
  Table<TypeId, std::uint64_t> seen_types_;  ///< how many tasks each has
  std::map<HandleKey, DataId> data_;
  std::pmr::unsynchronized_pool_resource memory_;
  std::pmr::unordered_map<const starpu_task*, TaskNumber> number_of_{&memory_};  ///< from submission until it is popped
  host::SlidingVector<starpu_task*> task_of_;                                    ///< likewise; after that null
  std::atomic<std::uint64_t> version_{1};  ///< changes with all that happens but the return of workers
  std::atomic<Time> returning_{kNever};    ///< since when workers return
  Table<WorkerId, Mine> mine_;
};

}  // namespace heddle::starpu
