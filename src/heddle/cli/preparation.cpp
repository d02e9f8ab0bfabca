#include "heddle/cli/preparation.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/model/countdown.hpp"
#include "heddle/sim/simulation.hpp"

namespace heddle::cli {

Preparation::Preparation(const Instance& instance, Wanted wanted)
    : instance_(instance),
      wanted_(std::move(wanted)),
      bounds_done_(wanted_.bounds.empty()),
      completed_(wanted_.starts.size()),
      ended_(wanted_.starts.size(), false) {
  if (!bounds_done_) jobs_.push_back(all_bounds());
  for (std::size_t i = wanted_.starts.size(); i-- > 0;) jobs_.push_back(i);
  if (!bounds_done_) jobs_.push_back(quick_bounds());
  for (std::size_t i = 0; i < std::max<std::size_t>(wanted_.threads, 1); ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

Preparation::~Preparation() {
  stopped_ = true;
}

bool Preparation::stops() const {
  return stopped_.load(std::memory_order_relaxed) || (wanted_.stop && wanted_.stop());
}

void Preparation::work() {
  std::unique_lock lock(mutex_);
  while (const std::optional<Job> job = next_job()) {
    ++busy_;
    lock.unlock();
    std::exception_ptr error;
    try {
      do_job(*job);
    } catch (const Interrupted&) {
      stopped_ = true;  // the search ends with what there is
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --busy_;
    if (*job < ended_.size()) ended_[*job] = true;
    if (*job == all_bounds()) bounds_done_ = true;
    if (error && !error_) error_ = error;
    changed_.notify_all();
  }
}

/// Nothing when the thread is not needed any more.
std::optional<Preparation::Job> Preparation::next_job() {
  if (stops() || error_ || jobs_.empty()) return std::nullopt;
  // Beside a search, the bounds come first, and a thread is enough for the starts.
  const bool has_bounds = jobs_.front() == all_bounds();
  if (beside_ && !has_bounds && busy_ > 0) return std::nullopt;
  const auto job = beside_ && has_bounds ? jobs_.begin() : jobs_.end() - 1;
  const Job chosen = *job;
  jobs_.erase(job);
  return chosen;
}

void Preparation::do_job(Job job) {
  if (job == all_bounds()) return compute_bounds(wanted_.bounds);
  if (job == quick_bounds()) {
    std::vector<bounds::Kind> quick;
    for (const bounds::Kind kind : {bounds::Kind::critical_path, bounds::Kind::area}) {
      if (std::ranges::find(wanted_.bounds, kind) != wanted_.bounds.end()) quick.push_back(kind);
    }
    return compute_bounds(quick);
  }
  std::optional<Schedule> schedule = simulate(wanted_.starts[job]);
  const std::lock_guard lock(mutex_);
  completed_[job] = std::move(schedule);
}

void Preparation::compute_bounds(std::span<const bounds::Kind> kinds) {
  bounds::Options options;
  options.stop = [this] { return stops(); };
  options.found = [this](bounds::Kind kind, const bounds::Bound& bound) {
    const std::lock_guard lock(mutex_);
    bounds_.set(kind, bound);
  };
  static_cast<void>(bounds::compute(instance_, kinds, options));
}

/// Nothing when it is to stop before the end.
std::optional<Schedule> Preparation::simulate(const policy::Spec& spec) const {
  const Schedule plan = input::load_plan(spec, instance_);
  sim::Config config;
  config.seed = wanted_.seed;
  sim::Simulation simulation(instance_, spec.make(wanted_.seed, &plan), config);
  return policy::blaming_plugin(spec, [&]() -> std::optional<Schedule> {
    while (!simulation.finished()) {
      if (stops()) return std::nullopt;
      simulation.step();
    }
    return sim::make_schedule(simulation, spec.text(), config);
  });
}

bool Preparation::suffices(double elapsed, std::optional<double> seconds) const {
  const auto ended = std::ranges::count(ended_, true);
  const bool all = static_cast<std::size_t>(ended) == ended_.size();
  if (!seconds) return all && bounds_done_;
  if (all) return true;
  const bool has_any = std::ranges::any_of(completed_, [](const auto& start) { return start.has_value(); });
  return has_any && elapsed >= (ended_.front() ? *seconds : 2 * *seconds);
}

void Preparation::wait(std::optional<double> seconds) {
  constexpr std::chrono::milliseconds kTick(20);
  const Countdown time;
  Progress progress("starts and bounds", ended_.size() + 1);
  std::unique_lock lock(mutex_);
  while (!error_ && !suffices(time.elapsed(), seconds) && !stops()) {
    changed_.wait_for(lock, kTick);
    const auto ended = static_cast<double>(std::ranges::count(ended_, true));
    progress.show(ended / static_cast<double>(ended_.size() + 1), "");
  }
  beside_ = true;
  if (error_) std::rethrow_exception(error_);
}

std::vector<Start> Preparation::take_starts() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  std::vector<Start> starts;
  for (std::size_t i = 0; i < completed_.size(); ++i) {
    if (!completed_[i]) continue;
    starts.push_back({wanted_.starts[i].text(), *std::exchange(completed_[i], std::nullopt)});
  }
  return starts;
}

Time Preparation::bound() const {
  const std::lock_guard lock(mutex_);
  return bounds_.best();
}

std::size_t Preparation::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

const bounds::Bounds& Preparation::finish() {
  stopped_ = true;
  threads_.clear();
  return bounds_;
}

}  // namespace heddle::cli
