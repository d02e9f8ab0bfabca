#include "heddle/runtime/team.hpp"

#include <exception>
#include <utility>

namespace heddle::runtime {

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
  for (std::size_t part = next_++; part < parts_; part = next_++) {
    try {
      (*work_)(part);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
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
