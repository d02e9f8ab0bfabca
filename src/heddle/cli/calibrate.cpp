#include <fmt/format.h>

#include <cstdint>
#include <functional>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/history.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/cli/real_workload.hpp"
#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/device_first.hpp"
#include "heddle/runtime/models/links.hpp"
#include "heddle/runtime/threads/workers.hpp"

namespace heddle::cli {
namespace {

/// The factorizations use all kernels, and a matrix of so many tiles a side each of them several times.
constexpr std::size_t kTilesPerSide = 4;
/// So many are there at a time: four in tiles, and one that is copied.
constexpr double kMatrices = 5;

template <class T>
void measure_kernels(runtime::Runtime& runtime, std::size_t tile, const std::function<void()>& heed) {
  const auto matrix = [&](bool symmetric) {
    const auto values = linalg::random_definite<T>(kTilesPerSide * tile, symmetric, 1);
    return linalg::TiledMatrix<T>(runtime, values.view(), tile);
  };
  linalg::TiledMatrix<T> a = matrix(true);
  linalg::TiledMatrix<T> b = matrix(false);
  linalg::TiledMatrix<T> c = matrix(false);
  linalg::TiledMatrix<T> d = matrix(false);
  linalg::cholesky(runtime, a);
  linalg::lu(runtime, b);
  const auto pivots = linalg::pivoted_lu(runtime, c);
  const auto reflectors = linalg::qr(runtime, d);
  runtime.wait([&](std::uint64_t) { heed(); });
}

/// Workers of one class, which runs all the kernels that it can. Beside devices there is a core, since some of them
/// cannot run all.
runtime::Config alone(const runtime::WorkerClass& one) {
  runtime::Config config{.workers = one.name + "=" + std::to_string(one.workers)};
  if (!one.is_device()) return config;
  config.workers = "cpu=1," + config.workers;
  config.decider = policy::Policy(runtime::DeviceFirst());
  return config;
}

/// A runtime for each class: of "cpu=2,opencl=1", one with two cores and one with the device.
std::vector<runtime::Config> classes_of(const std::string& workers) {
  std::vector<runtime::Config> classes;
  for (const runtime::WorkerClass& one : runtime::parse_workers(workers, runtime::cpu().cores)) {
    classes.push_back(alone(one));
  }
  return classes;
}

}  // namespace

int calibrate(const CalibrateOptions& options) {
  const runtime::History history = open_history(options.history);
  std::vector<runtime::Config> classes = classes_of(options.workers);
  for (const std::size_t tile : options.tiles) {
    const auto side = static_cast<double>(kTilesPerSide * tile);
    check_memory(fmt::format("tiles of {}", tile), kMatrices * side * side * (options.precision == "single" ? 4 : 8));
  }
  // First: what cannot be kept, or a class that is not there, must not cost measurements.
  runtime::calibrate_links(options.workers, history);
  Progress progress("calibrate", classes.size() * options.tiles.size() * options.runs);
  std::size_t done = 0;
  for (runtime::Config& config : classes) {
    config.history = history.path();
    config.warn = warn;
    runtime::Runtime runtime(config);
    check_workspace(config.workers, 0);
    for (const std::size_t tile : options.tiles) {
      for (std::uint32_t run = 0; run < options.runs; ++run) {
        const auto heed = [&] { progress.update(done); };
        if (options.precision != "single") measure_kernels<double>(runtime, tile, heed);
        if (options.precision != "double") measure_kernels<float>(runtime, tile, heed);
        progress.update(++done);
      }
    }
  }
  print_history(history, options.history.json);
  return 0;
}

}  // namespace heddle::cli
