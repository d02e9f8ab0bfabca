#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "problem.hpp"

namespace heddle::bench {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// A problem on a system that has been started: workers stand by, data are registered.
class Session {
 public:
  virtual ~Session() = default;
  /// Runs all tasks; returns the seconds from the first submission to the end of the wait.
  virtual double run() = 0;
};

/// What runs task graphs. A file per system.
struct System {
  std::string name;
  std::vector<std::string> variants{};  ///< policies, or ways to use it
  /// Starts it for one problem, which must outlive the session; null when the system was not there at build time.
  std::unique_ptr<Session> (*start)(const Problem& problem, unsigned workers, const std::string& variant) = nullptr;
  std::string missing{};  ///< why there is no `start`, for the reader
};

[[nodiscard]] System heddle();
[[nodiscard]] System openmp();
[[nodiscard]] System tbb();
[[nodiscard]] System starpu();
[[nodiscard]] System taskflow();

/// All of them; Heddle first.
[[nodiscard]] std::vector<System> systems();

}  // namespace heddle::bench
