// Copies in and out of devices of any kind.

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "heddle/model/random.hpp"
#include "tests/support/device_test.hpp"

namespace heddle::test {
namespace {

using runtime::Piece;
using runtime::Shape;

using Copies = DeviceTest;

/// Bytes that tell where they belong.
std::vector<std::uint8_t> pattern(std::size_t bytes, std::uint32_t seed) {
  std::vector<std::uint8_t> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<std::uint8_t>((i * 167 + seed * 31 + (i >> 8)) % 251);
  return values;
}

TEST_F(Copies, OfAnySizeComeBack) {
  for (const auto& device : devices_) {
    for (const std::size_t bytes : {1, 2, 3, 7, 64, 4095, 4096, 1'000'003, 8 << 20}) {
      const std::vector<std::uint8_t> sent = pattern(bytes, 1);
      const Memory memory = memory_of(*device, sent);
      EXPECT_EQ(values_of<std::uint8_t>(*device, memory, bytes), sent) << bytes;
    }
  }
}

/// A matrix in host memory, columns `leading` elements apart.
struct HostMatrix {
  Shape shape;
  std::size_t leading;
  std::vector<std::uint8_t> bytes;

  HostMatrix(const Shape& of, std::size_t gap, std::uint32_t seed)
      : shape(of), leading(of.rows + gap), bytes(pattern(leading * of.columns * of.element, seed)) {}
  [[nodiscard]] Piece piece() { return {bytes.data(), leading}; }
  /// Column by column, without what is between them.
  [[nodiscard]] std::vector<std::uint8_t> packed() const {
    std::vector<std::uint8_t> all;
    for (std::size_t column = 0; column < shape.columns; ++column) {
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(column * leading * shape.element);
      all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(shape.column_bytes()));
    }
    return all;
  }
  /// Whether what is between the columns is as it was made.
  [[nodiscard]] bool is_whole(const HostMatrix& before) const {
    HostMatrix mixed = before;
    for (std::size_t column = 0; column < shape.columns; ++column) {
      const auto begin = static_cast<std::ptrdiff_t>(column * leading * shape.element);
      std::copy_n(bytes.begin() + begin, shape.column_bytes(), mixed.bytes.begin() + begin);
    }
    return mixed.bytes == bytes;
  }
};

TEST_F(Copies, OfMatricesLeaveTheGapsAlone) {
  Random random(7);
  for (const auto& device : devices_) {
    for (int round = 0; round < 100; ++round) {
      const Shape shape{1 + random.below(70), 1 + random.below(40), std::uint64_t{1} << random.below(5)};
      HostMatrix from(shape, random.below(2) * random.below(9), 1);
      const HostMatrix before(shape, random.below(2) * random.below(9), 2);
      HostMatrix to = before;
      const Memory memory(*device, shape.bytes());
      Operations in;
      device->copy_in(shape, from.piece(), memory.get(), in.next());
      in.expect_success();
      EXPECT_EQ(values_of<std::uint8_t>(*device, memory, shape.bytes()), from.packed());
      Operations out;
      device->copy_out(shape, memory.get(), to.piece(), out.next());
      out.expect_success();
      EXPECT_EQ(to.packed(), from.packed());
      EXPECT_TRUE(to.is_whole(before));
    }
  }
}

TEST_F(Copies, MayBeManyAtOnceInBothDirections) {
  constexpr std::size_t kCount = 200;
  const auto bytes_of = [](std::size_t i) { return 1 + (i * 7919) % 100'000; };
  for (const auto& device : devices_) {
    std::vector<std::vector<std::uint8_t>> sent;
    std::vector<std::vector<std::uint8_t>> received;
    std::vector<Memory> memories;
    std::vector<Memory> full;  // what comes out is here before anything goes in
    for (std::size_t i = 0; i < kCount; ++i) {
      sent.push_back(pattern(bytes_of(i), static_cast<std::uint32_t>(i)));
      received.emplace_back(bytes_of(i));
      memories.emplace_back(*device, bytes_of(i));
      full.push_back(memory_of(*device, sent[i]));
    }
    Operations both;
    for (std::size_t i = 0; i < kCount; ++i) {
      device->copy_in(shape(sent[i]), piece(sent[i]), memories[i].get(), both.next());
      device->copy_out(shape(received[i]), full[i].get(), piece(received[i]), both.next());
    }
    both.expect_success();
    EXPECT_EQ(received, sent);
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(values_of<std::uint8_t>(*device, memories[i], bytes_of(i)), sent[i]);
    }
  }
}

TEST_F(Copies, GoFromDeviceToDeviceWhereTheseAreConnected) {
  std::size_t connections = 0;
  for (const auto& to : devices_) {
    EXPECT_FALSE(to->connect(*to)) << "nothing is to be copied there";
    for (const auto& from : devices_) {
      if (from == to || !to->connect(*from)) continue;
      EXPECT_TRUE(to->connect(*from)) << "again";
      ++connections;
      for (const std::size_t bytes : {1, 7, 4096, 1'000'003}) {
        const std::vector<std::uint8_t> sent = pattern(bytes, 3);
        const Memory source = memory_of(*from, sent);
        const Memory target(*to, bytes);
        Operations copies;
        for (int i = 0; i < 3; ++i) to->copy_from(*from, bytes, source.get(), target.get(), copies.next());
        copies.expect_success();
        EXPECT_EQ(values_of<std::uint8_t>(*to, target, bytes), sent) << bytes;
        EXPECT_EQ(values_of<std::uint8_t>(*from, source, bytes), sent) << bytes;
      }
    }
  }
  if (connections == 0) GTEST_SKIP() << "no two devices are connected";
}

TEST_F(Copies, OfPinnedMemoryComeBackAsWell) {
  for (const auto& device : devices_) {
    std::vector<std::uint8_t> values = pattern(1'000'003, 1);
    const bool pins = device->pin(values.data(), values.size());
    EXPECT_FALSE(device->pin(values.data(), values.size())) << "it is already";
    const Memory memory = memory_of(*device, values);
    Operations out;
    values.assign(values.size(), 0);
    device->copy_out(shape(values), memory.get(), piece(values), out.next());
    out.expect_success();
    EXPECT_EQ(values, pattern(values.size(), 1));
    if (!pins) continue;
    device->unpin(values.data());
    EXPECT_TRUE(device->pin(values.data(), values.size())) << "once more";
    device->unpin(values.data());
  }
}

}  // namespace
}  // namespace heddle::test
