#pragma once

#include <starpu.h>

#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "heddle/starpu/core.hpp"
#include "heddle/starpu/lock.hpp"
#include "heddle/starpu/machine.hpp"

namespace heddle::starpu {

/// Whether a worker gets the task. The others only order tasks: those without a codelet, or with one for no worker,
/// such as StarPU submits when data is divided.
[[nodiscard]] inline bool runs_somewhere(const starpu_task* task) {
  if (task->cl == nullptr) return false;
  return (task->where != -1 ? static_cast<std::uint32_t>(task->where) : task->cl->where) != STARPU_NOWHERE;
}

/// Reads StarPU's tasks: of which type each is, what it accesses, which workers can run it, and how long StarPU's
/// models say that it takes.
class Reader {
 public:
  /// What tasks refer to gets its number here, when the first task does. Calls do not overlap.
  class Catalogue {
   public:
    /// `name`: the codelet's, and a number that makes it the only one.
    virtual TypeId add_type(const std::string& codelet, std::string name, const Table<ClassId, bool>& can_run) = 0;
    virtual DataId add_datum(starpu_data_handle_t handle, std::int64_t bytes) = 0;
    /// Whether the program has given up the datum of a handle that was added: another one has its address.
    [[nodiscard]] virtual bool is_gone(starpu_data_handle_t handle) const = 0;
    /// What StarPU's model says of the type's tasks on the class, from now on.
    virtual void tell(TypeId type, ClassId c, Time duration) = 0;

   protected:
    ~Catalogue() = default;
  };

  /// Of the tasks of one context. `platform` has the machine's classes, perhaps others behind them. The catalogue must
  /// outlive the reader.
  Reader(unsigned context, const Machine& machine, const Platform& platform, bool needs_names, Catalogue& catalogue);

  /// Calls `take` with what the task is; tasks are read one after the other.
  template <class Take>
  auto read(starpu_task* task, Take take) {
    const Lock reading(mutex_);
    fill(task);
    return take(job_);
  }
  [[nodiscard]] std::vector<WorkerId> eligible_workers(starpu_task* task) const { return listed(eligible(task)); }

 private:
  /// By number in the platform.
  using Workers = std::bitset<STARPU_NMAXWORKERS>;
  using Classes = std::bitset<STARPU_NMAXWORKERS>;
  /// Codelet, layout of the data, and where it can run.
  struct TypeKey {
    const starpu_codelet* codelet;
    std::uint32_t layout;
    Classes classes;
    bool operator==(const TypeKey&) const = default;
  };
  struct HashOfType {
    std::size_t operator()(const TypeKey& key) const {
      return std::hash<const void*>()(key.codelet) ^ (key.layout * 0x9e37'79b9'7f4a'7c15) ^
             std::hash<Classes>()(key.classes);
    }
  };
  struct Type {
    TypeId id{};
    std::uint64_t tasks = 0;  ///< how many it has
  };
  struct Data {
    std::size_t bytes = 0;
    DataId id{};
  };

  void fill(starpu_task* task);
  [[nodiscard]] Workers eligible(starpu_task* task) const;
  [[nodiscard]] std::vector<WorkerId> listed(const Workers& workers) const;
  [[nodiscard]] Classes classes_of(const Workers& workers) const;
  [[nodiscard]] TypeId type_of(starpu_task* task, const Classes& classes, bool is_internal);
  void tell_models(starpu_task* task, TypeId type, const Classes& classes);
  void find_accesses(starpu_task* task, std::vector<Access>& found);
  [[nodiscard]] DataId datum_of(starpu_data_handle_t handle);

  const unsigned context_;
  const Machine* machine_;
  const bool needs_names_;
  Catalogue* catalogue_;
  Table<ClassId, Workers> workers_of_;
  Mutex mutex_;
  Core::Job job_;  ///< the last one, for its memory
  std::unordered_map<TypeKey, Type, HashOfType> types_;
  std::unordered_map<starpu_data_handle_t, Data> data_;
};

}  // namespace heddle::starpu
