#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <type_traits>

namespace heddle::runtime {

/// A vector of small values that never holds more than `Most`, in place: there is less to look up than in one that
/// grows.
template <class T, std::size_t Most>
class ShortList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* begin() { return items_.data(); }
  [[nodiscard]] const T* begin() const { return items_.data(); }
  [[nodiscard]] T* end() { return begin() + size_; }
  [[nodiscard]] const T* end() const { return begin() + size_; }
  [[nodiscard]] const T& front() const { return (*this)[0]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    assert(i < size_);
    return items_[i];
  }

  void push_back(T item) {
    assert(size_ < Most);
    items_[size_++] = item;
  }
  void pop_back() {
    assert(size_ > 0);
    --size_;
  }
  void erase(T* item) {
    assert(begin() <= item && item < end());
    std::copy(item + 1, end(), item);
    --size_;
  }

 private:
  std::array<T, Most> items_{};
  std::size_t size_ = 0;
};

}  // namespace heddle::runtime
