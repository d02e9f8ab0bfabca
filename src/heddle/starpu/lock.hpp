#pragma once

#include <starpu.h>

namespace heddle::starpu {

/// One of StarPU's, for under SimGrid a thread that waits for another must tell StarPU so.
class Mutex {
 public:
  Mutex() { starpu_pthread_mutex_init(&mutex_, nullptr); }
  ~Mutex() { STARPU_PTHREAD_MUTEX_DESTROY(&mutex_); }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

 private:
  friend class Lock;
  starpu_pthread_mutex_t mutex_{};
};

/// Holds a mutex. A worker that waits for it can be observed by others meanwhile.
class Lock {
 public:
  explicit Lock(Mutex& mutex) : mutex_(&mutex.mutex_) {
    // It is held for about a microsecond, which is less than going to sleep takes.
    for (int i = 0; i < kTries; ++i) {
      if (STARPU_PTHREAD_MUTEX_TRYLOCK(mutex_) == 0) return;
      __builtin_ia32_pause();
    }
    const bool relaxes = starpu_worker_get_id() >= 0 && starpu_worker_get_relax_state() == 0;
    if (relaxes) starpu_worker_relax_on();
    STARPU_PTHREAD_MUTEX_LOCK(mutex_);
    if (relaxes) starpu_worker_relax_off();
  }
  ~Lock() { STARPU_PTHREAD_MUTEX_UNLOCK(mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static constexpr int kTries = 100;
  starpu_pthread_mutex_t* mutex_;
};

}  // namespace heddle::starpu
