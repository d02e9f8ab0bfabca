#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "heddle/experiment/journal.hpp"
#include "heddle/experiment/study.hpp"

namespace heddle::experiment {

struct RunOptions {
  std::size_t threads = 1;     ///< at least 1
  Journal* journal = nullptr;  ///< where finished cells are found and noted; null: nowhere
  /// Told now and then, by the calling thread, how many of the cells are done, and how many of these were known and
  /// took no work; what it throws stops the work.
  std::function<void(std::size_t done, std::size_t known)> progress{};
};

/// Computes the cells that the journal does not know; a key that occurs twice is computed once. The results do not
/// depend on the number of threads. When a cell or `progress` throws, the cells already begun are finished and noted
/// first; the exception of the earliest cell then comes out, else that of `progress`.
[[nodiscard]] Results compute(std::span<const Cell> cells, const RunOptions& options);

}  // namespace heddle::experiment
