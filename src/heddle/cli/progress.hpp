#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace heddle::cli {

/// A bar with rate and time left on standard error, for work of more than a second; nothing when that is no terminal.
/// Every step is also a moment at which Ctrl-C is heeded.
class Progress {
 public:
  /// `visible`: false where another bar is shown already.
  Progress(std::string what, std::size_t total, bool visible = true);
  /// Clears the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of the total. Throws Interrupted when the user asked to stop.
  void update(std::size_t done);

 private:
  using Clock = std::chrono::steady_clock;

  void draw(std::size_t done, double seconds);

  std::string what_;
  std::size_t total_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace heddle::cli
