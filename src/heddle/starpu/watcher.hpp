#pragma once

#include <starpu.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "heddle/starpu/clock.hpp"
#include "heddle/starpu/copy_watch.hpp"
#include "heddle/starpu/estimates.hpp"
#include "heddle/starpu/lock.hpp"
#include "heddle/starpu/machine.hpp"
#include "heddle/starpu/reader.hpp"
#include "heddle/starpu/recorder.hpp"
#include "heddle/starpu/settings.hpp"
#include "heddle/starpu/task_names.hpp"

namespace heddle::starpu {

/// Watches a context in which a scheduler of StarPU decides: the record of what happened.
class Watcher final : private Reader::Catalogue {
 public:
  Watcher(unsigned context, Settings settings);
  ~Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void submit(starpu_task* task);
  /// The worker whose thread this is begins the task, and has ended it. Others' tasks do not matter.
  void began(starpu_task* task);
  void ended(starpu_task* task);
  /// A worker asks for a task.
  void asked();
  /// At the end.
  void report();

 private:
  struct Known {
    host::TaskNumber number{};
    TypeId type{};
    WorkerId worker = kNone<WorkerId>;  ///< kNone: it has not begun
    Time start = 0;
  };

  TypeId add_type(const std::string& codelet, std::string name, const Table<ClassId, bool>& can_run) override;
  DataId add_datum(starpu_data_handle_t handle, std::int64_t bytes) override;
  [[nodiscard]] bool is_gone(starpu_data_handle_t handle) const override;
  void tell(TypeId type, ClassId c, Time duration) override;
  void end(const starpu_task* task, Time now);
  [[nodiscard]] Time begin_of_second(WorkerId worker) const;
  void end_first(WorkerId worker, Time end);

  const unsigned context_;
  const Settings settings_;
  const Machine machine_;
  const Clock clock_;
  const std::unique_ptr<CopyWatch> copies_;  ///< null: nothing is recorded, or there is one memory
  Reader reader_;

  Mutex mutex_;
  TaskNames names_;
  Recorder recorder_;
  Estimates estimates_;
  std::unordered_map<const starpu_task*, Known> known_;  ///< until they have ended
  Table<WorkerId, Time> last_end_;                       ///< of what the worker ended last
  Table<WorkerId, std::deque<const starpu_task*>> has_;  ///< what the worker began and has not ended, in this order
  Table<WorkerId, char> is_busy_;                        ///< whether it may have any; its own thread's
};

}  // namespace heddle::starpu
