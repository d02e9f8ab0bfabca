#include "heddle/starpu/copy_watch.hpp"

#include <starpu_profiling.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <span>
#include <utility>

#include "heddle/starpu/report.hpp"

namespace heddle::starpu {
namespace {

using AnyToAny = int (*)(void*, unsigned, void*, unsigned, void*);

/// An interface of StarPU or the program, and what it was before.
struct Interface {
  starpu_data_interface_ops* ops = nullptr;
  starpu_data_interface_ops before{};
  AnyToAny any_to_any = nullptr;
  starpu_data_copy_methods methods{};  ///< with our any_to_any
};

constexpr std::size_t kMostInterfaces = 32;

/// All watches of the process: an interface belongs to no context. The mutex guards the watches' own data too. It is
/// not one of StarPU's, as under SimGrid the simulation must not change because it is watched; what holds it calls
/// nothing that waits.
struct Shared {
  std::mutex mutex;
  std::array<Interface, kMostInterfaces> interfaces;
  std::size_t count = 0;  ///< of interfaces
  std::vector<CopyWatch*> watches;

  [[nodiscard]] std::span<Interface> known() { return std::span(interfaces).first(count); }
  [[nodiscard]] Interface* find(const starpu_data_interface_ops* ops) {
    const auto found = std::ranges::find(known(), ops, &Interface::ops);
    return found == known().end() ? nullptr : &*found;
  }
  /// That of a handle. The program may have made an interface of its own of one that was known.
  [[nodiscard]] const Interface& of(starpu_data_handle_t handle) {
    if (const Interface* const own = find(starpu_data_get_interface_ops(handle)); own != nullptr) return *own;
    const auto is_origin = [id = starpu_data_get_interface_id(handle)](const Interface& one) {
      return one.before.interfaceid == id;
    };
    return *std::ranges::find_if(known(), is_origin);
  }
};

Shared& shared() {
  static Shared one;
  return one;
}

void tell_copied(const void* interface, unsigned from, unsigned to, double start, double end) {
  const std::lock_guard lock(shared().mutex);
  for (CopyWatch* const watch : shared().watches) watch->copied(interface, from, to, start, end);
}

/// Instead of the copy method of the interface with the number.
template <std::size_t number>
int copy(void* source, unsigned from, void* target, unsigned to, void* async) {
  const AnyToAny before = shared().interfaces[number].any_to_any;
  if (from == to) return before(source, from, target, to, async);
  const double start = starpu_timing_now();
  const int result = before(source, from, target, to, async);
  tell_copied(target, from, to, start, result == -EAGAIN ? CopyWatch::kRuns : starpu_timing_now());
  return result;
}

template <std::size_t... numbers>
constexpr std::array<AnyToAny, sizeof...(numbers)> copy_functions(std::index_sequence<numbers...> /*all*/) {
  return {copy<numbers>...};
}

void free_handle(starpu_data_handle_t handle) {
  void (*before)(starpu_data_handle_t) = nullptr;
  {
    const std::lock_guard lock(shared().mutex);
    for (CopyWatch* const watch : shared().watches) watch->gone(handle);
    before = shared().of(handle).before.unregister_data_handle;
  }
  if (before != nullptr) before(handle);
}

#ifdef STARPU_SIMGRID
/// How many copies StarPU has counted since the last call.
unsigned long count_copies(unsigned from, unsigned to) {
  const int bus = from == to ? -1 : starpu_bus_get_id(static_cast<int>(from), static_cast<int>(to));
  starpu_profiling_bus_info counted{};
  if (bus < 0 || starpu_bus_get_profiling_info(bus, &counted) != 0) return 0;
  return static_cast<unsigned long>(counted.transfer_count);
}

/// StarPU copies nothing when it simulates. But then it asks for the size of the datum, right after it has counted the
/// copy, and starts the simulated transfer: a copy on a bus that has been counted since is one of this datum.
std::size_t size_of(starpu_data_handle_t handle) {
  std::size_t (*before)(starpu_data_handle_t) = nullptr;
  {
    const std::lock_guard lock(shared().mutex);
    before = shared().of(handle).before.get_size;
    for (CopyWatch* const watch : shared().watches) watch->find_arrived_alone();
  }
  for (unsigned to = 0; to < starpu_memory_nodes_get_count(); ++to) {
    int is_valid = 0;
    int is_requested = 0;
    starpu_data_query_status(handle, static_cast<int>(to), nullptr, &is_valid, &is_requested);
    if (is_valid != 0 || is_requested == 0) continue;
    for (unsigned from = 0; from < starpu_memory_nodes_get_count(); ++from) {
      if (count_copies(from, to) == 0) continue;
      tell_copied(starpu_data_get_interface_on_node(handle, to), from, to, starpu_timing_now(), CopyWatch::kRuns);
    }
  }
  return before(handle);
}
#endif

/// From now on, or again, it tells. Under the mutex.
void watch_interface(starpu_data_interface_ops* ops) {
  static constexpr auto kCopies = copy_functions(std::make_index_sequence<kMostInterfaces>());
  Shared& all = shared();
  Interface* known = all.find(ops);
  if (known == nullptr) {
    if (all.count == kMostInterfaces) return;
    known = &all.interfaces[all.count++];
    known->ops = ops;
  } else if (ops->unregister_data_handle == free_handle) {
    return;
  }
  known->before = *ops;
  ops->unregister_data_handle = free_handle;
#ifdef STARPU_SIMGRID
  ops->get_size = size_of;
#endif
  if (ops->copy_methods == nullptr || ops->copy_methods->any_to_any == nullptr) return;
  known->any_to_any = ops->copy_methods->any_to_any;
  known->methods = *ops->copy_methods;
  known->methods.any_to_any = kCopies[static_cast<std::size_t>(known - all.interfaces.data())];
  std::atomic_thread_fence(std::memory_order_release);  // workers may copy meanwhile
  ops->copy_methods = &known->methods;
}

/// As they were: the library with the functions that tell may be closed.
void restore_interfaces() {
  for (const Interface& interface : shared().known()) {
    interface.ops->unregister_data_handle = interface.before.unregister_data_handle;
    interface.ops->get_size = interface.before.get_size;
    interface.ops->copy_methods = interface.before.copy_methods;
  }
}

}  // namespace

CopyWatch::CopyWatch(const Machine& machine, const Clock& clock) : machine_(&machine), clock_(&clock) {
  memory_.assign(starpu_memory_nodes_get_count(), kNone<MemoryId>);
  for (const MemoryId memory : machine.nodes.ids()) memory_[machine.nodes[memory]] = memory;
  const std::lock_guard lock(shared().mutex);
  // Of these, data may be copied before a task tells of it.
  for (starpu_data_interface_ops* ops :
       {&starpu_interface_matrix_ops, &starpu_interface_block_ops, &starpu_interface_vector_ops,
        &starpu_interface_variable_ops, &starpu_interface_csr_ops, &starpu_interface_bcsr_ops,
        &starpu_interface_coo_ops}) {
    watch_interface(ops);
  }
#if STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4
  watch_interface(&starpu_interface_tensor_ops);
  watch_interface(&starpu_interface_ndim_ops);
#endif
  shared().watches.push_back(this);
#ifdef STARPU_SIMGRID
  for (unsigned from = 0; from < memory_.size(); ++from) {
    for (unsigned to = 0; to < memory_.size(); ++to) static_cast<void>(count_copies(from, to));
  }
#endif
}

CopyWatch::~CopyWatch() {
  const std::lock_guard lock(shared().mutex);
  std::erase(shared().watches, this);
  if (shared().watches.empty()) restore_interfaces();
}

void CopyWatch::add(starpu_data_handle_t handle, DataId data) {
  const std::lock_guard lock(shared().mutex);
  watch_interface(starpu_data_get_interface_ops(handle));
  data_[handle] = data;
  for (const unsigned node : machine_->nodes) {
    const void* const interface = starpu_data_get_interface_on_node(handle, node);
    places_[interface] = {handle, data};
    const auto found = unclaimed_.find(interface);
    if (found == unclaimed_.end()) continue;
    for (const std::size_t number : found->second) noted_[number].copy.data = data;
    unclaimed_.erase(found);
  }
}

bool CopyWatch::knows(starpu_data_handle_t handle) const {
  const std::lock_guard lock(shared().mutex);
  return data_.contains(handle);
}

/// Those have been seen to have ended, at `now`.
template <class Predicate>
void CopyWatch::end_those(Time now, Predicate has_ended) {
  std::erase_if(running_, [&](std::size_t number) {
    if (!has_ended(noted_[number])) return false;
    noted_[number].copy.seen = now;
    return true;
  });
  count_.store(running_.size(), std::memory_order_relaxed);
}

bool CopyWatch::has_arrived(const Noted& noted) const {
  const auto place = places_.find(noted.interface);
  if (place == places_.end()) return false;
  int is_valid = 0;
  starpu_data_query_status(place->second.handle, static_cast<int>(machine_->nodes[noted.copy.to]), nullptr, &is_valid,
                           nullptr);
  return is_valid != 0;
}

void CopyWatch::look() {
  if (count_.load(std::memory_order_relaxed) == 0) return;
  const std::unique_lock lock(shared().mutex, std::try_to_lock);
  if (lock) find_arrived_alone();
}

void CopyWatch::find_arrived() {
  if (count_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(shared().mutex);
  find_arrived_alone();
}

void CopyWatch::find_arrived_alone() {
  end_those(clock_->now(), [&](const Noted& noted) { return has_arrived(noted); });
}

std::vector<Copied> CopyWatch::take() {
  const std::lock_guard lock(shared().mutex);
  // What is left has ended since the last look.
  end_those(clock_->now(), [](const Noted& /*noted*/) { return true; });
  std::vector<Copied> copies;
  for (const Noted& noted : noted_) {
    if (noted.copy.data != kNone<DataId>) copies.push_back(noted.copy);
  }
  return copies;
}

void CopyWatch::copied(const void* interface, unsigned from, unsigned to, double start, double end) {
  if (from >= memory_.size() || to >= memory_.size()) return;
  if (memory_[from] == kNone<MemoryId> || memory_[to] == kNone<MemoryId>) return;
  find_arrived_alone();
  const auto is_of_same = [&](const Noted& noted) { return noted.interface == interface; };
  end_those(clock_->at(start), is_of_same);  // else there would be no reason for this one
  const auto place = places_.find(interface);
  const bool is_known = place != places_.end();
  if (!is_known) unclaimed_[interface].push_back(noted_.size());
  if (end == kRuns) running_.push_back(noted_.size());
  noted_.push_back({{is_known ? place->second.data : kNone<DataId>, memory_[from], memory_[to], clock_->at(start),
                     clock_->at(std::max(start, end))},
                    interface});
  count_.store(running_.size(), std::memory_order_relaxed);
}

void CopyWatch::gone(starpu_data_handle_t handle) {
  for (const unsigned node : machine_->nodes) {
    const void* const interface = starpu_data_get_interface_on_node(handle, node);
    end_those(clock_->now(), [&](const Noted& noted) { return noted.interface == interface; });
    places_.erase(interface);
    unclaimed_.erase(interface);
  }
  data_.erase(handle);
}

std::unique_ptr<CopyWatch> watch_copies(const Settings& settings, const Machine& machine, const Clock& clock) {
  if (!wants_record(settings) || machine.platform.links().empty()) return nullptr;
  return std::make_unique<CopyWatch>(machine, clock);
}

}  // namespace heddle::starpu
