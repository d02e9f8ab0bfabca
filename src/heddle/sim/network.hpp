#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "heddle/model/platform.hpp"

namespace heddle::sim {

/// The links of a platform. Each carries one transfer at a time, first come first served: first its latency passes,
/// then its bytes, at the link's bandwidth or less: a bus splits its own evenly over the transfers that send bytes
/// through it. A value.
class Network {
 public:
  /// A transfer that has ended; `ticket` is what submit() was given.
  struct Ended {
    std::uint32_t ticket;
    Time start;
  };

  explicit Network(const Platform& platform);

  /// Puts a transfer at the end of a link's queue.
  void submit(Time now, std::uint32_t link, std::int64_t bytes, std::uint32_t ticket);
  /// The next instant at which something happens here; kMaxTime when nothing moves.
  [[nodiscard]] Time next() const { return next_; }
  /// Lets time go on to `now`, at most next(). Appends the transfers that end then, by number of their links.
  void advance(Time now, std::vector<Ended>& ended);

 private:
  struct Waiting {
    std::uint32_t ticket;
    std::int64_t bytes;
  };
  enum class Phase : std::uint8_t { free, latency, sending };
  struct Line {
    Time latency;
    double bandwidth;
    std::vector<std::uint32_t> buses;
    std::deque<Waiting> queue;
    Phase phase = Phase::free;
    Waiting current{};
    Time start = 0;
    Time due = kMaxTime;  ///< when the present phase ends, as things stand
    Time since = 0;       ///< when `left` was true
    double left = 0;      ///< bytes to send
    double rate = 0;      ///< bytes per second; 0: not known yet
  };
  struct Load {
    double bandwidth;
    std::uint32_t sending = 0;
  };

  void start_waiting(Time now, Line& line);
  void begin_sending(Time now, Line& line);
  void end_sending(Line& line);
  void share(Time now);
  [[nodiscard]] double rate(const Line& line) const;

  std::vector<Line> lines_;
  std::vector<Load> buses_;
  Time next_ = kMaxTime;
  bool loads_changed_ = false;
};

}  // namespace heddle::sim
