#include "heddle/runtime/scheduling/validity.hpp"

namespace heddle::runtime {

std::exception_ptr Validity::poison_of(const Node& node, std::uint64_t before) const {
  if (node.type->lost) return node.type->lost;
  const std::size_t context = index(node.type->context);  // kNone is beyond all
  if (context < lost_contexts_.size() && lost_contexts_[node.type->context]) return lost_contexts_[node.type->context];
  for (const BlockAccess& access : node.uses()) {
    if (access.block->poisoned_by && access.mode != AccessMode::write) return access.block->poisoned_by;
  }
  if (node.extras) {
    for (const Ref& other : node.extras->after) {
      if (std::exception_ptr failure = failed_.of(before + other.sequence)) return failure;
    }
    if (node.extras->stop.stop_requested()) return cancelled_;
  }
  const std::uint64_t number = before + node.sequence.load(std::memory_order_relaxed);
  return number <= last_cancelled_ ? cancelled_ : nullptr;
}

void Validity::cancel(std::uint64_t last) {
  last_cancelled_ = last;
  note_some();
}

void Validity::lose(TaskType& type, std::exception_ptr why) {
  type.lost = std::move(why);
  some_lost_ = some_poisoned_ = true;
}

void Validity::lose(ContextId context, const std::exception_ptr& why) {
  if (index(context) >= lost_contexts_.size()) lost_contexts_.resize(index(context) + 1);
  lost_contexts_[context] = why;
  some_lost_ = some_poisoned_ = true;
}

void Validity::poison(Block& block) {
  poisoned_.insert(&block);
  some_poisoned_ = true;
}

void Validity::forget(Block& block) {
  poisoned_.erase(&block);
  note_some();
}

void Validity::renew() {
  for (Block* block : std::exchange(poisoned_, {})) block->poisoned_by = nullptr;
  last_cancelled_ = 0;
  note_some();
}

void Validity::note_writes(const Node& node, const std::exception_ptr& failure, DataStore& data) {
  for (const BlockAccess& access : node.uses()) {
    Block& block = *access.block;
    if (access.mode == AccessMode::read) continue;
    // Of those that reduce into a datum together, one that fails is enough.
    if (failure || (block.poisoned_by && access.mode != AccessMode::reduce)) block.poisoned_by = failure;
    if (!failure) continue;
    data.forget_parts(block);
    poison(block);
  }
}

}  // namespace heddle::runtime
