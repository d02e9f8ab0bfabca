// The modules as they are installed, on any machine.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/linalg/kernels.hpp"
#include "heddle/model/error.hpp"
#include "heddle/runtime/devices/backends.hpp"

namespace heddle::test {
namespace {

TEST(CudaModules, ListDevicesOrSayInOneSentenceWhyThereIsNone) {
  try {
    EXPECT_FALSE(runtime::find_backend("cuda")->devices().empty());
  } catch (const InputError& error) {
    const std::string reason = error.what();
    EXPECT_NE(reason.find("CUDA"), std::string::npos) << reason;
    EXPECT_EQ(reason.find("module"), std::string::npos) << "it was found and opened, but: " << reason;
    EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
  }
}

/// Without a GPU that is as far as they get. With one, other tests call them, on memory that there is.
TEST(CudaModules, HaveTheFunctionsOfTheTileKernels) {
  const auto kinds = runtime::devices();
  const auto cuda = std::ranges::find(kinds, "cuda", &runtime::DeviceKind::name);
  if (cuda != kinds.end() && !cuda->devices.empty()) GTEST_SKIP() << "there is a GPU";
  const auto& kernels = linalg::Kernels<double>::get();
  for (const auto* kernel : {kernels.potrf.info().get(), kernels.trsm.info().get()}) {
    const auto on_cuda =
        std::ranges::find(kernel->implementations, runtime::Processor::cuda, &runtime::Implementation::processor);
    ASSERT_NE(on_cuda, kernel->implementations.end());
    runtime::Team alone(1, {});
    const std::vector<runtime::Argument> tiles(2, {{nullptr, 1}, {1, 1, 8}});
    const std::byte values[64] = {};
    try {
      on_cuda->run({WorkerId{0}, alone, runtime::pointers_to(tiles), values, {}});
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("CUDA: ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace heddle::test
