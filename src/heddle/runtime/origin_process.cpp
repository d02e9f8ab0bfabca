#include "heddle/runtime/origin_process.hpp"

#include <pthread.h>

#include <atomic>

namespace heddle::runtime {
namespace {

/// That led from the process that loaded the library to this one.
std::atomic<std::uint64_t> forks{0};

/// Registered before the first of them matters.
void count_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);  // without memory for it, forks are not counted
}

}  // namespace

OriginProcess::OriginProcess() {
  count_forks();
  forks_ = forks.load(std::memory_order_relaxed);
}

bool OriginProcess::is_this() const {
  return forks.load(std::memory_order_relaxed) == forks_;
}

}  // namespace heddle::runtime
