#pragma once

#include <string>
#include <vector>

#include "heddle/io/starpu/performance_model.hpp"
#include "heddle/model/platform.hpp"

namespace heddle::io {

/// A machine as StarPU measured it.
struct SampledMachine {
  Machine machine;
  std::vector<std::string> warnings;  ///< a sentence each: what was in the files and has been left out
};

/// The hosts that a StarPU sampling folder knows the bus of, sorted by name; none when it is no such folder.
[[nodiscard]] std::vector<std::string> starpu_hosts(const std::string& folder);

/// Reads what StarPU measured on `host`: `bus/<host>.*`, and one performance model per codelet, either
/// `codelets/45/<symbol>.<host>` or `<symbol>.<host>` in the folder itself.
///
/// Classes are "cpu" (the cores without one per CUDA device, which StarPU keeps to drive it) and "gpu" (a memory each),
/// or "gpu0", "gpu1", ..., each with the durations of its device or, where it has none, the mean of the others. Links
/// join "ram", "gpu0", ... as measured. Every timing has its codelet and footprint. Those of StarPU's tiled
/// Cholesky, LU and matrix product at square tiles also have a kernel, tile and precision (POTRF, TRSM, SYRK, GEMM;
/// GETRF, TRSM_L for rows, TRSM_U for columns, GEMM; GEMM): those GEMMs may differ in the codelet alone.
/// Throws InputError when the folder lacks the host (naming those it has) or a file cannot be read.
[[nodiscard]] SampledMachine read_starpu_machine(const std::string& folder, const std::string& host,
                                                 Devices devices = Devices::pooled);

}  // namespace heddle::io
