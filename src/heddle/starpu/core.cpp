#include "heddle/starpu/core.hpp"

#include <algorithm>

#include "heddle/sim/simulate.hpp"

namespace heddle::starpu {

Core::Core(Platform platform, host::Rounds::MakePolicy make_policy, host::Aborts aborts,
           Table<WorkerId, bool> asks_early, bool records)
    : platform_(std::move(platform)),
      asks_early_(std::move(asks_early)),
      estimates_(std::make_unique<Estimates>(platform_.class_count())),
      rounds_(
          platform_, [known = estimates_.get()](TypeId type, ClassId c) { return known->estimate(type, c); },
          std::move(make_policy), aborts, sim::foresee),
      recorder_(records ? std::make_unique<Recorder>() : nullptr),
      slots_(platform_.worker_count()) {}

TypeId Core::add_type(std::string name, const Table<ClassId, bool>& can_run) {
  estimates_->add_type(can_run);
  types_.push_back(name);
  return rounds_.add_type(std::move(name));
}

DataId Core::add_datum(Datum datum) {
  history_.push_back({});
  data_.push_back(datum);
  return rounds_.add_datum(std::move(datum));
}

JobNumber Core::submit(Job job) {
  const JobNumber number{submitted_++};
  Live live{.job = std::move(job), .number = {}};
  live.after = wait_for(number, live.job.accesses);
  if (!live.job.is_pinned && live.job.only_on.empty()) {
    host::Rounds::Task task{
        .type = live.job.type, .accesses = live.job.accesses, .priority = live.job.priority, .name = live.job.name};
    for (const JobNumber before : live.after) {
      if (const auto& known = live_.at(before).number) task.after.push_back(*known);
    }
    live.number = rounds_.submit(std::move(task));
    job_of_.emplace(*live.number, number);
  }
  if (recorder_ && !live.job.is_internal) {
    live.recorded = recorder_->add({live.job.name, live.job.type, live.job.accesses, live.job.priority});
  }
  live_.emplace(number, std::move(live));
  return number;
}

/// What is live of the jobs that must end before this one, each once.
std::vector<JobNumber> Core::wait_for(JobNumber job, const std::vector<Access>& accesses) {
  std::vector<JobNumber> after;
  const auto is_over = [&](JobNumber other) { return !live_.contains(other); };
  for (const Access access : accesses) {
    AccessHistory<JobNumber>& history = history_[access.data];
    if (history.size() % 64 == 63) history.forget(is_over);
    history.add(access.mode, job, [&](std::span<const JobNumber> tasks) {
      std::ranges::remove_copy_if(tasks, std::back_inserter(after), is_over);
    });
  }
  std::ranges::sort(after);
  after.erase(std::ranges::unique(after).begin(), after.end());
  return after;
}

void Core::push(JobNumber job, std::optional<WorkerId> by, Time now) {
  const Live& live = live_.at(job);
  // A worker that releases what waits for its job has ended that.
  if (by && slots_[*by].job && std::ranges::count(live.after, *slots_[*by].job) > 0) ended(*by, now);
  if (live.number) {
    rounds_.push(*live.number);
  } else {
    enqueue_narrow(job);
  }
  news_ = true;
}

void Core::enqueue_narrow(JobNumber job) {
  const auto priority = [&](JobNumber one) { return live_.at(one).job.priority; };
  narrow_.insert(std::ranges::upper_bound(narrow_, priority(job), std::greater(), priority), job);
}

std::optional<JobNumber> Core::pop_narrow(WorkerId worker) {
  const auto fits = [&](JobNumber job) { return std::ranges::count(live_.at(job).job.only_on, worker) > 0; };
  const auto first = std::ranges::find_if(narrow_, fits);
  if (first == narrow_.end()) return std::nullopt;
  const JobNumber job = *first;
  narrow_.erase(first);
  return job;
}

std::optional<JobNumber> Core::pop(WorkerId worker, Time now) {
  Slot& slot = slots_[worker];
  if (slot.job && (!asks_early_[worker] || live_.at(*slot.job).job.is_internal)) ended(worker, now);
  if (slot.job || slot.away) return std::nullopt;
  slot.job = pop_narrow(worker);
  if (slot.job) {
    rounds_.set_occupied(worker, true);
    return slot.job;
  }
  if (!news_ && !slot.given) return std::nullopt;
  if (!slot.given) news_ = false;
  const std::optional<host::TaskNumber> number = rounds_.pop(worker, now);
  slot.given = false;
  for (const WorkerId other : rounds_.take_called()) {
    slots_[other].given = true;
    called_.push_back(other);
  }
  if (number) {
    slot.job = job_of_.at(*number);
    ++placed_;
  }
  return slot.job;
}

void Core::put_back(WorkerId worker, std::vector<WorkerId> only_on, Time now) {
  Slot& slot = slots_[worker];
  const JobNumber job = *std::exchange(slot.job, std::nullopt);
  Live& live = live_.at(job);
  if (live.number) {
    job_of_.erase(*std::exchange(live.number, std::nullopt));
    rounds_.finished(worker, now);
  } else {
    rounds_.set_occupied(worker, false);
  }
  live.job.only_on = std::move(only_on);
  enqueue_narrow(job);
  news_ = true;
}

void Core::began(WorkerId worker, Time now) {
  Slot& slot = slots_[worker];
  if (!slot.job || slot.start) return;
  slot.start = now;
  const Live& live = live_.at(*slot.job);
  if (recorder_ && !live.job.is_internal) recorder_->began(live.recorded, worker, now);
}

void Core::began_pinned(JobNumber job, WorkerId worker, Time now) {
  ended(worker, now);
  slots_[worker].job = job;
  rounds_.set_occupied(worker, true);
  began(worker, now);
}

void Core::ended(WorkerId worker, Time now) {
  Slot& slot = slots_[worker];
  if (!slot.job) return;
  const auto live = live_.find(*slot.job);
  if (slot.start) {
    estimates_->measure(live->second.job.type, platform_.class_of(worker), now - *slot.start);
    if (recorder_ && !live->second.job.is_internal) recorder_->ended(live->second.recorded, now);
  }
  if (live->second.number) {
    rounds_.finished(worker, now);
    job_of_.erase(*live->second.number);
  } else {
    rounds_.set_occupied(worker, false);
  }
  live_.erase(live);
  slot.job.reset();
  slot.start.reset();
  news_ = true;
}

void Core::set_available(WorkerId worker, bool available) {
  rounds_.set_available(worker, available);
  slots_[worker].away = !available;
  if (!available) slots_[worker].given = false;
  news_ = true;
}

Recorder::Record Core::record(std::string policy) const {
  return recorder_->finish(platform_, types_, data_, *estimates_, std::move(policy));
}

}  // namespace heddle::starpu
