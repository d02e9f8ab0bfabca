#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"
#include "heddle/runtime/data/block.hpp"
#include "heddle/runtime/data/buffer.hpp"
#include "heddle/runtime/device.hpp"

namespace heddle::runtime {

struct Execution;

/// A copy of a datum that is under way from one memory to another, or waits until the first half of a way from device
/// to device is done. Guarded by the engine's lock.
struct Transfer {
  Block* block = nullptr;
  MemoryId from{};
  MemoryId to{};
  Buffer* source = nullptr;
  Buffer* target = nullptr;
  const Device* peer = nullptr;     ///< the device to copy from, where it is one
  std::vector<MemoryId> failed;     ///< from where it could not be brought
  bool is_current = true;           ///< the datum has not been written since
  bool is_early = false;            ///< no one needs it yet: when it fails, the value stays where it is
  bool may_fail_once = false;       ///< it is needed since it was early: the copy that was begun then is tried again
  bool evicts = false;              ///< the copy at the source makes room once this has arrived
  Time began = 0;                   ///< when the device was asked for it
  std::vector<Execution*> waiting;  ///< executions that miss it
  std::vector<Transfer*> next;      ///< that go on from here

  /// The memory of the device that is asked for it.
  [[nodiscard]] MemoryId device() const { return to == kHost ? from : to; }
};

}  // namespace heddle::runtime
