#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace heddle::runtime {

/// The threads of this process, by the numbers that the system gives them: in the order in which they were started.
[[nodiscard]] std::vector<pid_t> threads_of_process();
/// Waits until the thread sleeps, or waits for something.
void await_sleep(pid_t thread);

/// Keeps a thread of this process from running, wherever it is, as an operating system does that runs other programs
/// instead. One at a time.
class HeldThread {
 public:
  /// Returns when it is held.
  explicit HeldThread(pid_t thread);
  /// Lets it go on.
  ~HeldThread();
  HeldThread(const HeldThread&) = delete;
  HeldThread& operator=(const HeldThread&) = delete;
};

}  // namespace heddle::runtime
