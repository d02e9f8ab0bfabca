#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>
#include <vector>

#include "heddle/runtime/data/copies.hpp"
#include "heddle/runtime/scheduling/attempt.hpp"
#include "heddle/runtime/submission/node.hpp"

namespace heddle::runtime {

/// Which buffers attempts work on. An attempt that may be aborted writes into buffers of its own, which take the place
/// of the originals when it completes; so does one that would write where the kernel of an aborted attempt, or a
/// transfer, still reads. Guarded by the engine's lock.
class DataStore {
 public:
  explicit DataStore(Copies& copies) : copies_(copies) {}

  /// `never`: what the task needs at once is more than the memory has.
  enum class Room : std::uint8_t { there, later, never };
  /// Finds room for the data of an attempt at the task, in its worker's memory, and asks for what is missing there
  /// (Attempt::awaits). For machines with several memories; where there is one, everything has room.
  [[nodiscard]] Room stage(Attempt& attempt, const Node& node);
  /// The attempt needs nothing any more, or is to be staged again.
  void leave(Attempt& attempt);
  /// Whether an attempt whose data is there has the buffers that prepare() will choose: since it was staged, what it
  /// was to write in place may have come to be read by a transfer. Of an attempt in the memory of a device.
  [[nodiscard]] bool is_complete(const Attempt& attempt, const Node& node);
  /// Gives an attempt whose data is there the arguments of its kernel, and the buffers behind them. Throws
  /// std::bad_alloc.
  [[gnu::always_inline]] void prepare(Attempt& attempt, const Node& node) {
    attempt.originals.clear();
    attempt.fresh.clear();
    attempt.replicas.clear();
    attempt.buffers.clear();
    if (node.arguments != nullptr) {
      assert(std::ranges::all_of(node.uses(), &Block::is_at_home, &BlockAccess::block));
      attempt.arguments = {node.arguments, node.access_count};
      for (const Argument* one : attempt.arguments) __builtin_prefetch(one);  // the kernel looks at them at once
    } else {
      choose_buffers(attempt, node);
    }
  }
  /// What the attempt wrote becomes the value of its data.
  void commit(Attempt& attempt, const Node& node) {
    if (!attempt.replicas.empty()) keep_replicas(attempt);
    if (copies_.are_many()) note_written(attempt, node);
    if (node.reduces || node.type->combines) keep_parts(attempt);
  }
  /// What the attempt wrote, if it began, is of no use.
  void drop(Attempt& attempt);
  /// The attempt at the task was aborted, but its kernel still runs: its buffers stay as they are until it has
  /// returned.
  void abandon(Attempt& attempt, const Node& node);
  void returned(Attempt& attempt);
  /// A datum that an attempt in the memory of a device reduces into, in place: no other does until it is over.
  static void take_value(Attempt& attempt, Block& block) {
    block.taken = true;
    attempt.parts.push_back({&block, nullptr, nullptr});
  }
  /// What was reduced into the datum and is not part of the value yet is of no use.
  void forget_parts(Block& block);
  /// Fetches what the task reads into a memory, as far as there is free room.
  void prefetch(const Node& node, MemoryId memory);

 private:
  [[nodiscard]] bool reserve(Attempt& attempt, const Node& node);
  [[nodiscard]] bool reserve_own(Attempt& attempt, const BlockAccess& access);
  [[nodiscard]] bool needs_reserve(const Attempt& attempt, const BlockAccess& access);
  /// Whether an attempt that writes must not write where the value is.
  [[nodiscard]] static bool writes_elsewhere(const Attempt& attempt, const Buffer* valid) {
    return attempt.may_abort || valid == nullptr || valid->pins > 0;
  }
  void choose_buffers(Attempt& attempt, const Node& node);
  [[nodiscard]] Buffer& work_on(Attempt& attempt, const BlockAccess& access);
  static void prepare_to_combine(Attempt& attempt, Block& block);
  [[nodiscard]] Buffer& own_buffer(Attempt& attempt, const BlockAccess& access);
  [[nodiscard]] Buffer& take(Attempt& attempt, Block& block);
  [[nodiscard]] static bool works_in_place(Attempt& attempt, Block& block);
  [[nodiscard]] Buffer& private_copy(Attempt& attempt, Block& block);
  void discard(Buffer& part);
  void keep_replicas(Attempt& attempt);
  void note_written(Attempt& attempt, const Node& node);
  void keep_parts(Attempt& attempt);
  void leave_parts(Attempt& attempt);
  void hold(Attempt& attempt, Buffer& buffer) {
    copies_.hold(buffer);
    attempt.held.push_back(&buffer);
  }

  using Target = std::pair<const Block*, Buffer*>;

  Copies& copies_;
  /// Of transfers that an attempt will wait for; only to save allocations.
  std::vector<Target> targets_;
};

}  // namespace heddle::runtime
