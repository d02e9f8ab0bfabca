#include "heddle/runtime/threads/origin_process.hpp"

#include <pthread.h>

#include <atomic>

namespace heddle::runtime {
namespace {

/// That led from the process that loaded the library to this one.
std::atomic<std::uint64_t> forks{0};

/// So many so far. They are counted from the first call on.
std::uint64_t count_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);  // without memory for it, forks are not counted
  return forks.load(std::memory_order_relaxed);
}

}  // namespace

OriginProcess::OriginProcess() : forks_(count_forks()) {}

bool OriginProcess::is_this() const {
  return forks.load(std::memory_order_relaxed) == forks_;
}

}  // namespace heddle::runtime
