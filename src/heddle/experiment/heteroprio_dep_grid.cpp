#include "heddle/experiment/heteroprio_dep_grid.hpp"

#include <fmt/format.h>

#include "heddle/experiment/factorizations.hpp"

namespace heddle::experiment {

std::vector<GridPoint> heteroprio_dep_grid(Scale scale) {
  const bool full = scale == Scale::full;
  const auto tiles = full ? range(4, 60, 4) : range(4, 28, 8);
  const auto cpus = full ? range(4, 60, 4) : std::vector<std::size_t>{4, 20, 40, 60};
  const auto widths = full ? range(100, 500, 100) : range(100, 500, 200);
  const std::size_t seeds = full ? 3 : 1;
  std::vector<GridPoint> grid;
  for (const std::size_t count : cpus) {
    for (const Factorization& factorization : kFactorizations) {
      for (const std::size_t size : tiles) {
        grid.push_back({factorization.title, size, count, factorize(factorization, size), kumar_machine(count)});
      }
    }
    for (const std::size_t width : widths) {
      for (std::size_t seed = 1; seed <= seeds; ++seed) {
        grid.push_back({kForkJoin, width, count, fmt::format("fork-join:width={},phases=20,seed={}", width, seed),
                        fmt::format("counts:cpu={},gpu=4", count)});
      }
    }
  }
  return grid;
}

}  // namespace heddle::experiment
