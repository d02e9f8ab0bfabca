#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "heddle/cli/interrupt.hpp"

namespace heddle::cli {

/// A bar with rate and time left on standard error, for work of more than a second; nothing when that is no terminal.
/// Every step is also a moment at which Ctrl-C is heeded.
class Progress {
 public:
  /// `visible`: false where another bar is shown already.
  Progress(const std::string& what, std::size_t total, bool visible = true);
  /// Clears the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of the total, `known` of which took no work and tell nothing of the rate. Throws Interrupted when the user
  /// asked to stop.
  void update(std::size_t done, std::size_t known = 0);
  /// A part of the work, from 0 to 1, and what there is to say about it. Does not heed Ctrl-C.
  void show(double part, const std::string& detail);

 private:
  using Clock = std::chrono::steady_clock;

  /// Whether it is time to draw again.
  [[nodiscard]] bool due();
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// `left`: seconds; none where nothing is known yet.
  void draw(double part, std::string detail, std::optional<double> left);

  Heeding heeding_;
  std::string what_;
  std::size_t total_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace heddle::cli
