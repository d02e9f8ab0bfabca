#include "heddle/io/starpu/footprint.hpp"

#include <gtest/gtest.h>

#include <array>

namespace heddle::io {
namespace {

/// As StarPU's sampled models have them.
TEST(Footprint, SquareTilesHashAsInStarPU) {
  struct Row {
    std::uint32_t tile;
    std::array<const char*, 3> by_count;
  };
  constexpr Row kRows[] = {{32, {"e5a07e31", "1827caf5", "6e96d715"}},
                           {320, {"cea37d6d", "2c1922b7", "d46431bb"}},
                           {640, {"afdd228b", "d39bff17", "f0ac7beb"}},
                           {960, {"617e5fe6", "ff82dda0", "24c84a50"}},
                           {1440, {"25ebb669", "0e8bce2b", "8cfc3ba0"}}};
  for (const Row& row : kRows) {
    for (std::size_t count = 1; count <= 3; ++count) {
      EXPECT_EQ(format_footprint(tiles_footprint(row.tile, count)), row.by_count[count - 1]) << row.tile;
    }
  }
}

TEST(Footprint, OblongMatricesHashAsInStarPU) {
  constexpr std::pair<std::uint32_t, const char*> kRows[] = {
      {320, "0b0b0ce8"}, {640, "4220e23d"}, {960, "492beed5"}, {1440, "87a7dc42"}};
  for (const auto& [m, expected] : kRows) {
    const std::uint32_t k = 4 * m;
    const std::array<std::uint32_t, 3> data = {matrix_footprint(m, k), matrix_footprint(k, m), matrix_footprint(m, m)};
    const std::array<std::uint32_t, 3> turned = {matrix_footprint(k, m), matrix_footprint(m, k),
                                                 matrix_footprint(m, m)};
    const std::string found = format_footprint(task_footprint(data));
    EXPECT_TRUE(found == expected || format_footprint(task_footprint(turned)) == expected) << m << ": " << found;
  }
}

TEST(Footprint, TextIsReadWithAndWithoutLeadingZeros) {
  EXPECT_EQ(parse_footprint("e8bce2b"), 0x0e8bce2bU);
  EXPECT_EQ(parse_footprint("FF"), 0xFFU);
  EXPECT_EQ(parse_footprint("0e8bce2b"), 0x0e8bce2bU);
  EXPECT_EQ(format_footprint(0x0e8bce2b), "0e8bce2b");
  for (const char* text : {"", "0x12", "123456789", "000000001", "-1", "g", " 1"}) {
    EXPECT_FALSE(parse_footprint(text)) << text;
  }
}

}  // namespace
}  // namespace heddle::io
