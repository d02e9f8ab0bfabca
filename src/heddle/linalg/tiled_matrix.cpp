#include "heddle/linalg/tiled_matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "heddle/linalg/slices.hpp"
#include "heddle/model/error.hpp"

namespace heddle::linalg {
namespace {

std::string size(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

/// BLAS counts in 32 bits.
constexpr std::size_t kMostRows = std::numeric_limits<std::int32_t>::max();

std::size_t checked_tile_size(std::size_t size) {
  if (size == 0) throw InputError("the side of a tile is 0; expected a positive number");
  return std::min(size, kMostRows);  // a larger tile is one tile, too
}

std::size_t checked_side(std::size_t side) {
  if (side > kMostRows) throw InputError("a matrix of " + std::to_string(side) + " rows or columns is too large");
  return side;
}

/// To be freed. Large memory comes from the operating system as zeros that nothing has to write.
template <class T>
T* zeros(std::size_t count) {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): operator new has no zeros
  void* memory = std::calloc(std::max<std::size_t>(count, 1), sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

}  // namespace

template <class T>
TiledMatrix<T>::TiledMatrix(Runtime& runtime, std::size_t rows, std::size_t columns, std::size_t tile_size)
    : rows_(checked_side(rows)),
      columns_(checked_side(columns)),
      tile_size_(checked_tile_size(tile_size)),
      memory_(zeros<T>(rows * columns)),
      pinned_(runtime.pin(std::as_writable_bytes(std::span(memory_.get(), rows * columns)))) {
  T* next = memory_.get();
  for (std::size_t j = 0; j < columns; j += tile_size_) {
    for (std::size_t i = 0; i < rows; i += tile_size_) {
      const std::size_t height = std::min(tile_size_, rows - i);
      const std::size_t width = std::min(tile_size_, columns - j);
      views_.push_back({next, height, width, height});
      tiles_.push_back(runtime.data(views_.back()));
      next += height * width;
    }
  }
}

template <class T>
TiledMatrix<T>::TiledMatrix(Runtime& runtime, const Matrix<const T>& values, std::size_t tile_size)
    : TiledMatrix(runtime, values.rows, values.columns, tile_size) {
  assign(values);
}

template <class T>
TiledMatrix<T>& TiledMatrix<T>::operator=(TiledMatrix&& other) noexcept {
  tiles_.clear();  // before the memory that they are in
  pinned_ = std::move(other.pinned_);
  rows_ = other.rows_;
  columns_ = other.columns_;
  tile_size_ = other.tile_size_;
  memory_ = std::move(other.memory_);
  views_ = std::move(other.views_);
  tiles_ = std::move(other.tiles_);
  return *this;
}

template <class T>
void TiledMatrix<T>::check_size(std::size_t rows, std::size_t columns) const {
  if (rows == rows_ && columns == columns_) return;
  throw InputError("a matrix of " + size(rows, columns) + " elements cannot be copied from or to one of " +
                   size(rows_, columns_));
}

/// visit(tile, row, column): a tile and where in the matrix it begins.
template <class T>
template <class Visit>
void TiledMatrix<T>::visit_tiles(Visit&& visit) const {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    visit(views_[i], i % tile_count(rows_) * tile_size_, i / tile_count(rows_) * tile_size_);
  }
}

template <class T>
void TiledMatrix<T>::assign(const Matrix<const T>& values) {
  check_size(values.rows, values.columns);
  visit_tiles([&](const Matrix<T>& tile, std::size_t row, std::size_t column) {
    copy(values.block(row, column, tile.rows, tile.columns), tile);
  });
}

template <class T>
void TiledMatrix<T>::copy_to(const Matrix<T>& values) const {
  check_size(values.rows, values.columns);
  visit_tiles([&](const Matrix<T>& tile, std::size_t row, std::size_t column) {
    copy(tile, values.block(row, column, tile.rows, tile.columns));
  });
}

template class TiledMatrix<double>;
template class TiledMatrix<float>;

}  // namespace heddle::linalg
