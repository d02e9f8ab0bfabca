#pragma once

#include <cstdint>
#include <optional>
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
/// devices, then devices of other kinds.
class BusMatrix {
 public:
  using Row = std::vector<std::optional<std::int64_t>>;

  explicit BusMatrix(std::vector<Row> rows) : rows_(std::move(rows)) {}
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Nothing where it was not measured, and outside the matrix.
  [[nodiscard]] std::optional<std::int64_t> at(std::size_t from, std::size_t to) const {
    if (from >= rows_.size() || to >= rows_[from].size()) return std::nullopt;
    return rows_[from][to];
  }

 private:
  std::vector<Row> rows_;
};

/// The readers throw InputError: file, line, what was found, what was expected.
[[nodiscard]] BusConfig read_bus_config(std::string_view text, std::string_view source);
/// `bus/<host>.bandwidth`, in bytes per second.
[[nodiscard]] BusMatrix read_bus_bandwidth(std::string_view text, std::string_view source);
/// `bus/<host>.latency`, in picoseconds.
[[nodiscard]] BusMatrix read_bus_latency(std::string_view text, std::string_view source);
/// How many nodes of the matrices are main memory, by the heading of `bus/<host>.affinity`: 1, or the number of NUMA
/// nodes where they were measured one by one.
[[nodiscard]] std::size_t count_bus_memories(std::string_view affinity);

}  // namespace heddle::io
