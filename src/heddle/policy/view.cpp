#include "heddle/policy/view.hpp"

#include "heddle/model/time.hpp"

namespace heddle::policy {
namespace {

/// Hosts may leave tasks without names.
std::string describe(TaskId task, const TaskGraph& graph) {
  if (index(task) >= graph.task_count()) return "task '?'";
  if (!graph.name(task).empty()) return "task '" + std::string(graph.name(task)) + "'";
  return "a task of type '" + std::string(graph.type_name(graph.type(task))) + "'";
}

}  // namespace

std::int64_t View::missing_bytes(TaskId task, MemoryId memory) const {
  std::int64_t missing = 0;
  if (!moves_data()) return missing;
  for (const Access access : graph().accesses(task)) {
    if (reads(access.mode) && !holds(access.data, memory)) missing += graph().datum(access.data).bytes;
  }
  return missing;
}

std::int64_t View::absent_bytes(TaskId task, MemoryId memory) const {
  std::int64_t absent = 0;
  if (!moves_data()) return absent;
  for (const Access access : graph().accesses(task)) {
    if (reads(access.mode) && !has(access.data, memory)) absent += graph().datum(access.data).bytes;
  }
  return absent;
}

Time View::transfer_estimate(DataId data, MemoryId memory, std::size_t sharers) const {
  if (holds(data, memory)) return 0;
  Time least = kLongestTransfer;
  for (const MemoryId from : platform().memories().ids()) {
    if (holds(data, from)) least = std::min(least, routes_->duration(from, memory, graph().datum(data).bytes, sharers));
  }
  return least;
}

Time View::transfers_estimate(TaskId task, MemoryId memory, std::size_t sharers) const {
  Time total = 0;
  for (const Access access : graph().accesses(task)) {
    if (reads(access.mode)) total = std::min(total + transfer_estimate(access.data, memory, sharers), kLongestTransfer);
  }
  return total;
}

HostView::HostView(const Instance& instance) : View() {
  instance_ = &instance;
  routes_ = std::make_shared<const Routes>(instance.platform);
  if (moves_data()) {
    copies_.resize((graph().data_count() * platform().memories().size() + 63) / 64);
    present_.resize(copies_.size());
    const Table<DataId, MemoryId> homes = home_memories(instance);
    for (const DataId data : homes.ids()) set_copy(data, homes[data], Copy::valid);
  }
  workers_.resize(instance.platform.worker_count());
  std::uint32_t words = 0;
  for (const ClassId c : instance.platform.classes()) {
    Class info;
    info.first_worker = static_cast<std::uint32_t>(index(*instance.platform.workers(c).begin()));
    info.first_word = words;
    info.words = (instance.platform.worker_count(c) + 63) / 64;
    words += info.words;
    classes_.push_back(info);
    for (const WorkerId worker : instance.platform.workers(c)) {
      const std::size_t number = index(worker) - info.first_worker;
      workers_[worker].resource_class = c;
      workers_[worker].idle_bit = static_cast<std::uint32_t>(std::size_t{info.first_word} * 64 + number);
    }
  }
  idle_.resize(words);
  for (const WorkerId worker : instance.platform.workers()) mark_idle(worker, true);
}

void HostView::set_copy(DataId data, MemoryId memory, Copy copy) {
  const std::size_t number = index(data) * platform().memories().size() + index(memory);
  const std::uint64_t mask = std::uint64_t{1} << number % 64;
  const auto set = [&](std::vector<std::uint64_t>& bits, bool value) {
    bits[number / 64] = value ? bits[number / 64] | mask : bits[number / 64] & ~mask;
  };
  set(copies_, copy != Copy::none);
  set(present_, copy == Copy::valid);
}

std::string describe_illegal(const Action& action, const View& view, const char* objection) {
  const bool placed = index(action.worker) < view.platform().worker_count();
  return "the policy asked for what cannot be done with " + describe(action.task, view.graph()) + " on worker '" +
         (placed ? view.platform().worker_name(action.worker) : "?") + "' at " + format_seconds(view.now()) +
         " s: " + objection;
}

}  // namespace heddle::policy
