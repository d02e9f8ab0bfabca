#include "heddle/runtime/scheduling/offers.hpp"

#include <algorithm>

namespace heddle::runtime {

void Offers::note(Worker& worker, Time now, bool stays) {
  worker.offered = now;
  ++count_;
  if (stays) return;
  progress_.withdraw_at = std::min(progress_.withdraw_at.load(), now + kPatience);
}

void Offers::forget(Worker& worker) {
  worker.offered = kMaxTime;
  if (--count_ == 0) progress_.withdraw_at = kMaxTime;
}

bool Offers::withdraw(Worker& worker) {
  if (worker.offered == kMaxTime || worker.batch.withdraw(1) == 0) return false;
  forget(worker);
  --worker.started;
  return true;
}

void Offers::withdraw_late(Time now, const Worker* acting, bool stay, const std::function<void(Worker&)>& withdrawn) {
  progress_.withdraw_at = kMaxTime;
  if (stay) return;
  Time next = kMaxTime;
  for (const auto& worker : workers_) {
    if (worker->offered == kMaxTime) continue;
    const Time due = worker->offered + kPatience;
    if (worker->batch.empty()) {
      forget(*worker);
    } else if (due > now || worker.get() == acting) {
      next = std::min(next, due > now ? due : now + kPatience);
    } else if (withdraw(*worker)) {
      withdrawn(*worker);
    } else {
      forget(*worker);
    }
  }
  progress_.withdraw_at = std::min(next, progress_.withdraw_at.load());  // others may have been made meanwhile
}

bool Offers::some_left() {
  if (progress_.withdraw_at == kMaxTime) return false;
  for (const auto& worker : workers_) {
    if (worker->offered != kMaxTime && worker->batch.empty()) forget(*worker);
  }
  return progress_.withdraw_at != kMaxTime;
}

}  // namespace heddle::runtime
