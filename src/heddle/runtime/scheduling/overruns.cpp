#include "heddle/runtime/scheduling/overruns.hpp"

#include <algorithm>

namespace heddle::runtime {
namespace {

/// A task overruns when it takes twice as long as believed, and so long at least.
constexpr Time kLeast = 10 * kMillisecond;

Time overrun_of(const Execution& execution) {
  return execution.given + std::max(2 * execution.estimate, kLeast);
}

}  // namespace

bool Overruns::watch(bool some_wait, Time now) {
  const Time before = progress_.overrun_at;
  Time next = kMaxTime;
  if (some_wait) {
    if (now < before && before != kMaxTime) return false;
    for (const auto& worker : workers_) {
      const bool runs = worker->started > 0 && worker->given.front()->node != nullptr;
      if (runs && workers_.some_idle_beside(*worker)) next = std::min(next, overrun_of(*worker->given.front()));
    }
  }
  const bool some_overrun = next <= now;
  if (some_overrun) next = kMaxTime;
  progress_.overrun_at = next;
  if (next < before) deferred_.add().wakes = true;
  return some_overrun;
}

void Overruns::expect(const Execution& execution) {
  const Time at = overrun_of(execution);
  if (at >= progress_.overrun_at) return;
  progress_.overrun_at = at;
  deferred_.add().wakes = true;
}

}  // namespace heddle::runtime
