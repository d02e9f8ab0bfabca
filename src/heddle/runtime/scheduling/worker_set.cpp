#include "heddle/runtime/scheduling/worker_set.hpp"

namespace heddle::runtime {

bool WorkerSet::has_busy_companions(const Worker& worker) const {
  const JobContexts& contexts = contexts_.now();
  if (contexts.empty()) return true;
  return std::ranges::all_of(contexts.all(), [&](const Context& context) {
    const auto works = [&](WorkerId other) { return other != worker.id() && !(*this)[other].given.empty(); };
    return !std::ranges::binary_search(context.workers, worker.id()) || std::ranges::any_of(context.workers, works);
  });
}

bool WorkerSet::has_idle_companion(const Worker& worker) const {
  return std::ranges::any_of(workers_, [&](const auto& other) {
    const bool is_idle = other->given.empty() && other->back_off.duration() == 0 && !other->away;
    return is_idle && contexts_.now().join(worker.id(), other->id());
  });
}

bool WorkerSet::has_partners(WorkerId worker) const {
  return std::ranges::any_of(
      workers_, [&](const auto& other) { return other->id() != worker && contexts_.now().join(worker, other->id()); });
}

bool WorkerSet::partners_work(WorkerId worker) const {
  return std::ranges::any_of(workers_, [&](const auto& other) {
    const bool is_partner = other->id() != worker && contexts_.now().join(worker, other->id());
    return is_partner && !other->given.empty() && other->waiting_for_room == 0;
  });
}

}  // namespace heddle::runtime
