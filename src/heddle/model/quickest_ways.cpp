#include "heddle/model/quickest_ways.hpp"

#include <algorithm>

namespace heddle {

/// Floyd and Warshall's.
std::vector<Time> QuickestWays::find(std::int64_t bytes) const {
  std::vector<Time> ways(memories_ * memories_, 0);
  if (routes_.free()) return ways;
  for (const MemoryId from : ids<MemoryId>(memories_)) {
    for (const MemoryId to : ids<MemoryId>(memories_)) {
      ways[index(from) * memories_ + index(to)] = routes_.duration(from, to, bytes);
    }
  }
  for (std::size_t by = 0; by < memories_; ++by) {
    for (std::size_t from = 0; from < memories_; ++from) {
      for (std::size_t to = 0; to < memories_; ++to) {
        Time& way = ways[from * memories_ + to];
        way = std::min(way, ways[from * memories_ + by] + ways[by * memories_ + to]);
      }
    }
  }
  return ways;
}

}  // namespace heddle
