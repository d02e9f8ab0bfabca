#include "heddle/analysis/data_waits.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace heddle::analysis {
namespace {

/// Since when the link of each transfer has carried others without a break; the transfer's start when it was free.
std::vector<Time> busy_since(const std::vector<Transfer>& transfers) {
  std::vector<std::uint32_t> by_link(transfers.size());
  std::iota(by_link.begin(), by_link.end(), 0U);
  std::ranges::sort(by_link, {}, [&](std::uint32_t i) {
    const Transfer& t = transfers[i];
    return std::tuple(t.from, t.to, t.start, t.end, i);
  });
  std::vector<Time> since(transfers.size());
  Time busy_until = 0;
  for (std::size_t k = 0; k < by_link.size(); ++k) {
    const Transfer& transfer = transfers[by_link[k]];
    const Transfer* before = k == 0 ? nullptr : &transfers[by_link[k - 1]];
    const bool same_link = before != nullptr && before->from == transfer.from && before->to == transfer.to;
    const bool queued = same_link && busy_until >= transfer.start;
    since[by_link[k]] = queued ? since[by_link[k - 1]] : transfer.start;
    busy_until = queued ? std::max(busy_until, transfer.end) : transfer.end;
  }
  return since;
}

}  // namespace

DataWaits::DataWaits(const Instance& instance, const Schedule& schedule)
    : instance_(instance),
      transfers_(schedule.transfers),
      arrivals_(schedule.transfers.size()),
      queues_since_(busy_since(schedule.transfers)) {
  std::iota(arrivals_.begin(), arrivals_.end(), 0U);
  std::ranges::sort(arrivals_, {}, [&](std::uint32_t i) {
    return std::tuple(transfers_[i].data, transfers_[i].to, transfers_[i].end, i);
  });
}

/// The transfers of the datum that arrived in the memory after one instant and no later than another.
std::span<const std::uint32_t> DataWaits::arrivals(DataId data, MemoryId memory, Time after, Time until) const {
  const auto key = [&](std::uint32_t i) { return std::tuple(transfers_[i].data, transfers_[i].to, transfers_[i].end); };
  const auto first = std::ranges::upper_bound(arrivals_, std::tuple(data, memory, after), {}, key);
  const auto last = std::ranges::upper_bound(arrivals_, std::tuple(data, memory, std::max(after, until)), {}, key);
  return {first, last};
}

DataWaits::Trip DataWaits::trip(std::uint32_t last, Time since) const {
  const Transfer& arrival = transfers_[last];
  const auto earlier = arrivals(arrival.data, arrival.from, since, arrival.start);
  if (earlier.empty()) return {queues_since_[last], queues_since_[last], last, last};
  const std::uint32_t first = earlier.back();
  return {queues_since_[first], transfers_[first].end, first, last};
}

void DataWaits::find(const Attempt& attempt, Time since, Interval window, std::vector<DataWait>& waits) const {
  if (window.start >= window.end || transfers_.empty()) return;
  const MemoryId memory = instance_.platform.memory_of(attempt.worker);
  std::vector<Trip> trips;
  for (const Access access : instance_.graph.accesses(attempt.task)) {
    if (!reads(access.mode)) continue;
    for (const std::uint32_t i : arrivals(access.data, memory, window.start, attempt.start)) {
      trips.push_back(trip(i, since));
    }
  }
  std::ranges::sort(trips, [&](const Trip& a, const Trip& b) {
    return std::tuple(transfers_[b.last].end, a.last) < std::tuple(transfers_[a.last].end, b.last);
  });
  Time known_from = window.end;
  const auto add = [&](Time start, Time end, std::uint32_t hop) {
    const Interval part{std::max(start, window.start), std::min(end, known_from)};
    if (part.start >= part.end) return;
    waits.push_back({part, transfers_[hop].from, transfers_[hop].to});
    known_from = part.start;
  };
  for (const Trip& trip : trips) {
    add(trip.change, transfers_[trip.last].end, trip.last);
    add(trip.begin, trip.change, trip.first);
  }
}

}  // namespace heddle::analysis
