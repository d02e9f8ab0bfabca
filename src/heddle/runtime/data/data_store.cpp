#include "heddle/runtime/data/data_store.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace heddle::runtime {
namespace {

/// Whether the attempt works on what is the value there. On cores, tasks that reduce can do without.
bool works_on_value(AccessMode mode, MemoryId memory) {
  return mode != AccessMode::reduce || memory != kHost;
}

/// Whether the attempt needs the value there.
bool needs_value(AccessMode mode, MemoryId memory) {
  return mode != AccessMode::write && works_on_value(mode, memory);
}

}  // namespace

DataStore::Room DataStore::stage(Attempt& attempt, const Node& node) {
  // First, so that it is not what makes room.
  for (const BlockAccess& access : node.uses()) {
    Buffer* valid = access.block->in(attempt.memory).valid;
    if (valid != nullptr && works_on_value(access.mode, attempt.memory)) hold(attempt, *valid);
  }
  targets_.clear();
  if (!reserve(attempt, node)) {
    for (const auto& [block, target] : targets_) copies_.let_go(*target);
    leave(attempt);
    return copies_.can_make_room(attempt.memory) ? Room::later : Room::never;
  }
  auto target = targets_.begin();
  for (const BlockAccess& access : node.uses()) {
    const Copy& here = access.block->in(attempt.memory);
    if (!needs_value(access.mode, attempt.memory) || here.valid != nullptr) continue;
    const bool asked = here.coming != nullptr;
    Transfer& transfer =
        copies_.fetch(*access.block, attempt.memory, asked || attempt.memory == kHost ? nullptr : target++->second);
    if (std::ranges::find(attempt.awaits, &transfer) != attempt.awaits.end()) continue;
    transfer.waiting.push_back(&attempt);
    attempt.awaits.push_back(&transfer);
  }
  attempt.has_room = true;
  return Room::there;
}

/// Takes the buffers of a device that the attempt will need: for what has to be fetched, and for what it writes and may
/// not write in place. Whether there were enough; the program's memory is taken when needed.
bool DataStore::reserve(Attempt& attempt, const Node& node) {
  if (attempt.memory == kHost) return true;
  return std::ranges::all_of(node.uses(), [&](const BlockAccess& access) {
    const Copy& here = access.block->in(attempt.memory);
    const bool missing = needs_value(access.mode, attempt.memory) && here.valid == nullptr && here.coming == nullptr;
    // A task may read a datum twice.
    if (missing && std::ranges::find(targets_, access.block, &Target::first) == targets_.end()) {
      Buffer* target = copies_.take(access.block->shape, attempt.memory);
      if (target == nullptr) return false;
      targets_.emplace_back(access.block, target);
    }
    return access.mode == AccessMode::read || reserve_own(attempt, access);
  });
}

bool DataStore::reserve_own(Attempt& attempt, const BlockAccess& access) {
  Block& block = *access.block;
  const Buffer* here = block.in(attempt.memory).valid;
  if (needs_value(access.mode, attempt.memory)) {
    const bool fetched = here == nullptr;
    if (!attempt.may_abort && (fetched || here->pins == 0)) return true;
    // Where the value is in another memory too, this copy can be written to.
    Buffer* original = copies_.elsewhere(block, attempt.memory);
    if (original != nullptr && (fetched || here->pins == 0)) {
      hold(attempt, *original);
      return true;
    }
  } else if (!writes_elsewhere(attempt, here)) {
    return true;
  }
  Buffer* own = copies_.take(block.shape, attempt.memory);
  if (own != nullptr) attempt.reserved.push_back(own);
  return own != nullptr;
}

/// Whether the attempt, which does not write the datum in place, reads it where it is and writes into what it reserved.
bool DataStore::needs_reserve(const Attempt& attempt, const BlockAccess& access) {
  Block& block = *access.block;
  const Buffer* here = block.in(attempt.memory).valid;
  return access.mode == AccessMode::write || here->pins > 0 || copies_.elsewhere(block, attempt.memory) == nullptr;
}

bool DataStore::is_complete(const Attempt& attempt, const Node& node) {
  std::vector<std::size_t> needed;
  for (const BlockAccess& access : node.uses()) {
    const Buffer* here = access.block->in(attempt.memory).valid;
    if (access.mode == AccessMode::read || !writes_elsewhere(attempt, here) || !needs_reserve(attempt, access))
      continue;
    needed.push_back(access.block->shape.bytes());
  }
  return std::ranges::all_of(needed, [&](std::size_t bytes) {
    return std::ranges::count(needed, bytes) <= std::ranges::count(attempt.reserved, bytes, &Buffer::bytes);
  });
}

/// For a task whose arguments are not known before.
void DataStore::choose_buffers(Attempt& attempt, const Node& node) {
  const std::span<const BlockAccess> uses = node.uses();
  attempt.own_arguments.resize(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    Buffer& buffer = work_on(attempt, uses[i]);
    if (attempt.may_abort) attempt.buffers.push_back(&buffer);
    attempt.own_arguments[i] = &buffer.argument;
  }
  if (node.type->combines) prepare_to_combine(attempt, *uses.front().block);
  attempt.arguments = attempt.own_arguments;
}

/// The buffer that the kernel is given.
inline Buffer& DataStore::work_on(Attempt& attempt, const BlockAccess& access) {
  Block& block = *access.block;
  if (access.mode == AccessMode::reduce && !works_in_place(attempt, block)) return private_copy(attempt, block);
  Buffer* buffer = block.in(attempt.memory).valid;
  if (access.mode != AccessMode::read && writes_elsewhere(attempt, buffer)) {
    buffer = &own_buffer(attempt, access);
    attempt.replicas.push_back({&block, buffer});
  }
  if (copies_.are_many()) hold(attempt, *buffer);  // it may have come, unasked for, since the attempt was staged
  return *buffer;
}

/// The kernel is given the datum, and behind it the private copies that it brings together.
void DataStore::prepare_to_combine(Attempt& attempt, Block& block) {
  attempt.combines = &block;
  attempt.combined.swap(block.parts);
  for (Buffer* part : attempt.combined) {
    attempt.buffers.push_back(part);
    attempt.own_arguments.push_back(&part->argument);
  }
}

/// The attempt reduces in place, if the value is at hand and no other does yet. On a device it has been taken before.
bool DataStore::works_in_place(Attempt& attempt, Block& block) {
  if (attempt.memory != kHost) return true;
  if (block.taken || block.host.valid == nullptr) return false;
  take_value(attempt, block);
  return true;
}

/// A private copy for the attempt to reduce into: one that others have left, unless a kernel still reads it.
Buffer& DataStore::private_copy(Attempt& attempt, Block& block) {
  const auto left = std::ranges::find(block.parts, 0U, &Buffer::pins);
  Buffer* older = left == block.parts.end() ? nullptr : *left;
  if (older != nullptr && !attempt.may_abort) {
    block.parts.erase(left);
    attempt.parts.push_back({&block, older, older});
    return *older;
  }
  Buffer& own = *copies_.take_free(block.shape, kHost);
  if (older != nullptr) {
    block.parts.erase(left);
    attempt.originals.push_back({older->argument.piece, own.argument.piece, block.shape});
    attempt.buffers.push_back(older);
  } else {
    attempt.fresh.push_back({own.argument.piece, &block});
  }
  attempt.parts.push_back({&block, &own, older});
  return own;
}

void DataStore::forget_parts(Block& block) {
  for (Buffer* part : std::exchange(block.parts, {})) discard(*part);
}

void DataStore::discard(Buffer& part) {
  part.is_current = false;
  copies_.let_go(part);
}

/// What the attempt reduced is part of the value.
void DataStore::keep_parts(Attempt& attempt) {
  for (const Attempt::Part& part : attempt.parts) {
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
  attempt.parts.clear();
  for (Buffer* part : attempt.combined) discard(*part);
  attempt.combined.clear();
}

/// What it reduced does not count.
void DataStore::leave_parts(Attempt& attempt) {
  for (const Attempt::Part& part : attempt.parts) {
    if (part.buffer == nullptr) {
      part.block->taken = false;
      continue;
    }
    if (part.older != nullptr) part.block->parts.push_back(part.older);
    if (part.older != part.buffer) discard(*part.buffer);
  }
  attempt.parts.clear();
  if (!attempt.combined.empty()) attempt.combines->parts.swap(attempt.combined);
}

/// A buffer for the attempt to write into, which holds the datum's value, if the task reads that, when it begins.
Buffer& DataStore::own_buffer(Attempt& attempt, const BlockAccess& access) {
  Block& block = *access.block;
  Buffer* here = block.in(attempt.memory).valid;
  if (!needs_reserve(attempt, access)) return copies_.detach(block, attempt.memory);
  Buffer& own = take(attempt, block);
  if (access.mode == AccessMode::write) return own;
  attempt.originals.push_back({here->argument.piece, own.argument.piece, block.shape});
  attempt.buffers.push_back(here);
  return own;
}

Buffer& DataStore::take(Attempt& attempt, Block& block) {
  if (attempt.memory == kHost) return copies_.host_buffer(block);
  const auto own = std::ranges::find(attempt.reserved, block.shape.bytes(), &Buffer::bytes);
  if (own == attempt.reserved.end()) throw std::bad_alloc();
  Buffer& buffer = **own;
  attempt.reserved.erase(own);
  buffer.hold(block.shape);
  return buffer;
}

void DataStore::keep_replicas(Attempt& attempt) {
  for (const Attempt::Replica& replica : attempt.replicas) copies_.set(*replica.block, *replica.buffer);
  attempt.replicas.clear();
}

/// Where data has to be moved: the copies elsewhere are out of date, those here were just used.
void DataStore::note_written(Attempt& attempt, const Node& node) {
  for (const BlockAccess& access : node.uses()) {
    const auto is_part = [&](const Attempt::Part& part) {
      return part.block == access.block && part.buffer != nullptr;
    };
    if (access.mode == AccessMode::reduce && std::ranges::any_of(attempt.parts, is_part)) continue;
    if (access.mode != AccessMode::read) copies_.written(*access.block, attempt.memory);
    copies_.touch(*access.block, attempt.memory);
  }
  leave(attempt);
}

void DataStore::drop(Attempt& attempt) {
  for (const Attempt::Replica& replica : attempt.replicas) copies_.let_go(*replica.buffer);
  attempt.replicas.clear();
  leave_parts(attempt);
  leave(attempt);
}

void DataStore::leave(Attempt& attempt) {
  for (Transfer* transfer : attempt.awaits) std::erase(transfer->waiting, &attempt);
  attempt.awaits.clear();
  for (Buffer* buffer : attempt.reserved) copies_.let_go(*buffer);
  attempt.reserved.clear();
  for (Buffer* buffer : attempt.held) copies_.unhold(*buffer);
  attempt.held.clear();
  attempt.has_room = false;
}

void DataStore::abandon(Attempt& attempt, const Node& node) {
  // Who begins private copies, or brings them together, is told how by the datum, which must not go before.
  for (const Attempt::Fresh& one : attempt.fresh) attempt.buffers.push_back(&one.block->home);
  if (node.type->combines) attempt.buffers.push_back(&node.uses().front().block->home);
  for (Buffer* buffer : attempt.buffers) copies_.pin(*buffer);
  attempt.replicas.clear();
  leave_parts(attempt);
  leave(attempt);  // what it relied on may go before it returns
}

void DataStore::returned(Attempt& attempt) {
  for (Buffer* buffer : attempt.buffers) copies_.unpin(*buffer);
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
