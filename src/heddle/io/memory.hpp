#pragma once

#include <cstdint>

namespace heddle::io {

/// How many bytes of memory this process may have: the machine's, or fewer where it is limited (`ulimit -v`).
[[nodiscard]] std::uint64_t memory_limit();

}  // namespace heddle::io
