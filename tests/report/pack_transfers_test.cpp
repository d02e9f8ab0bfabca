#include "heddle/report/pack_transfers.hpp"

#include <gtest/gtest.h>

#include "tests/report/samples.hpp"

namespace heddle::report {
namespace {

TEST(PackTransfers, GoesLinkByLinkAndByStart) {
  const auto ram = make_id<MemoryId>(0);
  const auto gpu = make_id<MemoryId>(1);
  constexpr std::uint64_t kMebibyte = 1U << 20U;
  const PackedTransfers packed = pack_transfers(test::diamond_schedule_with_transfers(), {kSecond / 4});
  EXPECT_EQ(packed.links, (std::vector<std::pair<MemoryId, MemoryId>>{{ram, gpu}, {gpu, ram}}));
  ByteColumn expected;
  // A(1,0) and A(0,0), of which the second has 128 MiB more, and A(1,0) back.
  for (const std::uint64_t value : {2UL, 1UL}) expected.add(value);       // on each link
  for (const std::uint64_t value : {2UL, 1UL, 2UL}) expected.add(value);  // data
  for (const std::uint64_t value : {0UL, 2UL, 6UL}) expected.add(value);  // idle before
  for (const std::uint64_t value : {1UL, 2UL, 1UL}) expected.add(value);  // duration
  for (int i = 0; i < 3; ++i) expected.add(256 * kMebibyte);              // 128 MiB more than before
  EXPECT_EQ(packed.column.base64(), expected.base64());
}

TEST(PackTransfers, SharesTheUnitOfTheAttempts) {
  EXPECT_EQ(grid_of(test::diamond_schedule_with_transfers()).unit, kSecond / 4);
}

TEST(PackTransfers, OfNoneAreEmpty) {
  const PackedTransfers packed = pack_transfers(test::diamond_schedule(), {kSecond});
  EXPECT_TRUE(packed.links.empty());
  EXPECT_EQ(packed.column.base64(), "");
}

}  // namespace
}  // namespace heddle::report
