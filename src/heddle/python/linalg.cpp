#include <pybind11/numpy.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/tiled_matrix.hpp"
#include "heddle/model/error.hpp"
#include "heddle/python/arrays.hpp"
#include "heddle/python/bindings.hpp"
#include "heddle/python/runtime.hpp"

/// The tiled algorithms on arrays of numpy: tasks copy an array into tiles, work there, and copy the result back.
namespace heddle::python {
namespace {

using linalg::TiledMatrix;
using runtime::Matrix;

/// An array of two dimensions that tasks use.
struct Operand {
  std::shared_ptr<ArrayDatum> datum;
  std::size_t rows;
  std::size_t columns;
  std::size_t row_stride;  ///< in bytes, from one row to the next
  std::size_t column_stride;
};

/// Which part of a matrix is copied out of tiles; the rest becomes zero.
enum class Part : std::uint8_t { all, lower, upper };

/// Where the elements of an array are, for kernels.
struct Form {
  std::size_t row_stride;
  std::size_t column_stride;
  std::size_t leading;  ///< of its layout

  /// Of a copy of the array's memory.
  [[nodiscard]] std::byte* at(const runtime::Argument& copy, std::size_t row, std::size_t column) const {
    return static_cast<std::byte*>(copy.piece.address) + row * stride_in(copy, row_stride, leading) +
           column * stride_in(copy, column_stride, leading);
  }
};

Form form_of(const Operand& array) {
  return {array.row_stride, array.column_stride, array.datum->layout.piece.leading};
}

/// The elements from (row, column) on, into a tile.
struct Packing {
  Form form;
  std::size_t row;
  std::size_t column;
};

template <class T>
const runtime::Kernel<Packing, Matrix<T>>& pack_kernel() {
  static const runtime::Kernel<Packing, Matrix<T>> kernel(
      "PACK", runtime::on_cpu([](const runtime::Job& job, Packing packing, Matrix<T> tile) {
        const runtime::Argument& array = job.argument(1);
        for (std::size_t j = 0; j < tile.columns; ++j) {
          for (std::size_t i = 0; i < tile.rows; ++i) {
            std::memcpy(&tile(i, j), packing.form.at(array, packing.row + i, packing.column + j), sizeof(T));
          }
        }
      }));
  return kernel;
}

/// The first rows and columns of tiles, into an array. Tiles are `tile` rows and columns large, and `tile_rows` of them
/// stand below each other.
struct Unpacking {
  Form form;
  std::size_t rows;
  std::size_t columns;
  std::size_t tile;
  std::size_t tile_rows;
  Part part;
};

template <class T>
void unpack(const runtime::Job& job, const Unpacking& how) {
  const runtime::Argument& array = job.argument(0);
  for (std::size_t j = 0; j < how.columns; ++j) {
    for (std::size_t i = 0; i < how.rows; ++i) {
      const runtime::Argument& tile = job.argument(1 + i / how.tile + j / how.tile * how.tile_rows);
      const bool is_zero = (how.part == Part::lower && j > i) || (how.part == Part::upper && i > j);
      const T* const element =
          static_cast<const T*>(tile.piece.address) + i % how.tile + j % how.tile * tile.piece.leading;
      const T value = is_zero ? T{} : *element;
      std::memcpy(how.form.at(array, i, j), &value, sizeof(T));
    }
  }
}

template <class T>
const runtime::Kernel<Unpacking>& unpack_kernel() {
  static const runtime::Kernel<Unpacking> kernel(
      "UNPACK", runtime::on_cpu([](const runtime::Job& job, Unpacking how) { unpack<T>(job, how); }));
  return kernel;
}

struct UnpackingPivots {
  Form form;
  std::size_t tile;
};

/// Pivots, which count from 1 and from the first row of their tile, as numbers of rows of the matrix.
const runtime::Kernel<UnpackingPivots>& unpack_pivots_kernel() {
  static const runtime::Kernel<UnpackingPivots> kernel(
      "UNPACK_PIVOTS", runtime::on_cpu([](const runtime::Job& job, UnpackingPivots how) {
        const std::size_t count = job.arguments().size();
        std::size_t row = 0;
        for (std::size_t k = 1; k < count; ++k) {
          const auto* const pivots = static_cast<const linalg::blas::Pivot*>(job.argument(k).piece.address);
          for (std::size_t i = 0; i < job.argument(k).shape.rows; ++i) {
            const auto pivot = static_cast<std::int32_t>(pivots[i] - 1 + static_cast<std::int32_t>((k - 1) * how.tile));
            std::memcpy(how.form.at(job.argument(0), row++, 0), &pivot, sizeof(pivot));
          }
        }
      }));
  return kernel;
}

/// What the tasks of one call work on, without the interpreter's lock.
template <class T>
class Tiles {
 public:
  Tiles(runtime::Runtime& runtime, std::size_t tile) : runtime_(runtime), tile_(tile) {}

  /// Zeros.
  TiledMatrix<T>& make(std::size_t rows, std::size_t columns) {
    auto tiles = std::make_shared<TiledMatrix<T>>(runtime_, rows, columns, tile_);
    kept_.push_back(tiles);
    return *tiles;
  }
  /// With what is in the array by then.
  TiledMatrix<T>& pack(const Operand& array) {
    TiledMatrix<T>& tiles = make(array.rows, array.columns);
    for (std::int32_t j = 0; j < tiles.tile_columns(); ++j) {
      for (std::int32_t i = 0; i < tiles.tile_rows(); ++i) {
        const Packing packing{form_of(array), static_cast<std::size_t>(i) * tiles.tile_size(),
                              static_cast<std::size_t>(j) * tiles.tile_size()};
        runtime_.submit(pack_kernel<T>(), packing, runtime::write(tiles(i, j)),
                        runtime::also({use_of(*array.datum, AccessMode::read)}));
      }
    }
    return tiles;
  }
  void unpack(const TiledMatrix<T>& tiles, const Operand& array, Part part = Part::all) {
    const std::size_t side = tiles.tile_size();
    const std::size_t tile_rows = (array.rows + side - 1) / side;
    std::vector<runtime::AnyUse> uses{use_of(*array.datum, AccessMode::write)};
    for (std::size_t j = 0; j * side < array.columns; ++j) {
      for (std::size_t i = 0; i < tile_rows; ++i) {
        uses.emplace_back(runtime::read(tiles(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j))));
      }
    }
    runtime_.submit(unpack_kernel<T>(), Unpacking{form_of(array), array.rows, array.columns, side, tile_rows, part},
                    runtime::also(std::move(uses)));
  }
  void unpack(const linalg::Pivots& pivots, std::int32_t count, std::size_t side, const Operand& array) {
    std::vector<runtime::AnyUse> uses{use_of(*array.datum, AccessMode::write)};
    for (std::int32_t k = 0; k < count; ++k) uses.emplace_back(runtime::read(pivots(k)));
    runtime_.submit(unpack_pivots_kernel(), UnpackingPivots{form_of(array), side}, runtime::also(std::move(uses)));
  }
  template <class Thing>
  Thing& keep(Thing thing) {
    auto kept = std::make_shared<Thing>(std::move(thing));
    kept_.push_back(kept);
    return *kept;
  }
  [[nodiscard]] runtime::Runtime& runtime() const { return runtime_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const void>>& kept() const { return kept_; }

 private:
  runtime::Runtime& runtime_;
  std::size_t tile_;
  std::vector<std::shared_ptr<const void>> kept_;
};

/// The array in a computation with numbers of `type`.
Operand operand(Session& session, const std::string& name, const py::array& array, AccessMode mode,
                const py::dtype& type) {
  const std::string what = "'" + name + "'";
  if (array.ndim() != 2 || array.size() == 0) {
    throw InputError(what + " is an array of " + std::to_string(array.ndim()) + " dimensions and " +
                     std::to_string(array.size()) + " elements; expected a matrix");
  }
  if (!array.dtype().equal(type)) {
    throw InputError(what + " is an array of " + std::string(py::str(array.dtype())) + "; expected " +
                     std::string(py::str(py::object(type))));
  }
  return {datum_of(session, array, mode, what), static_cast<std::size_t>(array.shape(0)),
          static_cast<std::size_t>(array.shape(1)), static_cast<std::size_t>(array.strides(0)),
          static_cast<std::size_t>(array.strides(1))};
}

void check(bool holds, const std::string& sentence) {
  if (!holds) throw InputError(sentence);
}

/// Calls compute(tiles) with the type of the elements, float64 or float32. Keeps what the tasks need, `used` among it,
/// after they are submitted: until then, a thread that waits may let go of what is kept, as no task uses it.
template <class Compute>
void compute_in(const PyRuntime& self, const py::array& first, std::size_t tile, const Compute& compute,
                std::vector<std::shared_ptr<const void>> used = {}) {
  const auto session = self.session();
  const auto submit = [&]<class T>(std::type_identity<T>) {
    const py::dtype type = py::dtype::of<T>();
    const auto operands = [&](const std::string& name, const py::array& array, AccessMode mode) {
      Operand found = operand(*session, name, array, mode, type);
      used.push_back(found.datum);
      return found;
    };
    auto tasks = compute(operands);
    session->natively([&](runtime::Runtime& runtime) {
      Tiles<T> tiles(runtime, tile);
      tasks(tiles);
      used.insert(used.end(), tiles.kept().begin(), tiles.kept().end());
    });
    session->kept().add({{}, std::move(used)});
  };
  if (first.dtype().equal(py::dtype::of<float>())) return submit(std::type_identity<float>());
  submit(std::type_identity<double>());
}

void check_square(const Operand& a) {
  check(a.rows == a.columns, "'a' has " + std::to_string(a.rows) + " rows and " + std::to_string(a.columns) +
                                 " columns; expected a square matrix");
}

void cholesky(const PyRuntime& self, const py::array& a, std::size_t tile) {
  compute_in(self, a, tile, [&](const auto& use) {
    return [a = use("a", a, AccessMode::read_write)](auto& tiles) {
      check_square(a);
      auto& factor = tiles.pack(a);
      linalg::cholesky(tiles.runtime(), factor);
      tiles.unpack(factor, a, Part::lower);
    };
  });
}

void lu(const PyRuntime& self, const py::array& a, const py::array& pivots, std::size_t tile) {
  const auto session = self.session();
  const std::string what = "'pivots'";
  check(pivots.ndim() == 1 && a.ndim() == 2 && pivots.size() == a.shape(0) &&
            pivots.dtype().equal(py::dtype::of<std::int32_t>()),
        what + " is an array of " + std::to_string(pivots.size()) + " elements of " +
            std::string(py::str(pivots.dtype())) + "; expected one int32 for each row of 'a'");
  const Operand rows{datum_of(*session, pivots, AccessMode::write, what), static_cast<std::size_t>(pivots.size()), 1,
                     static_cast<std::size_t>(pivots.strides(0)), 0};
  const auto tasks = [&](const auto& use) {
    return [a = use("a", a, AccessMode::read_write), rows](auto& tiles) {
      check_square(a);
      auto& factors = tiles.pack(a);
      const auto& exchanged = tiles.keep(linalg::pivoted_lu(tiles.runtime(), factors));
      tiles.unpack(factors, a);
      tiles.unpack(exchanged, factors.tile_columns(), factors.tile_size(), rows);
    };
  };
  compute_in(self, a, tile, tasks, {rows.datum});
}

void solve(const PyRuntime& self, const py::array& a, const py::array& b, bool positive, std::size_t tile) {
  compute_in(self, a, tile, [&](const auto& use) {
    return [a = use("a", a, AccessMode::read), b = use("b", b, AccessMode::read_write), positive](auto& tiles) {
      check_square(a);
      check(a.rows == b.rows,
            "'b' has " + std::to_string(b.rows) + " rows; expected " + std::to_string(a.rows) + " as 'a' has");
      auto& factors = tiles.pack(a);
      auto& solution = tiles.pack(b);
      if (positive) {
        linalg::cholesky(tiles.runtime(), factors);
        linalg::cholesky_solve(tiles.runtime(), factors, solution);
      } else {
        const auto& pivots = tiles.keep(linalg::pivoted_lu(tiles.runtime(), factors));
        linalg::lu_solve(tiles.runtime(), factors, pivots, solution);
      }
      tiles.unpack(solution, b);
    };
  });
}

void check_tall(const Operand& a) {
  check(a.rows >= a.columns, "'a' has " + std::to_string(a.rows) + " rows and " + std::to_string(a.columns) +
                                 " columns; expected at least as many rows as columns");
}

void check_shape(const std::string& name, const Operand& array, std::size_t rows, std::size_t columns) {
  check(array.rows == rows && array.columns == columns, "'" + name + "' is " + std::to_string(array.rows) + " x " +
                                                            std::to_string(array.columns) + "; expected " +
                                                            std::to_string(rows) + " x " + std::to_string(columns));
}

void qr(const PyRuntime& self, const py::array& a, const py::array& q, const py::array& r, std::size_t tile) {
  compute_in(self, a, tile, [&](const auto& use) {
    return [a = use("a", a, AccessMode::read), q = use("q", q, AccessMode::write),
            r = use("r", r, AccessMode::write)](auto& tiles) {
      check_tall(a);
      check_shape("q", q, a.rows, a.columns);
      check_shape("r", r, a.columns, a.columns);
      auto& factors = tiles.pack(a);
      const auto& reflectors = tiles.keep(linalg::qr(tiles.runtime(), factors));
      tiles.unpack(factors, r, Part::upper);
      auto& product = tiles.make(a.rows, a.columns);
      for (std::int32_t i = 0; i < product.tile_columns(); ++i) {
        const auto square = product.view(i, i);  // which no task uses yet
        for (std::size_t k = 0; k < std::min(square.rows, square.columns); ++k) square(k, k) = 1;
      }
      linalg::apply_q(tiles.runtime(), linalg::blas::Op::plain, factors, reflectors, product);
      tiles.unpack(product, q);
    };
  });
}

void lstsq(const PyRuntime& self, const py::array& a, const py::array& b, const py::array& x, std::size_t tile) {
  compute_in(self, a, tile, [&](const auto& use) {
    return [a = use("a", a, AccessMode::read), b = use("b", b, AccessMode::read),
            x = use("x", x, AccessMode::write)](auto& tiles) {
      check_tall(a);
      check_shape("b", b, a.rows, b.columns);
      check_shape("x", x, a.columns, b.columns);
      auto& factors = tiles.pack(a);
      auto& solution = tiles.pack(b);
      const auto& reflectors = tiles.keep(linalg::qr(tiles.runtime(), factors));
      linalg::qr_solve(tiles.runtime(), factors, reflectors, solution);
      tiles.unpack(solution, x);
    };
  });
}

void gemm(const PyRuntime& self, const py::array& a, const py::array& b, const py::array& c, double alpha, double beta,
          std::size_t tile) {
  compute_in(self, a, tile, [&](const auto& use) {
    return [a = use("a", a, AccessMode::read), b = use("b", b, AccessMode::read),
            c = use("c", c, AccessMode::read_write), alpha, beta]<class T>(Tiles<T>& tiles) {
      check_shape("b", b, a.columns, b.columns);
      check_shape("c", c, a.rows, b.columns);
      auto& product = beta == 0 ? tiles.make(c.rows, c.columns) : tiles.pack(c);
      linalg::gemm(tiles.runtime(), static_cast<T>(alpha), tiles.pack(a), tiles.pack(b), static_cast<T>(beta), product);
      tiles.unpack(product, c);
    };
  });
}

}  // namespace

void bind_linalg(py::module_& module) {
  module.def("cholesky", &cholesky, py::arg("runtime"), py::arg("a"), py::arg("tile"));
  module.def("lu", &lu, py::arg("runtime"), py::arg("a"), py::arg("pivots"), py::arg("tile"));
  module.def("solve", &solve, py::arg("runtime"), py::arg("a"), py::arg("b"), py::arg("positive"), py::arg("tile"));
  module.def("qr", &qr, py::arg("runtime"), py::arg("a"), py::arg("q"), py::arg("r"), py::arg("tile"));
  module.def("lstsq", &lstsq, py::arg("runtime"), py::arg("a"), py::arg("b"), py::arg("x"), py::arg("tile"));
  module.def("gemm", &gemm, py::arg("runtime"), py::arg("a"), py::arg("b"), py::arg("c"), py::arg("alpha"),
             py::arg("beta"), py::arg("tile"));
}

}  // namespace heddle::python
