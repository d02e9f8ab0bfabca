// Random data-flow graphs of integer kernels give what a sequential interpreter computes, under every policy.
#include "tests/runtime/data_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "tests/runtime/valid_trace.hpp"

namespace heddle::runtime {
namespace {

class Policies : public testing::TestWithParam<std::string> {};

TEST_P(Policies, RunRandomDataFlow) {
  for (const char* workers : {"cpu=1", "cpu=2", "cpu=4", "cpu=2,cpu2=1"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const DataFlow flow(seed, 1 + 75 * seed);
      Runtime runtime({.workers = workers, .policy = GetParam(), .seed = seed, .trace = true});
      ASSERT_EQ(flow.run(runtime), flow.expected()) << workers << ", seed " << seed;
      expect_valid(runtime, std::string(workers) + ", seed " + std::to_string(seed));
    }
  }
}

/// Those that can decide here; the others are refused with a sentence.
std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const policy::Entry& entry : policy::entries()) {
    const policy::Spec spec(entry.name);
    const policy::Needs needs = entry.needs(spec.options());
    if (!needs.plan) names.push_back(entry.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(DataFlow, Policies, testing::ValuesIn(policies()), [](const auto& tested) {
  std::string name = tested.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace heddle::runtime
