// Cholesky, LU without pivoting and QR on CPU cores and GPUs under policies, beside cuSOLVER on one GPU, in one run: of
// a matrix that begins and ends in pinned memory of the host, or in the memory of the GPU.
//
//   build/release/bin/heddle_bench_gpu --sizes 16384,32768 --tiles 1024,2048 --policies heteroprio-dep dmdas
//
// Prints the rows of a Markdown table. Of one run the ratios travel, the times do not.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cusolver.hpp"
#include "factorization.hpp"
#include "heddle.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/runtime/device.hpp"

namespace heddle::bench {
namespace {

using linalg::DenseMatrix;

struct Settings {
  std::vector<std::string> algorithms{"cholesky", "lu", "qr"};
  std::vector<std::string> precisions{"double", "single"};
  std::vector<std::string> residences{"host", "device"};
  std::vector<std::size_t> sizes{16384, 32768, 49152, 61440};
  std::vector<std::size_t> tiles{2048};
  std::vector<std::string> policies{"heteroprio-dep", "heteroprio:correction=sp", "heteroprio", "dmdas"};
  std::string workers;
  int repetitions = 3;
};

/// Why there is nothing to measure; empty when there is.
std::string missing_gpu() {
  const std::vector<runtime::DeviceKind> kinds = runtime::devices();
  const auto cuda = std::ranges::find(kinds, "cuda", &runtime::DeviceKind::name);
  return cuda == kinds.end() ? "there are no CUDA devices" : cuda->missing;
}

/// All cores but the one that a GPU keeps busy, and one GPU, which is what cuSOLVER uses.
std::string all_cores_and_one_gpu() {
  const std::size_t cores = runtime::cpu().cores;
  return "cpu=" + std::to_string(std::max<std::size_t>(cores, 2) - 1) + ",cuda=1";
}

bool spoliates(const std::string& policy) {
  const policy::Spec spec(policy);
  return spec.needs().abort;
}

void print_head(const Settings& settings) {
  fmt::print("workers {}, the fastest of {}; GFlop/s\n\n", settings.workers, settings.repetitions);
  fmt::print("| | precision | n | matrix in | tile | policy | spoliation | Heddle | cuSOLVER | ratio | residual |\n");
  fmt::print("|---|---|---:|---|---:|---|---|---:|---:|---:|---:|\n");
}

/// A matrix that is factorized by all.
template <class T>
struct Problem {
  Algorithm algorithm;
  std::string precision;
  DenseMatrix<T> matrix;
};

template <class T>
void measure_policies(const Settings& settings, const Problem<T>& problem, Residence residence) {
  const std::size_t n = problem.matrix.view().rows;
  const double billions = operations(problem.algorithm, n) * 1e-9;
  const double cusolver = cusolver_seconds(problem.algorithm, residence, problem.matrix, settings.repetitions);
  for (const std::size_t tile : settings.tiles) {
    for (const std::string& policy : settings.policies) {
      const Result heddle = run_heddle(problem.algorithm, residence, problem.matrix, {settings.workers, policy, tile},
                                       settings.repetitions);
      fmt::print("| {} | {} | {} | {} | {} | {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.3f} |\n",
                 to_string(problem.algorithm), problem.precision, n, to_string(residence), tile, policy,
                 spoliates(policy) ? "yes" : "no", billions / heddle.seconds, billions / cusolver,
                 cusolver / heddle.seconds, heddle.residual);
      std::fflush(stdout);
      if (!(heddle.residual <= linalg::kResidualThreshold)) throw std::runtime_error("the result is wrong");
    }
  }
}

template <class T>
void measure(const Settings& settings, const std::string& precision) {
  for (const std::string& name : settings.algorithms) {
    const Algorithm algorithm = parse_algorithm(name);
    for (const std::size_t n : settings.sizes) {
      const bool symmetric = algorithm == Algorithm::cholesky;
      const Problem<T> problem{algorithm, precision, linalg::random_definite<T>(n, symmetric, 1)};
      for (const std::string& residence : settings.residences) {
        measure_policies(settings, problem, parse_residence(residence));
      }
    }
  }
}

int run(int count, char** arguments) {
  Settings settings;
  settings.workers = all_cores_and_one_gpu();
  CLI::App app("Factorizations on cores and GPUs, beside cuSOLVER.");
  const auto add = [&app](const char* name, auto& variable, const char* help) {
    return app.add_option(name, variable, help)->delimiter(',')->capture_default_str();
  };
  add("--algorithms", settings.algorithms, "which")->check(CLI::IsMember({"cholesky", "lu", "qr"}));
  add("--precisions", settings.precisions, "of the elements")->check(CLI::IsMember({"double", "single"}));
  add("--residences", settings.residences, "where the matrix begins and ends")
      ->check(CLI::IsMember({"host", "device"}));
  add("--sizes", settings.sizes, "sides of the matrices")->check(CLI::PositiveNumber);
  add("--tiles", settings.tiles, "sides of the tiles")->check(CLI::PositiveNumber);
  app.add_option("--policies", settings.policies, "as for heddle run, one after the other")->capture_default_str();
  app.add_option("--workers", settings.workers, "as for heddle run")->capture_default_str();
  app.add_option("--repetitions", settings.repetitions, "of which the fastest counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, count, arguments);
  if (const std::string missing = missing_gpu(); !missing.empty()) {
    fmt::print("skipped: {}\n", missing);
    return 0;
  }
  print_head(settings);
  for (const std::string& precision : settings.precisions) {
    precision == "double" ? measure<double>(settings, precision) : measure<float>(settings, precision);
  }
  return 0;
}

}  // namespace
}  // namespace heddle::bench

int main(int count, char** arguments) {
  try {
    return heddle::bench::run(count, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "heddle_bench_gpu: {}\n", error.what());
    return 2;
  }
}
