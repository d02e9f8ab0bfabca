// What becomes of the tile kernels for CUDA devices where their module cannot be opened.
#include "heddle/linalg/cuda_functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "heddle/linalg/kernels.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::linalg {
namespace {

TEST(CudaFunctions, AreMissingWithoutTheirModule) {
  const heddle::test::Scratch nothing;
  setenv("HEDDLE_MODULES", nothing.path(".").c_str(), 1);
  const std::string why = cuda::missing("potrf", sizeof(double));
  EXPECT_EQ(why,
            "this installation of Heddle has no module for linear algebra on CUDA devices (heddle_cuda_linalg.so)");
  const auto& implementations = Kernels<double>::get().potrf.info()->implementations;
  const auto on_cuda =
      std::ranges::find(implementations, runtime::Processor::cuda, &runtime::Implementation::processor);
  ASSERT_NE(on_cuda, implementations.end());
  EXPECT_EQ(on_cuda->missing(), why);
  unsetenv("HEDDLE_MODULES");
}

}  // namespace
}  // namespace heddle::linalg
