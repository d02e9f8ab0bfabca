#include "heddle/sim/network.hpp"

#include <algorithm>
#include <cmath>

#include "heddle/model/routes.hpp"

namespace heddle::sim {

Network::Network(const Platform& platform) {
  for (const Bus& bus : platform.buses()) buses_.push_back({bus.bandwidth});
  for (const Link& link : platform.links()) {
    Line line{.latency = link.latency, .bandwidth = link.bandwidth, .buses = {}, .queue = {}};
    for (const std::string& name : link.via) {
      const auto bus = std::ranges::find(platform.buses(), name, &Bus::name);
      line.buses.push_back(static_cast<std::uint32_t>(bus - platform.buses().begin()));
    }
    lines_.push_back(std::move(line));
  }
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
  line.due = now + line.latency;
}

void Network::begin_sending(Time now, Line& line) {
  line.phase = Phase::sending;
  line.since = now;
  line.left = static_cast<double>(line.current.bytes);
  line.rate = 0;
  for (const std::uint32_t bus : line.buses) ++buses_[bus].sending;
  loads_changed_ = true;
}

void Network::end_sending(Line& line) {
  for (const std::uint32_t bus : line.buses) --buses_[bus].sending;
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

double Network::rate(const Line& line) const {
  double rate = line.bandwidth;
  for (const std::uint32_t bus : line.buses) {
    rate = std::min(rate, buses_[bus].bandwidth / static_cast<double>(buses_[bus].sending));
  }
  return rate;
}

/// The transfers under way get their shares of the buses anew.
void Network::share(Time now) {
  loads_changed_ = false;
  for (Line& line : lines_) {
    if (line.phase != Phase::sending) continue;
    const double share = rate(line);
    if (share == line.rate) continue;
    if (line.rate == 0) {
      line.due = now + transfer_time(line.current.bytes, share);
    } else {
      line.left = std::max(0.0, line.left - to_seconds(now - line.since) * line.rate);
      const double picoseconds = std::ceil(line.left / share * static_cast<double>(kSecond));
      line.due = now + (picoseconds < static_cast<double>(kLongestTransfer) ? static_cast<Time>(picoseconds)
                                                                            : kLongestTransfer);
    }
    line.since = now;
    line.rate = share;
  }
}

}  // namespace heddle::sim
