#include "heddle/starpu/core.hpp"

#include <algorithm>
#include <string>

#include "heddle/sim/simulate.hpp"

namespace heddle::starpu {

Core::Core(Platform platform, host::Rounds::MakePolicy make_policy, host::Aborts aborts,
           Table<WorkerId, bool> asks_early, bool records, host::Rounds::CopySource copies)
    : platform_(std::move(platform)),
      asks_early_(std::move(asks_early)),
      estimates_(std::make_unique<Estimates>(platform_.class_count())),
      rounds_(
          platform_, [known = estimates_.get()](TypeId type, ClassId c) { return known->estimate(type, c); },
          std::move(make_policy), aborts, sim::foresee, std::move(copies)),
      recorder_(records ? std::make_unique<Recorder>() : nullptr),
      slots_(platform_.worker_count()) {}

TypeId Core::add_type(std::string name, const Table<ClassId, bool>& can_run) {
  estimates_->add_type(can_run);
  if (recorder_) recorder_->add_type(name);
  return rounds_.add_type(std::move(name));
}

DataId Core::add_datum(std::int64_t bytes) {
  history_.push_back({});
  if (recorder_) recorder_->add_datum(bytes);
  return rounds_.add_datum({.name = "", .bytes = bytes});
}

TaskNumber Core::submit(const Job& job) {
  const TaskNumber task = rounds_.next_number();
  submitted_.type = job.type;
  submitted_.accesses = job.accesses;
  submitted_.priority = job.priority;
  submitted_.is_foreign = job.is_pinned || !job.only_on.empty();
  find_predecessors(task, job.accesses, submitted_.after);
  if (job.is_internal) internal_.insert(task);
  if (!job.only_on.empty()) only_on_.emplace(task, job.only_on);
  if (recorder_) recorder_->add({job.name, job.type, job.accesses, job.priority});
  return rounds_.submit(submitted_);
}

/// What has not ended of the tasks that must end before this one, each once.
void Core::find_predecessors(TaskNumber task, const std::vector<Access>& accesses, std::vector<TaskNumber>& found) {
  found.clear();
  const auto is_over = [&](TaskNumber other) { return rounds_.is_done(other); };
  for (const Access access : accesses) {
    AccessHistory<TaskNumber>& history = history_[access.data];
    if (history.size() % 64 == 63) history.forget(is_over);
    history.add(access.mode, task, [&](std::span<const TaskNumber> tasks) {
      std::ranges::remove_copy_if(tasks, std::back_inserter(found), is_over);
    });
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
}

void Core::push(TaskNumber task, std::optional<WorkerId> by, Time now) {
  close_ended();
  // A worker that releases what waits for its task has ended that.
  if (by && slot(*by).task && rounds_.waits_for(task, *slot(*by).task)) close(*by, now);
  if (only_on_.contains(task)) {
    enqueue_narrow(task);
  } else {
    rounds_.push(task);
  }
  news_ = true;
}

void Core::enqueue_narrow(TaskNumber task) {
  const auto priority = [&](TaskNumber one) { return rounds_.priority(one); };
  narrow_.insert(std::ranges::upper_bound(narrow_, priority(task), std::greater(), priority), task);
}

std::optional<TaskNumber> Core::pop_narrow(WorkerId worker) {
  const auto fits = [&](TaskNumber task) { return std::ranges::count(only_on_.at(task), worker) > 0; };
  const auto first = std::ranges::find_if(narrow_, fits);
  if (first == narrow_.end()) return std::nullopt;
  const TaskNumber task = *first;
  narrow_.erase(first);
  return task;
}

std::optional<TaskNumber> Core::pop(WorkerId worker, Time now) {
  close_ended();
  Slot& slot = this->slot(worker);
  if (slot.task && (!asks_early_[worker] || internal_.contains(*slot.task))) close(worker, now);
  if (slot.task || slot.away) return std::nullopt;
  slot.task = pop_narrow(worker);
  if (slot.task) {
    rounds_.set_occupied(worker, true);
    return slot.task;
  }
  if (!news_ && !slot.given) return std::nullopt;
  if (!slot.given) news_ = false;
  slot.task = rounds_.pop(worker, now);
  slot.given = false;
  for (const WorkerId other : rounds_.take_called()) {
    this->slot(other).given = true;
    called_.push_back(other);
  }
  return slot.task;
}

void Core::put_back(WorkerId worker, std::vector<WorkerId> only_on) {
  const TaskNumber task = *std::exchange(slot(worker).task, std::nullopt);
  if (rounds_.is_foreign(task)) {
    rounds_.set_occupied(worker, false);
  } else {
    rounds_.disown(worker);
  }
  only_on_[task] = std::move(only_on);
  enqueue_narrow(task);
  news_ = true;
}

void Core::began_pinned(TaskNumber task, WorkerId worker, Time now) {
  close_ended();
  close(worker, now);
  slot(worker).task = task;
  rounds_.set_occupied(worker, true);
  began(worker, now);
}

void Core::began(WorkerId worker, Time now) {
  Slot& slot = this->slot(worker);
  if (slot.task && slot.start == kNever) slot.start = now;
}

void Core::ended(WorkerId worker, Time now) {
  Slot& slot = this->slot(worker);
  if (slot.end.load(std::memory_order_acquire) != kNever || !slot.task) return;
  slot.end.store(now, std::memory_order_release);
  some_ended_.store(true, std::memory_order_release);
}

/// Finds what workers said that they have ended.
void Core::close_ended() {
  if (!some_ended_.load(std::memory_order_relaxed) || !some_ended_.exchange(false, std::memory_order_acquire)) return;
  for (const WorkerId worker : platform_.workers()) {
    const Time end = slot(worker).end.load(std::memory_order_acquire);
    if (end != kNever) close(worker, end);
  }
}

/// The worker has ended what it has; if it has nothing, this says nothing.
void Core::close(WorkerId worker, Time now) {
  Slot& slot = this->slot(worker);
  if (!slot.task) return;
  const TaskNumber task = *slot.task;
  if (slot.start != kNever) {
    estimates_->measure(rounds_.type(task), platform_.class_of(worker), now - slot.start);
    if (recorder_ && !internal_.contains(task)) recorder_->ran(task, worker, slot.start, now);
  }
  internal_.erase(task);
  if (rounds_.is_foreign(task)) {
    rounds_.set_occupied(worker, false);
    rounds_.finished(task);
    only_on_.erase(task);
  } else {
    rounds_.finished(worker, now);
  }
  slot.task.reset();
  slot.start = kNever;
  slot.end.store(kNever, std::memory_order_release);
  news_ = true;
}

void Core::set_available(WorkerId worker, bool available) {
  close_ended();
  rounds_.set_available(worker, available);
  slot(worker).away = !available;
  if (!available) slot(worker).given = false;
  news_ = true;
}

Recorder::Record Core::record(std::string policy) {
  close_ended();
  return recorder_->finish(platform_, *estimates_, std::move(policy));
}

}  // namespace heddle::starpu
