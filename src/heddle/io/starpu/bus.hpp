#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::io {

/// How many devices a machine had when StarPU measured its bus (`bus/<host>.config`).
struct BusConfig {
  std::uint32_t cpu_cores = 0;
  std::uint32_t cuda_devices = 0;
};

/// A square matrix over memory nodes, row = source, column = destination: the main memory (or NUMA nodes), CUDA
/// devices, then devices of other kinds. Absent cells were not measured.
class BusMatrix {
 public:
  explicit BusMatrix(std::vector<std::vector<std::optional<std::int64_t>>> rows) : rows_(std::move(rows)) {}
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Absent also outside the matrix.
  [[nodiscard]] std::optional<std::int64_t> at(std::size_t from, std::size_t to) const {
    if (from >= rows_.size() || to >= rows_[from].size()) return std::nullopt;
    return rows_[from][to];
  }

 private:
  std::vector<std::vector<std::optional<std::int64_t>>> rows_;
};

/// The readers throw InputError that starts with `source` and the line.
[[nodiscard]] BusConfig parse_bus_config(std::string_view text, const std::string& source);
/// `bus/<host>.bandwidth`, in bytes per second.
[[nodiscard]] BusMatrix parse_bus_bandwidth(std::string_view text, const std::string& source);
/// `bus/<host>.latency`, in picoseconds.
[[nodiscard]] BusMatrix parse_bus_latency(std::string_view text, const std::string& source);
/// How many nodes of the matrices are main memory, from the heading of `bus/<host>.affinity`: 1, or the number of NUMA
/// nodes where the machine was measured with them. The first of them then stands for "ram".
[[nodiscard]] std::size_t parse_bus_memories(std::string_view text, const std::string& source);

}  // namespace heddle::io
