// What is special about the copies of OpenCL devices.

#include <cstdint>

#include "tests/support/device_test.hpp"

namespace heddle::test {
namespace {

using OpenClCopies = DeviceTest;

TEST_F(OpenClCopies, ThatCannotBeginAreDoneAtOnce) {
  for (const auto& device : devices_) {
    std::vector<std::uint8_t> values(1000);
    const Memory memory(*device, 999);
    Operations copies;
    device->copy_in(shape(values), piece(values), memory.get(), copies.next());
    device->copy_out(shape(values), memory.get(), piece(values), copies.next());
    for (const Outcome& outcome : copies.wait()) {
      EXPECT_EQ(outcome.times, 1);
      EXPECT_NE(outcome.message().find("failed with CL_INVALID_VALUE"), std::string::npos) << outcome.message();
    }
    const std::vector<std::uint8_t> sent(999, 3);
    EXPECT_EQ(values_of<std::uint8_t>(*device, memory_of(*device, sent), 999), sent) << "the device goes on";
  }
}

}  // namespace
}  // namespace heddle::test
