#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>
#include <vector>

#include "heddle/runtime/data/copies.hpp"
#include "heddle/runtime/scheduling/execution.hpp"
#include "heddle/runtime/submission/node.hpp"

namespace heddle::runtime {

/// Which buffers executions work on. An execution that may be aborted writes into buffers of its own, which take the
/// place of the originals when it completes; so does one that would write where the kernel of an aborted execution, or
/// a transfer, still reads. Guarded by the engine's lock.
class DataStore {
 public:
  explicit DataStore(Copies& copies) : copies_(copies) {}

  /// `never`: what the task needs at once is more than the memory has.
  enum class Room : std::uint8_t { there, later, never };
  /// Finds room for the data of an execution at the task, in its worker's memory, and asks for what is missing there
  /// (Execution::awaits). For machines with several memories; where there is one, everything has room.
  [[nodiscard]] Room stage(Execution& execution, const Node& node);
  /// The execution needs nothing any more, or is to be staged again.
  void leave(Execution& execution);
  /// Whether an execution whose data is there has the buffers that prepare() will choose: since it was staged, what it
  /// was to write in place may have come to be read by a transfer. Of an execution in the memory of a device.
  [[nodiscard]] bool is_complete(const Execution& execution, const Node& node);
  /// Gives an execution whose data is there the arguments of its kernel, and the buffers behind them. Throws
  /// std::bad_alloc.
  [[gnu::always_inline]] void prepare(Execution& execution, const Node& node) {
    if (execution.chose_buffers) forget_buffers(execution);
    if (node.arguments != nullptr || node.access_count == 0) {
      assert(std::ranges::all_of(node.uses(), &Block::is_at_home, &BlockAccess::block));
      execution.arguments = {node.arguments, node.access_count};
      for (const Argument* one : execution.arguments) __builtin_prefetch(one);  // the kernel looks at them at once
    } else {
      choose_buffers(execution, node);
    }
  }
  /// What the execution wrote becomes the value of its data.
  void commit(Execution& execution, const Node& node) {
    if (!execution.replicas.empty()) [[unlikely]]
      keep_replicas(execution);
    if (copies_.are_many()) note_written(execution, node);
    if (node.reduces || node.type->combines) [[unlikely]]
      keep_parts(execution);
  }
  /// What the execution wrote, if it began, is of no use.
  void drop(Execution& execution);
  /// The execution at the task was aborted, but its kernel still runs: its buffers stay as they are until it has
  /// returned.
  void abandon(Execution& execution, const Node& node);
  void returned(Execution& execution);
  /// A datum that an execution in the memory of a device reduces into, in place: no other does until it is over.
  static void take_value(Execution& execution, Block& block) {
    block.taken = true;
    execution.parts.push_back({&block, nullptr, nullptr});
  }
  /// The task is known from now on, until it has ended; for machines with several memories.
  static void note_known(const Node& node) {
    for (const BlockAccess& access : node.uses()) access.block->writers += access.mode == AccessMode::read ? 0 : 1;
  }
  /// What it wrote is sent home, unless others will write it or `more` tasks are to come.
  void note_ended(const Node& node, bool more);
  /// What was reduced into the datum and is not part of the value yet is of no use.
  void forget_parts(Block& block);
  /// Fetches what the task reads into a memory, as far as there is free room.
  void prefetch(const Node& node, MemoryId memory);

 private:
  [[nodiscard]] bool reserve(Execution& execution, const Node& node);
  [[nodiscard]] bool reserve_own(Execution& execution, const BlockAccess& access);
  [[nodiscard]] bool needs_reserve(const Execution& execution, const BlockAccess& access);
  /// Whether an execution that writes must not write where the value is.
  [[nodiscard]] static bool writes_elsewhere(const Execution& execution, const Buffer* valid) {
    return execution.may_abort || valid == nullptr || valid->pins > 0;
  }
  /// Empties what was chosen when the execution was used before.
  static void forget_buffers(Execution& execution) {
    execution.chose_buffers = false;
    execution.originals.clear();
    execution.fresh.clear();
    execution.replicas.clear();
    execution.buffers.clear();
  }
  void choose_buffers(Execution& execution, const Node& node);
  [[nodiscard]] Buffer& work_on(Execution& execution, const BlockAccess& access);
  static void prepare_to_combine(Execution& execution, Block& block);
  [[nodiscard]] Buffer& own_buffer(Execution& execution, const BlockAccess& access);
  [[nodiscard]] Buffer& take(Execution& execution, Block& block);
  [[nodiscard]] static bool works_in_place(Execution& execution, Block& block);
  [[nodiscard]] Buffer& private_copy(Execution& execution, Block& block);
  void discard(Buffer& part);
  void keep_replicas(Execution& execution);
  void note_written(Execution& execution, const Node& node);
  void keep_parts(Execution& execution);
  void leave_parts(Execution& execution);
  void hold(Execution& execution, Buffer& buffer) {
    copies_.hold(buffer);
    execution.held.push_back(&buffer);
  }

  using Target = std::pair<const Block*, Buffer*>;

  Copies& copies_;
  /// Of transfers that an execution will wait for; only to save allocations.
  std::vector<Target> targets_;
};

}  // namespace heddle::runtime
