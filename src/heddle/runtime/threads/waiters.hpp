#pragma once

#include <condition_variable>
#include <cstddef>

#include "heddle/runtime/scheduling/progress.hpp"

namespace heddle::runtime {

/// The threads of the program that wait for something to end, and what they want meanwhile. Guarded by the engine's
/// lock.
class Waiters {
 public:
  /// A thread wants something while this lives.
  class Want {
   public:
    explicit Want(std::size_t& count) : count_(count) { ++count_; }
    ~Want() { --count_; }
    Want(const Want&) = delete;
    Want& operator=(const Want&) = delete;

   private:
    std::size_t& count_;
  };

  /// At most `left` tasks are to be left.
  [[nodiscard]] Want want_room(std::size_t left) {
    room_ = left;
    return Want(wanting_room_);
  }
  /// A task, a transfer or the kernel of an aborted execution: no worker is to keep to itself that tasks have ended.
  [[nodiscard]] Want want_news() { return Want(wanting_news_); }
  /// All tasks are to end and all data is to be home: values that are final leave for home while other tasks run.
  [[nodiscard]] Want want_home() { return Want(wanting_home_); }

  [[nodiscard]] bool some_want_room() const { return wanting_room_ > 0; }
  [[nodiscard]] bool some_want_news() const { return wanting_news_ > 0; }
  [[nodiscard]] bool some_want_home() const { return wanting_home_ > 0; }
  /// Whether there is the room that threads want.
  [[nodiscard]] bool have_room(const Progress& progress) const {
    return some_want_room() && progress.unfinished() <= room_;
  }
  /// Is notified when something ends that a thread waits for.
  [[nodiscard]] std::condition_variable_any& ended() { return ended_; }

 private:
  std::size_t wanting_room_ = 0;
  std::size_t room_ = 0;
  std::size_t wanting_news_ = 0;
  std::size_t wanting_home_ = 0;
  alignas(64) std::condition_variable_any ended_;  // apart from what the worker that has the lock reads
};

}  // namespace heddle::runtime
