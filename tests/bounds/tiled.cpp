#include "tests/bounds/tiled.hpp"

#include <map>
#include <span>
#include <utility>

namespace heddle::test {
namespace {

using Nanoseconds = std::map<std::string, Time>;

/// Kumar 2017, Table 4.1; LU's GETRF takes POTRF's rate and LU's TRSMs take TRSM's.
const std::map<std::string, Nanoseconds>& timings() {
  static const std::map<std::string, Nanoseconds> table{
      {"POTRF", {{"cpu", 10615983}, {"cpu2", 5646799}, {"cpu5", 2527615}, {"cpu10", 1912790}, {"gpu", 6172083}}},
      {"TRSM", {{"cpu", 25704126}, {"cpu2", 13181603}, {"cpu5", 5712028}, {"cpu10", 3808019}, {"gpu", 2947721}}},
      {"SYRK", {{"cpu", 28098274}, {"cpu2", 14558691}, {"cpu5", 6029673}, {"cpu10", 4072214}, {"gpu", 1042221}}},
      {"GEMM", {{"cpu", 48531871}, {"cpu2", 25016428}, {"cpu5", 10808880}, {"cpu10", 6246058}, {"gpu", 1685134}}},
      {"GETRF", {{"cpu", 21231965}, {"cpu2", 11293599}, {"cpu5", 5055230}, {"cpu10", 3825579}, {"gpu", 12344166}}},
      {"GEQRT", {{"cpu", 53426087}, {"cpu2", 40169990}, {"cpu5", 31991669}, {"cpu10", 32379447}, {"gpu", 27971773}}},
      {"ORMQR", {{"cpu", 52382238}, {"cpu2", 29594485}, {"cpu5", 15873405}, {"cpu10", 12776156}, {"gpu", 3294480}}},
      {"TSQRT", {{"cpu", 100367102}, {"cpu2", 86523363}, {"cpu5", 80293681}, {"cpu10", 137489180}, {"gpu", 53672247}}},
      {"TSMQR", {{"cpu", 107468691}, {"cpu2", 56266330}, {"cpu5", 26535479}, {"cpu10", 15485402}, {"gpu", 7340758}}}};
  return table;
}

/// Calls of kernels on tiles become tasks; the builder finds the dependencies.
class Tiles {
 public:
  explicit Tiles(int tiles) : tiles_(tiles) {
    for (int i = 0; i < 2 * tiles * tiles; ++i) builder_.add_datum({"tile" + std::to_string(i), 0, "ram"});
  }

  struct Tile {
    int row;
    int column;
    bool householder = false;  ///< QR's V of a diagonal tile
  };

  void call(const std::string& kernel, const std::vector<Tile>& read, const std::vector<Tile>& changed) {
    const auto [type, added] = types_.try_emplace(kernel);
    if (added) type->second = builder_.add_type(kernel);
    std::vector<Access> accesses;
    for (const Tile& tile : read) accesses.push_back({datum(tile), AccessMode::read});
    for (const Tile& tile : changed) accesses.push_back({datum(tile), AccessMode::read_write});
    builder_.add_task(kernel + std::to_string(builder_.task_count()), type->second, accesses);
  }
  TaskGraph build() { return builder_.build(); }

 private:
  [[nodiscard]] DataId datum(const Tile& tile) const {
    const int number = (tile.householder ? tiles_ * tiles_ : 0) + tile.row * tiles_ + tile.column;
    return make_id<DataId>(static_cast<std::size_t>(number));
  }

  int tiles_;
  TaskGraphBuilder builder_;
  std::map<std::string, TypeId> types_;
};

void cholesky(Tiles& tiles, int n) {
  for (int i = 0; i < n; ++i) {
    tiles.call("POTRF", {}, {{i, i}});
    for (int j = i + 1; j < n; ++j) tiles.call("TRSM", {{i, i}}, {{j, i}});
    for (int k = i + 1; k < n; ++k) {
      tiles.call("SYRK", {{k, i}}, {{k, k}});
      for (int j = k + 1; j < n; ++j) tiles.call("GEMM", {{j, i}, {k, i}}, {{j, k}});
    }
  }
}

void lu(Tiles& tiles, int size) {
  for (int k = 0; k < size; ++k) {
    tiles.call("GETRF", {}, {{k, k}});
    for (int m = k + 1; m < size; ++m) tiles.call("TRSM_U", {{k, k}}, {{m, k}});
    for (int n = k + 1; n < size; ++n) {
      tiles.call("TRSM_L", {{k, k}}, {{k, n}});
      for (int m = k + 1; m < size; ++m) tiles.call("GEMM", {{m, k}, {k, n}}, {{m, n}});
    }
  }
}

void qr(Tiles& tiles, int size) {
  for (int k = 0; k < size; ++k) {
    tiles.call("GEQRT", {}, {{k, k}, {k, k, true}});
    for (int n = k + 1; n < size; ++n) tiles.call("ORMQR", {{k, k, true}}, {{k, n}});
    for (int m = k + 1; m < size; ++m) {
      tiles.call("TSQRT", {}, {{k, k}, {m, k}});
      for (int n = k + 1; n < size; ++n) tiles.call("TSMQR", {{m, k}}, {{m, n}, {k, n}});
    }
  }
}

const Nanoseconds& durations(std::string kernel) {
  if (kernel == "TRSM_U" || kernel == "TRSM_L") kernel = "TRSM";
  return timings().at(kernel);
}

}  // namespace

Instance tiled_instance(const std::string& algorithm, int tiles, const std::vector<ClassSize>& classes) {
  Tiles calls(tiles);
  if (algorithm == "cholesky") cholesky(calls, tiles);
  if (algorithm == "lu") lu(calls, tiles);
  if (algorithm == "qr") qr(calls, tiles);
  TaskGraph graph = calls.build();
  std::vector<ResourceClass> resources;
  for (const ClassSize& size : classes) resources.push_back({size.name, size.workers, "ram", {}});
  Platform platform(std::move(resources));
  Costs costs(graph, platform.class_count());
  for (const TypeId type : graph.types()) {
    const Nanoseconds& by_class = durations(std::string(graph.type_name(type)));
    for (const ClassId c : platform.classes()) {
      costs.set_actual(Costs::row(type), c, by_class.at(platform.class_name(c)) * 1000);
    }
  }
  return make_instance(algorithm + std::to_string(tiles), std::move(graph), std::move(platform), std::move(costs));
}

}  // namespace heddle::test
