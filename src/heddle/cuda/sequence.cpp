#include "heddle/cuda/sequence.hpp"

#include <cuda_runtime_api.h>

#include <utility>

namespace heddle::cuda {

Sequence::Sequence(int device) : thread_([this, device] { work(device); }) {}

Sequence::~Sequence() {
  {
    const runtime::Lock lock(mutex_);
    over_ = true;
  }
  news_.notify_one();
  thread_.join();
}

void Sequence::add(Step step) {
  {
    const runtime::Lock lock(mutex_);
    steps_.push_back(std::move(step));
  }
  news_.notify_one();
}

void Sequence::work(int device) {
  // The thread that made this could use the device; should it be gone, the first step is told by what it calls.
  static_cast<void>(cudaSetDevice(device));
  runtime::Lock lock(mutex_);
  while (true) {
    news_.wait(lock, [this] {
      mutex_.assert_held();
      return over_ || !steps_.empty();
    });
    if (steps_.empty()) return;
    {
      const Step step = std::move(steps_.front());
      steps_.pop_front();
      lock.unlock();
      step();
    }
    lock.lock();
  }
}

}  // namespace heddle::cuda
