#include "heddle/runtime/data_store.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace heddle::runtime {
namespace {

/// Whether an attempt that writes must not write where the value is.
bool writes_elsewhere(const Attempt& attempt, const Buffer* valid) {
  return attempt.may_abort || valid == nullptr || valid->pins > 0;
}

}  // namespace

void DataStore::hold(Attempt& attempt, Buffer& buffer) {
  copies_.hold(buffer);
  attempt.held.push_back(&buffer);
}

DataStore::Room DataStore::stage(Attempt& attempt, const Node& node) {
  // First, so that it is not what makes room.
  for (const BlockAccess& access : node.uses()) {
    if (Buffer* valid = access.block->in(attempt.memory).valid) hold(attempt, *valid);
  }
  targets_.clear();
  if (!reserve(attempt, node)) {
    for (Buffer* target : targets_) copies_.let_go(*target);
    leave(attempt);
    return copies_.can_make_room(attempt.memory) ? Room::later : Room::never;
  }
  auto target = targets_.begin();
  for (const BlockAccess& access : node.uses()) {
    const Copy& here = access.block->in(attempt.memory);
    if (!reads(as_run(access.mode)) || here.valid != nullptr) continue;
    const bool asked = here.coming != nullptr;
    Transfer& transfer =
        copies_.fetch(*access.block, attempt.memory, asked || attempt.memory == kHost ? nullptr : *target++);
    if (std::ranges::find(attempt.awaits, &transfer) != attempt.awaits.end()) continue;
    transfer.waiting.push_back(&attempt);
    attempt.awaits.push_back(&transfer);
  }
  while (target != targets_.end()) copies_.let_go(**target++);  // of data that the task reads twice
  attempt.has_room = true;
  return Room::there;
}

/// Takes the buffers of a device that the attempt will need: for what has to be fetched, and for what it writes and may
/// not write in place. Whether there were enough; the program's memory is taken when needed.
bool DataStore::reserve(Attempt& attempt, const Node& node) {
  if (attempt.memory == kHost) return true;
  return std::ranges::all_of(node.uses(), [&](const BlockAccess& access) {
    const Copy& here = access.block->in(attempt.memory);
    if (reads(as_run(access.mode)) && here.valid == nullptr && here.coming == nullptr) {
      Buffer* target = copies_.take(access.block->shape, attempt.memory);
      if (target == nullptr) return false;
      targets_.push_back(target);
    }
    return access.mode == AccessMode::read || reserve_own(attempt, access);
  });
}

bool DataStore::reserve_own(Attempt& attempt, const BlockAccess& access) {
  Block& block = *access.block;
  const Buffer* here = block.in(attempt.memory).valid;
  if (reads(as_run(access.mode))) {
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

void DataStore::prepare(Attempt& attempt, const Node& node) {
  attempt.originals.clear();
  attempt.arguments.clear();
  attempt.replicas.clear();
  attempt.buffers.clear();
  for (const BlockAccess& access : node.uses()) {
    Block& block = *access.block;
    Buffer* buffer = block.in(attempt.memory).valid;
    if (access.mode != AccessMode::read && writes_elsewhere(attempt, buffer)) {
      buffer = &own_buffer(attempt, access);
      attempt.replicas.push_back({&block, buffer});
    }
    if (copies_.are_many()) hold(attempt, *buffer);  // it may have come, unasked for, since the attempt was staged
    attempt.buffers.push_back(buffer);
    attempt.arguments.push_back({buffer->piece, block.shape});
  }
}

/// A buffer for the attempt to write into, which holds the datum's value, if the task reads that, when it begins.
Buffer& DataStore::own_buffer(Attempt& attempt, const BlockAccess& access) {
  Block& block = *access.block;
  Buffer* here = block.in(attempt.memory).valid;
  if (reads(as_run(access.mode)) && here->pins == 0 && copies_.elsewhere(block, attempt.memory) != nullptr) {
    return copies_.detach(block, attempt.memory);
  }
  Buffer& own = take(attempt, block);
  if (!reads(as_run(access.mode))) return own;
  attempt.originals.push_back({here->piece, own.piece, block.shape});
  attempt.buffers.push_back(here);
  return own;
}

Buffer& DataStore::take(Attempt& attempt, Block& block) {
  if (attempt.memory == kHost) return copies_.host_buffer(block);
  const auto own = std::ranges::find(attempt.reserved, block.shape.bytes(), &Buffer::bytes);
  if (own == attempt.reserved.end()) throw std::bad_alloc();
  Buffer& buffer = **own;
  attempt.reserved.erase(own);
  buffer.piece.leading = block.shape.rows;
  return buffer;
}

void DataStore::commit(Attempt& attempt, const Node& node) {
  for (const Attempt::Replica& replica : attempt.replicas) copies_.set(*replica.block, *replica.buffer);
  attempt.replicas.clear();
  if (!copies_.are_many()) return;
  for (const BlockAccess& access : node.uses()) {
    if (access.mode != AccessMode::read) copies_.written(*access.block, attempt.memory);
    copies_.touch(*access.block, attempt.memory);
  }
  leave(attempt);
}

void DataStore::drop(Attempt& attempt) {
  for (const Attempt::Replica& replica : attempt.replicas) copies_.let_go(*replica.buffer);
  attempt.replicas.clear();
  leave(attempt);
}

/// The attempt needs nothing any more.
void DataStore::leave(Attempt& attempt) {
  for (Transfer* transfer : attempt.awaits) std::erase(transfer->waiting, &attempt);
  attempt.awaits.clear();
  for (Buffer* buffer : attempt.reserved) copies_.let_go(*buffer);
  attempt.reserved.clear();
  for (Buffer* buffer : attempt.held) copies_.unhold(*buffer);
  attempt.held.clear();
  attempt.has_room = false;
}

void DataStore::abandon(const Attempt& attempt) {
  for (Buffer* buffer : attempt.buffers) copies_.pin(*buffer);
}

void DataStore::returned(Attempt& attempt) {
  for (Buffer* buffer : attempt.buffers) copies_.unpin(*buffer);
  attempt.replicas.clear();
  leave(attempt);
}

void DataStore::prefetch(const Node& node, MemoryId memory) {
  if (memory == kHost) return;
  for (const BlockAccess& access : node.uses()) {
    const Copy& here = access.block->in(memory);
    if (!reads(as_run(access.mode)) || here.valid != nullptr || here.coming != nullptr) continue;
    Buffer* target = copies_.take_free(access.block->shape, memory);
    if (target == nullptr) return;
    copies_.fetch(*access.block, memory, target);
  }
}

}  // namespace heddle::runtime
