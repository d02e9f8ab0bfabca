#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <utility>

namespace heddle {

/// How many threads the machine runs at once; at least 1.
[[nodiscard]] std::size_t core_count();

/// Calls work(0), ..., work(count - 1), each once, on as many threads as asked for, in order as far as that is
/// possible. The calling thread waits and tells `progress` now and then how many are done, and at the end once more.
/// When a call or `progress` throws, those already begun are finished; the exception of the smallest number then comes
/// out, else that of `progress`. Throws std::system_error when a thread cannot be started; those that were stop soon.
void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t done)>& progress = {});

namespace detail {

/// A core for one more thread, beside those that run the calls of parallel_for() and call_aside(), if one is left.
class SpareCore {
 public:
  SpareCore();
  SpareCore(SpareCore&& other) noexcept : taken_(std::exchange(other.taken_, false)) {}
  SpareCore& operator=(SpareCore&&) = delete;
  ~SpareCore();
  [[nodiscard]] bool taken() const { return taken_; }

 private:
  bool taken_;
};

}  // namespace detail

/// Calls work() on a thread of its own if `may_use_thread` and there is a core for that, otherwise at once. What it
/// returns or throws comes out of the future, which waits for it, also when it is destroyed.
template <class Work>
[[nodiscard]] auto call_aside(Work work, bool may_use_thread = true) -> std::future<decltype(work())> {
  if (may_use_thread) {
    detail::SpareCore core;
    if (core.taken())
      return std::async(std::launch::async,
                        [core = std::move(core), work = std::move(work)]() mutable { return work(); });
  }
  std::packaged_task<decltype(work())()> task(std::move(work));
  task();
  return task.get_future();
}

}  // namespace heddle
