#include "heddle/platforms/fit_links.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/ids.hpp"
#include "heddle/model/platform.hpp"

namespace heddle::platforms {
namespace {

/// Links between devices grow with the square of their number.
constexpr std::size_t kMostMemories = 256;

/// Which memory copies the links of which, and which peer an original has.
class Origins {
 public:
  Origins(const std::string& owner, const Platform& measured, const Platform& wanted)
      : measured_(measured), wanted_(wanted), copies_(measured.memories().size()), peer_(measured.memories().size()) {
    Table<MemoryId, std::optional<MemoryId>> original(wanted.memories().size());
    original[wanted.find_memory("ram").value()] = measured.find_memory("ram");
    for (const WorkerId worker : wanted.workers()) {
      original[wanted.memory_of(worker)] = original_of(worker);
      if (original[wanted.memory_of(worker)]) continue;
      const std::string& name = wanted.class_name(wanted.class_of(worker));
      throw InputError(owner + " has no measured links for any worker of class '" + name +
                       "', so new ones have none to copy; ask for " + name + "=0 or for links=off");
    }
    for (const MemoryId memory : ids<MemoryId>(original.size())) copies_[*original[memory]].push_back(memory);
    find_peers();
  }

  /// The link itself, if both ends remain, and the links that copy it.
  void append_copies(const Link& link, std::vector<Link>& links) const {
    const MemoryId from = measured_.find_memory(link.from).value();
    const MemoryId to = measured_.find_memory(link.to).value();
    const auto append = [&](MemoryId one, MemoryId other) {
      links.push_back(
          {wanted_.memories()[one].name, wanted_.memories()[other].name, link.bandwidth, link.latency, link.via});
    };
    for (const MemoryId one : copies_[from]) {
      for (const MemoryId other : copies_[to]) append(one, other);
    }
    if (peer_[from] == to) for_pairs(from, append);
    if (peer_[to] == from) for_pairs(to, [&](MemoryId one, MemoryId other) { append(other, one); });
  }

 private:
  /// The memory whose links the worker's memory copies: itself, if it was measured.
  [[nodiscard]] std::optional<MemoryId> original_of(WorkerId worker) const {
    const ClassId c = wanted_.class_of(worker);
    const ResourceClass& its_class = wanted_.resource_class(c);
    if (its_class.memory != ResourceClass::kEach) return measured_.find_memory(its_class.memory);
    const std::uint32_t count = measured_.worker_count(c);
    if (count == 0) return std::nullopt;
    const std::size_t number = index(worker) - index(*wanted_.workers(c).begin());
    return measured_.memory_of(make_id<WorkerId>(index(*measured_.workers(c).begin()) + number % count));
  }

  void find_peers() {
    Table<MemoryId, std::optional<ClassId>> class_of(measured_.memories().size());
    for (const WorkerId worker : measured_.workers())
      class_of[measured_.memory_of(worker)] = measured_.class_of(worker);
    for (const Link& link : measured_.links()) {
      const MemoryId from = measured_.find_memory(link.from).value();
      const MemoryId to = measured_.find_memory(link.to).value();
      if (!class_of[from] || class_of[from] != class_of[to]) continue;
      if (!peer_[from]) peer_[from] = to;
      if (!peer_[to]) peer_[to] = from;
    }
  }

  template <class Append>
  void for_pairs(MemoryId original, Append append) const {
    const std::vector<MemoryId>& copies = copies_[original];
    for (std::size_t i = 0; i < copies.size(); ++i) {
      for (std::size_t j = i + 1; j < copies.size(); ++j) append(copies[i], copies[j]);
    }
  }

  const Platform& measured_;
  const Platform& wanted_;
  Table<MemoryId, std::vector<MemoryId>> copies_;  ///< by original: itself, if it remains, and its copies
  Table<MemoryId, std::optional<MemoryId>> peer_;  ///< by original: the first of its class that it has a link with
};

}  // namespace

void fit_links(const std::string& owner, std::span<const ResourceClass> measured, Machine& machine) {
  const Platform before({measured.begin(), measured.end()}, machine.links, machine.buses);
  const Platform after(machine.classes);
  if (after.memories().size() > std::max(before.memories().size(), kMostMemories)) {
    throw InputError(owner + " would have " + std::to_string(after.memories().size()) +
                     " memories with links; expected at most " + std::to_string(kMostMemories) + ", or links=off");
  }
  const Origins origins(owner, before, after);
  machine.links.clear();
  for (const Link& link : before.links()) origins.append_copies(link, machine.links);
  std::unordered_set<std::string_view> used;
  for (const Link& link : machine.links) used.insert(link.via.begin(), link.via.end());
  std::erase_if(machine.buses, [&](const Bus& bus) { return !used.contains(bus.name); });
}

}  // namespace heddle::platforms
