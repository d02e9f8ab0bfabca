#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <type_traits>

namespace heddle::runtime {

/// How elements may be aligned, in bytes: so are the copies of data that the runtime makes.
inline constexpr std::size_t kMostAligned = 64;

/// A column-major matrix as BLAS knows it: element (i, j) is data[i + j * leading], leading >= rows. Owns nothing.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t leading = 0;

  [[nodiscard]] T& operator()(std::size_t row, std::size_t column) const { return data[row + column * leading]; }
  /// A part of it, `height` x `width` elements from (row, column) on.
  [[nodiscard]] Matrix block(std::size_t row, std::size_t column, std::size_t height, std::size_t width) const {
    return {data + row + column * leading, height, width, leading};
  }
  operator Matrix<const T>() const  // NOLINT(google-explicit-constructor): as a pointer becomes one to const
    requires(!std::is_const_v<T>)
  {
    return {data, rows, columns, leading};
  }
};

/// What is in registered memory: `columns` times `rows` elements of `element` bytes that follow each other.
struct Shape {
  std::size_t rows = 1;
  std::size_t columns = 1;
  std::size_t element = 1;

  [[nodiscard]] std::size_t column_bytes() const { return rows * element; }
  [[nodiscard]] std::size_t bytes() const { return column_bytes() * columns; }
  auto operator<=>(const Shape&) const = default;
};

/// One copy of a datum: where it begins, and the elements from the begin of one column to that of the next.
struct Piece {
  void* address = nullptr;
  std::size_t leading = 0;
};

/// What a kernel is told of a datum that it works on.
struct Argument {
  Piece piece;
  Shape shape;
};

/// How data looks to a kernel. `V` is `std::span<T>`, `Matrix<T>` or, for any trivially copyable object, `T&`;
/// constness of T tells whether the kernel writes.
template <class V>
struct ViewTraits {
  static constexpr bool kIsView = false;
};

template <class T>
struct ViewTraits<std::span<T>> {
  using Element = T;
  template <class U>
  using Rebind = std::span<U>;
  static constexpr bool kIsView = true;
  static constexpr int kDimensions = 1;
  [[nodiscard]] static std::span<T> make(const Piece& piece, const Shape& shape) {
    return {static_cast<T*>(piece.address), shape.rows};
  }
  [[nodiscard]] static Shape shape(std::span<T> view) { return {view.size(), 1, sizeof(T)}; }
  [[nodiscard]] static Piece piece(std::span<T> view) {
    return {const_cast<std::remove_const_t<T>*>(view.data()), view.size()};
  }
};

template <class T>
struct ViewTraits<Matrix<T>> {
  using Element = T;
  template <class U>
  using Rebind = Matrix<U>;
  static constexpr bool kIsView = true;
  static constexpr int kDimensions = 2;
  [[nodiscard]] static Matrix<T> make(const Piece& piece, const Shape& shape) {
    return {static_cast<T*>(piece.address), shape.rows, shape.columns, piece.leading};
  }
  [[nodiscard]] static Shape shape(const Matrix<T>& view) { return {view.rows, view.columns, sizeof(T)}; }
  [[nodiscard]] static Piece piece(const Matrix<T>& view) {
    return {const_cast<std::remove_const_t<T>*>(view.data), view.leading};
  }
};

template <class T>
struct ViewTraits<T&> {
  using Element = T;
  template <class U>
  using Rebind = U&;
  static constexpr bool kIsView = true;
  static constexpr int kDimensions = 0;
  [[nodiscard]] static T& make(const Piece& piece, const Shape&) { return *static_cast<T*>(piece.address); }
  [[nodiscard]] static Shape shape(const T&) { return {1, 1, sizeof(T)}; }
  [[nodiscard]] static Piece piece(T& view) { return {const_cast<std::remove_const_t<T>*>(&view), 1}; }
};

template <class V>
concept View = ViewTraits<V>::kIsView;

namespace detail {

/// Whether it is a view of elements that are only read.
template <View V>
inline constexpr bool kReadOnly = std::is_const_v<typename ViewTraits<V>::Element>;

/// Instantiates the checks, whose static_asserts say in one sentence what is wrong, and whose names say where. Nothing
/// else may depend on them, as compilers give up a class with a static_assert that fails.
template <class... Checks>
inline constexpr bool kChecked = (... && (alignof(Checks) > 0));

/// Stands for what did not pass such a check, so that the compiler complains of it only once.
struct Mistaken {};

}  // namespace detail

/// A view of the same form whose elements may be written.
template <View V>
using Writable = typename ViewTraits<V>::template Rebind<std::remove_const_t<typename ViewTraits<V>::Element>>;

}  // namespace heddle::runtime
