#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::policy {

/// A priority queue with two ends, as an interval heap (van Leeuwen and Wood 1993): node i holds the pair
/// items[2i] <= items[2i + 1], and the pair of a node encloses the pairs of its children. Flat, so that a copy is one
/// memcpy; push and both pops cost O(log size). Keys must be distinct for the order to be determined.
///
/// What is popped leaves a hole, which is filled when somebody looks: a push in between fills it, and nothing has to be
/// moved twice.
template <class Key>
class DoubleEndedQueue {
 public:
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return items_.size() - (hole_ == Hole::none ? 0 : 1); }
  [[nodiscard]] const Key& front() {
    fill();
    return items_[0];
  }
  [[nodiscard]] const Key& back() {
    fill();
    return items_[items_.size() == 1 ? 0 : 1];
  }

  void push(Key key) {
    switch (std::exchange(hole_, Hole::none)) {
      case Hole::none:
        return add(key);
      case Hole::front:
        return sink<true>(key);
      case Hole::back:
        return sink<false>(key);
    }
  }
  void pop_front() {
    fill();
    hole_ = Hole::front;
  }
  void pop_back() {
    fill();
    hole_ = Hole::back;
  }

 private:
  enum class Hole : std::uint8_t { none, front, back };

  void add(Key key) {
    const std::size_t last = items_.size();
    items_.push_back(key);
    if (last % 2 == 1 && key < items_[last - 1]) {
      std::swap(items_[last - 1], items_[last]);
      rise<true>(last - 1);
    } else if (last % 2 == 1) {
      rise<false>(last);
    } else if (last > 0 && key < items_[parent(last)]) {
      rise<true>(last);
    } else if (last > 0) {
      rise<false>(last);
    }
  }

  void fill() {
    if (hole_ != Hole::none) fill(std::exchange(hole_, Hole::none) == Hole::front);
  }

  /// Moves the last item into the hole, unless that is the hole.
  void fill(bool front) {
    const Key key = items_.back();
    items_.pop_back();
    if (items_.empty() || (!front && items_.size() == 1)) return;
    front ? sink<true>(key) : sink<false>(key);
  }

  /// Position of the lower end of the parent node.
  [[nodiscard]] static std::size_t parent(std::size_t i) { return (i / 2 - 1) / 2 * 2; }

  /// Moves items[i] up along the lower (or upper) ends.
  template <bool lower>
  void rise(std::size_t i) {
    const Key key = items_[i];
    while (i >= 2) {
      const std::size_t above = parent(i) + (lower ? 0 : 1);
      if (lower ? !(key < items_[above]) : !(items_[above] < key)) break;
      items_[i] = items_[above];
      i = above;
    }
    items_[i] = key;
  }

  /// The end of node `node` on the given side; a node of one item is both its ends.
  template <bool lower>
  [[nodiscard]] std::size_t end_of(std::size_t node) const {
    const std::size_t i = 2 * node + (lower ? 0 : 1);
    return i < items_.size() ? i : 2 * node;
  }

  /// Refills the free lower (or upper) end of the root with `key`. The hole first sinks to a leaf along the smaller
  /// (larger) children, one comparison without a branch to mispredict per level; the key, which came from a leaf, then
  /// seldom rises far (Floyd's heuristic).
  template <bool lower>
  void sink(Key key) {
    std::size_t node = 0;
    std::size_t child = 1;
    // While both children are complete pairs.
    while (2 * child + 3 < items_.size()) {
      constexpr std::size_t kEnd = lower ? 0 : 1;
      const Key left = items_[2 * child + kEnd];
      const Key right = items_[2 * child + 2 + kEnd];
      child += static_cast<std::size_t>(lower ? right < left : left < right);
      items_[2 * node + kEnd] = items_[2 * child + kEnd];
      node = child;
      child = 2 * node + 1;
    }
    while (2 * child < items_.size()) {
      if (2 * child + 2 < items_.size()) {
        const Key& left = items_[end_of<lower>(child)];
        const Key& right = items_[end_of<lower>(child + 1)];
        if (lower ? right < left : left < right) ++child;
      }
      items_[end_of<lower>(node)] = items_[end_of<lower>(child)];
      node = child;
      child = 2 * node + 1;
    }
    settle<lower>(node, key);
  }

  /// Puts `key` into the free end of a leaf and restores the order above it.
  template <bool lower>
  void settle(std::size_t node, Key key) {
    const std::size_t here = end_of<lower>(node);
    const std::size_t opposite = end_of<!lower>(node);
    if (here == opposite) {  // a node of one item: it may rise on either side
      items_[here] = key;
      if (here == 0) return;
      const bool below = key < items_[parent(here)];
      below ? rise<true>(here) : rise<false>(here);
    } else if (lower ? items_[opposite] < key : key < items_[opposite]) {
      items_[here] = items_[opposite];
      items_[opposite] = key;
      rise<!lower>(opposite);
    } else {
      items_[here] = key;
      rise<lower>(here);
    }
  }

  std::vector<Key> items_;
  Hole hole_ = Hole::none;  ///< what is there is not in the queue any more
};

}  // namespace heddle::policy
