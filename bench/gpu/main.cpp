// Cholesky, LU without pivoting and QR of matrices that live in pinned memory of the host: CPU cores and GPUs under a
// policy, beside cuSOLVER on one GPU with a copy there and one back. Prints GFlop/s of both and their ratio.

#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "heddle/linalg/cholesky.hpp"
#include "heddle/linalg/lu.hpp"
#include "heddle/linalg/qr.hpp"
#include "heddle/linalg/random_matrix.hpp"

namespace heddle::bench {
namespace {

using linalg::DenseMatrix;
using linalg::TiledMatrix;

struct Options {
  std::vector<std::size_t> sizes{16384, 32768, 49152, 61440};
  std::size_t tile = 2048;
  std::string workers = "cpu=8,cuda=1";
  std::string policy = "heteroprio-dep";
  int repetitions = 3;
};

void check(const char* call, cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}
void check(const char* call, cusolverStatus_t status) {
  if (status != CUSOLVER_STATUS_SUCCESS) throw std::runtime_error(std::string(call) + " failed");
}

/// Makes memory of the program pinned, for a while.
class Pinned {
 public:
  Pinned(void* memory, std::size_t bytes) : memory_(memory) {
    check("cudaHostRegister", cudaHostRegister(memory, bytes, cudaHostRegisterDefault));
  }
  ~Pinned() { static_cast<void>(cudaHostUnregister(memory_)); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  void* memory_;
};

struct FreeMemory {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
template <class T>
using DeviceArray = std::unique_ptr<T, FreeMemory>;

template <class T>
DeviceArray<T> allocate(std::size_t count) {
  void* memory = nullptr;
  check("cudaMalloc", cudaMalloc(&memory, count * sizeof(T)));
  return DeviceArray<T>(static_cast<T*>(memory));
}

/// The names of cuSOLVER's routines for one type of elements.
template <class T>
struct Routines;
template <>
struct Routines<double> {
  static constexpr const char* kName = "double";
  static constexpr auto kPotrfSize = cusolverDnDpotrf_bufferSize;
  static constexpr auto kPotrf = cusolverDnDpotrf;
  static constexpr auto kGetrfSize = cusolverDnDgetrf_bufferSize;
  static constexpr auto kGetrf = cusolverDnDgetrf;
  static constexpr auto kGeqrfSize = cusolverDnDgeqrf_bufferSize;
  static constexpr auto kGeqrf = cusolverDnDgeqrf;
};
template <>
struct Routines<float> {
  static constexpr const char* kName = "float";
  static constexpr auto kPotrfSize = cusolverDnSpotrf_bufferSize;
  static constexpr auto kPotrf = cusolverDnSpotrf;
  static constexpr auto kGetrfSize = cusolverDnSgetrf_bufferSize;
  static constexpr auto kGetrf = cusolverDnSgetrf;
  static constexpr auto kGeqrfSize = cusolverDnSgeqrf_bufferSize;
  static constexpr auto kGeqrf = cusolverDnSgeqrf;
};

enum class Algorithm : std::uint8_t { cholesky, lu, qr };

const char* name(Algorithm algorithm) {
  return algorithm == Algorithm::cholesky ? "cholesky" : algorithm == Algorithm::lu ? "lu" : "qr";
}

double flops(Algorithm algorithm, std::size_t n) {
  const auto order = static_cast<double>(n);
  const double thirds = algorithm == Algorithm::cholesky ? 1 : algorithm == Algorithm::lu ? 2 : 4;
  return thirds / 3 * order * order * order;
}

/// Of the fastest of some calls; `prepare` is not timed.
double shortest_seconds(int repetitions, const std::function<void()>& prepare, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  double shortest = 0;
  for (int i = 0; i < repetitions; ++i) {
    prepare();
    const Clock::time_point begin = Clock::now();
    call();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (i == 0 || seconds < shortest) shortest = seconds;
  }
  return shortest;
}

/// Copy, factorization, copy; memory and handle are there before.
template <class T>
double cusolver_seconds(Algorithm algorithm, const DenseMatrix<T>& a, int repetitions) {
  DenseMatrix<T> host = a;
  const std::size_t n = host.view().rows;
  const std::size_t bytes = n * n * sizeof(T);
  const Pinned pinned(host.view().data, bytes);
  cusolverDnHandle_t handle = nullptr;
  check("cusolverDnCreate", cusolverDnCreate(&handle));
  const auto matrix = allocate<T>(n * n);
  const auto tau = allocate<T>(n);
  const auto info = allocate<int>(1);
  const int order = static_cast<int>(n);
  int size = 0;
  using R = Routines<T>;
  if (algorithm == Algorithm::cholesky) {
    check("potrf_bufferSize", R::kPotrfSize(handle, CUBLAS_FILL_MODE_LOWER, order, matrix.get(), order, &size));
  } else if (algorithm == Algorithm::lu) {
    check("getrf_bufferSize", R::kGetrfSize(handle, order, order, matrix.get(), order, &size));
  } else {
    check("geqrf_bufferSize", R::kGeqrfSize(handle, order, order, matrix.get(), order, &size));
  }
  const auto work = allocate<T>(static_cast<std::size_t>(std::max(size, 1)));
  const auto factorize = [&] {
    check("copy in", cudaMemcpy(matrix.get(), host.view().data, bytes, cudaMemcpyHostToDevice));
    if (algorithm == Algorithm::cholesky) {
      check("potrf",
            R::kPotrf(handle, CUBLAS_FILL_MODE_LOWER, order, matrix.get(), order, work.get(), size, info.get()));
    } else if (algorithm == Algorithm::lu) {
      check("getrf", R::kGetrf(handle, order, order, matrix.get(), order, work.get(), nullptr, info.get()));
    } else {
      check("geqrf", R::kGeqrf(handle, order, order, matrix.get(), order, tau.get(), work.get(), size, info.get()));
    }
    check("copy out", cudaMemcpy(host.view().data, matrix.get(), bytes, cudaMemcpyDeviceToHost));
  };
  const auto restore = [&] { std::copy_n(a.view().data, n * n, host.view().data); };
  const double seconds = shortest_seconds(repetitions, restore, factorize);
  check("cusolverDnDestroy", cusolverDnDestroy(handle));
  return seconds;
}

/// From the first submission until all tiles are right in the host's memory.
template <class T>
double heddle_seconds(Algorithm algorithm, const DenseMatrix<T>& a, const Options& options) {
  linalg::Runtime runtime({.workers = options.workers, .policy = options.policy});
  double shortest = 0;
  for (int i = 0; i < options.repetitions; ++i) {
    TiledMatrix<T> tiled(runtime, a.view(), options.tile);
    // Tile after tile, all in one piece.
    const Pinned pinned(tiled.view(0, 0).data, a.view().rows * a.view().columns * sizeof(T));
    const double seconds = shortest_seconds(
        1, [] {},
        [&] {
          if (algorithm == Algorithm::cholesky) {
            cholesky(runtime, tiled);
          } else if (algorithm == Algorithm::lu) {
            lu(runtime, tiled);
          } else {
            static_cast<void>(qr(runtime, tiled));
          }
          runtime.wait();
        });
    if (i == 0 || seconds < shortest) shortest = seconds;
  }
  return shortest;
}

template <class T>
void measure(const Options& options) {
  for (const Algorithm algorithm : {Algorithm::cholesky, Algorithm::lu, Algorithm::qr}) {
    for (const std::size_t n : options.sizes) {
      const DenseMatrix<T> a = linalg::random_definite<T>(n, true, 1);
      const double rate = flops(algorithm, n) * 1e-9;
      const double cusolver = cusolver_seconds(algorithm, a, options.repetitions);
      const double heddle = heddle_seconds(algorithm, a, options);
      std::printf("%-8s %-6s n = %6zu  heddle %9.1f GFlop/s  cusolver with copies %9.1f GFlop/s  ratio %.3f\n",
                  name(algorithm), Routines<T>::kName, n, rate / heddle, rate / cusolver, cusolver / heddle);
      std::fflush(stdout);
    }
  }
}

int run(int count, char** arguments) {
  Options options;
  CLI::App app("Factorizations of matrices in pinned host memory, beside cuSOLVER with its two copies");
  app.add_option("--sizes", options.sizes, "Orders of the matrices")->capture_default_str();
  app.add_option("--tile", options.tile, "The side of a tile")->capture_default_str();
  app.add_option("--workers", options.workers, "As for heddle run")->capture_default_str();
  app.add_option("--policy", options.policy, "As for heddle run")->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "Of which the fastest counts")->capture_default_str();
  CLI11_PARSE(app, count, arguments);
  measure<double>(options);
  measure<float>(options);
  return 0;
}

}  // namespace
}  // namespace heddle::bench

int main(int count, char** arguments) {
  try {
    return heddle::bench::run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle_bench_gpu: %s\n", error.what());
    return 2;
  }
}
