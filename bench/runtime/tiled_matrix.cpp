#include "tiled_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "heddle/workload/tiled.hpp"
#include "system.hpp"
#include "tile_kernels.hpp"

namespace heddle::bench {
namespace {

/// Where tile (i, j) of a lower triangle stands, row by row.
std::size_t place(std::size_t i, std::size_t j) {
  return i * (i + 1) / 2 + j;
}

}  // namespace

TiledMatrix::TiledMatrix(std::size_t n, std::size_t tile_size) : tile_size_(tile_size) {
  const std::size_t tiles = (n + tile_size - 1) / tile_size;
  memory_ = std::make_unique_for_overwrite<double[]>(place(tiles, 0) * tile_size * tile_size);
  double* next = memory_.get();
  const auto side = [&](std::size_t i) { return std::min(tile_size, n - i * tile_size); };
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      parts_.push_back({i * tile_size, j * tile_size, {next, side(i), side(j), side(i)}});
      next += tile_size * tile_size;
    }
  }
  make_problem(static_cast<std::int32_t>(tiles));
}

void TiledMatrix::make_problem(std::int32_t tiles) {
  const auto bytes = static_cast<std::int64_t>(tile_size_ * tile_size_ * sizeof(double));
  problem_.graph = workload::tiled_graph(workload::Algorithm::cholesky, workload::TileCounts::square(tiles), bytes);
  problem_.tiles.resize(problem_.graph.data_count());
  problem_.body = [this](TypeId kernel, std::span<const ConstTile> read, const Tile& written) {
    const Stopwatch watch;
    cholesky_kernel(kernel, read, written);
    in_kernels_ += std::llround(watch.seconds() * 1e9);
  };
  // The graph numbers tiles as tasks first access them.
  auto task = problem_.graph.tasks().begin();
  workload::visit_cholesky(tiles, [&](const workload::TileTask& call) {
    const std::span<const Access> accesses = problem_.graph.accesses(*task);
    ++task;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const workload::TileRef& tile = call.access[i].tile;
      problem_.tiles[index(accesses[i].data)] =
          parts_[place(static_cast<std::size_t>(tile.row), static_cast<std::size_t>(tile.column))].tile;
    }
  });
}

void TiledMatrix::assign(const ConstTile& values) {
  for (const auto& [row, column, tile] : parts_) {
    for (std::size_t j = 0; j < tile.columns; ++j) {
      std::copy_n(&values(row, column + j), tile.rows, &tile(0, j));
    }
  }
}

double TiledMatrix::largest_difference(const ConstTile& values) const {
  double largest = 0;
  for (const auto& [row, column, tile] : parts_) {
    for (std::size_t j = 0; j < tile.columns; ++j) {
      for (std::size_t i = row == column ? j : 0; i < tile.rows; ++i) {
        const double difference = std::abs(tile(i, j) - values(row + i, column + j));
        if (!(difference <= largest)) largest = difference;  // also when it is not a number
      }
    }
  }
  return largest;
}

}  // namespace heddle::bench
