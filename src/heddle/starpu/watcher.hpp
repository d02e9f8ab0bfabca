#pragma once

#include <starpu.h>

#include <cstdint>
#include <string>
#include <unordered_map>

#include "heddle/starpu/clock.hpp"
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
  void tell(TypeId type, ClassId c, Time duration) override;

  const unsigned context_;
  const Settings settings_;
  const Machine machine_;
  const Clock clock_;
  Reader reader_;

  Mutex mutex_;
  TaskNames names_;
  Recorder recorder_;
  Estimates estimates_;
  std::unordered_map<const starpu_task*, Known> known_;  ///< until they have ended
  Table<WorkerId, Time> last_end_;                       ///< of what the worker ended last
};

}  // namespace heddle::starpu
