#include "heddle/model/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace heddle {
namespace {

/// Cores that are busy, as far as is known here: with the calling thread of a program, and with threads that work for
/// it. It decides where work is done, and never what comes of it.
std::atomic<std::size_t> busy_cores{1};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

class Pool {
 public:
  Pool(std::size_t count, const std::function<void(std::size_t)>& work) : count_(count), work_(work) {}

  void run(std::size_t threads, const std::function<void(std::size_t)>& progress) {
    std::exception_ptr interrupted;
    // The calling thread waits.
    const std::size_t further = std::max<std::size_t>(1, std::min(threads, count_)) - 1;
    busy_cores += further;
    {
      std::vector<std::jthread> workers;
      try {
        for (std::size_t i = 0; i < std::min(threads, count_); ++i) workers.emplace_back([this] { serve(); });
        watch(progress);
      } catch (...) {
        interrupted = std::current_exception();
        const std::lock_guard lock(mutex_);
        stopped_ = true;
      }
    }
    busy_cores -= further;
    if (failure_) std::rethrow_exception(failure_);
    if (interrupted) std::rethrow_exception(interrupted);
  }

 private:
  static constexpr std::chrono::milliseconds kBetweenUpdates{50};

  /// What the calling thread does until nothing is left to do: the last count is told, however fast the work was.
  void watch(const std::function<void(std::size_t)>& progress) {
    const auto over = [this] { return finished_ == count_ || stopped_; };
    bool done = false;
    while (!done) {
      std::size_t finished = 0;
      {
        std::unique_lock lock(mutex_);
        done = changed_.wait_for(lock, kBetweenUpdates, over);
        finished = finished_;
      }
      if (progress) progress(finished);
    }
  }

  /// The number of the next piece of work; none when there is none or the work is stopped.
  std::optional<std::size_t> next() {
    const std::lock_guard lock(mutex_);
    if (stopped_ || next_ == count_) return std::nullopt;
    return next_++;
  }

  void serve() {
    while (const auto number = next()) {
      std::exception_ptr failure;
      try {
        work_(*number);
      } catch (...) {
        failure = std::current_exception();
      }
      note(*number, failure);
    }
  }

  void note(std::size_t number, const std::exception_ptr& failure) {
    const std::lock_guard lock(mutex_);
    if (failure && number < first_failed_) {
      failure_ = failure;
      first_failed_ = number;
    }
    stopped_ = stopped_ || failure;
    ++finished_;
    if (stopped_ || finished_ == count_) changed_.notify_one();
  }

  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::mutex mutex_;  ///< guards all that follows
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::size_t first_failed_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace

std::size_t core_count() {
  return std::max(1U, std::thread::hardware_concurrency());
}

detail::SpareCore::SpareCore() : taken_(busy_cores++ < core_count()) {
  if (!taken_) --busy_cores;
}

detail::SpareCore::~SpareCore() {
  if (taken_) --busy_cores;
}

void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t done)>& progress) {
  Pool(count, work).run(threads, progress);
}

}  // namespace heddle
