#include "heddle/runtime/data/copies.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace heddle::runtime {

using Here = policy::HostView::Copy;

namespace {

/// So many transfers keep the link to the program's memory busy; more would only delay what tasks come to wait for.
constexpr std::uint32_t kSentAtOnce = 2;

}  // namespace

Copies::Copies(const MemoryPlaces& places, std::span<Device* const> devices, std::uint64_t limit,
               std::span<const MemoryLink> links, std::function<void(Transfer&)> begin)
    : places_(places),
      are_many_(!devices.empty()),
      rooms_(devices.size() + 1),
      links_(links.begin(), links.end()),
      begin_(std::move(begin)) {
  pools_.reserve(devices.size() + 1);
  pools_.emplace_back();
  for (Device* device : devices) {
    pools_.emplace_back(make_id<MemoryId>(pools_.size()), *device, std::min(limit, device->memory_bytes()));
  }
}

void Copies::tell(const Block& block, MemoryId memory, Here state) {
  if (are_many() && view_ != nullptr && block.epoch == epoch_)
    view_->set_copy(block.number, places_.in_platform(memory), state);
}

void Copies::describe(Block& block) {
  for (std::size_t m = 0; m < pools_.size(); ++m) {
    const MemoryId memory = make_id<MemoryId>(m);
    tell(block, memory, present(block, memory).state);
  }
}

host::Present::Copy Copies::present(Block& block, MemoryId memory) const {
  const Copy& copy = block.in(memory);
  host::Present::Copy present{.partial = memory == kHost && !block.parts.empty()};
  if (copy.valid != nullptr) present.state = Here::valid;
  if (copy.valid == nullptr && copy.coming != nullptr) present.state = Here::coming, present.since = copy.coming->began;
  return present;
}

Buffer* Copies::take(const Shape& shape, MemoryId memory) {
  while (true) {
    if (Buffer* buffer = pools_[index(memory)].take(shape)) return buffer;
    if (!evict(memory, shape.bytes())) return nullptr;
  }
}

Buffer& Copies::host_buffer(Block& block) {
  return block.home.is_free() ? block.home : *pools_.front().take(block.shape);
}

/// Drops the copy that was least recently used, or, where it is the only one, begins to write it back, until so many
/// bytes are leaving. Whether one was dropped.
bool Copies::evict(MemoryId memory, std::size_t bytes) {
  Room& room = rooms_[index(memory)];
  for (const auto& [use, block] : room.residents) {
    if (block->in(memory).valid->is_used()) continue;
    if (elsewhere(*block, memory) != nullptr) {
      drop(*block, memory);
      return true;
    }
    if (room.leaving >= bytes) return false;
    fetch(*block, kHost, nullptr).evicts = true;
    room.leaving += block->shape.bytes();
  }
  return false;
}

Buffer* Copies::elsewhere(Block& block, MemoryId memory) {
  for (std::size_t m = 0; m < pools_.size(); ++m) {
    Buffer* other = block.in(make_id<MemoryId>(m)).valid;
    if (m != index(memory) && other != nullptr) return other;
  }
  return nullptr;
}

void Copies::set(Block& block, Buffer& buffer) {
  Copy& here = block.in(buffer.memory);
  if (here.valid == &buffer) return;
  if (here.valid != nullptr) drop(block, buffer.memory);
  here.valid = &buffer;
  buffer.is_current = true;
  tell(block, buffer.memory, Here::valid);
  touch(block, buffer.memory);
  if (!buffer.is_home) stray(block);
}

Buffer& Copies::detach(Block& block, MemoryId memory) {
  Copy& here = block.in(memory);
  Buffer& buffer = *here.valid;
  if (memory != kHost) rooms_[index(memory)].residents.erase({here.last_use, &block});
  here.valid = nullptr;
  buffer.is_current = false;
  tell(block, memory, Here::none);
  return buffer;
}

void Copies::drop(Block& block, MemoryId memory) {
  let_go(detach(block, memory));
}

void Copies::touch(Block& block, MemoryId memory) {
  Copy& here = block.in(memory);
  if (memory == kHost || here.valid == nullptr) return;
  auto& residents = rooms_[index(memory)].residents;
  residents.erase({here.last_use, &block});
  here.last_use = ++uses_;
  residents.emplace(here.last_use, &block);
}

void Copies::written(Block& block, MemoryId memory) {
  for (std::size_t m = 0; m < pools_.size(); ++m) {
    const MemoryId other = make_id<MemoryId>(m);
    Copy& there = block.in(other);
    if (other != memory && there.valid != nullptr) drop(block, other);
    if (there.coming == nullptr) continue;
    there.coming->is_current = false;
    there.coming = nullptr;
    if (other != memory) tell(block, other, Here::none);
  }
}

Transfer& Copies::fetch(Block& block, MemoryId to, Buffer* target) {
  Copy& there = block.in(to);
  if (there.coming != nullptr) {
    if (target != nullptr) let_go(*target);
    if (std::exchange(there.coming->is_early, false)) there.coming->may_fail_once = true;
    return *there.coming;
  }
  if (to == kHost) target = &host_buffer(block);
  auto transfer = std::make_unique<Transfer>();
  transfer->block = &block;
  transfer->to = to;
  transfer->target = target;
  pin(*target);
  ++block.transfers;
  there.coming = transfer.get();
  tell(block, to, Here::coming);
  Transfer& begun = *under_way_.emplace(transfer.get(), std::move(transfer)).first->second;
  static_cast<void>(send(begun));  // there is a valid copy somewhere
  return begun;
}

/// The valid copy that is there first, over one link; null when there is none, or none that has not failed.
Buffer* Copies::nearest(Block& block, MemoryId wanted, std::span<const MemoryId> failed) const {
  Buffer* nearest = nullptr;
  Time least = kMaxTime;
  for (const auto& [from, to, speed] : links_) {
    Buffer* valid = block.in(from).valid;
    if (to != wanted || valid == nullptr || std::ranges::count(failed, from) > 0) continue;
    const Time time = speed.latency + speed.moving(block.shape.bytes());
    if (time >= least) continue;
    nearest = valid;
    least = time;
  }
  return nearest;
}

/// Begins a transfer, or has it wait until there is a copy in the program's memory. False when the copy cannot come
/// from anywhere.
bool Copies::send(Transfer& transfer) {
  transfer.source = nearest(*transfer.block, transfer.to, transfer.failed);
  if (transfer.source != nullptr) {
    begin(transfer);
    return true;
  }
  if (transfer.to == kHost || std::ranges::count(transfer.failed, kHost) > 0) return false;
  transfer.from = kHost;
  fetch(*transfer.block, kHost, nullptr).next.push_back(&transfer);
  return true;
}

void Copies::begin(Transfer& transfer) {
  pin(*transfer.source);
  transfer.from = transfer.source->memory;
  transfer.peer = pools_[index(transfer.from)].device();
  if (transfer.to == kHost) ++rooms_[index(transfer.from)].sending;
  if (view_ != nullptr) transfer.began = view_->now();
  begin_(transfer);
}

bool Copies::arrived(Transfer& transfer, const std::exception_ptr& failure, std::vector<Execution*>& waited) {
  const MemoryId from = transfer.from;
  const bool was_sent = transfer.to == kHost && transfer.source != nullptr;
  if (was_sent) --rooms_[index(from)].sending;
  const bool lost = received(transfer, failure, waited);
  if (was_sent) send_next_home(from);
  return lost;
}

bool Copies::received(Transfer& transfer, const std::exception_ptr& failure, std::vector<Execution*>& waited) {
  if (failure && transfer.is_current && retry(transfer)) return false;
  const auto owned = under_way_.extract(&transfer);
  Block& block = *transfer.block;
  --block.transfers;
  if (transfer.is_current) {
    block.in(transfer.to).coming = nullptr;
    if (failure) {
      tell(block, transfer.to, Here::none);
      if (transfer.to == kHost && !transfer.is_early) block.poisoned_by = failure;  // what cannot be fetched is lost
    } else {
      set(block, *transfer.target);
    }
  }
  for (Execution* execution : transfer.waiting) {
    std::erase(execution->awaits, &transfer);
    if (failure) {
      execution->refused = failure;
    } else {
      hold(*transfer.target);
      execution->held.push_back(transfer.target);
    }
    waited.push_back(execution);
  }
  for (Transfer* next : transfer.next) {
    if (failure || !next->is_current) {
      arrived(*next, failure, waited);
      continue;
    }
    next->source = transfer.target;
    begin(*next);
  }
  if (transfer.evicts) rooms_[index(transfer.from)].leaving -= block.shape.bytes();
  if (transfer.source != nullptr) unpin(*transfer.source);
  unpin(*transfer.target);
  if (!transfer.is_current || transfer.to != kHost || transfer.is_early) return false;
  if (transfer.evicts) drop_unused(block, transfer.from);
  for (const MemoryId memory : transfer.failed) drop_unused(block, memory);
  return static_cast<bool>(failure);
}

/// Has a transfer that failed come from elsewhere, or once more from where it was early; false when it cannot.
bool Copies::retry(Transfer& transfer) {
  if (!std::exchange(transfer.may_fail_once, false)) transfer.failed.push_back(transfer.from);
  if (std::exchange(transfer.evicts, false)) rooms_[index(transfer.from)].leaving -= transfer.block->shape.bytes();
  Buffer* source = transfer.source;
  if (!send(transfer)) {
    transfer.source = source;
    return false;
  }
  if (source != nullptr) unpin(*source);
  return true;
}

/// Unless a task came to need it meanwhile.
void Copies::drop_unused(Block& block, MemoryId memory) {
  const Buffer* valid = block.in(memory).valid;
  if (valid != nullptr && !valid->is_used()) drop(block, memory);
}

void Copies::stray(Block& block) {
  if (block.strayed) return;
  block.strayed = true;
  strayed_.push_back(&block);
}

void Copies::fetch_home() {
  for (Block* block : strayed_) fetch_home(*block);
}

void Copies::fetch_home(Block& block) {
  if (is_away(block)) fetch(block, kHost, nullptr);
}

bool Copies::some_away() {
  return std::ranges::any_of(strayed_, [this](Block* block) { return is_away(*block); });
}

void Copies::send_final_home() {
  for (Block* block : strayed_) send_final_home(*block);
}

void Copies::send_final_home(Block& block) {
  if (block.writers > 0 || block.in_line || block.poisoned_by || !is_away(block)) return;
  const MemoryId from = nearest(block, kHost, {})->memory;
  block.in_line = true;
  rooms_[index(from)].in_line.push_back(&block);
  send_next_home(from);
}

/// Of those in line: some may have been written since, or be under way for a task.
void Copies::send_next_home(MemoryId from) {
  Room& room = rooms_[index(from)];
  while (room.sending < kSentAtOnce && !room.in_line.empty()) {
    Block& block = *room.in_line.front();
    room.in_line.pop_front();
    block.in_line = false;
    // Where a task that was aborted still uses the home, the value would have to be copied once more.
    if (block.writers == 0 && is_away(block) && block.host.coming == nullptr && block.home.is_free())
      fetch(block, kHost, nullptr).is_early = true;
  }
}

void Copies::bring_home() {
  while (!strayed_.empty()) bring_home(*strayed_.back());
}

void Copies::bring_home(Block& block) {
  if (!block.strayed) return;
  block.strayed = false;
  std::erase(strayed_, &block);
  if (std::exchange(block.in_line, false)) {
    for (Room& room : rooms_) std::erase(room.in_line, &block);
  }
  if (Buffer* host = block.host.valid; host != nullptr && !host->is_home) {
    copy(block.shape, host->argument.piece, block.home.argument.piece);
    set(block, block.home);
  }
  written(block, kHost);
  if (block.host.valid == nullptr) set(block, block.home);  // the value was lost, or is to be written
}

}  // namespace heddle::runtime
