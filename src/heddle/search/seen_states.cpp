#include "heddle/search/seen_states.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace heddle::search {

SeenStates::SeenStates(std::size_t words, std::size_t bytes)
    : words_(words),
      capacity_(std::min<std::size_t>(bytes / sizeof(std::int64_t) / 2, std::numeric_limits<std::uint32_t>::max())),
      young_(words),
      old_(words) {}

bool SeenStates::dominates(std::span<const std::int64_t> tasks, std::span<const Time> front) const {
  return young_.dominates(tasks, front) || old_.dominates(tasks, front);
}

void SeenStates::insert(std::span<const std::int64_t> tasks, std::span<const Time> front) {
  if (young_.size() + 1 + tasks.size() + front.size() > capacity_) {
    old_ = std::move(young_);
    young_ = Generation(words_);
  }
  young_.insert(tasks, front);
}

/// Position 0 of the states stands for none.
SeenStates::Generation::Generation(std::size_t words) : words_(words), states_(1, 0), slots_(kFirstSlots, 0) {}

bool SeenStates::Generation::dominates(std::span<const std::int64_t> tasks, std::span<const Time> front) const {
  for (std::size_t at = slots_[slot(tasks)]; at != 0; at = static_cast<std::size_t>(states_[at])) {
    const std::span its_front(states_.data() + at + 1 + words_, front.size());
    if (std::ranges::equal(tasks_at(at), tasks) && std::ranges::equal(its_front, front, std::less_equal{})) return true;
  }
  return false;
}

void SeenStates::Generation::insert(std::span<const std::int64_t> tasks, std::span<const Time> front) {
  if (count_ == slots_.size()) grow();
  const auto position = static_cast<std::uint32_t>(states_.size());
  states_.push_back(0);
  states_.insert(states_.end(), tasks.begin(), tasks.end());
  states_.insert(states_.end(), front.begin(), front.end());
  add_to_slot(position);
  ++count_;
}

std::span<const std::int64_t> SeenStates::Generation::tasks_at(std::size_t position) const {
  return {states_.data() + position + 1, words_};
}

std::size_t SeenStates::Generation::slot(std::span<const std::int64_t> tasks) const {
  std::uint64_t hash = 0;
  for (const std::int64_t word : tasks) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32U;
  }
  return hash & (slots_.size() - 1);
}

void SeenStates::Generation::add_to_slot(std::uint32_t position) {
  std::uint32_t& newest = slots_[slot(tasks_at(position))];
  states_[position] = newest;
  newest = position;
}

void SeenStates::Generation::grow() {
  const std::vector<std::uint32_t> old = std::move(slots_);
  slots_.assign(2 * old.size(), 0);
  for (const std::uint32_t first : old) {
    for (std::uint32_t at = first; at != 0;) {
      const auto next = static_cast<std::uint32_t>(states_[at]);
      add_to_slot(at);
      at = next;
    }
  }
}

}  // namespace heddle::search
