#pragma once

#include <string>

#include "heddle/linalg/testing.hpp"
#include "heddle/linalg/tiled_matrix.hpp"

namespace heddle::linalg::test {

/// All elements of a tiled matrix whose tasks have ended.
template <class T>
[[nodiscard]] DenseMatrix<T> dense(const TiledMatrix<T>& tiled) {
  DenseMatrix<T> result(tiled.rows(), tiled.columns());
  tiled.copy_to(result.view());
  return result;
}

/// What the Breakdown says that waiting for the tasks ends with, behind the name of the task; empty when there is none.
[[nodiscard]] inline std::string breakdown(Runtime& runtime) {
  try {
    runtime.wait();
  } catch (const Breakdown& breakdown) {
    const std::string task = "task '" + breakdown.task() + "': ";
    const std::string what = breakdown.what();
    return what.starts_with(task) && !breakdown.task().empty() ? what.substr(task.size()) : "of no task: " + what;
  }
  return "";
}

}  // namespace heddle::linalg::test
