#include "heddle/workload/tiled_generators.hpp"

#include <numeric>
#include <utility>

#include "heddle/workload/generators.hpp"

namespace heddle::workload {
namespace {

Instance make_tiled(Algorithm algorithm, const TileCounts& counts, const Options& options, const Machine& machine) {
  const std::vector<std::uint64_t> tasks = kernel_counts(algorithm, counts);
  check_task_count(options, std::accumulate(tasks.begin(), tasks.end(), std::uint64_t{0}));
  const TileSize size = chosen_size(options, machine, algorithm);
  TaskGraph graph = tiled_graph(algorithm, counts, size.bytes());
  Costs costs = tiled_costs(graph, algorithm, size, machine);
  return make_instance("", std::move(graph), platform_of(machine), std::move(costs));
}

template <Algorithm algorithm>
Instance make_factorization(const Options& options, const Machine& machine) {
  const auto tiles = static_cast<std::int32_t>(options.integer("tiles"));
  return make_tiled(algorithm, TileCounts::square(tiles), options, machine);
}

Instance make_product(const Options& options, const Machine& machine) {
  const auto count = [&](std::string_view name) {
    return static_cast<std::int32_t>(options.integer(options.has(name) ? name : "tiles"));
  };
  return make_tiled(Algorithm::gemm, {count("m"), count("n"), count("k")}, options, machine);
}

Option tiles_option() {
  return integer("tiles", "12", 1, kMaxTiles, "Tiles in a row and in a column of the matrix.");
}

std::vector<Option> with_size_options(std::vector<Option> options) {
  for (Option& option : size_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace

std::vector<Option> size_options() {
  constexpr std::uint64_t kMaxSide = 1'000'000;
  return {integer("tile", "", 1, kMaxSide,
                  "Side of a tile, at which the platform has measured the kernels; by default 960 if it has, otherwise "
                  "the largest."),
          choice("precision", "", {"single", "double"}, "Of the matrix; by default double if the platform has it.")};
}

TileSize chosen_size(const Options& options, const Machine& machine, Algorithm algorithm) {
  std::optional<std::int64_t> tile;
  std::optional<std::string> precision;
  if (options.has("tile")) tile = static_cast<std::int64_t>(options.integer("tile"));
  if (options.has("precision")) precision = options.text("precision");
  return choose_size(machine, kernels_of(algorithm), tile, precision);
}

Entry cholesky() {
  return {"cholesky", "Tiled Cholesky factorization of a symmetric matrix.", with_size_options({tiles_option()}),
          make_factorization<Algorithm::cholesky>};
}

Entry lu() {
  return {"lu", "Tiled LU factorization without pivoting.", with_size_options({tiles_option()}),
          make_factorization<Algorithm::lu>};
}

Entry qr() {
  return {"qr", "Tiled QR factorization with a flat reduction tree.", with_size_options({tiles_option()}),
          make_factorization<Algorithm::qr>};
}

Entry gemm() {
  return {
      "gemm", "Tiled matrix product C += A B.",
      with_size_options({tiles_option(), integer("m", "", 1, kMaxTiles, "Tile rows of A and C; by default `tiles`."),
                         integer("n", "", 1, kMaxTiles, "Tile columns of B and C; by default `tiles`."),
                         integer("k", "", 1, kMaxTiles, "Tile columns of A, rows of B; by default `tiles`.")}),
      make_product};
}

}  // namespace heddle::workload
