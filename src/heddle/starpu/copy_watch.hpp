#pragma once

#include <starpu.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "heddle/starpu/clock.hpp"
#include "heddle/starpu/copies.hpp"
#include "heddle/starpu/machine.hpp"
#include "heddle/starpu/settings.hpp"

namespace heddle::starpu {

/// Sees the copies that StarPU makes of data, from one memory to another, for the record of a context. StarPU has no
/// call-back for a copy, but it makes copies by the methods of the data's interface, which are public: while a watch
/// exists, these are others that tell it and then call the former ones. They do not tell when an asynchronous copy
/// ends: look() finds out.
class CopyWatch {
 public:
  /// Both must outlive it.
  CopyWatch(const Machine& machine, const Clock& clock);
  ~CopyWatch();
  CopyWatch(const CopyWatch&) = delete;
  CopyWatch& operator=(const CopyWatch&) = delete;

  /// The datum of the handle, instead of one that the handle had before. Its copies may have begun.
  void add(starpu_data_handle_t handle, DataId data);
  /// Whether it was added, and the program has not given it up.
  [[nodiscard]] bool knows(starpu_data_handle_t handle) const;
  /// Finds which copies have ended. Takes little time, and none where another thread is looking.
  void look();
  /// A task starts, so that what it needs has arrived.
  void find_arrived();
  /// All copies of data that were added.
  [[nodiscard]] std::vector<Copied> take();

  // StarPU's threads tell these, one at a time.
  static constexpr double kRuns = -1;
  /// `interface`: that of the datum where it goes. Times are StarPU's; `end`: kRuns where it is asynchronous.
  void copied(const void* interface, unsigned from, unsigned to, double start, double end);
  void find_arrived_alone();
  /// StarPU has made all copies of the handle, and frees it.
  void gone(starpu_data_handle_t handle);

 private:
  struct Place {
    starpu_data_handle_t handle;
    DataId data;
  };
  struct Noted {
    Copied copy;
    const void* interface;
  };

  [[nodiscard]] bool has_arrived(const Noted& noted) const;
  template <class Predicate>
  void end_those(Time now, Predicate has_ended);

  const Machine* machine_;
  const Clock* clock_;
  std::vector<MemoryId> memory_;                           ///< by StarPU's number of the node; kNone: no worker's
  std::unordered_map<const void*, Place> places_;          ///< by interface: each datum has one in each memory
  std::unordered_map<starpu_data_handle_t, DataId> data_;  ///< what handles are, until they are gone
  std::unordered_map<const void*, std::vector<std::size_t>> unclaimed_;  ///< of data that may be added, by interface
  std::vector<Noted> noted_;
  std::vector<std::size_t> running_;    ///< which of them have not ended
  std::atomic<std::size_t> count_ = 0;  ///< of those
};

/// Null where nothing is recorded, or all workers have one memory.
[[nodiscard]] std::unique_ptr<CopyWatch> watch_copies(const Settings& settings, const Machine& machine,
                                                      const Clock& clock);

}  // namespace heddle::starpu
