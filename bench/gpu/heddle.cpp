#include "heddle.hpp"

#include <cuda_runtime_api.h>

#include <optional>
#include <utility>
#include <vector>

#include "cuda_memory.hpp"
#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/testing.hpp"

namespace heddle::bench {
namespace {

using linalg::DenseMatrix;
using linalg::Matrix;
using linalg::Runtime;
using linalg::TiledMatrix;

/// A matrix in tiles, factorized again and again.
template <class T>
class Tiled {
 public:
  Tiled(Runtime& runtime, Algorithm algorithm, const DenseMatrix<T>& a, std::size_t tile_size)
      : runtime_(runtime),
        algorithm_(algorithm),
        a_(a.view()),
        tiles_(runtime, a.view().rows, a.view().columns, tile_size) {}

  /// Nothing is left to do afterwards.
  void put(Residence residence) {
    factors_q_.reset();
    if (residence == Residence::host) {
      tiles_.assign(a_);
    } else {
      visit([&](std::int32_t i, std::int32_t j) {
        const auto side = tiles_.tile_size();
        const Source from{&a_(static_cast<std::size_t>(i) * side, static_cast<std::size_t>(j) * side), a_.leading};
        runtime_.submit(fill_, from, write(tiles_(i, j)));
      });
      gather();
    }
  }
  void factorize(Residence residence) {
    if (algorithm_ == Algorithm::cholesky) {
      cholesky(runtime_, tiles_);
    } else if (algorithm_ == Algorithm::lu) {
      lu(runtime_, tiles_);
    } else {
      factors_q_.emplace(qr(runtime_, tiles_));
    }
    if (residence == Residence::host) {
      runtime_.wait();
    } else {
      gather();
    }
  }
  /// Solves a system with the factors.
  [[nodiscard]] double residual() {
    runtime_.wait();
    const DenseMatrix<T> b = linalg::random_matrix<T>(a_.rows, 1, 7);
    TiledMatrix<T> x(runtime_, b.view(), tiles_.tile_size());
    if (algorithm_ == Algorithm::cholesky) {
      cholesky_solve(runtime_, tiles_, x);
    } else if (algorithm_ == Algorithm::lu) {
      lu_solve(runtime_, tiles_, x);
    } else {
      qr_solve(runtime_, tiles_, *factors_q_, x);
    }
    runtime_.wait();
    DenseMatrix<T> solution(a_.rows, 1);
    x.copy_to(solution.view());
    return linalg::solve_residual<T>(a_, std::as_const(solution).view(), b.view());
  }

 private:
  /// visit(i, j) for the tiles that matter.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (std::int32_t j = 0; j < tiles_.tile_columns(); ++j) {
      for (std::int32_t i = algorithm_ == Algorithm::cholesky ? j : 0; i < tiles_.tile_rows(); ++i) visit(i, j);
    }
  }
  /// Returns when all tiles are in the memory of one device.
  void gather() {
    std::vector<runtime::AnyUse> all;
    visit([&](std::int32_t i, std::int32_t j) { all.emplace_back(read(tiles_(i, j))); });
    runtime_.submit(gather_, runtime::also(std::move(all))).wait();
  }

  Runtime& runtime_;
  Algorithm algorithm_;
  Matrix<const T> a_;
  TiledMatrix<T> tiles_;
  std::optional<linalg::Reflectors<T>> factors_q_;

  /// A tile in the host's memory.
  struct Source {
    const T* data;
    std::size_t leading;
  };
  const runtime::Kernel<Source, Matrix<T>> fill_{
      "fill", runtime::on_cuda([](const runtime::Job& job, Source from, Matrix<T> to) {
        check("cudaMemcpy2DAsync", cudaMemcpy2DAsync(to.data, to.leading * sizeof(T), from.data,
                                                     from.leading * sizeof(T), to.rows * sizeof(T), to.columns,
                                                     cudaMemcpyHostToDevice, static_cast<cudaStream_t>(job.queue())));
      })};
  const runtime::Kernel<> gather_{"gather", runtime::on_cuda([] {})};
};

}  // namespace

template <class T>
Result run_heddle(Algorithm algorithm, Residence residence, const DenseMatrix<T>& a, const Contender& contender,
                  int repetitions) {
  Runtime runtime({.workers = contender.workers, .policy = contender.policy, .history = ""});
  Tiled<T> tiled(runtime, algorithm, a, contender.tile);
  Result result;
  result.seconds = shortest_seconds(repetitions, [&] { tiled.put(residence); }, [&] { tiled.factorize(residence); });
  result.residual = tiled.residual();
  return result;
}

template Result run_heddle(Algorithm, Residence, const DenseMatrix<double>&, const Contender&, int);
template Result run_heddle(Algorithm, Residence, const DenseMatrix<float>&, const Contender&, int);

}  // namespace heddle::bench
