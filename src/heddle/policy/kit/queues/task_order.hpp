#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "heddle/model/ids.hpp"

namespace heddle::policy {

/// What ready tasks are ordered by, smallest first: a rank, then a number, then the task. One integer, because queues
/// compare millions of them.
__extension__ using QueueKey = unsigned __int128;

[[nodiscard]] inline QueueKey queue_key(std::uint32_t rank, std::int64_t ascending, TaskId task) {
  // With the sign bit flipped, unsigned numbers compare like the signed ones.
  const std::uint64_t number = static_cast<std::uint64_t>(ascending) ^ std::uint64_t{1} << 63;
  return QueueKey{rank} << 96 | QueueKey{number} << 32 | static_cast<std::uint32_t>(task);
}

[[nodiscard]] inline TaskId task_of(QueueKey key) {
  return static_cast<TaskId>(static_cast<std::uint32_t>(key));
}

/// All tasks of a run in an order that is fixed before it: then queues of ready tasks hold places (PlaceSet) instead of
/// comparing keys.
class TaskOrder {
 public:
  /// Of `tasks` tasks, by key_of(task): a queue_key(), always the same. O(tasks) for each byte in which keys differ.
  template <class KeyOf>
  TaskOrder(std::size_t tasks, KeyOf&& key_of) {
    const auto key = [&](std::size_t i) { return key_of(make_id<TaskId>(i)); };
    // A chain is in order, from one end or from the other: the first two tell.
    const bool forward = tasks < 2 || key(0) < key(1);
    std::size_t next = 1;
    for (QueueKey before = tasks > 0 ? key(0) : 0; next < tasks; ++next) {
      if ((before < key(next)) != forward) break;
      before = key(next);
    }
    if (next >= tasks) {
      number(tasks, forward);
    } else {
      std::vector<QueueKey> keys;
      keys.reserve(tasks);
      for (std::size_t i = 0; i < tasks; ++i) keys.push_back(key(i));
      sort(keys);
    }
  }

  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] std::uint32_t place(TaskId task) const { return places_[task]; }
  [[nodiscard]] TaskId task(std::uint32_t place) const { return tasks_[place]; }

 private:
  /// They are by number, forward or backward.
  void number(std::size_t tasks, bool forward);
  /// By keys, which stand in the order of what queue_key() puts into their last bytes, the tasks.
  void sort(std::vector<QueueKey>& keys);

  std::vector<TaskId> tasks_;
  Table<TaskId, std::uint32_t> places_;
};

/// Some of the places in an order (TaskOrder): a bit for each, a bit for each word of these that is not zero, and once
/// more. What anything costs hardly depends on how many there are, and there is no comparison for a processor to guess
/// wrong. Flat, so that a copy is one memcpy.
class PlaceSet {
 public:
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  /// For no places.
  PlaceSet() = default;
  /// Empty, for places below `bound`, which is at most kNothing. Takes memory once it holds two.
  explicit PlaceSet(std::size_t bound)
      : middle_(words(words(words(bound)))), bottom_(middle_ + words(words(bound))), end_(bottom_ + words(bound)) {}

  /// It must not be there.
  void insert(std::uint32_t place) {
    if (one_ == kNothing) {
      one_ = place;
      return;
    }
    if (words_.empty()) words_.resize(end_);
    if (!set(bottom_, place) && !set(middle_, place / kBits)) {
      set(0, place / kBits / kBits);
    }
  }
  /// It must be there.
  void erase(std::uint32_t place) {
    if (one_ == place) {
      one_ = kNothing;
    } else if (!clear(bottom_, place) && !clear(middle_, place / kBits)) {
      clear(0, place / kBits / kBits);
    }
  }
  /// The smallest; kNothing when there is none.
  [[nodiscard]] std::uint32_t first() const {
    for (std::size_t top = 0; top < tops(); ++top) {
      if (words_[top] != 0)
        return std::min(one_, below(top, [](std::uint64_t word) { return std::countr_zero(word); }));
    }
    return one_;
  }
  /// The largest; kNothing when there is none.
  [[nodiscard]] std::uint32_t last() const {
    for (std::size_t top = tops(); top-- > 0;) {
      if (words_[top] == 0) continue;
      const std::uint32_t last = below(top, [](std::uint64_t word) { return 63 - std::countl_zero(word); });
      return one_ == kNothing ? last : std::max(one_, last);
    }
    return one_;
  }

  /// The smallest of those beyond `place`; kNothing when there is none.
  [[nodiscard]] std::uint32_t next(std::uint32_t place) const {
    const std::uint32_t next = words_.empty() ? kNothing : next_bit(place + std::size_t{1});
    return one_ > place ? std::min(one_, next) : next;
  }

 private:
  static constexpr std::uint32_t kBits = 64;

  /// Words of the top that there are.
  [[nodiscard]] std::size_t tops() const { return words_.empty() ? 0 : middle_; }
  [[nodiscard]] static std::size_t words(std::size_t bits) { return (bits + kBits - 1) / kBits; }
  /// Sets a bit of a level. Whether there was one in its word.
  bool set(std::size_t level, std::uint32_t number) {
    std::uint64_t& word = words_[level + number / kBits];
    return std::exchange(word, word | std::uint64_t{1} << number % kBits) != 0;
  }
  /// Clears a bit of a level. Whether one is left in its word.
  bool clear(std::size_t level, std::uint32_t number) {
    return (words_[level + number / kBits] &= ~(std::uint64_t{1} << number % kBits)) != 0;
  }
  /// Of the places that a word of the top stands for, the one that `choose` leads to.
  template <class Choose>
  [[nodiscard]] std::uint32_t below(std::size_t top, Choose&& choose) const {
    std::size_t number = top * kBits + static_cast<std::size_t>(choose(words_[top]));
    number = number * kBits + static_cast<std::size_t>(choose(words_[middle_ + number]));
    return static_cast<std::uint32_t>(number * kBits + static_cast<std::size_t>(choose(words_[bottom_ + number])));
  }

  /// The first bit of the bottom from `number` on; kNothing when there is none.
  [[nodiscard]] std::uint32_t next_bit(std::size_t number) const {
    const std::array<std::size_t, 4> begin{words_.size(), bottom_, middle_, 0};
    for (std::size_t level = 1; level < begin.size(); ++level, number = number / kBits + 1) {
      const std::size_t word = begin[level] + number / kBits;
      if (word >= begin[level - 1]) return kNothing;
      const std::uint64_t bits = words_[word] >> number % kBits;
      if (bits == 0) continue;
      number += static_cast<std::size_t>(std::countr_zero(bits));
      while (--level > 0)
        number = number * kBits + static_cast<std::size_t>(std::countr_zero(words_[begin[level] + number]));
      return static_cast<std::uint32_t>(number);
    }
    for (; number < middle_; ++number) {
      if (words_[number] != 0) return below(number, [](std::uint64_t word) { return std::countr_zero(word); });
    }
    return kNothing;
  }

  std::uint32_t one_ = kNothing;  ///< beside the bits, which a set that never holds two does without
  // Where the levels begin: the top, of one word for up to 262,144 places, is in front.
  std::size_t middle_ = 0;
  std::size_t bottom_ = 0;
  std::size_t end_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace heddle::policy
