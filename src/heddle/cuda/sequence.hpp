#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

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

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Step> steps_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace heddle::cuda
