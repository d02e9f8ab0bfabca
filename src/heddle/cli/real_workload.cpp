#include "heddle/cli/real_workload.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "heddle/cli/input.hpp"
#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/blas.hpp"
#include "heddle/linalg/synthetic.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/linalg/timed_tasks.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/report/format.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/threads/workers.hpp"

namespace heddle::cli {
namespace {

using linalg::DenseMatrix;
using linalg::TiledMatrix;
using runtime::Runtime;

/// Large enough for kernels to be fast, small enough for some parallelism.
std::size_t tile_size(const Options& options, std::size_t n) {
  if (options.has("tile")) return options.integer("tile");
  constexpr std::size_t kLeast = 32;
  constexpr std::size_t kMost = 256;
  constexpr std::size_t kTiles = 8;
  return std::clamp(n / kTiles, kLeast, kMost);
}

double side(const Options& options, std::string_view name = "n") {
  return static_cast<double>(options.integer(name));
}

/// A side of the matrix, in tiles.
double tiles(const Options& options, std::string_view name = "n") {
  return std::ceil(side(options, name) / static_cast<double>(tile_size(options, options.integer("n"))));
}

/// More tasks are not kept at once: they take gigabytes.
constexpr std::uint64_t kMostTasks = 20'000'000;
/// A record of a task, its data, and what the trace knows of it.
constexpr double kTaskBytes = 1100;

struct Size {
  double tasks;
  double elements;  ///< of the matrices that are there at a time
};

/// Throws InputError when that is too much.
void check_size(const Options& options, const Size& size) {
  if (size.tasks > static_cast<double>(kMostTasks)) {
    throw InputError(fmt::format(
        "{}: tiles of side {} make {:.3g} tasks, and at most {} million are run at once; expected larger tiles",
        options.owner(), tile_size(options, options.integer("n")), size.tasks, kMostTasks / 1'000'000));
  }
  const double matrices = size.elements * (options.text("precision") == "single" ? 4 : 8);
  check_memory(options.owner(), matrices + size.tasks * kTaskBytes);
}

template <class T>
DenseMatrix<T> dense(const TiledMatrix<T>& tiled) {
  DenseMatrix<T> result(tiled.rows(), tiled.columns());
  tiled.copy_to(result.view());
  return result;
}

/// A random matrix, and a tiled copy that is factorized.
template <class T>
class Factorization : public RealWorkload {
 public:
  Factorization(Runtime& runtime, const Options& options, DenseMatrix<T> a)
      : runtime_(runtime),
        original_(std::move(a)),
        tiled_(runtime, original_.view(), tile_size(options, original_.view().columns)) {}

 protected:
  [[nodiscard]] Runtime& runtime() { return runtime_; }
  [[nodiscard]] linalg::Matrix<const T> original() const { return original_.view(); }
  [[nodiscard]] TiledMatrix<T>& tiled() { return tiled_; }
  [[nodiscard]] double rows() const { return static_cast<double>(tiled_.rows()); }
  [[nodiscard]] double columns() const { return static_cast<double>(tiled_.columns()); }

 private:
  Runtime& runtime_;
  const DenseMatrix<T> original_;
  TiledMatrix<T> tiled_;
};

// Operations: LAPACK Working Note 41, appendix C.

template <class T>
class Cholesky final : public Factorization<T> {
 public:
  Cholesky(Runtime& runtime, const Options& options, std::uint64_t seed, const linalg::Watch& watch)
      : Factorization<T>(runtime, options, linalg::random_definite<T>(options.integer("n"), true, seed, watch)) {}

  static Size size(const Options& options) {
    const double t = tiles(options);
    const double n = side(options);
    return {t * (t + 1) * (t + 2) / 6, 3 * n * n};
  }
  void submit() override { cholesky(this->runtime(), this->tiled()); }
  [[nodiscard]] double operations() const override {
    const double n = this->columns();
    return n * n * n / 3 + n * n / 2 + n / 6;
  }
  [[nodiscard]] double residual(const linalg::Watch& watch) override {
    return linalg::cholesky_residual<T>(this->original(), dense(this->tiled()).view(), watch);
  }
};

template <class T>
class Lu final : public Factorization<T> {
 public:
  Lu(Runtime& runtime, const Options& options, std::uint64_t seed, const linalg::Watch& watch)
      : Factorization<T>(runtime, options, random(options, seed, watch)), pivoting_(pivots(options)) {}

  static Size size(const Options& options) {
    const double t = tiles(options);
    const double n = side(options);
    return {t * (t + 1) * (2 * t + 1) / 6, 3 * n * n};
  }
  void submit() override {
    if (pivoting_) {
      pivots_.emplace(pivoted_lu(this->runtime(), this->tiled()));
    } else {
      lu(this->runtime(), this->tiled());
    }
  }
  [[nodiscard]] double operations() const override {
    const double n = this->columns();
    return 2 * n * n * n / 3 - n * n / 2 + 5 * n / 6;
  }
  [[nodiscard]] double residual(const linalg::Watch& watch) override {
    const DenseMatrix<T> result = dense(this->tiled());
    return pivots_ ? linalg::lu_residual<T>(this->original(), result.view(), pivots_->all(), watch)
                   : linalg::lu_residual<T>(this->original(), result.view(), {}, watch);
  }

 private:
  static bool pivots(const Options& options) { return options.text("pivoting") == "partial"; }
  static DenseMatrix<T> random(const Options& options, std::uint64_t seed, const linalg::Watch& watch) {
    const std::size_t n = options.integer("n");
    return pivots(options) ? linalg::random_matrix<T>(n, n, seed, watch)
                           : linalg::random_definite<T>(n, false, seed, watch);
  }

  bool pivoting_;
  std::optional<linalg::Pivots> pivots_;
};

template <class T>
class Qr final : public Factorization<T> {
 public:
  Qr(Runtime& runtime, const Options& options, std::uint64_t seed, const linalg::Watch& watch)
      : Factorization<T>(runtime, options, random(options, seed, watch)) {}

  static Size size(const Options& options) {
    const std::string_view longer = options.has("m") ? "m" : "n";
    const double t = tiles(options);
    const double n = side(options);
    const double m = side(options, longer);
    return {t * (t + 1) / 2 * (tiles(options, longer) - t + (2 * t + 1) / 3), 4 * m * n + 2 * m * m};
  }
  void submit() override { q_.emplace(qr(this->runtime(), this->tiled())); }
  [[nodiscard]] double operations() const override {
    const double m = this->rows();
    const double n = this->columns();
    return 2 * m * n * n - 2 * n * n * n / 3 + m * n + n * n + 14 * n / 3;
  }
  [[nodiscard]] double residual(const linalg::Watch& watch) override {
    return linalg::qr_residual<T>(this->runtime(), this->original(), this->tiled(), *q_, watch);
  }

 private:
  static DenseMatrix<T> random(const Options& options, std::uint64_t seed, const linalg::Watch& watch) {
    const std::size_t n = options.integer("n");
    const std::size_t m = options.has("m") ? options.integer("m") : n;
    if (m < n) throw InputError(options.owner() + ": m is less than n; QR is of at least as many rows as columns");
    return linalg::random_matrix<T>(m, n, seed, watch);
  }

  std::optional<linalg::Reflectors<T>> q_;
};

template <class T>
class Product final : public RealWorkload {
 public:
  Product(Runtime& runtime, const Options& options, std::uint64_t seed, const linalg::Watch& watch)
      : runtime_(runtime),
        n_(options.integer("n")),
        tile_(tile_size(options, n_)),
        a_(random(seed, linalg::part_of(watch, 0, kThird))),
        b_(random(seed + 1, linalg::part_of(watch, kThird, 2 * kThird))),
        c_(random(seed + 2, linalg::part_of(watch, 2 * kThird, 1))) {}

  static Size size(const Options& options) { return {std::pow(tiles(options), 3), 7 * std::pow(side(options), 2)}; }
  void submit() override { gemm<T>(runtime_, 1, tiled_a_, tiled_b_, 1, tiled_c_); }
  [[nodiscard]] double operations() const override {
    const auto n = static_cast<double>(n_);
    return 2 * n * n * n;
  }
  [[nodiscard]] double residual(const linalg::Watch& watch) override {
    return linalg::product_residual<T>(1, a_.view(), b_.view(), 1, c_.view(), dense(tiled_c_).view(), watch);
  }

 private:
  static constexpr double kThird = 1.0 / 3;

  [[nodiscard]] DenseMatrix<T> random(std::uint64_t seed, const linalg::Watch& watch) const {
    return linalg::random_matrix<T>(n_, n_, seed, watch);
  }

  Runtime& runtime_;
  std::size_t n_;
  std::size_t tile_;
  const DenseMatrix<T> a_;
  const DenseMatrix<T> b_;
  const DenseMatrix<T> c_;
  TiledMatrix<T> tiled_a_{runtime_, a_.view(), tile_};
  TiledMatrix<T> tiled_b_{runtime_, b_.view(), tile_};
  TiledMatrix<T> tiled_c_{runtime_, c_.view(), tile_};
};

class SyntheticTasks final : public RealWorkload {
 public:
  SyntheticTasks(Runtime& runtime, const Options& options, std::uint64_t seed)
      : tasks_(runtime, options.integer("tasks"), seed) {}

  void submit() override { tasks_.submit(); }
  [[nodiscard]] double operations() const override { return tasks_.operations(); }
  [[nodiscard]] double residual(const linalg::Watch& watch) override {
    return tasks_.wrong_data(watch) == 0 ? 0 : std::numeric_limits<double>::infinity();
  }

 private:
  linalg::Synthetic tasks_;
};

class Timed final : public RealWorkload {
 public:
  Timed(Runtime& runtime, Instance instance) : tasks_(runtime, std::move(instance)) {}

  void submit() override { tasks_.submit(); }
  [[nodiscard]] double operations() const override { return 0; }
  [[nodiscard]] double residual(const linalg::Watch& /*watch*/) override {
    return tasks_.wrong_data() == 0 ? 0 : std::numeric_limits<double>::infinity();
  }

 private:
  linalg::TimedTasks tasks_;
};

template <template <class> class W>
std::unique_ptr<RealWorkload> make(Runtime& runtime, const Options& options, std::uint64_t seed,
                                   const linalg::Watch& watch) {
  check_size(options, W<double>::size(options));
  if (options.text("precision") == "single") return std::make_unique<W<float>>(runtime, options, seed, watch);
  return std::make_unique<W<double>>(runtime, options, seed, watch);
}

std::unique_ptr<RealWorkload> make_synthetic(Runtime& runtime, const Options& options, std::uint64_t seed,
                                             const linalg::Watch& /*watch*/) {
  check_memory(options.owner(), static_cast<double>(options.integer("tasks")) * kTaskBytes);
  return std::make_unique<SyntheticTasks>(runtime, options, seed);
}

std::unique_ptr<RealWorkload> make_timed(Runtime& runtime, const Options& options, std::uint64_t /*seed*/,
                                         const linalg::Watch& /*watch*/) {
  if (!options.has("file")) throw InputError(options.owner() + " has no file; expected timed:file=tasks.json");
  Instance instance = input::load_instance(options.text("file"), {}).instance;
  double bytes = static_cast<double>(instance.graph.task_count()) * kTaskBytes;
  for (const Datum& datum : instance.graph.data()) bytes += static_cast<double>(datum.bytes);
  check_memory(options.owner(), bytes);
  return std::make_unique<Timed>(runtime, std::move(instance));
}

/// Those of every workload on matrices, and more.
std::vector<Option> matrix_options(std::vector<Option> more = {}) {
  constexpr std::uint64_t kMost = 1'000'000;
  std::vector<Option> options{integer("n", "2048", 1, kMost, "Side of the matrix."),
                              integer("tile", "", 1, kMost, "Side of a tile; by default n / 8, from 32 to 256."),
                              choice("precision", "double", {"single", "double"}, "Of the elements.")};
  for (Option& option : more) options.push_back(std::move(option));
  return options;
}

}  // namespace

void check_memory(const std::string& what, double bytes) {
  const std::uint64_t memory = runtime::cpu().memory_bytes;
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < memory;
  const std::uint64_t most = limited ? limit.rlim_cur : memory;
  if (most == 0 || bytes <= static_cast<double>(most)) return;
  throw InputError(fmt::format("{}: that takes {:.4g} GiB of memory, and this {} has {}", what,
                               bytes / static_cast<double>(std::uint64_t{1} << 30), limited ? "process" : "machine",
                               report::format_bytes(static_cast<std::int64_t>(most))));
}

void check_workspace(const std::string& workers, std::size_t tasks) {
  std::size_t threads = 1;  // this one computes the residual
  for (const runtime::WorkerClass& one : runtime::parse_workers(workers, runtime::cpu().cores)) {
    threads += std::size_t{one.workers} * std::max<std::uint32_t>(one.cores, 1);
  }
  linalg::blas::check_workspace(threads, tasks * static_cast<std::size_t>(kTaskBytes));
}

std::span<const RealWorkloadEntry> real_workloads() {
  constexpr std::uint64_t kMost = 1'000'000;
  static const std::vector<RealWorkloadEntry> table{
      {"cholesky", "Cholesky factorization of a symmetric positive definite matrix.", matrix_options(), make<Cholesky>},
      {"lu", "LU factorization.",
       matrix_options(
           {choice("pivoting", "none", {"none", "partial"}, "Of rows; without, the matrix is one that needs none.")}),
       make<Lu>},
      {"qr", "QR factorization with a flat reduction tree.",
       matrix_options({integer("m", "", 1, kMost, "Rows of the matrix; by default as many as columns, n.")}), make<Qr>},
      {"gemm", "Matrix product C := A B + C.", matrix_options(), make<Product>},
      {"synthetic",
       "Vectors added, subtracted and scaled, matrices multiplied, in mixed sizes, modulo 2^32.",
       {integer("tasks", "100000", 1, kMostTasks, "How many.")},
       make_synthetic},
      {"timed",
       "The tasks of an instance, which only wait: as long as it says, on cores as on its first class, on OpenCL "
       "devices "
       "as on its second.",
       {text("file", "", "The instance; required.")},
       make_timed,
       false}};
  return table;
}

ChosenWorkload parse_real_workload(std::string_view text) {
  const std::string name(text.substr(0, text.find(':')));
  const auto entry = std::ranges::find(real_workloads(), name, &RealWorkloadEntry::name);
  if (entry == real_workloads().end()) {
    std::vector<std::string> names;
    for (const RealWorkloadEntry& known : real_workloads()) names.push_back(known.name);
    throw InputError("there is no workload '" + name + "' to run" + suggest(name, names));
  }
  const NamedSettings spec = parse_spec("workload", text);
  return {&*entry, Options("workload '" + name + "'", entry->options, spec.settings)};
}

ChosenWorkload small_version(const ChosenWorkload& chosen) {
  constexpr std::uint64_t kTiles = 4;
  constexpr std::uint64_t kTasks = 400;
  const Options& options = chosen.options;
  std::vector<Setting> settings;
  const auto set = [&](const std::string& name, std::uint64_t value) {
    settings.push_back({name, std::to_string(value)});
  };
  for (const Option& option : chosen.entry->options) {
    const std::string& name = option.name;
    if (name == "tile") {
      set(name, tile_size(options, options.integer("n")));
    } else if (!options.has(name)) {
      continue;
    } else if (name == "tasks") {
      set(name, std::min(options.integer(name), kTasks));
    } else if (name == "n" || name == "m") {
      set(name, std::min(options.integer(name), kTiles * tile_size(options, options.integer("n"))));
    } else {
      settings.push_back({name, options.text(name)});
    }
  }
  return {chosen.entry, Options(options.owner(), chosen.entry->options, settings)};
}

}  // namespace heddle::cli
