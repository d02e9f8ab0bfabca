#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::runtime {

/// The cores of one worker: its thread and, for a worker that is a group of cores, helpers that sleep when no kernel
/// follows within some microseconds.
class Team {
 public:
  /// `enter(member)`: what each helper does first, from 1 on; it binds itself to its core. Throws std::system_error.
  Team(std::size_t size, const std::function<void(std::size_t member)>& enter);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] std::size_t size() const { return helpers_.size() + 1; }
  /// Calls work(0), ..., work(parts - 1), each once, on all members, and returns when all have returned; inside a part,
  /// all on the thread that calls. Otherwise only the worker's thread may call it. Throws what the first part that
  /// failed threw; the others are done nevertheless.
  void run(std::size_t parts, const std::function<void(std::size_t part)>& work);

 private:
  void dismiss();
  void help();
  void take_parts();

  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable ended_;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<std::size_t> helping_{0};  ///< helpers that have not left this round
  std::atomic<bool> stopping_{false};
  std::exception_ptr failure_;  ///< of this round; guarded by the mutex
  // Of a round, as all see who have seen that it began:
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t parts_ = 0;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> helpers_;
};

}  // namespace heddle::runtime
