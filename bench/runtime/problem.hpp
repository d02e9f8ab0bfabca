#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heddle/model/task_graph.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::bench {

using Tile = runtime::Matrix<double>;
using ConstTile = runtime::Matrix<const double>;

/// What a task does: some tiles are read, one is read and written.
using Body = std::function<void(TypeId kernel, std::span<const ConstTile> read, const Tile& written)>;

/// A task graph and the data that its tasks access: what every system is given. Of the accesses of a task the last is
/// read-write, those before, kMostReads at most, are reads.
struct Problem {
  static constexpr std::size_t kMostReads = 3;

  TaskGraph graph;
  std::vector<Tile> tiles;  ///< by datum
  Body body{};              ///< null: tasks do nothing

  void call(TypeId kernel, std::span<const ConstTile> read, const Tile& written) const {
    if (body != nullptr) body(kernel, read, written);
  }
  /// Runs a task, for systems that do not hand the data to it.
  void run(TaskId task) const {
    if (body != nullptr) run_body(task);
  }
  [[nodiscard]] const Tile& tile(Access access) const { return tiles[index(access.data)]; }

 private:
  void run_body(TaskId task) const;
};

}  // namespace heddle::bench
