#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heddle/linalg/blas.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"
#include "parts.hpp"
#include "tile_kernels.hpp"
#include "tiled_matrix.hpp"

namespace heddle::bench {
namespace {

constexpr std::array<std::size_t, 3> kTileSizes{128, 192, 256};

/// What is factorized, and what must come out.
struct Task {
  explicit Task(std::size_t n) : matrix(linalg::random_definite<double>(n, true, 1)), factor(matrix) {
    lapack_cholesky(factor.view(), 1);
    const double residual =
        linalg::cholesky_residual<double>(std::as_const(matrix).view(), std::as_const(factor).view());
    if (residual > linalg::kResidualThreshold) throw std::runtime_error("LAPACK's factor is wrong");
  }

  linalg::DenseMatrix<double> matrix;
  linalg::DenseMatrix<double> factor;
};

/// One way to factorize it, in tiles of one size.
struct Way {
  std::string name;
  TiledMatrix* matrix;
  /// Returns what runs it once and tells the seconds.
  std::function<std::function<double()>()> start;
  Samples gflops{};
  Samples in_kernels{};  ///< which part of the workers' time
};

void check(const Way& way, const Task& task) {
  constexpr double kMost = 1e-9;  // elements are of the order of 1, the matrix is well conditioned
  const double difference = way.matrix->largest_difference(task.factor.view());
  if (difference <= kMost) return;
  throw std::runtime_error(fmt::format("{}, tile {}: an element differs by {} from LAPACK's", way.name,
                                       way.matrix->tile_size(), difference));
}

/// Runs it twice: the first run is checked, and warms up.
void sample(Way& way, const Task& task, unsigned workers) {
  const std::function<double()> run = way.start();
  way.matrix->assign(task.matrix.view());
  run();
  check(way, task);
  way.matrix->assign(task.matrix.view());
  static_cast<void>(way.matrix->take_kernel_seconds());
  const double seconds = run();
  way.in_kernels.add(way.matrix->take_kernel_seconds() / (seconds * workers));
  const auto n = static_cast<double>(task.matrix.view().rows);
  way.gflops.add(n * n * n / 3 / seconds * 1e-9);
}

/// `whole`: one tile.
Way lapack(TiledMatrix& whole, unsigned threads) {
  const auto run = [&whole, threads] {
    const Stopwatch watch;
    lapack_cholesky(whole.problem().tiles[0], threads);
    return watch.seconds();
  };
  return {"LAPACK's own threads", &whole, [run] { return run; }};
}

Way tiled(TiledMatrix& matrix, const Contender& contender, unsigned workers) {
  return {contender.name(), &matrix, [&matrix, contender, workers] {
            const std::shared_ptr<Session> session = contender.start(matrix.problem(), workers);
            return [session] { return session->run(); };
          }};
}

/// The one whose median is the largest.
const Way& best(const std::vector<Way>& ways) {
  return *std::ranges::max_element(ways, {}, [](const Way& way) { return way.gflops.median(); });
}

/// LAPACK's tiles are its own, and so are its kernels.
bool is_tiled(const std::vector<Way>& ways) {
  return ways.size() > 1;
}

double fastest(const std::vector<Way>& ways) {
  double fastest = 0;
  for (const Way& way : ways) fastest = std::max(fastest, way.gflops.max());
  return fastest;
}

void print(std::size_t n, unsigned workers, const std::vector<std::vector<Way>>& systems) {
  std::cout << fmt::format("\nCholesky factorization, n = {}, {}: median GFlop/s by size of tile\n", n,
                           report::format_count(workers, "worker"));
  using report::Align;
  std::vector<report::Column> columns{{"system"}};
  for (const std::size_t tile : kTileSizes) columns.push_back({std::to_string(tile), Align::right});
  for (const char* title : {"best", "fastest run", "best / first", "in kernels"})
    columns.push_back({title, Align::right});
  report::TextTable table(columns);
  const double first = best(systems.front()).gflops.median();
  for (const std::vector<Way>& ways : systems) {
    std::vector<std::string> cells{ways.front().name};
    for (const Way& way : ways) cells.push_back(fmt::format("{:.1f}", way.gflops.median()));
    cells.resize(kTileSizes.size() + 1);
    const Samples& gflops = best(ways).gflops;
    cells.push_back(fmt::format("{:.1f}", gflops.median()));
    cells.push_back(fmt::format("{:.1f}", fastest(ways)));
    cells.push_back(fmt::format("{:.2f}", gflops.median() / first));
    cells.push_back(is_tiled(ways) ? fmt::format("{:.1f} %", 100 * best(ways).in_kernels.median()) : "");
    table.add_row(cells);
  }
  std::cout << table.text() << std::flush;
}

}  // namespace

void measure_factorization(const Settings& settings, const std::vector<Contender>& contenders) {
  const unsigned workers = std::ranges::max(settings.workers);
  linalg::blas::use_one_thread();
  for (const std::size_t n : settings.sizes) {
    const Task task(n);
    TiledMatrix whole(n, n);
    std::deque<TiledMatrix> matrices;
    for (const std::size_t tile : kTileSizes) matrices.emplace_back(n, tile);
    std::vector<std::vector<Way>> systems;
    for (const Contender& contender : contenders) {
      std::vector<Way>& ways = systems.emplace_back();
      for (TiledMatrix& matrix : matrices) ways.push_back(tiled(matrix, contender, workers));
    }
    systems.push_back({lapack(whole, workers)});
    for (std::size_t repetition = 0; repetition < settings.repetitions; ++repetition) {
      for (std::vector<Way>& ways : systems) {
        for (Way& way : ways) sample(way, task, workers);
      }
    }
    print(n, workers, systems);
  }
}

}  // namespace heddle::bench
