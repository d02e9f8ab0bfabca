#include "heddle/runtime/failures.hpp"

#include <iterator>

namespace heddle::runtime {

void Failures::add(std::uint64_t sequence, const std::exception_ptr& failure) {
  auto next = runs_.upper_bound(sequence);
  const bool joins_next = next != runs_.end() && next->first == sequence + 1 && next->second.failure == failure;
  const std::uint64_t last = joins_next ? next->second.last : sequence;
  if (joins_next) next = runs_.erase(next);
  if (next != runs_.begin()) {
    Run& before = std::prev(next)->second;
    if (before.last + 1 == sequence && before.failure == failure) {
      before.last = last;
      return;
    }
  }
  runs_.emplace_hint(next, sequence, Run{last, failure});
}

std::exception_ptr Failures::of(std::uint64_t sequence) const {
  const auto next = runs_.upper_bound(sequence);
  if (next == runs_.begin()) return nullptr;
  const Run& run = std::prev(next)->second;
  return sequence <= run.last ? run.failure : nullptr;
}

}  // namespace heddle::runtime
