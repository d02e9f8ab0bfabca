#include "heddle/sim/network.hpp"

#include <algorithm>
#include <string>

#include "heddle/model/error.hpp"

namespace heddle::sim {
namespace {

using Wide = ByteRate::Wide;

/// The most units that are counted; twice as many still fit.
constexpr Wide kMostUnits = Wide{1} << 126;

/// Units to a byte such that all links and all shares of buses carry whole numbers of them in a picosecond. Where that
/// is more than `most`, as when dozens share a bus, it is `most`: shares are then rounded up, by so little that over
/// the longest transfer less than a millionth of a picosecond is gained, and what is exact still comes out exact.
Wide units_per_byte(const Platform& platform, Wide most) {
  Wide units = 1;
  bool fits = true;
  const auto include = [&](Wide divisor) {
    const Wide factor = divisor / greatest_common_divisor(units, divisor);
    fits = fits && factor <= most / units;
    if (fits) units *= factor;
  };
  for (const Link& link : platform.links()) include(ByteRate(link.bandwidth).picoseconds());
  for (const Bus& bus : platform.buses()) {
    const Wide picoseconds = ByteRate(bus.bandwidth).picoseconds();
    const auto users = static_cast<std::size_t>(std::ranges::count_if(
        platform.links(), [&](const Link& link) { return std::ranges::count(link.via, bus.name) > 0; }));
    for (std::size_t sharers = 1; sharers <= users && fits; ++sharers) include(picoseconds * sharers);
  }
  return fits ? units : most;
}

/// When something ends that goes on for so long.
Time end_of(Time now, Wide left, Time start, std::int64_t bytes) {
  const Wide end = static_cast<Wide>(now) + left;
  if (end - static_cast<Wide>(start) >= static_cast<Wide>(kLongestTransfer)) {
    throw InputError("a transfer of " + std::to_string(bytes) + " bytes takes longer than the " +
                     std::to_string(kLongestTransfer / kSecond) + " s that a transfer may take");
  }
  if (end >= static_cast<Wide>(kMaxTime)) {
    throw InputError("the schedule passes 64 bits of picoseconds (106 days) at a transfer of " + std::to_string(bytes) +
                     " bytes");
  }
  return static_cast<Time>(end);
}

}  // namespace

Network::Network(const Platform& platform, std::int64_t largest)
    : units_(units_per_byte(platform, kMostUnits / static_cast<Wide>(std::max<std::int64_t>(largest, 1)))) {
  for (const Bus& bus : platform.buses()) buses_.push_back({.rate = units_per_picosecond(bus.bandwidth)});
  for (const Link& link : platform.links()) {
    Line line{.latency = link.latency, .rate = units_per_picosecond(link.bandwidth), .buses = {}, .queue = {}};
    for (const std::string& name : link.via) {
      const auto bus = std::ranges::find(platform.buses(), name, &Bus::name);
      line.buses.push_back(static_cast<std::uint32_t>(bus - platform.buses().begin()));
    }
    lines_.push_back(std::move(line));
  }
}

/// Rounded up, and at most kMostUnits: that carries everything.
Wide Network::units_per_picosecond(double bandwidth) const {
  const ByteRate rate(bandwidth);
  if (units_ % rate.picoseconds() == 0) {
    const Wide factor = units_ / rate.picoseconds();
    return factor <= kMostUnits / rate.bytes() ? factor * rate.bytes() : kMostUnits;
  }
  // Bit by bit, since the product may not fit.
  Wide quotient = 0;
  Wide rest = 0;
  for (int bit = 127; bit >= 0; --bit) {
    rest = 2 * rest + (rate.bytes() >> bit & 1) * units_;
    quotient = std::min(2 * quotient + rest / rate.picoseconds(), kMostUnits);
    rest %= rate.picoseconds();
  }
  return rest > 0 ? quotient + 1 : quotient;
}

void Network::submit(Time now, std::uint32_t link, std::int64_t bytes, std::uint32_t ticket) {
  Line& line = lines_[link];
  line.queue.push_back({ticket, bytes});
  if (line.phase == Phase::free) start_waiting(now, line);
  next_ = std::min(next_, line.due);
}

void Network::start_waiting(Time now, Line& line) {
  line.phase = Phase::latency;
  line.current = line.queue.front();
  line.queue.pop_front();
  line.start = now;
  line.due = end_of(now, static_cast<Wide>(line.latency), now, line.current.bytes);
}

void Network::begin_sending(Time now, Line& line) {
  line.phase = Phase::sending;
  line.since = now;
  line.left = static_cast<Wide>(line.current.bytes) * units_;
  line.share = 0;
  change_load(line, 1);
  loads_changed_ = true;
}

void Network::end_sending(Line& line) {
  change_load(line, -1);
  loads_changed_ = loads_changed_ || !line.buses.empty();
  line.phase = Phase::free;
  line.due = kMaxTime;
}

void Network::advance(Time now, std::vector<Ended>& ended) {
  for (Line& line : lines_) {
    if (line.phase != Phase::sending || line.due > now) continue;
    ended.push_back({line.current.ticket, line.start});
    end_sending(line);
    if (!line.queue.empty()) start_waiting(now, line);
  }
  for (Line& line : lines_) {
    if (line.phase == Phase::latency && line.due <= now) begin_sending(now, line);
  }
  if (loads_changed_) share(now);
  next_ = kMaxTime;
  for (const Line& line : lines_) next_ = std::min(next_, line.due);
}

/// Adds to the number of transfers that send through the buses of a line.
void Network::change_load(const Line& line, int change) {
  for (const std::uint32_t bus : line.buses) {
    Load& load = buses_[bus];
    load.sending += change;
    if (load.sending > 0) load.share = divide_up(load.rate, static_cast<Wide>(load.sending));
  }
}

Wide Network::share(const Line& line) const {
  Wide share = line.rate;
  for (const std::uint32_t bus : line.buses) share = std::min(share, buses_[bus].share);
  return share;
}

/// The transfers under way get their shares of the buses anew.
void Network::share(Time now) {
  loads_changed_ = false;
  for (Line& line : lines_) {
    if (line.phase != Phase::sending) continue;
    const Wide present = share(line);
    if (present == line.share) continue;
    // Never below 0: its end, rounded up, is still to come.
    line.left -= static_cast<Wide>(now - line.since) * line.share;
    line.due = end_of(now, divide_up(line.left, present), line.start, line.current.bytes);
    line.since = now;
    line.share = present;
  }
}

}  // namespace heddle::sim
