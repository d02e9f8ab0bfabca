#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/runtime/job.hpp"
#include "heddle/runtime/threads/mutex.hpp"

namespace heddle::runtime {

/// The threads beside the worker's, and the round that all do.
class Team::Helpers {
 public:
  Helpers(std::size_t count, const std::function<void(std::size_t)>& enter);
  ~Helpers() { dismiss(); }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  void run(std::size_t parts, const std::function<void(std::size_t)>& work);

 private:
  void dismiss();
  void help();
  void take_parts();

  /// Those of the team one of whose parts this thread does.
  static thread_local const Helpers* of_this_thread;

  // Threads wait for these two to change.
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> helping_{0};  ///< helpers that have not left this round
  std::atomic<bool> stopping_{false};      ///< the round that begins is none
  Mutex mutex_;
  std::exception_ptr failure_ HEDDLE_GUARDED_BY(mutex_);  ///< of this round
  // Of a round, as all see who have seen that it began:
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t parts_ = 0;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> threads_;
};

thread_local const Team::Helpers* Team::Helpers::of_this_thread = nullptr;

namespace {

/// How often one looks before one sleeps: that costs less than to be woken.
constexpr int kSpins = 500;

/// Returns when the number, which was `old`, is another one.
void await_change(const std::atomic<std::uint32_t>& number, std::uint32_t old) {
  for (int tries = 0; tries < kSpins; ++tries) {
    if (number != old) return;
    spin_pause();
  }
  number.wait(old);
}

/// Does all parts on this thread.
void do_all(std::size_t parts, const std::function<void(std::size_t)>& work) {
  std::exception_ptr failure;
  for (std::size_t part = 0; part < parts; ++part) {
    try {
      work(part);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

Team::Team(std::size_t size, const std::function<void(std::size_t)>& enter)
    : size_(size), helpers_(std::make_unique<Helpers>(size - 1, enter)) {}

Team::~Team() = default;

void Team::run(std::size_t parts, const std::function<void(std::size_t)>& work) {
  helpers_->run(parts, work);
}

Team::Helpers::Helpers(std::size_t count, const std::function<void(std::size_t)>& enter) {
  try {
    for (std::size_t member = 1; member <= count; ++member) {
      threads_.emplace_back([this, enter, member] {
        enter(member);
        help();
      });
    }
  } catch (...) {
    dismiss();
    throw;
  }
}

void Team::Helpers::dismiss() {
  stopping_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::Helpers::run(std::size_t parts, const std::function<void(std::size_t)>& work) {
  if (of_this_thread == this) return do_all(parts, work);
  work_ = &work;
  parts_ = parts;
  next_ = 0;
  helping_ = static_cast<std::uint32_t>(threads_.size());
  ++round_;
  round_.notify_all();
  take_parts();
  for (std::uint32_t helping = helping_; helping > 0; helping = helping_) await_change(helping_, helping);
  const Lock lock(mutex_);
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void Team::Helpers::take_parts() {
  const Helpers* const outer = std::exchange(of_this_thread, this);
  for (std::size_t part = next_++; part < parts_; part = next_++) {
    try {
      (*work_)(part);
    } catch (...) {
      const Lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
  of_this_thread = outer;
}

void Team::Helpers::help() {
  for (std::uint32_t seen = 0;; ++seen) {
    await_change(round_, seen);
    if (stopping_) return;
    take_parts();
    if (--helping_ == 0) helping_.notify_one();
  }
}

}  // namespace heddle::runtime
