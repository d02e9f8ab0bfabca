#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/model/routes.hpp"

namespace heddle::sim {

/// The links of a platform. Each carries one transfer at a time, first come first served: first its latency passes,
/// then its bytes, at the link's bandwidth or less: a bus splits its own evenly over the transfers that send bytes
/// through it. Shares are exact, and only the end of a transfer is rounded up to the picosecond. A value.
class Network {
 public:
  /// A transfer that has ended; `ticket` is what submit() was given.
  struct Ended {
    std::uint32_t ticket;
    Time start;
  };

  /// `largest`: no transfer has more bytes.
  Network(const Platform& platform, std::int64_t largest);

  /// Puts a transfer at the end of a link's queue.
  void submit(Time now, std::uint32_t link, std::int64_t bytes, std::uint32_t ticket);
  /// Whether nothing is on the link or waits for it.
  [[nodiscard]] bool is_free(std::uint32_t link) const { return lines_[link].phase == Phase::free; }
  /// The next instant at which something happens here; kMaxTime when nothing moves.
  [[nodiscard]] Time next() const { return next_; }
  /// Lets time go on to `now`, at most next(). Appends the transfers that end then, by number of their links.
  /// Throws InputError when one would take kLongestTransfer or end beyond 64 bits.
  void advance(Time now, std::vector<Ended>& ended);

 private:
  struct Waiting {
    std::uint32_t ticket;
    std::int64_t bytes;
  };
  enum class Phase : std::uint8_t { free, latency, sending };
  /// Counts units (see units_), or units per picosecond.
  using Wide = ByteRate::Wide;
  struct Line {
    Time latency;
    Wide rate;
    std::vector<std::uint32_t> buses;
    std::deque<Waiting> queue;
    Phase phase = Phase::free;
    Waiting current{};
    Time start = 0;
    Time due = kMaxTime;  ///< when the present phase ends, as things stand
    Time since = 0;       ///< when `left` was true
    Wide left = 0;        ///< units to send
    Wide share = 0;       ///< of the rate; 0: not known yet
  };
  struct Load {
    Wide rate;
    int sending = 0;
    Wide share = 0;  ///< of the rate, of each that sends
  };

  void start_waiting(Time now, Line& line);
  void begin_sending(Time now, Line& line);
  void end_sending(Line& line);
  void change_load(const Line& line, int change);
  void share(Time now);
  [[nodiscard]] Wide share(const Line& line) const;
  [[nodiscard]] Wide units_per_picosecond(double bandwidth) const;

  Wide units_;  ///< to a byte: so many that all shares are whole numbers of them in a picosecond
  std::vector<Line> lines_;
  std::vector<Load> buses_;
  Time next_ = kMaxTime;
  bool loads_changed_ = false;
};

}  // namespace heddle::sim
