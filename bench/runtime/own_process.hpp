#pragma once

#include <functional>

namespace heddle::bench {

/// Bytes of this process that are in memory.
[[nodiscard]] double resident();

/// Calls the function in a process of its own, which has freed no memory before that it could use again. To be called
/// before there are threads. Returns the most bytes of it that were in memory at once. Throws std::runtime_error when
/// the function throws, after its message was printed, or there is no such process.
double in_own_process(const std::function<void()>& function);

}  // namespace heddle::bench
