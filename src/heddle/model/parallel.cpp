#include "heddle/model/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace heddle {
namespace {

/// Cores that are busy, as far as is known here: with the calling thread of a program, and with threads that work for
/// it. It decides where work is done, and never what comes of it.
std::atomic<std::size_t> busy_cores{1};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

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

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    dismissed_ = true;
  }
  called_.notify_all();
}

void Crew::run(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work,
               const std::function<void(std::size_t)>& progress) {
  const std::size_t wanted = std::min(threads, count);
  while (threads_.size() < wanted) threads_.emplace_back([this] { serve(); });
  // The calling thread waits.
  const std::size_t further = std::max<std::size_t>(1, wanted) - 1;
  busy_cores += further;
  {
    const std::lock_guard lock(mutex_);
    job_ = {};
    job_.count = count;
    job_.work = &work;
    wanted_ = wanted;
  }
  called_.notify_all();
  std::exception_ptr interrupted;
  try {
    watch(progress);
  } catch (...) {
    interrupted = std::current_exception();
  }
  const std::exception_ptr failure = end();
  busy_cores -= further;
  if (failure) std::rethrow_exception(failure);
  if (interrupted) std::rethrow_exception(interrupted);
}

/// What the calling thread does until nothing is left to do: the last count is told, however fast the work was.
void Crew::watch(const std::function<void(std::size_t)>& progress) {
  constexpr std::chrono::milliseconds kBetweenUpdates{50};
  bool done = false;
  while (!done) {
    std::size_t finished = 0;
    {
      std::unique_lock lock(mutex_);
      done = changed_.wait_for(lock, kBetweenUpdates, [this] { return job_.over(); });
      finished = job_.finished;
    }
    if (progress) progress(finished);
  }
}

/// No thread is at the job any more. Returns what went wrong.
std::exception_ptr Crew::end() {
  std::unique_lock lock(mutex_);
  job_.stopped = true;
  wanted_ = 0;
  changed_.wait(lock, [this] { return busy_ == 0; });
  return std::exchange(job_.failure, nullptr);
}

void Crew::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    called_.wait(lock, [this] { return dismissed_ || wanted_ > 0; });
    if (dismissed_) return;
    --wanted_;
    ++busy_;
    work_off(lock);
    --busy_;
    if (busy_ == 0) changed_.notify_one();
  }
}

void Crew::work_off(std::unique_lock<std::mutex>& lock) {
  while (!job_.stopped && job_.next < job_.count) {
    const std::size_t number = job_.next++;
    const std::function<void(std::size_t)>& work = *job_.work;
    std::exception_ptr failure;
    lock.unlock();
    try {
      work(number);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && number < job_.failed) {
      job_.failure = failure;
      job_.failed = number;
    }
    job_.stopped = job_.stopped || failure;
    ++job_.finished;
    if (job_.over()) changed_.notify_one();
  }
}

void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t done)>& progress) {
  Crew().run(count, threads, work, progress);
}

}  // namespace heddle
