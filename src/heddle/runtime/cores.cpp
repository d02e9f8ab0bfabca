#include "heddle/runtime/cores.hpp"

#include <hwloc.h>

#include <algorithm>

#include "heddle/model/parallel.hpp"

namespace heddle::runtime {

/// hwloc's view of the machine; empty where that cannot be had.
struct Cores::Topology {
  Topology() {
    if (hwloc_topology_init(&handle) != 0) return;
    // These look for devices, which takes long and is not our business here.
    for (const char* component : {"opencl", "gl", "pci"}) {
      hwloc_topology_set_components(handle, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
    }
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

Cores::Cores() : topology_(std::make_shared<const Topology>()) {
  if (topology_->handle == nullptr) {
    count_ = core_count();
    return;
  }
  count_ = static_cast<std::size_t>(std::max(1, hwloc_get_nbobjs_by_type(topology_->handle, HWLOC_OBJ_CORE)));
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

void Cores::bind_this_thread(std::size_t core) const {
  if (topology_->handle == nullptr) return;
  const hwloc_obj_t object = hwloc_get_obj_by_type(topology_->handle, HWLOC_OBJ_CORE, static_cast<unsigned>(core));
  if (object != nullptr) hwloc_set_cpubind(topology_->handle, object->cpuset, HWLOC_CPUBIND_THREAD);
}

}  // namespace heddle::runtime
