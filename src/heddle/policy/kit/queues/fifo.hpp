#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace heddle::policy {

/// First in, first out; flat, so that a copy is cheap.
template <class T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return head_ == items_.size(); }
  /// There must be one, for this and pop_front().
  [[nodiscard]] const T& front() const { return items_[head_]; }
  /// In order.
  [[nodiscard]] std::span<T> items() { return std::span(items_).subspan(head_); }
  [[nodiscard]] std::span<const T> items() const { return std::span(items_).subspan(head_); }

  void push_back(const T& item) { items_.push_back(item); }
  /// O(1) after a pop_front(), else O(size).
  void push_front(const T& item) {
    if (head_ > 0) {
      items_[--head_] = item;
    } else {
      items_.insert(items_.begin(), item);
    }
  }
  void pop_front() {
    ++head_;
    if (empty()) {
      items_.clear();
      head_ = 0;
    } else if (head_ >= kMany && 2 * head_ >= items_.size()) {
      // Half is gone: each item is moved once at most, on average.
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

 private:
  static constexpr std::size_t kMany = 256;  ///< fewer that are gone are not worth moving the others

  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace heddle::policy
