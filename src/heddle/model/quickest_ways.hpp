#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/model/routes.hpp"

namespace heddle {

/// How long the quickest way between any two memories takes, by size of the datum: through as many others as it likes,
/// each copy alone on its link. All are 0 without links.
class QuickestWays {
 public:
  explicit QuickestWays(const Platform& platform) : routes_(platform), memories_(platform.memories().size()) {}

  /// From one memory to another: at [from * memories + to]. The first time for a size takes O(memories^3).
  const std::vector<Time>& of(std::int64_t bytes) {
    const auto [place, is_new] = ways_.try_emplace(bytes);
    if (is_new) place->second = find(bytes);
    return place->second;
  }
  [[nodiscard]] Time from_to(MemoryId from, MemoryId to, std::int64_t bytes) {
    return of(bytes)[index(from) * memories_ + index(to)];
  }

 private:
  [[nodiscard]] std::vector<Time> find(std::int64_t bytes) const;

  Routes routes_;
  std::size_t memories_;
  std::map<std::int64_t, std::vector<Time>> ways_;
};

}  // namespace heddle
