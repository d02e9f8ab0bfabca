#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "heddle/runtime/job.hpp"

/// The tile kernels for CUDA devices, in a module of their own (the folder cuda): it stands on cuBLAS and cuSOLVER,
/// which are so large that no program should open them before it has something for them to do.
namespace heddle::linalg::cuda {

using Function = std::function<void(const runtime::Job&)>;

/// What the module heddle_cuda_linalg exports as `heddle_cuda_function`, with C linkage: the function of that name for
/// elements of so many bytes (8: double, 4: float); null when it has none, or was built for another interface than
/// `module_interface` (runtime/module.hpp). A function waits for its end where it has to look at the result.
using FindFunction = const Function*(std::uint32_t module_interface, const char* name, std::size_t element_bytes);

/// Calls the function of the module, which is opened when the first of them is called or looked for. Throws InputError,
/// in one sentence, when it cannot be.
[[nodiscard]] Function function(std::string name, std::size_t element_bytes);
/// The sentence that function() would throw; empty when it would not.
[[nodiscard]] std::string missing(const std::string& name, std::size_t element_bytes);

}  // namespace heddle::linalg::cuda
