#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "heddle/runtime/device_first.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/policy/registered.hpp"
#include "tests/runtime/data_flow.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/random_spoliation.hpp"
#include "tests/runtime/valid_trace.hpp"

namespace heddle::runtime {
namespace {

using std::chrono::microseconds;
using Operation = FakeBackend::Operation;

/// What goes wrong on two devices.
struct Fault {
  std::string name;
  bool loses;  ///< values of which there is no other copy, or tasks
  std::function<bool(Operation operation, std::size_t number, std::size_t device)> fails{};
  std::function<bool(std::size_t number)> refuses{};

  friend std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.name; }
};

Fault every(std::size_t period, Operation operation, const std::string& name, bool loses) {
  return {name, loses,
          [=](Operation one, std::size_t number, std::size_t) { return one == operation && number % period == 0; }};
}

Fault from(std::size_t begin, std::size_t first_device, const std::string& name) {
  return {name, true,
          [=](Operation, std::size_t number, std::size_t device) { return number >= begin && device >= first_device; }};
}

const std::vector<Fault> kFaults{
    every(7, Operation::copy_in, "CopiesIn", false),
    every(7, Operation::copy_out, "CopiesOut", true),
    every(31, Operation::run, "Kernels", true),
    {"SomeMemory", false, {}, [](std::size_t number) { return number % 3 == 0; }},
    {"AllMemory", false, {}, [](std::size_t) { return true; }},
    from(0, 0, "AllDevices"),
    from(5, 0, "AllDevicesSoon"),
    from(40, 0, "AllDevicesLater"),
    from(0, 1, "OneDevice"),
    from(40, 1, "OneDeviceLater"),
};

/// The name of a policy, or "spoliating" or "device first".
class Faults : public testing::TestWithParam<std::tuple<Fault, std::string>> {};

TEST_P(Faults, EndInRightValuesOrTheirReason) {
  const auto& [fault, policy] = GetParam();
  std::size_t faults = 0;
  for (const std::uint64_t memory_bytes : {std::uint64_t{200}, std::uint64_t{1} << 20}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE("memory of " + std::to_string(memory_bytes) + " bytes, seed " + std::to_string(seed));
      const DataFlow flow(seed, 150, microseconds(20 * (seed % 3)));
      const auto backend = std::make_shared<FakeBackend>(FakeBackend::Options{.devices = 2,
                                                                              .memory_bytes = memory_bytes,
                                                                              .delay = microseconds(20),
                                                                              .fails = fault.fails,
                                                                              .refuses = fault.refuses});
      Config config = with(backend, "cpu=2,fake=2", "dmdas");
      if (policy == "spoliating") {
        config.decider = policy::Policy(RandomSpoliation(seed));
      } else if (policy == "device first") {
        config.decider = policy::Policy(DeviceFirst());
      } else {
        config.policy = policy;
      }
      std::uint64_t apart = 1;
      {
        Runtime runtime(config);
        backend->start_failing();
        try {
          EXPECT_EQ(flow.run(runtime), flow.expected());
        } catch (const std::runtime_error& error) {
          EXPECT_TRUE(fault.loses);
          EXPECT_TRUE(std::string_view(error.what()).ends_with("the device is gone")) << error.what();
        }
        expect_valid(runtime);
        // What has nothing to do with it goes on.
        const Kernel add("add", on_cpu([](std::uint64_t& x) { ++x; }));
        const auto data = runtime.data(apart);
        runtime.submit(add, rw(data));
        runtime.wait();
      }
      EXPECT_EQ(apart, 2U);
      EXPECT_EQ(backend->counts().bytes, 0U);
      faults += backend->counts().failures;
      if (fault.refuses) faults += backend->counts().refusals;
    }
  }
  const bool may_find_cores_quicker = policy == "dmdas" || policy == "ws";
  EXPECT_TRUE(faults > 0 || may_find_cores_quicker);
}

INSTANTIATE_TEST_SUITE_P(Devices, Faults,
                         testing::Combine(testing::ValuesIn(kFaults),
                                          testing::Values("spoliating", "device first", "dmdas", "ws")),
                         [](const testing::TestParamInfo<Faults::ParamType>& tested) {
                           return test::identifier(std::get<0>(tested.param).name + "_" + std::get<1>(tested.param));
                         });

}  // namespace
}  // namespace heddle::runtime
