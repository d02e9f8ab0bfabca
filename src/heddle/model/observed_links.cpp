#include "heddle/model/observed_links.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "heddle/model/routes.hpp"

namespace heddle {

Platform with_links_of(const Platform& platform, std::span<const Transfer> transfers) {
  if (platform.links().empty()) return platform;
  std::vector<ResourceClass> classes;
  for (const ClassId c : platform.classes()) classes.push_back(platform.resource_class(c));
  std::vector<Link> links = platform.links();
  for (Link& link : links) {
    double share = 1;
    const ByteRate rate(link.bandwidth);
    for (const Transfer& transfer : transfers) {
      if (platform.memories()[transfer.from].name != link.from || platform.memories()[transfer.to].name != link.to)
        continue;
      const Time believed = link.latency + transfer_time(transfer.bytes, rate);
      share = std::min(share, static_cast<double>(transfer.end - transfer.start) / static_cast<double>(believed));
    }
    constexpr double kRounding = 1e-6;
    share = std::max(share - kRounding, kRounding);
    link.latency = static_cast<Time>(static_cast<double>(link.latency) * share);
    link.bandwidth /= share;
  }
  return Platform(std::move(classes), std::move(links));
}

}  // namespace heddle
