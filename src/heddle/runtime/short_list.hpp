#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace heddle::runtime {

/// A vector of small values that never holds more than `Most`, in place: there is less to look up than in one that
/// grows.
template <class T, std::size_t Most>
class ShortList {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] auto begin() { return items_.begin(); }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() { return begin() + size_; }
  [[nodiscard]] auto end() const { return begin() + size_; }
  [[nodiscard]] T& front() { return items_[0]; }
  [[nodiscard]] const T& front() const { return items_[0]; }
  [[nodiscard]] T& back() { return items_[size_ - 1]; }
  [[nodiscard]] const T& back() const { return items_[size_ - 1]; }
  [[nodiscard]] T& operator[](std::size_t i) { return items_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return items_[i]; }

  void push_back(const T& item) { items_[size_++] = item; }
  void pop_back() { --size_; }
  void erase(T* item) {
    std::move(item + 1, end(), item);
    --size_;
  }

 private:
  std::array<T, Most> items_{};
  std::size_t size_ = 0;
};

}  // namespace heddle::runtime
