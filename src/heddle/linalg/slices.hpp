#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "heddle/runtime/views.hpp"

namespace heddle::linalg {

template <class T>
[[nodiscard]] runtime::Matrix<T> columns(const runtime::Matrix<T>& a, std::size_t first, std::size_t count) {
  return a.block(0, first, a.rows, count);
}

template <class T>
[[nodiscard]] runtime::Matrix<T> rows(const runtime::Matrix<T>& a, std::size_t first, std::size_t count) {
  return a.block(first, 0, count, a.columns);
}

/// Both of the same size.
template <class T>
void copy(const runtime::Matrix<std::type_identity_t<const T>>& from, const runtime::Matrix<T>& to) {
  for (std::size_t j = 0; j < from.columns; ++j) {
    std::copy_n(from.data + j * from.leading, from.rows, to.data + j * to.leading);
  }
}

}  // namespace heddle::linalg
