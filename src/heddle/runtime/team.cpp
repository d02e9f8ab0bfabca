#include "heddle/runtime/team.hpp"

#include <exception>
#include <utility>

namespace heddle::runtime {
namespace {

/// The team one of whose parts this thread does.
thread_local const Team* this_team = nullptr;

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
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    parts_ = parts;
    next_ = 0;
    helping_ = helpers_.size();
    ++round_;
  }
  begun_.notify_all();
  take_parts();
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return helping_ == 0; });
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
    {
      std::unique_lock lock(mutex_);
      begun_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
    }
    take_parts();
    const std::lock_guard lock(mutex_);
    if (--helping_ == 0) ended_.notify_one();
  }
}

}  // namespace heddle::runtime
