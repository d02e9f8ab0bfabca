#include "problem.hpp"

#include <array>

namespace heddle::bench {

void Problem::run_body(TaskId task) const {
  const std::span<const Access> accesses = graph.accesses(task);
  std::array<ConstTile, kMostReads> read;
  const std::size_t reads = accesses.size() - 1;
  for (std::size_t i = 0; i < reads; ++i) read[i] = tile(accesses[i]);
  body(graph.type(task), std::span(read).first(reads), tile(accesses[reads]));
}

}  // namespace heddle::bench
