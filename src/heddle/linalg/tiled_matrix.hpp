#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "heddle/runtime/runtime.hpp"

namespace heddle::linalg {

using runtime::Matrix;
using runtime::Runtime;

/// A matrix in square tiles, each contiguous in memory and a datum of a runtime. Where the side of a tile does not
/// divide those of the matrix, the tiles at its lower and right edge are smaller. Between the submission of a task on a
/// tile and Runtime::wait(), only tasks may touch it. Must go before its runtime does; its destructor waits for the
/// tasks that use it. Its memory is pinned where there are devices that want it (Runtime::pin).
template <class T>
class TiledMatrix {
 public:
  using Tile = runtime::Data<Matrix<T>>;

  /// Zeros, of memory that this thread does not touch if it is large (32 MB suffices with glibc): the operating system
  /// places each page near the core that first writes to it. Where memory is pinned, all of it is placed here. Throws
  /// InputError when `tile_size`, the side of a tile, is 0, or there are more than 2^31 - 1 rows or columns.
  TiledMatrix(Runtime& runtime, std::size_t rows, std::size_t columns, std::size_t tile_size);
  /// A copy of a column-major matrix, written by this thread.
  TiledMatrix(Runtime& runtime, const Matrix<const T>& values, std::size_t tile_size);
  TiledMatrix(TiledMatrix&&) = default;
  /// Waits for the tasks that use what is replaced.
  TiledMatrix& operator=(TiledMatrix&& other) noexcept;
  ~TiledMatrix() = default;

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t tile_size() const { return tile_size_; }
  [[nodiscard]] std::int32_t tile_rows() const { return static_cast<std::int32_t>(tile_count(rows_)); }
  [[nodiscard]] std::int32_t tile_columns() const { return static_cast<std::int32_t>(tile_count(columns_)); }

  /// The datum in tile row i and tile column j, for tasks.
  [[nodiscard]] const Tile& operator()(std::int32_t i, std::int32_t j) const { return tiles_[place(i, j)]; }
  /// Its memory.
  [[nodiscard]] Matrix<T> view(std::int32_t i, std::int32_t j) const { return views_[place(i, j)]; }

  /// Copies all elements from or to a column-major matrix of the same size. Throws InputError when it is not.
  void assign(const Matrix<const T>& values);
  void copy_to(const Matrix<T>& values) const;

 private:
  [[nodiscard]] std::size_t tile_count(std::size_t side) const { return (side + tile_size_ - 1) / tile_size_; }
  [[nodiscard]] std::size_t place(std::int32_t i, std::int32_t j) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * tile_count(rows_);
  }
  template <class Visit>
  void visit_tiles(Visit&& visit) const;
  void check_size(std::size_t rows, std::size_t columns) const;

  struct Free {
    void operator()(T* memory) const { std::free(memory); }  // NOLINT(cppcoreguidelines-no-malloc): from calloc
  };

  std::size_t rows_;
  std::size_t columns_;
  std::size_t tile_size_;
  std::unique_ptr<T[], Free> memory_;  ///< tile after tile, tile column after tile column
  runtime::Pinned pinned_;
  std::vector<Matrix<T>> views_;  ///< into it
  std::vector<Tile> tiles_;
};

/// A factorization met a matrix that it cannot factorize. Surfaces at Runtime::wait().
class Breakdown : public runtime::TaskFailure {
 public:
  /// `row`: from 0. `what`: what is wrong with the matrix there, after "the matrix ".
  Breakdown(std::size_t row, const std::string& what)
      : TaskFailure("the matrix " + what + " (row " + std::to_string(row) + ", counted from 0)"), row_(row) {}

  /// Of the matrix, from 0.
  [[nodiscard]] std::size_t row() const { return row_; }

 private:
  std::size_t row_;
};

}  // namespace heddle::linalg
