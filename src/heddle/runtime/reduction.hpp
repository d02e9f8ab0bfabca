#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

struct KernelInfo;

/// How the private copies of a datum begin and come together. Associative and commutative: tasks that reduce into the
/// datum may run in any order, and at once.
struct Reduction {
  std::function<void(const Piece& copy, const Shape& shape)> fill;  ///< makes it neutral
  std::function<void(const Piece& into, const Piece& from, const Shape& shape)> combine;
};

/// Element by element: `combine(T&, const T&)` adds the second to the first.
template <class T, class Combine>
[[nodiscard]] std::shared_ptr<const Reduction> element_wise(T neutral, Combine combine) {
  const auto at = [](const Piece& piece, std::size_t row, std::size_t column) -> T& {
    return static_cast<T*>(piece.address)[row + column * piece.leading];
  };
  const auto for_all = [](const Shape& shape, auto&& visit) {
    for (std::size_t column = 0; column < shape.columns; ++column) {
      for (std::size_t row = 0; row < shape.rows; ++row) visit(row, column);
    }
  };
  return std::make_shared<const Reduction>(
      Reduction{[=](const Piece& copy, const Shape& shape) {
                  for_all(shape, [&](std::size_t row, std::size_t column) { at(copy, row, column) = neutral; });
                },
                [=](const Piece& into, const Piece& from, const Shape& shape) {
                  for_all(shape, [&](std::size_t row, std::size_t column) {
                    combine(at(into, row, column), std::as_const(at(from, row, column)));
                  });
                }});
}

template <class T>
concept Addable = requires(T a, const T b) {
  a += b;
  T{};
};

/// The sum, for elements that can be added; else none.
template <class T>
[[nodiscard]] std::shared_ptr<const Reduction> default_reduction() {
  if constexpr (Addable<T> && !std::is_const_v<T>) {
    static const std::shared_ptr<const Reduction> kSum =
        element_wise(T{}, [](T& into, const T& from) { into += from; });
    return kSum;
  } else {
    return nullptr;
  }
}

/// The plain value of combining_kernel().
struct Combination {
  const Reduction* reduction;
};

/// What brings the private copies of a datum together: a kernel whose first argument is the value and whose others are
/// the copies.
[[nodiscard]] const std::shared_ptr<const KernelInfo>& combining_kernel();

}  // namespace heddle::runtime
