#pragma once

#include <string>

#include "heddle/linalg/tiled_matrix.hpp"
#include "heddle/model/error.hpp"
#include "heddle/workload/tile_task.hpp"

/// What the functions that submit tiled algorithms share.
namespace heddle::linalg {

/// The name of a task, where it is recorded.
[[nodiscard]] inline runtime::Named named(const Runtime& runtime, const workload::TileTask& task) {
  return {runtime.traces() ? std::string(workload::TileTaskName(task).view()) : std::string()};
}

/// The name of a task that no visitor of workload/tiled_loops.hpp made.
[[nodiscard]] inline runtime::Named named(const Runtime& runtime, workload::Kernel kernel, std::int32_t row,
                                          std::int32_t column, std::int32_t step) {
  return named(runtime, {kernel, row, column, step, {}, 0});
}

/// Where the tile row `i` begins in the matrix.
template <class T>
[[nodiscard]] std::size_t first_row(const TiledMatrix<T>& a, std::int32_t i) {
  return static_cast<std::size_t>(i) * a.tile_size();
}

template <class T>
void check_square(const TiledMatrix<T>& a) {
  if (a.rows() != a.columns()) throw InputError("the matrix to factorize is not square");
}

/// Whether A and B can stand in one system of equations: their rows are divided alike.
template <class T>
void check_same_rows(const TiledMatrix<T>& a, const TiledMatrix<T>& b) {
  if (a.rows() != b.rows()) throw InputError("the matrix and its right-hand sides have unlike numbers of rows");
  if (a.tile_size() != b.tile_size()) throw InputError("the matrix and its right-hand sides have unlike tiles");
}

}  // namespace heddle::linalg
