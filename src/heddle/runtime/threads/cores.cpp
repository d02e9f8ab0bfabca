#include "heddle/runtime/threads/cores.hpp"

#include <hwloc.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "heddle/model/parallel.hpp"
#include "heddle/runtime/threads/mutex.hpp"

namespace heddle::runtime {
namespace {

/// Which cores the runtimes of this process have bound their workers to. Two that live side by side keep out of each
/// other's way; nothing else is shared.
struct Claims {
  Mutex mutex;
  std::set<unsigned> cores HEDDLE_GUARDED_BY(mutex);
};

Claims& claims() {
  static Claims all;
  return all;
}

std::size_t count_cores(hwloc_topology_t topology) {
  return static_cast<std::size_t>(std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE)));
}

/// Leaves only what the process may use.
void restrict(hwloc_topology_t topology) {
  const hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  if (allowed == nullptr) return;
  if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0) hwloc_topology_restrict(topology, allowed, 0);
  hwloc_bitmap_free(allowed);
}

/// The number of the socket that the object is or is in.
std::optional<std::size_t> socket_of_object(hwloc_topology_t topology, hwloc_obj_t object) {
  if (object == nullptr) return std::nullopt;
  const hwloc_obj_t package =
      object->type == HWLOC_OBJ_PACKAGE ? object : hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
  if (package == nullptr) return std::nullopt;
  return package->os_index != HWLOC_UNKNOWN_INDEX ? package->os_index : package->logical_index;
}

}  // namespace

/// hwloc's view of the machine; empty where that cannot be had.
struct Cores::Topology {
  explicit Topology(bool with_devices) {
    if (hwloc_topology_init(&handle) != 0) return;
    // These look for devices, which takes long.
    for (const char* component : {"opencl", "gl", "pci"}) {
      if (with_devices && component == std::string_view("pci")) continue;
      hwloc_topology_set_components(handle, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
    }
    if (with_devices) hwloc_topology_set_io_types_filter(handle, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (hwloc_topology_load(handle) == 0) return;
    hwloc_topology_destroy(handle);
    handle = nullptr;
  }
  ~Topology() {
    if (handle != nullptr) hwloc_topology_destroy(handle);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  hwloc_topology_t handle = nullptr;
};

Cores::Cores() : topology_(std::make_unique<const Topology>(false)) {
  if (topology_->handle == nullptr) {
    count_ = machine_count_ = core_count();
    return;
  }
  machine_count_ = count_cores(topology_->handle);
  restrict(topology_->handle);
  count_ = count_cores(topology_->handle);
  const hwloc_obj_t machine = hwloc_get_root_obj(topology_->handle);
  memory_bytes_ = machine->total_memory;
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology_->handle, HWLOC_OBJ_PACKAGE, 0);
  for (const hwloc_obj_t object : {package, machine}) {
    const char* model = object != nullptr ? hwloc_obj_get_info_by_name(object, "CPUModel") : nullptr;
    if (model == nullptr) continue;
    model_ = model;
    return;
  }
}

Cores::~Cores() {
  const Lock lock(claims().mutex);
  for (const unsigned core : claimed_) claims().cores.erase(core);
}

bool Cores::claim(std::size_t count) {
  if (topology_->handle == nullptr) return false;
  const Lock lock(claims().mutex);
  std::vector<unsigned> free;
  for (unsigned i = 0; i < count_ && free.size() < count; ++i) {
    const hwloc_obj_t core = hwloc_get_obj_by_type(topology_->handle, HWLOC_OBJ_CORE, i);
    if (core == nullptr) break;
    // Its first hardware thread names it: cores of several packages may have the same number.
    const auto name = static_cast<unsigned>(hwloc_bitmap_first(core->cpuset));
    if (!claims().cores.contains(name)) free.push_back(name);
  }
  if (free.size() < count) return false;
  claims().cores.insert(free.begin(), free.end());
  claimed_.insert(claimed_.end(), free.begin(), free.end());
  return true;
}

std::optional<std::size_t> Cores::socket_of(std::size_t core) const {
  if (topology_->handle == nullptr || core >= claimed_.size()) return std::nullopt;
  return socket_of_object(topology_->handle, hwloc_get_pu_obj_by_os_index(topology_->handle, claimed_[core]));
}

std::vector<std::optional<std::size_t>> Cores::sockets_of_devices(std::span<const std::string> pci_addresses) {
  std::vector<std::optional<std::size_t>> sockets(pci_addresses.size());
  if (std::ranges::all_of(pci_addresses, &std::string::empty)) return sockets;
  const Topology topology(true);
  if (topology.handle == nullptr) return sockets;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    const hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology.handle, pci_addresses[i].c_str());
    if (device == nullptr) continue;
    sockets[i] = socket_of_object(topology.handle, hwloc_get_non_io_ancestor_obj(topology.handle, device));
  }
  return sockets;
}

void Cores::bind_this_thread(std::size_t core) const {
  if (topology_->handle == nullptr || core >= claimed_.size()) return;
  const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology_->handle, claimed_[core]);
  const hwloc_obj_t object =
      unit == nullptr ? nullptr : hwloc_get_ancestor_obj_by_type(topology_->handle, HWLOC_OBJ_CORE, unit);
  if (object != nullptr) hwloc_set_cpubind(topology_->handle, object->cpuset, HWLOC_CPUBIND_THREAD);
}

}  // namespace heddle::runtime
