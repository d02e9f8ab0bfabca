#include "heddle/model/routes.hpp"

#include <algorithm>

#include "heddle/model/error.hpp"

namespace heddle {

Routes::Routes(const Platform& platform) : memories_(platform.memories().size()) {
  if (platform.links().empty()) return;
  hops_.resize(memories_ * memories_);
  for (std::size_t i = 0; i < platform.links().size(); ++i) {
    const Link& link = platform.links()[i];
    double bandwidth = link.bandwidth;
    for (const Bus& bus : platform.buses()) {
      if (std::ranges::find(link.via, bus.name) != link.via.end()) bandwidth = std::min(bandwidth, bus.bandwidth);
    }
    speed_.push_back({link.latency, ByteRate(bandwidth)});
    const std::size_t from = index(platform.find_memory(link.from).value());
    const std::size_t to = index(platform.find_memory(link.to).value());
    hops_[from * memories_ + to] = {{static_cast<std::uint32_t>(i), 0}, 1};
  }
  const std::size_t ram = index(platform.find_memory("ram").value());
  for (std::size_t from = 0; from < memories_; ++from) {
    for (std::size_t to = 0; to < memories_; ++to) {
      Route& route = hops_[from * memories_ + to];
      if (from == to || route.count > 0) continue;
      const Route& first = hops_[from * memories_ + ram];
      const Route& second = hops_[ram * memories_ + to];
      if (from != ram && to != ram && first.count == 1 && second.count == 1) {
        route = {{first.link[0], second.link[0]}, 2};
        continue;
      }
      throw InputError("the platform has links, but none that lead from memory '" +
                       platform.memories()[make_id<MemoryId>(from)].name + "' to '" +
                       platform.memories()[make_id<MemoryId>(to)].name + "', directly or through ram");
    }
  }
}

Time Routes::duration(MemoryId from, MemoryId to, std::int64_t bytes, std::size_t sharers) const {
  if (free()) return 0;
  Time total = 0;
  for (const std::uint32_t link : hops(from, to)) {
    total += std::min(speed_[link].latency, kLongestTransfer) + transfer_time(bytes, speed_[link].rate, sharers);
  }
  return std::min(total, kLongestTransfer);
}

}  // namespace heddle
