#include <exception>
#include <utility>

#include "heddle/runtime/job.hpp"
#include "heddle/runtime/threads/mutex.hpp"

namespace heddle::runtime {
namespace {

/// The team one of whose parts this thread does.
thread_local const Team* this_team = nullptr;

/// How often one looks before one sleeps: that costs less than to be woken.
constexpr int kSpins = 500;

/// Whether `condition()` became true while one looked.
template <class Condition>
bool comes_soon(Condition&& condition) {
  for (int tries = 0; tries < kSpins; ++tries) {
    if (condition()) return true;
    spin_pause();
  }
  return false;
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

Team::Team(std::size_t size, const std::function<void(std::size_t)>& enter) {
  try {
    for (std::size_t member = 1; member < size; ++member) {
      helpers_.emplace_back([this, enter, member] {
        enter(member);
        help();
      });
    }
  } catch (...) {
    dismiss();
    throw;
  }
}

Team::~Team() {
  dismiss();
}

void Team::dismiss() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  begun_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Team::run(std::size_t parts, const std::function<void(std::size_t)>& work) {
  if (this_team == this) return do_all(parts, work);
  work_ = &work;
  parts_ = parts;
  next_ = 0;
  helping_ = helpers_.size();
  {
    const std::lock_guard lock(mutex_);  // who is about to sleep sees it
    ++round_;
  }
  begun_.notify_all();
  take_parts();
  const auto ended = [this] { return helping_ == 0; };
  const bool soon = comes_soon(ended);
  std::unique_lock lock(mutex_);
  if (!soon) ended_.wait(lock, ended);
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void Team::take_parts() {
  const Team* const outer = std::exchange(this_team, this);
  for (std::size_t part = next_++; part < parts_; part = next_++) {
    try {
      (*work_)(part);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
  this_team = outer;
}

void Team::help() {
  std::uint64_t seen = 0;
  while (true) {
    const auto begun = [&] { return stopping_ || round_ != seen; };
    if (!comes_soon(begun)) {
      std::unique_lock lock(mutex_);
      begun_.wait(lock, begun);
    }
    if (stopping_) return;
    seen = round_;
    take_parts();
    const std::lock_guard lock(mutex_);
    if (--helping_ == 0) ended_.notify_one();
  }
}

}  // namespace heddle::runtime
