#include "heddle/workload/kernel_times.hpp"

#include <gtest/gtest.h>

#include "heddle/model/error.hpp"
#include "heddle/workload/tiled.hpp"
#include "tests/workload/toy_machine.hpp"

namespace heddle::workload {
namespace {

using test::bare_machine;
using test::input_error;
using test::timing;

const KernelSet& kCholesky = kernels_of(Algorithm::cholesky);
const KernelSet& kLu = kernels_of(Algorithm::lu);
const KernelSet& kGemm = kernels_of(Algorithm::gemm);

Machine with_gemms(std::vector<std::string> codelets) {
  Machine machine = bare_machine();
  Time number = 0;
  for (std::string& codelet : codelets) {
    ++number;
    machine.kernels.push_back(timing("GEMM", 960, "single", number, number, std::move(codelet)));
  }
  return machine;
}

Time cpu_time(const Machine& machine, const KernelSet& set) {
  return find_timing(machine, set, Kernel::gemm, {960, "single"})->seconds[0].duration;
}

TEST(FindTiming, PrefersWhatWasMeasuredInsideTheAlgorithm) {
  const Machine machine = with_gemms({"starpu_slu_lu_model_gemm", "", "starpu_sgemm_gemm", "chol_model_gemm"});
  EXPECT_EQ(cpu_time(machine, kLu), 1);
  EXPECT_EQ(cpu_time(machine, kGemm), 3);
  EXPECT_EQ(cpu_time(machine, kCholesky), 4);
}

TEST(FindTiming, FallsBackToEntriesWithoutCodeletThenToAny) {
  EXPECT_EQ(cpu_time(with_gemms({"other", "", ""}), kCholesky), 2);
  EXPECT_EQ(cpu_time(with_gemms({"other", "starpu_slu_lu_model_gemm"}), kCholesky), 1);
  EXPECT_EQ(cpu_time(with_gemms({"chol_model_gemm", "starpu_slu_lu_model_gemm"}), kGemm), 2);
}

TEST(FindTiming, NeverTakesAnotherSize) {
  const Machine machine = with_gemms({""});
  EXPECT_EQ(find_timing(machine, kGemm, Kernel::gemm, {320, "single"}), nullptr);
  EXPECT_EQ(find_timing(machine, kGemm, Kernel::gemm, {960, "double"}), nullptr);
  EXPECT_EQ(find_timing(machine, kGemm, Kernel::syrk, {960, "single"}), nullptr);
}

Machine with_sizes(const std::vector<TileSize>& sizes) {
  Machine machine = bare_machine();
  machine.name = "sized";
  for (const TileSize& size : sizes) machine.kernels.push_back(timing("GEMM", size.tile, size.precision, 1, 1));
  return machine;
}

TEST(ChooseSize, PrefersDoubleThen960ThenTheLargest) {
  const auto choose = [](const std::vector<TileSize>& sizes) {
    const TileSize size = choose_size(with_sizes(sizes), kGemm, {}, {});
    return size.precision + " " + std::to_string(size.tile);
  };
  EXPECT_EQ(choose({{320, "single"}, {960, "single"}, {1440, "single"}}), "single 960");
  EXPECT_EQ(choose({{320, "single"}, {640, "single"}}), "single 640");
  EXPECT_EQ(choose({{960, "single"}, {320, "double"}}), "double 320");
}

TEST(ChooseSize, ObeysTheUser) {
  const Machine machine = with_sizes({{320, "single"}, {960, "single"}, {960, "double"}});
  EXPECT_EQ(choose_size(machine, kGemm, 320, {}).precision, "single");
  EXPECT_EQ(choose_size(machine, kGemm, {}, "single").tile, 960);
  EXPECT_EQ((TileSize{960, "double"}.bytes()), 7'372'800);
}

TEST(ChooseSize, TakesOnlySizesThatAllKernelsHave) {
  Machine machine = bare_machine();
  for (const char* kernel : {"POTRF", "TRSM", "SYRK", "GEMM"}) {
    machine.kernels.push_back(timing(kernel, 320, "single", 1, 1));
  }
  machine.kernels.push_back(timing("POTRF", 960, "double", 1, 1));
  EXPECT_EQ(choose_size(machine, kCholesky, {}, {}).tile, 320);
}

TEST(ChooseSize, ErrorNamesWhatIsMissingAndWhatThereIs) {
  const Machine machine = with_sizes({{320, "single"}, {960, "single"}, {960, "double"}});
  EXPECT_EQ(input_error([&] { (void)choose_size(machine, kGemm, 640, "double"); }),
            "workload 'gemm' needs kernel GEMM at tile 640 in double precision, but platform 'sized' has it only in "
            "double at 960; single at 320, 960");
  EXPECT_EQ(input_error([&] { (void)choose_size(machine, kCholesky, {}, {}); }),
            "workload 'cholesky' needs kernel POTRF, but platform 'sized' has only GEMM");
  EXPECT_EQ(input_error([&] { (void)choose_size(bare_machine(), kCholesky, 960, {}); }),
            "workload 'cholesky' needs kernel POTRF at tile 960, but platform 'bare' has no kernel timings at all");
  EXPECT_EQ(input_error([&] { (void)choose_size(machine, kGemm, 12, "double"); }),
            "workload 'gemm' needs kernel GEMM at tile 12 in double precision, but platform 'sized' has it only in "
            "double at 960; single at 320, 960; did you mean tiles=12?");
}

TEST(ChooseSize, ErrorWhenKernelsHaveNoSizeInCommon) {
  Machine machine = bare_machine();
  std::int64_t tile = 100;
  for (const char* kernel : {"POTRF", "TRSM", "SYRK", "GEMM"}) {
    machine.kernels.push_back(timing(kernel, ++tile, "single", 1, 1));
  }
  EXPECT_EQ(input_error([&] { (void)choose_size(machine, kCholesky, {}, {}); }),
            "workload 'cholesky' finds no tile size and precision at which platform 'bare' has all of its kernels");
}

}  // namespace
}  // namespace heddle::workload
