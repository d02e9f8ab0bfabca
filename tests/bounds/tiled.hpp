#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::test {

/// So many workers of a class that the timings below know: "cpu", "cpu2", "cpu5", "cpu10", "gpu".
struct ClassSize {
  std::string name;
  std::uint32_t workers = 0;
};

/// "cholesky", "lu" or "qr" of tiles x tiles, on the timings of Kumar 2017, Table 4.1 (double precision, tile 960),
/// written here a second time, apart from the workloads, so that the bounds' tests stand on model alone.
[[nodiscard]] Instance tiled_instance(const std::string& algorithm, int tiles, const std::vector<ClassSize>& classes);

}  // namespace heddle::test
