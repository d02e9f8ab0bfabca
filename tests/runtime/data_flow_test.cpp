// Random data-flow graphs of integer kernels give what a sequential interpreter computes, under every policy.
#include "tests/runtime/data_flow.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/every_policy.hpp"
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

INSTANTIATE_TEST_SUITE_P(DataFlow, Policies, testing::ValuesIn(runtime_policies()), test::test_name);

}  // namespace
}  // namespace heddle::runtime
