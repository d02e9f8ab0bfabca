#include "heddle/model/validate_buses.hpp"

#include <algorithm>
#include <span>

namespace heddle {
namespace {

using Work = ByteRate::Wide;

/// What one transfer asks of a bus: its bytes, after its latency and before its end.
struct Demand {
  Time release;
  Time deadline;
  Work left;  ///< in fractions of bytes of which the bus carries `rate.bytes()` in a picosecond
  const Transfer* transfer;
};

std::vector<Demand> demands_of(const Instance& instance, const Schedule& schedule, const Routes& routes,
                               const Bus& bus) {
  const ByteRate rate(bus.bandwidth);
  const std::vector<Link>& links = instance.platform.links();
  std::vector<bool> takes_bus;
  for (const Link& link : links) takes_bus.push_back(std::ranges::find(link.via, bus.name) != link.via.end());
  std::vector<Demand> demands;
  for (const Transfer& transfer : schedule.transfers) {
    const std::uint32_t number = routes.hops(transfer.from, transfer.to)[0];
    if (transfer.bytes == 0 || !takes_bus[number]) continue;
    const Work work = static_cast<Work>(transfer.bytes) * rate.picoseconds();
    demands.push_back({transfer.start + links[number].latency, transfer.end, work, &transfer});
  }
  std::ranges::sort(demands, {}, &Demand::release);
  return demands;
}

/// A bus that sends at its full rate, first what has to be there first. It is in time exactly when no window holds more
/// than it can carry.
class BusyBus {
 public:
  explicit BusyBus(const Bus& bus) : rate_(bus.bandwidth) {}

  /// A transfer that is not in time; null when all are.
  const Transfer* find_late(std::span<const Demand> demands) {
    for (std::size_t i = 0; i < demands.size(); ++i) {
      waiting_.push_back(demands[i]);
      std::ranges::push_heap(waiting_, later);
      const Time now = demands[i].release;
      const Work work = i + 1 < demands.size() ? capacity(demands[i + 1].release - now) : ~Work{0};
      if (const Transfer* late = send(now, work)) return late;
    }
    return nullptr;
  }

 private:
  static bool later(const Demand& a, const Demand& b) { return a.deadline > b.deadline; }

  [[nodiscard]] Work capacity(Time duration) const {
    Work work = 0;
    return __builtin_mul_overflow(static_cast<Work>(duration), rate_.bytes(), &work) ? ~Work{0} : work;
  }

  /// Sends so much, as far as there is any.
  const Transfer* send(Time now, Work work) {
    for (Work sent = 0; !waiting_.empty() && sent < work;) {
      Demand& first = waiting_.front();
      const Work part = std::min(first.left, work - sent);
      sent += part;
      first.left -= part;
      // A picosecond more, since a simulation may round shares up.
      if (first.deadline < now || sent > capacity(first.deadline - now + 1)) return first.transfer;
      if (first.left > 0) return nullptr;
      std::ranges::pop_heap(waiting_, later);
      waiting_.pop_back();
    }
    return nullptr;
  }

  ByteRate rate_;
  std::vector<Demand> waiting_;  ///< a heap
};

}  // namespace

std::vector<std::string> validate_buses(const Instance& instance, const Schedule& schedule, const Routes& routes) {
  std::vector<std::string> violations;
  for (const Bus& bus : instance.platform.buses()) {
    const Transfer* late = BusyBus(bus).find_late(demands_of(instance, schedule, routes, bus));
    if (late == nullptr) continue;
    violations.push_back("bus '" + bus.name + "' is too slow for the transfers through it, among them that of datum '" +
                         instance.graph.datum(late->data).name + "' [" + format_seconds(late->start) + ", " +
                         format_seconds(late->end) + "]");
  }
  return violations;
}

}  // namespace heddle
