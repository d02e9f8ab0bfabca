#include "heddle/starpu/copies.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace heddle::starpu {
namespace {

/// No copy is made while a task writes the datum: the one has ended when the other begins.
void separate_from_writers(std::vector<Copied>& copies, const TaskGraph& graph, std::vector<Attempt>& attempts) {
  Table<DataId, std::vector<Attempt*>> writers(graph.data_count());
  for (Attempt& attempt : attempts) {
    for (const Access access : graph.accesses(attempt.task)) {
      if (writes(access.mode)) writers[access.data].push_back(&attempt);
    }
  }
  for (Copied& copy : copies) {
    const std::vector<Attempt*>& all = writers[copy.data];
    const auto next = std::ranges::upper_bound(all, copy.start, {}, &Attempt::start);
    if (next != all.end()) copy.seen = std::min(copy.seen, (*next)->start);
    if (next == all.begin()) continue;
    Attempt& last = **std::prev(next);
    last.end = std::min(last.end, copy.start);
  }
}

/// All of one link. It carries them in the order of their starts, so each has ended when a later one was seen to have.
void append(std::vector<Copied> copies, const TaskGraph& graph, std::vector<Transfer>& transfers) {
  constexpr std::size_t kTogether = 64;  // more are seldom under way
  std::ranges::stable_sort(copies, {}, &Copied::start);
  for (std::size_t i = copies.size() - 1; i-- > 0;) copies[i].seen = std::min(copies[i].seen, copies[i + 1].seen);
  const auto bytes_of = [&](const Copied& copy) { return static_cast<double>(graph.datum(copy.data).bytes); };
  Time free_at = copies.front().start;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const Copied& copy = copies[i];
    const Time start = std::max(copy.start, free_at);
    // So long that those up to any later one can follow in time, each at the same speed.
    double bytes = 0;
    double per_byte = 0;
    for (std::size_t last = i; last < std::min(i + kTogether, copies.size()); ++last) {
      bytes += bytes_of(copies[last]);
      const double pace = static_cast<double>(copies[last].seen - start) / std::max(bytes, 1.0);
      per_byte = last == i ? pace : std::min(per_byte, pace);
    }
    free_at = start + static_cast<Time>(per_byte * bytes_of(copy));
    transfers.push_back({copy.data, copy.from, copy.to, start, free_at, graph.datum(copy.data).bytes});
  }
}

}  // namespace

std::vector<Transfer> transfers_of(std::vector<Copied> copies, const TaskGraph& graph, std::vector<Attempt>& attempts) {
  separate_from_writers(copies, graph, attempts);
  std::map<std::pair<MemoryId, MemoryId>, std::vector<Copied>> by_link;
  for (const Copied& copy : copies) by_link[{copy.from, copy.to}].push_back(copy);
  std::vector<Transfer> transfers;
  for (auto& [link, own] : by_link) append(std::move(own), graph, transfers);
  std::ranges::stable_sort(transfers, {}, &Transfer::start);
  return transfers;
}

}  // namespace heddle::starpu
