#include "heddle/report/pack_transfers.hpp"

#include <gtest/gtest.h>

#include "tests/report/samples.hpp"

namespace heddle::report {
namespace {

TEST(PackTransfers, GoesLinkByLinkAndByStart) {
  const auto ram = make_id<MemoryId>(0);
  const auto gpu = make_id<MemoryId>(1);
  constexpr std::uint64_t kMebibyte = 1U << 20U;
  const PackedTransfers packed = pack_transfers(test::diamond_schedule_with_transfers(), kSecond / 4);
  EXPECT_EQ(packed.links, (std::vector<std::pair<MemoryId, MemoryId>>{{ram, gpu}, {gpu, ram}}));
  ByteColumn expected;
  for (const std::uint64_t value : {2UL, 2UL, 0UL, 1UL, 256 * kMebibyte}) expected.add(value);  // A(1,0), 128 MiB
  for (const std::uint64_t value : {1UL, 2UL, 2UL, 256 * kMebibyte}) expected.add(value);       // A(0,0), 128 MiB more
  for (const std::uint64_t value : {1UL, 2UL, 6UL, 1UL, 256 * kMebibyte}) expected.add(value);  // A(1,0) back
  EXPECT_EQ(packed.column.base64(), expected.base64());
}

TEST(PackTransfers, SharesTheUnitOfTheAttempts) {
  EXPECT_EQ(pack_schedule(test::diamond(), test::diamond_schedule_with_transfers()).unit, kSecond / 4);
}

TEST(PackTransfers, OfNoneAreEmpty) {
  const PackedTransfers packed = pack_transfers(test::diamond_schedule(), kSecond);
  EXPECT_TRUE(packed.links.empty());
  EXPECT_EQ(packed.column.base64(), "");
}

}  // namespace
}  // namespace heddle::report
