#include "heddle/model/observed_links.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "heddle/model/routes.hpp"

namespace heddle {
namespace {

/// Each link takes so many times as long as before: `share` of what its transfers took and should have taken, in
/// picoseconds, one after the other.
template <class Share>
Platform with_links(const Platform& platform, std::span<const Transfer> transfers, Share&& share_of) {
  struct Seen {
    double took;
    double believed;
  };
  std::vector<ResourceClass> classes;
  for (const ClassId c : platform.classes()) classes.push_back(platform.resource_class(c));
  std::vector<Link> links = platform.links();
  std::vector<Seen> seen;
  for (Link& link : links) {
    const ByteRate rate(link.bandwidth);
    seen.clear();
    for (const Transfer& transfer : transfers) {
      if (platform.memories()[transfer.from].name != link.from || platform.memories()[transfer.to].name != link.to)
        continue;
      seen.push_back({static_cast<double>(transfer.end - transfer.start),
                      static_cast<double>(link.latency + transfer_time(transfer.bytes, rate))});
    }
    const double share = share_of(std::span<const Seen>(seen));
    link.latency = static_cast<Time>(static_cast<double>(link.latency) * share);
    link.bandwidth /= share;
  }
  return Platform(std::move(classes), std::move(links), platform.buses());
}

}  // namespace

Platform with_links_of(const Platform& platform, std::span<const Transfer> transfers) {
  return with_links(platform, transfers, [](const auto& seen) {
    double share = 1;
    for (const auto& [took, believed] : seen) share = std::min(share, took / believed);
    constexpr double kRounding = 1e-6;
    return std::max(share - kRounding, kRounding);
  });
}

Platform with_mean_links_of(const Platform& platform, std::span<const Transfer> transfers) {
  return with_links(platform, transfers, [](const auto& seen) {
    double all_took = 0;
    double all_believed = 0;
    for (const auto& [took, believed] : seen) all_took += took, all_believed += believed;
    return all_took > 0 && all_believed > 0 ? all_took / all_believed : 1;
  });
}

}  // namespace heddle
