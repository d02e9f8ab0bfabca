#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace heddle::host {

/// A vector that grows at its end and forgets at its beginning. An element keeps its position, the number of elements
/// added before it.
template <class T>
class SlidingVector {
 public:
  /// The position of the first element that is not forgotten, and the one of the next that is added.
  [[nodiscard]] std::size_t begin_position() const { return first_; }
  [[nodiscard]] std::size_t end_position() const { return base_ + values_.size(); }
  [[nodiscard]] bool empty() const { return begin_position() == end_position(); }

  [[nodiscard]] T& operator[](std::size_t position) { return values_[position - base_]; }
  [[nodiscard]] const T& operator[](std::size_t position) const { return values_[position - base_]; }
  [[nodiscard]] std::span<const T> slice(std::size_t begin, std::size_t end) const {
    return {values_.data() + (begin - base_), end - begin};
  }

  void push_back(T value) { values_.push_back(std::move(value)); }
  void append(std::span<const T> values) { values_.insert(values_.end(), values.begin(), values.end()); }
  /// Forgets what is before the position. It takes constant time on average: memory is given back by halves.
  void forget_before(std::size_t position) {
    first_ = position;
    if (const std::size_t dead = first_ - base_; dead >= kFewest && 2 * dead >= values_.size()) {
      values_.erase(values_.begin(), std::next(values_.begin(), static_cast<std::ptrdiff_t>(dead)));
      base_ = first_;
    }
  }

 private:
  static constexpr std::size_t kFewest = 64;

  std::vector<T> values_;
  std::size_t base_ = 0;   ///< the position of values_[0]
  std::size_t first_ = 0;  ///< not forgotten
};

}  // namespace heddle::host
