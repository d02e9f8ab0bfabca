#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

#include "heddle/runtime/threads/mutex.hpp"

namespace heddle::cuda {

/// Calls functions one after the other, in a thread of its own whose current device is the one that is named.
class Sequence {
 public:
  using Step = std::function<void()>;

  explicit Sequence(int device);
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;
  /// After the last one.
  ~Sequence();

  /// Must not throw.
  void add(Step step);

 private:
  void work(int device);

  runtime::Mutex mutex_;
  std::condition_variable_any news_;
  std::deque<Step> steps_ HEDDLE_GUARDED_BY(mutex_);
  bool over_ HEDDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace heddle::cuda
