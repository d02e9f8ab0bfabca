#include "heddle/runtime/data/data_store.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace heddle::runtime {
namespace {

/// Whether the execution works on what is the value there. On cores, tasks that reduce can do without.
bool works_on_value(AccessMode mode, MemoryId memory) {
  return mode != AccessMode::reduce || memory != kHost;
}

/// Whether the execution needs the value there.
bool needs_value(AccessMode mode, MemoryId memory) {
  return mode != AccessMode::write && works_on_value(mode, memory);
}

}  // namespace

DataStore::Room DataStore::stage(Execution& execution, const Node& node) {
  // First, so that it is not what makes room.
  for (const BlockAccess& access : node.uses()) {
    Buffer* valid = access.block->in(execution.memory).valid;
    if (valid != nullptr && works_on_value(access.mode, execution.memory)) hold(execution, *valid);
  }
  targets_.clear();
  if (!reserve(execution, node)) {
    for (const auto& [block, target] : targets_) copies_.let_go(*target);
    leave(execution);
    return copies_.can_make_room(execution.memory) ? Room::later : Room::never;
  }
  auto target = targets_.begin();
  for (const BlockAccess& access : node.uses()) {
    const Copy& here = access.block->in(execution.memory);
    if (!needs_value(access.mode, execution.memory) || here.valid != nullptr) continue;
    const bool asked = here.coming != nullptr;
    Transfer& transfer =
        copies_.fetch(*access.block, execution.memory, asked || execution.memory == kHost ? nullptr : target++->second);
    if (std::ranges::find(execution.awaits, &transfer) != execution.awaits.end()) continue;
    transfer.waiting.push_back(&execution);
    execution.awaits.push_back(&transfer);
  }
  execution.has_room = true;
  return Room::there;
}

/// Takes the buffers of a device that the execution will need: for what has to be fetched, and for what it writes and
/// may not write in place. Whether there were enough; the program's memory is taken when needed.
bool DataStore::reserve(Execution& execution, const Node& node) {
  if (execution.memory == kHost) return true;
  return std::ranges::all_of(node.uses(), [&](const BlockAccess& access) {
    const Copy& here = access.block->in(execution.memory);
    const bool missing = needs_value(access.mode, execution.memory) && here.valid == nullptr && here.coming == nullptr;
    // A task may read a datum twice.
    if (missing && std::ranges::find(targets_, access.block, &Target::first) == targets_.end()) {
      Buffer* target = copies_.take(access.block->shape, execution.memory);
      if (target == nullptr) return false;
      targets_.emplace_back(access.block, target);
    }
    return access.mode == AccessMode::read || reserve_own(execution, access);
  });
}

bool DataStore::reserve_own(Execution& execution, const BlockAccess& access) {
  Block& block = *access.block;
  const Buffer* here = block.in(execution.memory).valid;
  if (needs_value(access.mode, execution.memory)) {
    const bool fetched = here == nullptr;
    if (!execution.may_abort && (fetched || here->pins == 0)) return true;
    // Where the value is in another memory too, this copy can be written to.
    Buffer* original = copies_.elsewhere(block, execution.memory);
    if (original != nullptr && (fetched || here->pins == 0)) {
      hold(execution, *original);
      return true;
    }
  } else if (!writes_elsewhere(execution, here)) {
    return true;
  }
  Buffer* own = copies_.take(block.shape, execution.memory);
  if (own != nullptr) execution.reserved.push_back(own);
  return own != nullptr;
}

/// Whether the execution, which does not write the datum in place, reads it where it is and writes into what it
/// reserved.
bool DataStore::needs_reserve(const Execution& execution, const BlockAccess& access) {
  Block& block = *access.block;
  const Buffer* here = block.in(execution.memory).valid;
  return access.mode == AccessMode::write || here->pins > 0 || copies_.elsewhere(block, execution.memory) == nullptr;
}

bool DataStore::is_complete(const Execution& execution, const Node& node) {
  std::vector<std::size_t> needed;
  for (const BlockAccess& access : node.uses()) {
    const Buffer* here = access.block->in(execution.memory).valid;
    if (access.mode == AccessMode::read || !writes_elsewhere(execution, here) || !needs_reserve(execution, access))
      continue;
    needed.push_back(access.block->shape.bytes());
  }
  return std::ranges::all_of(needed, [&](std::size_t bytes) {
    return std::ranges::count(needed, bytes) <= std::ranges::count(execution.reserved, bytes, &Buffer::bytes);
  });
}

/// For a task whose arguments are not known before.
void DataStore::choose_buffers(Execution& execution, const Node& node) {
  const std::span<const BlockAccess> uses = node.uses();
  execution.chose_buffers = true;
  execution.own_arguments.resize(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    Buffer& buffer = work_on(execution, uses[i]);
    if (execution.may_abort) execution.buffers.push_back(&buffer);
    execution.own_arguments[i] = &buffer.argument;
  }
  if (node.type->combines) prepare_to_combine(execution, *uses.front().block);
  execution.arguments = execution.own_arguments;
}

/// The buffer that the kernel is given.
inline Buffer& DataStore::work_on(Execution& execution, const BlockAccess& access) {
  Block& block = *access.block;
  if (access.mode == AccessMode::reduce && !works_in_place(execution, block)) return private_copy(execution, block);
  Buffer* buffer = block.in(execution.memory).valid;
  if (access.mode != AccessMode::read && writes_elsewhere(execution, buffer)) {
    buffer = &own_buffer(execution, access);
    execution.replicas.push_back({&block, buffer});
  }
  if (copies_.are_many()) hold(execution, *buffer);  // it may have come, unasked for, since the execution was staged
  return *buffer;
}

/// The kernel is given the datum, and behind it the private copies that it brings together.
void DataStore::prepare_to_combine(Execution& execution, Block& block) {
  execution.combines = &block;
  execution.combined.swap(block.parts);
  for (Buffer* part : execution.combined) {
    execution.buffers.push_back(part);
    execution.own_arguments.push_back(&part->argument);
  }
}

/// The execution reduces in place, if the value is at hand and no other does yet. On a device it has been taken before.
bool DataStore::works_in_place(Execution& execution, Block& block) {
  if (execution.memory != kHost) return true;
  if (block.taken || block.host.valid == nullptr) return false;
  take_value(execution, block);
  return true;
}

/// A private copy for the execution to reduce into: one that others have left, unless a kernel still reads it.
Buffer& DataStore::private_copy(Execution& execution, Block& block) {
  const auto left = std::ranges::find(block.parts, 0U, &Buffer::pins);
  Buffer* older = left == block.parts.end() ? nullptr : *left;
  if (older != nullptr && !execution.may_abort) {
    block.parts.erase(left);
    execution.parts.push_back({&block, older, older});
    return *older;
  }
  Buffer& own = *copies_.take_free(block.shape, kHost);
  if (older != nullptr) {
    block.parts.erase(left);
    execution.originals.push_back({older->argument.piece, own.argument.piece, block.shape});
    execution.buffers.push_back(older);
  } else {
    execution.fresh.push_back({own.argument.piece, &block});
  }
  execution.parts.push_back({&block, &own, older});
  return own;
}

void DataStore::forget_parts(Block& block) {
  for (Buffer* part : std::exchange(block.parts, {})) discard(*part);
}

void DataStore::discard(Buffer& part) {
  part.is_current = false;
  copies_.let_go(part);
}

/// What the execution reduced is part of the value.
void DataStore::keep_parts(Execution& execution) {
  for (const Execution::Part& part : execution.parts) {
    Block& block = *part.block;
    if (part.buffer == nullptr) {
      block.taken = false;
      continue;
    }
    if (part.older != nullptr && part.older != part.buffer) discard(*part.older);
    part.buffer->is_current = true;
    block.parts.push_back(part.buffer);
    if (block.poisoned_by) forget_parts(block);
  }
  execution.parts.clear();
  for (Buffer* part : execution.combined) discard(*part);
  execution.combined.clear();
}

/// What it reduced does not count.
void DataStore::leave_parts(Execution& execution) {
  for (const Execution::Part& part : execution.parts) {
    if (part.buffer == nullptr) {
      part.block->taken = false;
      continue;
    }
    if (part.older != nullptr) part.block->parts.push_back(part.older);
    if (part.older != part.buffer) discard(*part.buffer);
  }
  execution.parts.clear();
  if (!execution.combined.empty()) execution.combines->parts.swap(execution.combined);
}

/// A buffer for the execution to write into, which holds the datum's value, if the task reads that, when it begins.
Buffer& DataStore::own_buffer(Execution& execution, const BlockAccess& access) {
  Block& block = *access.block;
  Buffer* here = block.in(execution.memory).valid;
  if (!needs_reserve(execution, access)) return copies_.detach(block, execution.memory);
  Buffer& own = take(execution, block);
  if (access.mode == AccessMode::write) return own;
  execution.originals.push_back({here->argument.piece, own.argument.piece, block.shape});
  execution.buffers.push_back(here);
  return own;
}

Buffer& DataStore::take(Execution& execution, Block& block) {
  if (execution.memory == kHost) return copies_.host_buffer(block);
  const auto own = std::ranges::find(execution.reserved, block.shape.bytes(), &Buffer::bytes);
  if (own == execution.reserved.end()) throw std::bad_alloc();
  Buffer& buffer = **own;
  execution.reserved.erase(own);
  buffer.hold(block.shape);
  return buffer;
}

void DataStore::keep_replicas(Execution& execution) {
  for (const Execution::Replica& replica : execution.replicas) copies_.set(*replica.block, *replica.buffer);
  execution.replicas.clear();
}

/// Where data has to be moved: the copies elsewhere are out of date, those here were just used.
void DataStore::note_written(Execution& execution, const Node& node) {
  for (const BlockAccess& access : node.uses()) {
    const auto is_part = [&](const Execution::Part& part) {
      return part.block == access.block && part.buffer != nullptr;
    };
    if (access.mode == AccessMode::reduce && std::ranges::any_of(execution.parts, is_part)) continue;
    if (access.mode != AccessMode::read) copies_.written(*access.block, execution.memory);
    copies_.touch(*access.block, execution.memory);
  }
  leave(execution);
}

void DataStore::drop(Execution& execution) {
  for (const Execution::Replica& replica : execution.replicas) copies_.let_go(*replica.buffer);
  execution.replicas.clear();
  leave_parts(execution);
  leave(execution);
}

void DataStore::leave(Execution& execution) {
  for (Transfer* transfer : execution.awaits) std::erase(transfer->waiting, &execution);
  execution.awaits.clear();
  for (Buffer* buffer : execution.reserved) copies_.let_go(*buffer);
  execution.reserved.clear();
  for (Buffer* buffer : execution.held) copies_.unhold(*buffer);
  execution.held.clear();
  execution.has_room = false;
}

void DataStore::abandon(Execution& execution, const Node& node) {
  // Who begins private copies, or brings them together, is told how by the datum, which must not go before.
  for (const Execution::Fresh& one : execution.fresh) execution.buffers.push_back(&one.block->home);
  if (node.type->combines) execution.buffers.push_back(&node.uses().front().block->home);
  for (Buffer* buffer : execution.buffers) copies_.pin(*buffer);
  execution.replicas.clear();
  leave_parts(execution);
  leave(execution);  // what it relied on may go before it returns
}

void DataStore::returned(Execution& execution) {
  for (Buffer* buffer : execution.buffers) copies_.unpin(*buffer);
}

void DataStore::note_ended(const Node& node, bool more) {
  for (const BlockAccess& access : node.uses()) {
    if (access.mode == AccessMode::read) continue;
    if (--access.block->writers == 0 && !more) copies_.send_final_home(*access.block);
  }
}

void DataStore::prefetch(const Node& node, MemoryId memory) {
  if (memory == kHost) return;
  for (const BlockAccess& access : node.uses()) {
    const Copy& here = access.block->in(memory);
    // What others of its group may write first is not fetched before its turn.
    if (!reads(access.mode) || is_grouped(access.mode) || access.block->poisoned_by || here.valid != nullptr ||
        here.coming != nullptr)
      continue;
    Buffer* target = copies_.take_free(access.block->shape, memory);
    if (target == nullptr) return;
    copies_.fetch(*access.block, memory, target);
  }
}

}  // namespace heddle::runtime
