#include "heddle/io/starpu/bus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "heddle/model/error.hpp"
#include "heddle/model/time.hpp"

namespace heddle::io {
namespace {

using testing::HasSubstr;

std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BusFiles, ConfigCountsCoresAndCudaDevices) {
  const BusConfig config = read_bus_config("# Current configuration\n12 # Number of CPUs\n3 # CUDA\n9 # OpenCL\n", "h");
  EXPECT_EQ(config.cpu_cores, 12U);
  EXPECT_EQ(config.cuda_devices, 3U);
  EXPECT_EQ(read_bus_config("4\n", "h").cuda_devices, 0U);
  EXPECT_EQ(error_of([] { static_cast<void>(read_bus_config("# nothing\n", "h.config")); }),
            "h.config:1: the file ends; expected the number of CPU cores");
  EXPECT_THAT(error_of([] { static_cast<void>(read_bus_config("4294967296\n", "h.config")); }),
              HasSubstr("h.config:1: found '4294967296'; expected a number of devices"));
}

TEST(BusFiles, UnitsAreMegabytesAndMicroseconds) {
  const BusMatrix bandwidth =
      read_bus_bandwidth("# to 0\t\tto 1\n0.0\t6030.996807\tnan\n1.051768e+04\t0\tnan\t\n", "h");
  EXPECT_EQ(bandwidth.at(0, 1), 6'030'996'807);
  EXPECT_EQ(bandwidth.at(1, 0), 10'517'680'000);
  EXPECT_EQ(bandwidth.at(0, 2), std::nullopt);
  EXPECT_EQ(bandwidth.at(7, 0), std::nullopt);
  EXPECT_EQ(read_bus_latency("0 9.836008\n1 0\n", "h").at(0, 1), 9'836'008);
}

TEST(BusFiles, MatricesAreSquareUpToNan) {
  EXPECT_EQ(read_bus_latency("0 1 -nan nan nan\nnan\n", "h").size(), 2U);
  EXPECT_THAT(error_of([] { static_cast<void>(read_bus_latency("0 1\n1 0 5\n", "h")); }),
              HasSubstr("row 2 has numbers in 3 columns; expected no more than there are rows, 2"));
  EXPECT_THAT(error_of([] { static_cast<void>(read_bus_latency("0 -1\n1 0\n", "h")); }),
              HasSubstr("h:1: found '-1'; expected nan or a number"));
  EXPECT_THAT(error_of([] { static_cast<void>(read_bus_bandwidth("0 1e300\n", "h")); }), HasSubstr("'1e300'"));
}

TEST(BusFiles, AffinityTellsNumaNodes) {
  EXPECT_EQ(count_bus_memories("# GPU\tCPU0\tCPU1\n0\t0\t1\n"), 1U);
  EXPECT_EQ(count_bus_memories("# GPU\tNUMA0\tNUMA1\t\n0\t0\t1\n"), 2U);
  EXPECT_EQ(count_bus_memories(""), 1U);
}

}  // namespace
}  // namespace heddle::io
