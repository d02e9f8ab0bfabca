#include "tests/policy/witness.hpp"

#include <algorithm>
#include <set>

namespace heddle::test {

using Status = host::Status;
using CopyState = policy::HostView::Copy;

Seen::Seen(const Instance& instance, policy::Policy decider)
    : policy(std::make_shared<policy::Policy>(std::move(decider))),
      instance_(instance),
      memories_(instance.platform.memories().size()),
      status_(instance.graph.task_count(), Status::waiting),
      given_(instance.platform.worker_count()),
      copies_(instance.graph.data_count() * memories_),
      written_(instance.graph.data_count(), false) {}

void Seen::ready(std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) status_[task] = Status::ready;
}

void Seen::started(TaskId task, WorkerId worker) {
  status_[task] = Status::running;
  given_[worker].push_back(task);
}

void Seen::left(TaskId task, WorkerId worker, Status status) {
  status_[task] = status;
  std::erase(given_[worker], task);
}

void Seen::update(const sim::Simulation& simulation) {
  for (; attempts_ < simulation.attempts().size(); ++attempts_) completed(simulation.attempts()[attempts_]);
  for (const DataId data : written_.ids()) settle(data, simulation.now());
}

void Seen::completed(const Attempt& attempt) {
  if (attempt.outcome != Outcome::completed) return;
  for (const Access access : instance_.graph.accesses(attempt.task)) {
    if (writes(access.mode)) written_[access.data] = true;
    reduced_ = reduced_ || access.mode == AccessMode::reduce;
  }
}

/// What the copies of a datum have come to in a step.
void Seen::settle(DataId data, Time now) {
  const bool written = written_[data];
  written_[data] = false;
  for (const MemoryId memory : instance_.platform.memories().ids()) {
    host::Present::Copy& here = copies_[at(data, memory)];
    const CopyState before = here.state;
    here.state = view->has(data, memory)     ? CopyState::valid
                 : view->holds(data, memory) ? CopyState::coming
                                             : CopyState::none;
    if (here.state == CopyState::coming && (before != CopyState::coming || written)) here.since = now;
    if (before == CopyState::coming && (here.state == CopyState::none || written)) outdated_ = true;
  }
}

host::Present Seen::present(const sim::Simulation& simulation, const std::vector<Attempt>& attempts) const {
  host::Present present;
  present.now = simulation.now();
  present.keeps_order = policy->keeps_order();
  present.status = status_;
  if (view->moves_data()) present.copies = copies_;
  for (const std::vector<TaskId>& tasks : given_) present.work.push_back({tasks, {}});
  for (std::size_t next = simulation.attempts().size(); next < attempts.size(); ++next) {
    const Attempt& attempt = attempts[next];
    if (attempt.start <= present.now) present.work[attempt.worker].since = attempt.start;
  }
  return present;
}

bool Seen::tells_all(const host::Present& present) const {
  const auto is_coming = [](const host::Present::Copy& copy) { return copy.state == CopyState::coming; };
  const auto waits = [](const host::Present::Work& work) { return work.tasks.size() > (work.since ? 1U : 0U); };
  const auto is_full = [](const Memory& memory) { return memory.bytes.has_value(); };
  return !reduced_ && !outdated_ && std::ranges::none_of(present.copies, is_coming) &&
         std::ranges::none_of(present.work, waits) &&
         (!view->moves_data() || std::ranges::none_of(instance_.platform.memories(), is_full));
}

Schedule joined(const sim::Simulation& past, const sim::Simulation& future) {
  Schedule both;
  both.attempts = past.attempts();
  both.attempts.insert(both.attempts.end(), future.attempts().begin(), future.attempts().end());
  both.transfers = past.transfers();
  for (Transfer transfer : future.transfers()) {
    transfer.start = std::max(transfer.start, past.now());
    transfer.end = std::max(transfer.end, past.now());
    both.transfers.push_back(transfer);
  }
  return both;
}

namespace {

/// Whether the task may be on a worker when those are that commute on `data`; adds its own.
bool commutes_alone(const Instance& instance, TaskId task, std::set<DataId>& data) {
  std::set<DataId> more;
  for (const Access access : instance.graph.accesses(task)) {
    if (access.mode == AccessMode::commute) more.insert(access.data);
  }
  for (const DataId one : more) {
    if (data.contains(one)) return false;
  }
  data.insert(more.begin(), more.end());
  return true;
}

}  // namespace

host::Present random_present(Random& random, const Instance& instance) {
  const Platform& platform = instance.platform;
  host::Present present;
  present.now = 1000;
  present.started = false;
  present.status.assign(instance.graph.task_count(), Status::waiting);
  present.work.resize(platform.worker_count());
  std::set<DataId> commuting;
  for (const TaskId task : instance.graph.tasks()) {
    const WorkerId worker = make_id<WorkerId>(random() % platform.worker_count());
    host::Present::Work& work = present.work[worker];
    if (!instance.graph.predecessors(task).empty() || work.tasks.size() > (platform.links().empty() ? 0U : 1U))
      continue;
    if (!instance.costs.can_run(task, platform.class_of(worker))) continue;
    if (!commutes_alone(instance, task, commuting)) continue;
    if (work.tasks.empty() && random() % 3 != 0) work.since = draw(random, 0, 1000);
    work.tasks.push_back(task);
    present.status[task] = Status::running;
  }
  if (platform.links().empty()) return present;
  for (std::size_t left = instance.graph.data_count() * platform.memories().size(); left > 0; --left) {
    const auto state = static_cast<CopyState>(draw(random, 0, 2));
    present.copies.push_back({state, draw(random, 0, 9) == 0, draw(random, 980, 1000)});
  }
  return present;
}

}  // namespace heddle::test
