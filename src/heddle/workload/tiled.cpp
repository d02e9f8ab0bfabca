#include "heddle/workload/tiled.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace heddle::workload {
namespace {

/// The data of a graph's tiles, made when a task first accesses them.
class TileData {
 public:
  TileData(TaskGraphBuilder& builder, const TileCounts& counts, std::int64_t tile_bytes)
      : builder_(&builder),
        tile_bytes_(tile_bytes),
        parts_{{{counts.rows, counts.inner, {}},
                {counts.inner, counts.columns, {}},
                {counts.rows, counts.columns, {}},
                {counts.rows, counts.inner, {}}}} {}

  [[nodiscard]] DataId of(const TileRef& tile) {
    Ids& part = parts_[static_cast<std::size_t>(tile.part)];
    const auto columns = static_cast<std::size_t>(part.columns);
    if (part.ids.empty()) part.ids.assign(static_cast<std::size_t>(part.rows) * columns, kNone<DataId>);
    DataId& id = part.ids[static_cast<std::size_t>(tile.row) * columns + static_cast<std::size_t>(tile.column)];
    if (id == kNone<DataId>) id = builder_->add_datum({name(tile), tile_bytes_});
    return id;
  }

 private:
  /// The data of one part, row by row; empty until its first access.
  struct Ids {
    std::int32_t rows;
    std::int32_t columns;
    std::vector<DataId> ids;
  };

  [[nodiscard]] static std::string name(const TileRef& tile) {
    return std::string(1, "ABCV"[static_cast<std::size_t>(tile.part)]) + "(" + std::to_string(tile.row) + "," +
           std::to_string(tile.column) + ")";
  }

  TaskGraphBuilder* builder_;
  std::int64_t tile_bytes_;
  std::array<Ids, 4> parts_;
};

constexpr std::array kCholesky{Kernel::potrf, Kernel::trsm, Kernel::syrk, Kernel::gemm};
constexpr std::array kLu{Kernel::getrf, Kernel::trsm_u, Kernel::trsm_l, Kernel::gemm};
constexpr std::array kQr{Kernel::geqrt, Kernel::ormqr, Kernel::tsqrt, Kernel::tsmqr};
constexpr std::array kGemm{Kernel::gemm};

// The names of StarPU's example applications: s and d are the precisions.
constexpr std::array<std::string_view, 1> kCholeskyFamilies{"chol_model_"};
constexpr std::array<std::string_view, 2> kLuFamilies{"starpu_slu_", "starpu_dlu_"};
constexpr std::array<std::string_view, 5> kGemmFamilies{"starpu_sgemm_", "starpu_dgemm_", "starpu_slu_", "starpu_dlu_",
                                                        "chol_model_"};

}  // namespace

const KernelSet& kernels_of(Algorithm algorithm) {
  static constexpr std::array<KernelSet, 4> kSets{{{"cholesky", kCholesky, kCholeskyFamilies},
                                                   {"lu", kLu, kLuFamilies},
                                                   {"qr", kQr, {}},
                                                   {"gemm", kGemm, kGemmFamilies}}};
  return kSets[static_cast<std::size_t>(algorithm)];
}

std::vector<std::uint64_t> kernel_counts(Algorithm algorithm, const TileCounts& counts) {
  const auto n = static_cast<std::uint64_t>(counts.rows);
  const std::uint64_t pairs = n * (n - 1) / 2;
  switch (algorithm) {
    case Algorithm::cholesky:
      return {n, pairs, pairs, n * (n - 1) * (n - 2) / 6};
    case Algorithm::lu:
    case Algorithm::qr:
      return {n, pairs, pairs, (n - 1) * n * (2 * n - 1) / 6};
    case Algorithm::gemm:
      break;
  }
  return {n * static_cast<std::uint64_t>(counts.columns) * static_cast<std::uint64_t>(counts.inner)};
}

TaskGraph tiled_graph(Algorithm algorithm, const TileCounts& counts, std::int64_t tile_bytes) {
  TaskGraphBuilder builder;
  std::array<TypeId, 11> types{};
  for (const Kernel kernel : kernels_of(algorithm).kernels) {
    types[static_cast<std::size_t>(kernel)] = builder.add_type(to_string(kernel));
  }
  TileData data(builder, counts, tile_bytes);
  visit_tasks(algorithm, counts, [&](const TileTask& task) {
    std::array<Access, TileTask::kMaxAccesses> accesses{};
    for (std::size_t i = 0; i < task.access_count; ++i) {
      accesses[i] = {data.of(task.access[i].tile), task.access[i].mode};
    }
    builder.add_task(TileTaskName(task).view(), types[static_cast<std::size_t>(task.kernel)],
                     std::span(accesses).first(task.access_count));
  });
  return builder.build();
}

Costs tiled_costs(const TaskGraph& graph, Algorithm algorithm, const TileSize& size, const Machine& machine) {
  Costs costs(graph, machine.classes.size());
  const KernelSet& set = kernels_of(algorithm);
  for (std::size_t type = 0; type < set.kernels.size(); ++type) {
    const KernelTiming* timing = find_timing(machine, set, set.kernels[type], size);
    for (const ClassId c : ids<ClassId>(machine.classes.size())) {
      const auto same = std::ranges::find(timing->seconds, machine.classes[index(c)].name, &ClassTime::class_name);
      if (same != timing->seconds.end()) costs.set_actual(Costs::row(make_id<TypeId>(type)), c, same->duration);
    }
  }
  return costs;
}

}  // namespace heddle::workload
