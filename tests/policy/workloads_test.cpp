// Every policy on every workload, on two and three classes, with and without links, with and without noise.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "heddle/model/validate.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/policy/registered.hpp"

namespace heddle::test {
namespace {

constexpr const char* kWorkloads[] = {"cholesky:tiles=5",
                                      "lu:tiles=4",
                                      "qr:tiles=4",
                                      "gemm:tiles=3",
                                      "fork-join:width=12,phases=3",
                                      "independent:tasks=30",
                                      "layered:layers=4,width=6",
                                      "predecessor-matrix:tasks=60"};
constexpr const char* kNoises[] = {"none", "lognormal:0.3", "uniform:0.4,per=execution"};

/// The GPUs get memories of their own, with room for a dozen tiles, and links that share a bus.
Machine linked(Machine machine) {
  ResourceClass& gpu = machine.classes.back();
  gpu.memory = ResourceClass::kEach;
  gpu.memory_bytes = 100'000'000;
  machine.buses = {{"host", 1e10}};
  for (std::uint32_t i = 0; i < gpu.workers; ++i) {
    const std::string memory = gpu.name + std::to_string(i);
    machine.links.push_back({"ram", memory, 8e9, 10 * kMicrosecond, {"host"}});
    machine.links.push_back({memory, "ram", 8e9, 10 * kMicrosecond, {"host"}});
  }
  return machine;
}

class Workloads : public testing::TestWithParam<const char*> {};

TEST_P(Workloads, EveryPolicySchedulesThem) {
  std::size_t scheduled = 0;
  for (const char* name : {"kumar-2017:cpu=4,gpu=2", "kumar-2017:cpu=4,cpu5=2,gpu=2"}) {
    const Machine plain = platforms::resolve(name);
    for (const Machine& machine : {plain, linked(plain)}) {
      // It draws durations for a CPU and a GPU.
      if (machine.classes.size() > 2 && std::string_view(GetParam()).starts_with("fork-join")) continue;
      const Instance instance = workload::generate(GetParam(), machine);
      const Schedule plan = plan_for(instance);
      for (const policy::Entry& entry : policy::entries()) {
        const policy::Spec spec(entry.name);
        if (!spec.objection(instance).empty()) continue;
        for (const char* noise : kNoises) {
          const Schedule schedule = sim::simulate(instance, spec, {.noise = sim::Noise(noise), .seed = 3}, &plan);
          const Durations durations = schedule.noise.empty() ? Durations::exact : Durations::free;
          EXPECT_EQ(validate(instance, schedule, durations), std::vector<std::string>())
              << entry.name << " on " << name << ", noise " << noise;
          ++scheduled;
        }
      }
    }
  }
  EXPECT_GE(scheduled, 2 * std::size(kNoises) * policy::entries().size());
}

INSTANTIATE_TEST_SUITE_P(All, Workloads, testing::ValuesIn(kWorkloads), [](const auto& tested) {
  std::string name(std::string_view(tested.param).substr(0, std::string_view(tested.param).find(':')));
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace heddle::test
