#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heddle/host/present.hpp"
#include "heddle/policy/view.hpp"
#include "heddle/runtime/data/block.hpp"
#include "heddle/runtime/data/memory_places.hpp"
#include "heddle/runtime/data/memory_pool.hpp"
#include "heddle/runtime/data/transfer.hpp"
#include "heddle/runtime/scheduling/execution.hpp"
#include "heddle/runtime/threads/workers.hpp"

namespace heddle::runtime {

/// Which memories hold a valid copy of each datum, and the transfers that make more. A write leaves one valid copy.
/// Full memories of devices drop what was least recently used and is valid elsewhere; what is not is written back
/// before. Guarded by the engine's lock.
class Copies {
 public:
  /// Memory 0 is the program's, the others belong to the devices, in this order, of whose memory at most `limit` bytes
  /// are used. `links`: over which data moves at once; there is one from and to each device. `begin` hands a transfer
  /// to the device; arrived() is to be called when it has ended.
  Copies(const MemoryPlaces& places, std::span<Device* const> devices, std::uint64_t limit,
         std::span<const MemoryLink> links, std::function<void(Transfer&)> begin);

  /// Whether there are several memories.
  [[nodiscard]] bool are_many() const { return are_many_; }
  /// Tells the view of all changes from now on, with the numbers that data have in the epoch.
  void observe(policy::HostView& view, std::uint64_t epoch) { view_ = &view, epoch_ = epoch; }
  /// Tells the view what there is of the datum.
  void describe(Block& block);
  /// What the memory has of it, for a look ahead.
  [[nodiscard]] host::Present::Copy present(Block& block, MemoryId memory) const;

  // Buffers.
  /// One that is not in use. Null when the device has no room for it, though all was dropped that could be; it may
  /// come: can_make_room().
  [[nodiscard]] Buffer* take(const Shape& shape, MemoryId memory);
  /// The same, without dropping anything. Of the program's memory there is enough, or std::bad_alloc is thrown.
  [[nodiscard]] Buffer* take_free(const Shape& shape, MemoryId memory) { return pools_[index(memory)].take(shape); }
  /// One in the program's memory, the datum's home if that is free. Throws std::bad_alloc.
  [[nodiscard]] Buffer& host_buffer(Block& block);
  [[nodiscard]] bool can_make_room(MemoryId memory) const { return rooms_[index(memory)].used > 0; }
  void pin(Buffer& buffer) { ++buffer.pins, ++rooms_[index(buffer.memory)].used; }
  void unpin(Buffer& buffer) { --buffer.pins, --rooms_[index(buffer.memory)].used, let_go(buffer); }
  void hold(Buffer& buffer) { ++buffer.holds, ++rooms_[index(buffer.memory)].used; }
  void unhold(Buffer& buffer) { --buffer.holds, --rooms_[index(buffer.memory)].used, let_go(buffer); }
  /// Keeps a buffer that is not needed any more for another use.
  void let_go(Buffer& buffer) {
    if (buffer.is_free() && !buffer.is_home) pools_[index(buffer.memory)].give_back(&buffer);
  }

  // Valid copies.
  /// A valid copy other than the one in `memory`, or null.
  [[nodiscard]] Buffer* elsewhere(Block& block, MemoryId memory);
  /// The buffer holds the value, in place of the valid copy in its memory.
  void set(Block& block, Buffer& buffer);
  /// The memory has no valid copy any more.
  void drop(Block& block, MemoryId memory);
  /// The same, and the buffer is the caller's.
  [[nodiscard]] Buffer& detach(Block& block, MemoryId memory);
  /// The datum was written: the copy in `memory` is the only one.
  void written(Block& block, MemoryId memory);
  /// The copy was used.
  void touch(Block& block, MemoryId memory);

  // Transfers.
  /// Brings a valid copy into the memory, unless it is on its way. `target`: in the memory of the device; otherwise
  /// null.
  Transfer& fetch(Block& block, MemoryId to, Buffer* target);
  /// The transfer has ended; with what went wrong, and then it is tried from elsewhere. Appends the executions that
  /// waited for it, which are refused when there is nowhere else. Whether the datum is lost.
  bool arrived(Transfer& transfer, const std::exception_ptr& failure, std::vector<Execution*>& waited);
  [[nodiscard]] std::size_t under_way() const { return under_way_.size(); }

  // Home.
  /// No known task will write these values any more: those that are away are sent home, at most two at a time from each
  /// device.
  void send_final_home();
  void send_final_home(Block& block);
  /// Asks for all values that are not in the program's memory. Those on their way are needed from now on: one that
  /// fails to come is lost.
  void fetch_home();
  void fetch_home(Block& block);
  [[nodiscard]] bool is_away(Block& block) { return block.host.valid == nullptr && elsewhere(block, kHost) != nullptr; }
  /// Whether there are values that are not.
  [[nodiscard]] bool some_away();
  /// Makes the program's memory the only one with a valid copy; nothing may be under way, and no task use the data.
  void bring_home();
  void bring_home(Block& block);

 private:
  struct Room {
    std::uint64_t used = 0;                                ///< pins and holds of its buffers
    std::uint64_t leaving = 0;                             ///< bytes that are being written back
    std::set<std::pair<std::uint64_t, Block*>> residents;  ///< valid copies, by last use; of devices
    std::uint32_t sending = 0;                             ///< transfers from a device to the program's memory
    std::deque<Block*> in_line;                            ///< to be sent home from here
  };

  bool evict(MemoryId memory, std::size_t bytes);
  [[nodiscard]] Buffer* nearest(Block& block, MemoryId wanted, std::span<const MemoryId> failed) const;
  [[nodiscard]] bool send(Transfer& transfer);
  bool received(Transfer& transfer, const std::exception_ptr& failure, std::vector<Execution*>& waited);
  [[nodiscard]] bool retry(Transfer& transfer);
  void drop_unused(Block& block, MemoryId memory);
  void begin(Transfer& transfer);
  void send_next_home(MemoryId from);
  void stray(Block& block);
  void tell(const Block& block, MemoryId memory, policy::HostView::Copy state);

  const MemoryPlaces& places_;
  const bool are_many_;
  std::vector<MemoryPool> pools_;  ///< by memory
  std::vector<Room> rooms_;        ///< by memory
  const std::vector<MemoryLink> links_;
  std::function<void(Transfer&)> begin_;
  std::unordered_map<Transfer*, std::unique_ptr<Transfer>> under_way_;
  std::uint64_t uses_ = 0;
  std::vector<Block*> strayed_;
  policy::HostView* view_ = nullptr;
  std::uint64_t epoch_ = 0;
};

}  // namespace heddle::runtime
