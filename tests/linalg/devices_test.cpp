// The tiled algorithms on CPU cores and OpenCL devices, which have memories of their own: right under every policy,
// wherever tasks run.

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/runtime/device_first.hpp"
#include "tests/linalg/right_results.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/random_spoliation.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/device_test.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::linalg::test {
namespace {

using runtime::Backend;
using runtime::Config;
using runtime::Device;
using runtime::DeviceFirst;
using runtime::expect_valid;
using runtime::Implementation;
using runtime::Job;
using runtime::Piece;
using runtime::RandomSpoliation;
using runtime::Shape;

/// Two devices that are one OpenCL device and run no functions of the program, as most do not: what has no OpenCL C is
/// left to CPU cores.
class WithoutFunctions final : public Backend {
 public:
  explicit WithoutFunctions(std::shared_ptr<Backend> opencl) : opencl_(std::move(opencl)) {}

  [[nodiscard]] std::string name() const override { return "gpu"; }
  [[nodiscard]] runtime::Processor processor() const override { return opencl_->processor(); }
  [[nodiscard]] std::vector<runtime::DeviceInfo> devices() const override { return {2, opencl_->devices().front()}; }
  [[nodiscard]] std::unique_ptr<Device> open(std::size_t) override {
    return std::make_unique<Wrapped>(opencl_->open(0));
  }

 private:
  class Wrapped final : public Device {
   public:
    explicit Wrapped(std::unique_ptr<Device> device) : device_(std::move(device)) {}

    [[nodiscard]] std::uint64_t memory_bytes() const override { return device_->memory_bytes(); }
    [[nodiscard]] bool runs(const Implementation& one) const override {
      return one.form != Implementation::Form::native && device_->runs(one);
    }
    [[nodiscard]] void* allocate(std::size_t bytes) override { return device_->allocate(bytes); }
    void release(void* memory) override { device_->release(memory); }
    void copy_in(const Shape& shape, const Piece& from, void* to, Done done) override {
      device_->copy_in(shape, from, to, std::move(done));
    }
    void copy_out(const Shape& shape, void* from, const Piece& to, Done done) override {
      device_->copy_out(shape, from, to, std::move(done));
    }
    void prepare(const Implementation& implementation) override { device_->prepare(implementation); }
    void copy_within(std::size_t bytes, void* from, void* to) override { device_->copy_within(bytes, from, to); }
    void run(const Implementation& implementation, const Job& job, Done done) override {
      device_->run(implementation, job, std::move(done));
    }

   private:
    std::unique_ptr<Device> device_;
  };

  std::shared_ptr<Backend> opencl_;
};

class OnDevices : public heddle::test::WithDevices {
 protected:
  [[nodiscard]] static Config opencl(const std::string& policy) {
    return {.workers = "cpu=1,opencl=1", .policy = policy, .trace = true, .history = ""};
  }
  /// Without functions of the program.
  [[nodiscard]] Config gpus(const std::string& policy) const {
    Config config = opencl(policy);
    config.workers = "cpu=1,gpu=2";
    config.backends = {std::make_shared<WithoutFunctions>(backend_)};
    return config;
  }
  [[nodiscard]] static Config decided(Config config, policy::Policy decider) {
    config.decider = std::move(decider);
    return config;
  }
  static void expect_right_in_both_precisions(const Config& config, const std::string& what) {
    Runtime runtime(config);
    expect_right_results<double>(runtime, 40, 16, what);
    expect_right_results<float>(runtime, 60, 33, what);
    expect_valid(runtime, what);
  }
};

class EveryPolicy : public OnDevices, public testing::WithParamInterface<std::string> {};

TEST_P(EveryPolicy, IsRight) {
  expect_right_in_both_precisions(opencl(GetParam()), GetParam());
}

TEST_P(EveryPolicy, IsRightOnDevicesWithoutFunctions) {
  expect_right_in_both_precisions(gpus(GetParam()), GetParam());
}

/// Sanitizers look at kernels and data here; the runtime's tests show them every policy.
std::vector<std::string> policies() {
  if constexpr (heddle::test::kSanitized) return {"dmdas", "heft", "heteroprio-dep", "ws"};
  return runtime::runtime_policies();
}

INSTANTIATE_TEST_SUITE_P(OnDevices, EveryPolicy, testing::ValuesIn(policies()), heddle::test::test_name);

/// The kernels that have run on workers of the class.
std::set<std::string> kernels_on(const runtime::Trace& trace, ClassId c) {
  const Instance& instance = trace.instance;
  std::set<std::string> names;
  for (const Attempt& attempt : trace.schedule.attempts) {
    if (instance.platform.class_of(attempt.worker) != c) continue;
    const std::string_view type = instance.graph.type_name(instance.graph.type(attempt.task));
    names.emplace(type.substr(0, type.find('#')));  // GEMM#2: the same in single precision
  }
  return names;
}

struct Size {
  std::size_t n;
  std::size_t tile;
};
constexpr Size kSizes[] = {{1, 4}, {7, 7}, {8, 9}, {33, 8}, {100, 33}, {130, 48}};

TEST_F(OnDevices, AllKernelsRunWhereFunctionsDo) {
  Runtime runtime(decided(opencl("eager"), policy::Policy(DeviceFirst())));
  // Larger ones take half a minute under sanitizers, which do not look into the device.
  for (const auto [n, tile] : kSizes | std::views::take(heddle::test::kSanitized ? 4 : std::size(kSizes))) {
    expect_right_results<double>(runtime, n, tile, "all on the device");
    expect_right_results<float>(runtime, n, tile, "all on the device");
  }
  expect_valid(runtime);
  EXPECT_TRUE(kernels_on(runtime.trace(), ClassId{0}).empty());
}

TEST_F(OnDevices, KernelsInOpenClUpdateWhatCoresFactorize) {
  Runtime runtime(decided(gpus("eager"), policy::Policy(DeviceFirst())));
  for (const auto [n, tile] : kSizes) {
    expect_right_results<double>(runtime, n, tile, "updates on the devices");
    expect_right_results<float>(runtime, n, tile, "updates on the devices");
  }
  expect_valid(runtime);
  const runtime::Trace trace = runtime.trace();
  EXPECT_EQ(kernels_on(trace, ClassId{0}),
            (std::set<std::string>{"GEQRT", "GETRF", "GETRF_PIVOTED", "LASWP", "POTRF", "TSQRT"}));
  EXPECT_EQ(kernels_on(trace, ClassId{1}),
            (std::set<std::string>{"GEMM", "ORMQR", "SYRK", "TRSM", "TRSM_L", "TRSM_U", "TSMQR"}));
}

TEST_F(OnDevices, SpoliationChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const policy::Policy random{RandomSpoliation(seed)};
    expect_right_in_both_precisions(decided(opencl("eager"), random), "seed " + std::to_string(seed));
    expect_right_in_both_precisions(decided(gpus("eager"), random), "seed " + std::to_string(seed));
  }
}

/// Out of core: of the matrices little is on a device at once, and a column of tiles never.
TEST_F(OnDevices, AFewTilesOfMemoryAreEnough) {
  constexpr std::size_t kTile = 24;
  constexpr std::uint64_t kTileBytes = kTile * kTile * sizeof(double);
  constexpr std::size_t kOrder = heddle::test::kSanitized ? 5 * kTile : 200;
  std::vector<Config> configs{decided(opencl("eager"), policy::Policy(DeviceFirst())),
                              decided(gpus("eager"), policy::Policy(DeviceFirst())),
                              decided(gpus("eager"), policy::Policy(RandomSpoliation(7)))};
  for (const char* policy : {"dmdas", "heteroprio-dep", "ws"}) configs.push_back(opencl(policy));
  for (std::size_t i = 0; i < configs.size(); ++i) {
    configs[i].device_memory = 6 * kTileBytes;
    Runtime runtime(configs[i]);
    expect_right_results<double>(runtime, kOrder, kTile, "out of core, configuration " + std::to_string(i));
    expect_valid(runtime);
  }
}

TEST_F(OnDevices, BreakdownsReachTheWait) {
  constexpr std::size_t kOrder = 50;
  for (Config& config : std::vector{opencl("eager"), gpus("eager")}) {
    Runtime runtime(decided(config, policy::Policy(DeviceFirst())));
    auto a = random_definite<double>(kOrder, true, 1);
    a.view()(37, 37) = -1;
    TiledMatrix<double> tiled(runtime, a.view(), 16);
    cholesky(runtime, tiled);
    EXPECT_EQ(breakdown(runtime), "the matrix is not positive definite (row 37, counted from 0)");
    expect_right_results<double>(runtime, kOrder, 16, "after a breakdown");
  }
}

}  // namespace
}  // namespace heddle::linalg::test
