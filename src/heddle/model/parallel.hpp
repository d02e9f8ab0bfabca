#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace heddle {

/// How many threads the machine runs at once; at least 1.
[[nodiscard]] std::size_t core_count();

/// Threads that are started once for many calls, where the work of a call takes less time than starting them.
class Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  /// As parallel_for(), by threads that wait for the next call afterwards. One call at a time.
  void run(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work,
           const std::function<void(std::size_t done)>& progress = {});

 private:
  struct Job {
    std::size_t count = 0;
    const std::function<void(std::size_t)>* work = nullptr;
    std::size_t next = 0;
    std::size_t finished = 0;
    bool stopped = false;
    std::exception_ptr failure;  ///< of the smallest number that failed
    std::size_t failed = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] bool over() const { return stopped || finished == count; }
  };

  void serve();
  void work_off(std::unique_lock<std::mutex>& lock);
  void watch(const std::function<void(std::size_t)>& progress);
  std::exception_ptr end();

  std::mutex mutex_;                 ///< guards what follows, but for the threads
  std::condition_variable called_;   ///< to work, or to end
  std::condition_variable changed_;  ///< the job is over, or the last thread has left it
  Job job_;
  std::size_t wanted_ = 0;  ///< more threads at the job
  std::size_t busy_ = 0;    ///< threads at the job
  bool dismissed_ = false;
  std::vector<std::jthread> threads_;
};

/// Calls work(0), ..., work(count - 1), each once, on as many threads as asked for, in order as far as that is
/// possible. The calling thread waits and tells `progress` now and then how many are done, and at the end once more.
/// When a call or `progress` throws, those already begun are finished; the exception of the smallest number then comes
/// out, else that of `progress`. Throws std::system_error when a thread cannot be started; nothing was called then.
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
