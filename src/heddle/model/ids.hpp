#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

/// Small dense numbers, one type per noun: a task is not a worker. Numbering follows order of appearance; workers are
/// numbered class by class.
enum class TaskId : std::uint32_t {};
enum class TypeId : std::uint32_t {};
enum class DataId : std::uint32_t {};
enum class ClassId : std::uint32_t {};
enum class WorkerId : std::uint32_t {};
enum class MemoryId : std::uint32_t {};

template <class T>
concept StrongId = std::is_enum_v<T> && std::is_same_v<std::underlying_type_t<T>, std::uint32_t>;

/// The plain number of an id.
template <StrongId Id>
[[nodiscard]] constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

/// The id with a plain number; the number must fit in 32 bits.
template <StrongId Id>
[[nodiscard]] constexpr Id make_id(std::size_t number) {
  return static_cast<Id>(static_cast<std::uint32_t>(number));
}

/// The most ids of a kind there can be; the last number stands for "none" where a plain id is stored.
inline constexpr std::size_t kMaxIds = std::numeric_limits<std::uint32_t>::max();
template <StrongId Id>
inline constexpr Id kNone = make_id<Id>(kMaxIds);

/// The ids first, first + 1, ..., last - 1, for range-based loops.
template <StrongId Id>
class IdRange {
 public:
  class iterator {
   public:
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    constexpr iterator() = default;
    constexpr explicit iterator(std::size_t number) : number_(number) {}
    constexpr Id operator*() const { return make_id<Id>(number_); }
    constexpr iterator& operator++() {
      ++number_;
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator old = *this;
      ++number_;
      return old;
    }
    constexpr bool operator==(const iterator&) const = default;

   private:
    std::size_t number_ = 0;
  };

  constexpr IdRange(std::size_t first, std::size_t last) : first_(first), last_(last) {}
  [[nodiscard]] constexpr iterator begin() const { return iterator(first_); }
  [[nodiscard]] constexpr iterator end() const { return iterator(last_); }
  [[nodiscard]] constexpr std::size_t size() const { return last_ - first_; }
  [[nodiscard]] constexpr bool empty() const { return first_ == last_; }

 private:
  std::size_t first_;
  std::size_t last_;
};

/// All ids of a kind when there are `count` of them.
template <StrongId Id>
[[nodiscard]] constexpr IdRange<Id> ids(std::size_t count) {
  return {0, count};
}

/// A vector indexed by one kind of id.
template <StrongId Id, class T>
class Table {
 public:
  Table() = default;
  explicit Table(std::size_t size, const T& value = T()) : values_(size, value) {}

  [[nodiscard]] decltype(auto) operator[](Id id) { return values_[index(id)]; }
  [[nodiscard]] decltype(auto) operator[](Id id) const { return values_[index(id)]; }
  Id push_back(T value) {
    values_.push_back(std::move(value));
    return make_id<Id>(values_.size() - 1);
  }
  void assign(std::size_t size, const T& value) { values_.assign(size, value); }
  void resize(std::size_t size) { values_.resize(size); }
  void reserve(std::size_t size) { values_.reserve(size); }
  void clear() { values_.clear(); }

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] IdRange<Id> ids() const { return {0, values_.size()}; }
  [[nodiscard]] auto begin() { return values_.begin(); }
  [[nodiscard]] auto end() { return values_.end(); }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }
  [[nodiscard]] const T* data() const { return values_.data(); }

  bool operator==(const Table&) const = default;

 private:
  std::vector<T> values_;
};

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

}  // namespace heddle
