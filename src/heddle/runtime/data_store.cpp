#include "heddle/runtime/data_store.hpp"

namespace heddle::runtime {

void DataStore::prepare(Attempt& attempt, const Node& node) {
  attempt.copies.clear();
  attempt.arguments.clear();
  attempt.replicas.clear();
  attempt.buffers.clear();
  for (const BlockAccess& access : node.uses()) {
    Block& block = *access.block;
    Buffer* buffer = block.current;
    if (access.mode != AccessMode::read && (attempt.may_abort || buffer->pins > 0)) {
      buffer = block.home.is_free() ? &block.home : pool_.take(block.shape);
      if (access.mode != AccessMode::write) {
        attempt.copies.push_back({block.current->piece, buffer->piece, block.shape});
        attempt.buffers.push_back(block.current);
      }
      attempt.replicas.push_back({&block, buffer});
    }
    attempt.buffers.push_back(buffer);
    attempt.arguments.push_back({buffer->piece, block.shape});
  }
}

void DataStore::commit(const Attempt& attempt) {
  for (const Attempt::Replica& replica : attempt.replicas) {
    Block& block = *replica.block;
    Buffer& old = *block.current;
    old.is_current = false;
    block.current = replica.buffer;
    replica.buffer->is_current = true;
    let_go(old);
    if (!block.away && !replica.buffer->is_home) {
      block.away = true;
      away_.push_back(&block);
    }
  }
}

void DataStore::drop(const Attempt& attempt) {
  for (const Attempt::Replica& replica : attempt.replicas) let_go(*replica.buffer);
}

void DataStore::abandon(const Attempt& attempt) {
  for (Buffer* buffer : attempt.buffers) ++buffer->pins;
}

void DataStore::returned(const Attempt& attempt) {
  for (Buffer* buffer : attempt.buffers) {
    --buffer->pins;
    let_go(*buffer);
  }
}

/// A buffer that nobody needs any more is kept for another attempt.
void DataStore::let_go(Buffer& buffer) {
  if (buffer.is_free() && !buffer.is_home) pool_.give_back(&buffer);
}

void DataStore::bring_home(Block& block) {
  if (!block.away) return;
  block.away = false;
  std::erase(away_, &block);
  if (block.current == &block.home) return;
  copy(block.shape, block.current->piece, block.home.piece);
  block.home.is_current = true;
  block.current->is_current = false;
  let_go(*block.current);
  block.current = &block.home;
}

void DataStore::bring_all_home() {
  while (!away_.empty()) bring_home(*away_.back());
}

}  // namespace heddle::runtime
