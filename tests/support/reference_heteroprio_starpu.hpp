#pragma once

#include <cstdint>

#include "heddle/policy/policy.hpp"

namespace heddle::test {

/// StarPU's HeteroPrio (heteroprio-starpu) where data does not move, written a second time, in the plainest way: each
/// search looks at all waiting tasks, and orders are computed from the graph each time. It shares nothing with the real
/// one but the model and the View. `runs`: so many runs on the estimates teach it at the start.
[[nodiscard]] policy::Policy reference_heteroprio_starpu(std::uint64_t runs);

}  // namespace heddle::test
