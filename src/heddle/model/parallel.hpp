#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

/// How many threads the machine runs at once; at least 1.
[[nodiscard]] std::size_t core_count();

/// Calls work(0), ..., work(count - 1), each once, on as many threads as asked for, in order as far as that is
/// possible. The calling thread waits and tells `progress` now and then how many are done, and at the end once more.
/// When a call or `progress` throws, those already begun are finished; the exception of the smallest number then comes
/// out, else that of `progress`. Throws std::system_error when a thread cannot be started; those that were stop soon.
void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t done)>& progress = {});

}  // namespace heddle
