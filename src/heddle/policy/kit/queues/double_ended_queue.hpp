#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heddle::policy {

/// A priority queue with two ends, as an interval heap (van Leeuwen and Wood 1993): node i holds the pair
/// items[2i] <= items[2i + 1], and the pair of a node encloses the pairs of its children. Flat, so that a copy is one
/// memcpy; push and both pops cost O(log size). Keys must be distinct for the order to be determined.
template <class Key>
class DoubleEndedQueue {
 public:
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  /// The smallest key. There must be one, as for back() and both pops.
  [[nodiscard]] const Key& front() const { return items_[0]; }
  /// The largest key.
  [[nodiscard]] const Key& back() const { return items_[items_.size() == 1 ? 0 : 1]; }

  void push(Key key) {
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

  void pop_front() {
    const Key key = take_last();
    if (!items_.empty()) sink<true>(key);
  }

  void pop_back() {
    if (items_.size() == 1) {
      items_.clear();
      return;
    }
    const Key key = take_last();
    if (items_.size() == 1) {
      items_[0] = key < items_[0] ? key : items_[0];
      return;
    }
    sink<false>(key);
  }

 private:
  /// Position of the lower end of the parent node.
  [[nodiscard]] static std::size_t parent(std::size_t i) { return (i / 2 - 1) / 2 * 2; }

  [[nodiscard]] Key take_last() {
    const Key key = items_.back();
    items_.pop_back();
    return key;
  }

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
};

}  // namespace heddle::policy
