#include "heddle/starpu/core.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "heddle/sim/simulate.hpp"

namespace heddle::starpu {

Core::Core(Config config)
    : platform_(std::move(config.platform)),
      contexts_(std::move(config.contexts)),
      asks_early_(std::move(config.asks_early)),
      estimates_(std::make_unique<Estimates>(platform_.class_count())),
      rounds_({.platform = platform_,
               .durations = [known = estimates_.get()](TypeId type, ClassId c) { return known->estimate(type, c); },
               .make_policy = std::move(config.make_policy),
               .aborts = config.aborts,
               .make_foresight = sim::foresee,
               .copies = std::move(config.copies),
               .contexts = contexts_,
               .resize = std::move(config.resize),
               .follows_plan = config.plan.has_value()}),
      recorder_(config.records ? std::make_unique<Recorder>() : nullptr),
      plan_(std::move(config.plan)),
      slots_(platform_.worker_count()) {}

TypeId Core::add_type(std::string name, const Table<ClassId, bool>& can_run, ContextId context) {
  estimates_->add_type(can_run);
  context_of_.push_back(context);
  if (recorder_) recorder_->add_type(name, context);
  return rounds_.add_type(std::move(name), context);
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
  if (!job.only_on.empty()) only_on_.emplace(task, within_context(job.type, job.only_on));
  // How many tasks the engine makes for itself, and when, is chance: they are counted apart.
  if (recorder_ || plan_) submitted_.name = names_(job.is_internal ? "internal " + job.name : job.name);
  if (plan_ && !job.is_internal && !submitted_.is_foreign && !plan_->knows(submitted_.name)) ++unplanned_;
  if (recorder_) recorder_->add({submitted_.name, job.type, job.accesses, job.priority});
  return rounds_.submit(submitted_);
}

/// Those of the workers that are in the context of the type; all of them where none is, as otherwise none would run the
/// task.
std::vector<WorkerId> Core::within_context(TypeId type, const std::vector<WorkerId>& workers) const {
  if (contexts_.empty()) return workers;
  std::vector<WorkerId> own;
  std::ranges::set_intersection(workers, contexts_[context_of_[type]].workers, std::back_inserter(own));
  return own.empty() ? workers : own;
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
  if (by) {
    const auto is_waited_for = [&](const Had& had) { return rounds_.waits_for(task, had.number()); };
    close(*by, slot(*by).count_to_last(is_waited_for), now);
  }
  if (only_on_.contains(task)) {
    enqueue_narrow(task);
  } else {
    rounds_.push(task);
  }
  ++news_;
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
  if (!asks_early_[worker]) close(worker, slot.count, now);
  if (slot.away) return std::nullopt;
  if (slot.count > 0) return pop_ahead(worker, now);
  if (const std::optional<TaskNumber> narrow = pop_narrow(worker)) {
    rounds_.set_occupied(worker, true);
    slot.push_back(*narrow);
    return narrow;
  }
  if (asked_at_ == news_ && !slot.given) return std::nullopt;
  if (!slot.given) asked_at_ = news_;
  slot.given = false;
  return pop_given(worker, now);
}

/// The task after the one that the worker has. Only the policy has such.
std::optional<TaskNumber> Core::pop_ahead(WorkerId worker, Time now) {
  Slot& slot = this->slot(worker);
  if (slot.count > 1 || rounds_.is_foreign(slot.at(0).number()) || slot.asked_at == news_) return std::nullopt;
  slot.asked_at = news_;
  return pop_given(worker, now);
}

/// What the policy gives to the worker; others that it gives tasks to shall ask.
std::optional<TaskNumber> Core::pop_given(WorkerId worker, Time now) {
  const std::optional<TaskNumber> task = rounds_.pop(worker, now);
  for (const WorkerId other : rounds_.take_called()) {
    slot(other).given = true;
    called_.push_back(other);
  }
  if (task) slot(worker).push_back(*task);
  return task;
}

void Core::put_back(WorkerId worker, const std::vector<WorkerId>& only_on) {
  Slot& slot = this->slot(worker);
  const TaskNumber task = slot.at(slot.count - 1).number();
  slot.at(--slot.count).task.store(kNoTask, std::memory_order_relaxed);
  if (rounds_.is_foreign(task)) {
    rounds_.set_occupied(worker, false);
  } else {
    rounds_.disown(worker);
  }
  only_on_[task] = within_context(rounds_.type(task), only_on);
  enqueue_narrow(task);
  ++news_;
}

void Core::began_pinned(TaskNumber task, WorkerId worker, Time now) {
  close_ended();
  Slot& slot = this->slot(worker);
  if (!asks_early_[worker]) close(worker, slot.count, now);
  if (slot.count == slot.ring.size()) close_first(worker, now);
  slot.push_back(task);
  rounds_.set_occupied(worker, true);
  began(worker, task, now);
}

Core::Had* Core::Slot::find(TaskNumber task) {
  const auto found = std::ranges::find_if(ring, [&](const Had& one) { return one.number() == task; });
  return found == ring.end() ? nullptr : &*found;
}

void Core::Slot::push_back(TaskNumber task) {
  at(count++).task.store(task, std::memory_order_relaxed);
}

void Core::began(WorkerId worker, TaskNumber task, Time now) {
  Had* const had = slot(worker).find(task);
  if (had != nullptr && had->start == kNever) had->start = now;
}

void Core::ended(WorkerId worker, TaskNumber task, Time now) {
  Had* const had = slot(worker).find(task);
  if (had == nullptr || had->end.load(std::memory_order_relaxed) != kNever) return;
  had->end.store(now, std::memory_order_release);
  some_ended_.store(true, std::memory_order_release);
}

/// Finds what workers said that they have ended; what such a worker got before has ended too.
void Core::close_ended() {
  if (!some_ended_.load(std::memory_order_relaxed) || !some_ended_.exchange(false, std::memory_order_acquire)) return;
  for (const WorkerId worker : platform_.workers()) {
    Slot& slot = this->slot(worker);
    const std::size_t ended = slot.count_to_last([](const Had& had) { return had.said_end() != kNever; });
    if (ended > 0) close(worker, ended, slot.at(ended - 1).said_end());
  }
}

/// The worker has ended the first `count` of what it has.
void Core::close(WorkerId worker, std::size_t count, Time now) {
  for (std::size_t i = 0; i < count; ++i) close_first(worker, now);
}

/// The worker has ended the first of what it has.
void Core::close_first(WorkerId worker, Time now) {
  Slot& slot = this->slot(worker);
  Had& had = slot.at(0);
  const TaskNumber task = had.number();
  const Time end = had.said_end() != kNever ? had.said_end() : now;
  if (had.start != kNever) {
    // A device may begin a task before it has said that it ended the one before.
    const Time start = std::max(had.start, slot.last_end);
    estimates_->measure(rounds_.type(task), platform_.class_of(worker), end - start);
    if (recorder_ && !internal_.contains(task)) recorder_->ran(task, worker, start, end);
  }
  had.task.store(kNoTask, std::memory_order_relaxed);
  had.start = kNever;
  had.end.store(kNever, std::memory_order_release);
  slot.last_end = end;
  internal_.erase(task);
  if (rounds_.is_foreign(task)) {
    rounds_.set_occupied(worker, false);
    rounds_.finished(task);
    only_on_.erase(task);
  } else {
    rounds_.finished(worker, end);
  }
  slot.first = (slot.first + 1) % slot.ring.size();
  --slot.count;
  ++news_;
}

void Core::set_available(WorkerId worker, bool available) {
  close_ended();
  rounds_.set_available(worker, available);
  slot(worker).away = !available;
  if (!available) slot(worker).given = false;
  ++news_;
}

Recorder::Record Core::record(std::string policy, std::vector<Copied> copies) {
  close_ended();
  return recorder_->finish(platform_, *estimates_, std::move(policy), std::move(copies), contexts_, rounds_.moves());
}

}  // namespace heddle::starpu
