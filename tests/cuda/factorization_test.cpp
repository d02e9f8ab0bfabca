// The tiled algorithms on CPU cores and CUDA devices, which have memories of their own.

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/runtime/device_first.hpp"
#include "tests/linalg/right_results.hpp"
#include "tests/runtime/random_spoliation.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/device_test.hpp"

namespace heddle::linalg::test {
namespace {

using runtime::Config;
using runtime::expect_valid;

class OnCuda : public heddle::test::WithDevices {
 protected:
  [[nodiscard]] Config config(const std::string& policy) const {
    const std::size_t devices = backend_->devices().size();
    return {.workers = "cpu=1,cuda=" + std::to_string(devices), .policy = policy, .trace = true, .history = ""};
  }
  /// All on the devices that can run there.
  [[nodiscard]] Config on_devices() const { return decided(policy::Policy(runtime::DeviceFirst())); }
  [[nodiscard]] Config decided(policy::Policy decider) const {
    Config result = config("eager");
    result.decider = std::move(decider);
    return result;
  }
  static void expect_right(const Config& config, const std::string& what) {
    Runtime runtime(config);
    expect_right_results<double>(runtime, 150, 40, what);
    expect_right_results<float>(runtime, 70, 33, what);
    expect_valid(runtime, what);
  }
};

TEST_F(OnCuda, AllResultsAreRight) {
  for (const char* policy : {"heteroprio-dep", "dmdas", "eager"}) expect_right(config(policy), policy);
  expect_right(on_devices(), "devices first");
}

TEST_F(OnCuda, SpoliationChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    expect_right(decided(policy::Policy{runtime::RandomSpoliation(seed)}), "seed " + std::to_string(seed));
  }
}

TEST_F(OnCuda, WhatIsNoNumberIsABreakdown) {
  Runtime runtime(on_devices());
  auto a = random_definite<double>(100, true, 1);
  a.view()(77, 77) = std::numeric_limits<double>::quiet_NaN();
  TiledMatrix<double> tiled(runtime, a.view(), 40);
  cholesky(runtime, tiled);
  EXPECT_EQ(breakdown(runtime), "the matrix is not positive definite (row 77, counted from 0)");
  tiled.assign(a.view());
  lu(runtime, tiled);
  EXPECT_EQ(breakdown(runtime), "the matrix has a pivot that is not a number (row 77, counted from 0)");
}

TEST_F(OnCuda, BreakdownsReachTheWait) {
  constexpr std::size_t kOrder = 100;
  Runtime runtime(on_devices());
  auto indefinite = random_definite<double>(kOrder, true, 1);
  indefinite.view()(77, 77) = -1;
  TiledMatrix<double> a(runtime, indefinite.view(), 40);
  cholesky(runtime, a);
  EXPECT_EQ(breakdown(runtime), "the matrix is not positive definite (row 77, counted from 0)");
  auto singular = random_definite<float>(kOrder, false, 1);
  for (std::size_t i = 0; i < kOrder; ++i) singular.view()(i, 0) = 0;
  TiledMatrix<float> b(runtime, singular.view(), 40);
  lu(runtime, b);
  EXPECT_EQ(breakdown(runtime), "the matrix has a zero pivot (row 0, counted from 0)");
  expect_right_results<double>(runtime, kOrder, 40, "after breakdowns");
}

}  // namespace
}  // namespace heddle::linalg::test
