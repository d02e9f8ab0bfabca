// What the threads of workers do, and those of devices.
#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/threads/engine.hpp"

namespace heddle::runtime {
namespace {

/// Calls what the program asked to be called; the first failure, or null.
std::exception_ptr call_all(std::span<const Afterwards::Call> calls) {
  std::exception_ptr first;
  for (const auto& call : calls) {
    try {
      call.function();
    } catch (...) {
      if (!first) first = task_failure(task_name(call.name, *call.kernel, call.number), std::current_exception());
    }
  }
  return first;
}

}  // namespace

/// All that were started end, without having done anything, where one cannot be.
void Engine::start_threads(bool bind) {
  const auto stopped = [&](const std::string& why) {
    stop_threads();
    return InputError("the threads of " + std::to_string(workers_.size()) + " workers cannot be started: " + why);
  };
  try {
    start_each_thread(bind);
  } catch (const std::system_error& error) {
    throw stopped(error.code().message());
  } catch (const std::bad_alloc&) {
    throw stopped("there is no memory left");
  }
}

/// Threads are bound where there is a core for each that no other runtime has; those of devices mostly sleep.
void Engine::start_each_thread(bool bind) {
  std::size_t threads = 0;
  for (const WorkerClass& one : classes_) threads += std::size_t{one.workers} * one.cores;
  if (threads > cores_.count() && warn_) {
    warn_("workers: " + std::to_string(threads) + " cores are asked for, and this process may use " +
          std::to_string(cores_.count()) + ": they take turns, and the durations measured are too long");
  }
  bind = bind && cores_.claim(threads);
  {
    const Lock lock(mutex_);
    threads_ = workers_.size();
  }
  std::size_t core = 0;
  for (const WorkerId id : platform_.workers()) {
    Worker& worker = *workers_[index(id)];
    sockets_.push_back(bind && !worker.driver ? cores_.socket_of(core) : std::nullopt);
    if (worker.driver) {
      worker.team = std::make_unique<Team>(1, [](std::size_t) {});
      worker.thread = std::thread([this, id] { drive(id); });
      continue;
    }
    const std::size_t size = classes_[index(platform_.class_of(id))].cores;
    const auto enter = [this, bind, core, id](std::size_t member) {
      this_engine = this;
      this_worker = id;
      if (bind) cores_.bind_this_thread(core + member);
    };
    worker.team = std::make_unique<Team>(size, enter);
    worker.thread = std::thread([this, id, enter] {
      enter(0);
      serve(id);
    });
    core += size;
  }
}

void Engine::stop_threads() {
  stopping_ = true;
  for (const auto& worker : workers_) worker->bell.ring();
  for (const auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

/// Changes the state under the lock: change(how long that was waited for). Afterwards asks the kernels of aborted
/// executions to stop, and does what is the program's, which may call back.
template <class Change>
void Engine::update(Change&& change) {
  Time waited = 0;
  if (!mutex_.try_lock()) {
    const Time since = clock_.now();
    mutex_.lock();
    waited = clock_.now() - since;
  }
  Lock lock(mutex_, std::adopt_lock);
  change_state([&] { change(waited); });
  if (!scheduler_.deferred().some()) [[likely]]
    return;
  Afterwards afterwards = scheduler_.deferred().take();
  lock.unlock();
  if (afterwards.wakes) pass_on_pending();
  for (std::stop_source& stop : afterwards.stops) stop.request_stop();
  const std::size_t parts = afterwards.program_parts();
  if (parts == 0) return;
  const std::exception_ptr thrown = call_all(afterwards.calls);
  afterwards = {};
  lock.lock();
  if (thrown) scheduler_.note_failure(thrown);
  scheduler_.calls_returned(parts);
}

/// A worker that had nothing to do has a task: it may have been the one to look at what is pending, at an overrun, or
/// at offers to other workers than the one of the time `own`.
void Engine::pass_on_pending(Time own) {
  const bool pending = submission_.pending() > 0 && progress_.may_take_up();
  const Time withdraw = progress_.withdraw_at;
  const Time at = std::min({pending ? progress_.look_again.load() : kMaxTime, progress_.overrun_at.load(),
                            withdraw < own ? withdraw : kMaxTime});
  if (at == kMaxTime) return;
  // Workers that have something to wait for look somewhat later (Worker::looks_again).
  const auto latest = clock_.instant(std::max(at, clock_.now()) + 2 * Scheduler::kPeek);
  const auto will_look = [&](const auto& worker) {
    return worker->bell.is_idle() && worker->bell.deadline() <= latest;
  };
  if (std::ranges::none_of(workers_, will_look)) wake_for_pending();
}

void Engine::serve(WorkerId id) {
  this_engine = this;
  Worker& self = *workers_[index(id)];
  Time backs_off_for = 0;
  while (!stopping_) {
    Execution* execution = backs_off_for > 0 ? back_off(self, backs_off_for) : next_execution(self);
    backs_off_for = 0;
    if (execution == nullptr) {
      update([&](Time) {
        mutex_.assert_held();
        scheduler_.look_around(id);
      });
      if (self.next != nullptr) pass_on_pending();
      continue;
    }
    const Time began = execution->started;
    do {
      execution->execute(*self.team);
      execution->ended = self.last_ended = std::max(clock_.now(), execution->started);
      // What failed concerns others at once.
      execution = execution->failure ? nullptr : next_in_batch(self);
    } while (execution != nullptr);
    update([&](Time waited) {
      mutex_.assert_held();
      backs_off_for = scheduler_.executions_ended(id, began, self.last_ended, waited);
    });
  }
  leave();
}

/// As serve(), for a device: what it is asked for ends later.
void Engine::drive(WorkerId id) {
  this_engine = this;
  Worker& self = *workers_[index(id)];
  while (!stopping_) {
    static_cast<void>(next_execution(self));
    pass_on_pending();  // it may compile kernels now
    const std::vector<Driver::Ended> ended = self.driver->work(*self.team);
    update([&](Time) {
      mutex_.assert_held();
      scheduler_.operations_ended(id, ended);
    });
  }
  self.driver->finish();
  leave();
}

/// A worker's thread ends.
void Engine::leave() {
  const Lock lock(mutex_);
  --threads_;
  scheduler_.waiters().ended().notify_all();
}

/// The next of several executions that the worker was given at once; null when there is none.
Execution* Engine::next_in_batch(Worker& worker) {
  Execution* execution = worker.batch.begin();
  if (execution != nullptr) execution->started = std::max(execution->started, worker.last_ended);
  return execution;
}

/// When a worker that has nothing to do looks around even though it is not woken.
std::optional<RunClock::Clock::time_point> Engine::look_around_at(const Worker& worker) const {
  using Instant = RunClock::Clock::time_point;
  if (stopping_) return Instant::min();
  const bool pending = submission_.pending() > 0;
  if (!progress_.some_left && (pending || submission_.recording_is_next())) return Instant::min();
  const bool due = (progress_.outdated && progress_.some_left) || (pending && progress_.may_take_up());
  const Time at = std::min({due ? std::max(progress_.look_again.load(), worker.looks_again) : kMaxTime,
                            progress_.overrun_at.load(), progress_.withdraw_at.load()});
  return at != kMaxTime ? std::optional(clock_.instant(at)) : std::nullopt;
}

/// What the policy took to decide, and the worker to wake up, is not the task's.
void Engine::begin_now(Execution& execution) const {
  execution.started = std::max(execution.started, clock_.now());  // not before it was given: clocks differ by some ns
}

/// What the worker is given next, once there is something; null when it shall look around.
inline Execution* Engine::next_execution(Worker& worker) {
  Execution* execution = std::exchange(worker.next, nullptr);
  if (execution == nullptr) return await_execution(worker);
  begin_now(*execution);
  return execution;
}

/// The same for a worker that has given itself nothing.
Execution* Engine::await_execution(Worker& worker) {
  if (Execution* execution = next_in_batch(worker)) return received(execution, worker.bell.take_news());
  const bool was_rung = worker.bell.wait([&] { return look_around_at(worker); });
  return received(next_in_batch(worker), was_rung);
}

/// What the worker was offered, if anything, when it was maybe rung, too.
Execution* Engine::received(Execution* execution, bool was_rung) {
  if (execution == nullptr) return nullptr;
  if (was_rung) wake_for_pending();
  pass_on_pending(execution->started + Offers::kPatience);
  begin_now(*execution);
  return execution;
}

/// What a worker that backs off is offered nevertheless; null when it shall look around.
Execution* Engine::back_off(Worker& worker, Time duration) {
  const bool was_rung = worker.bell.back_off(clock_.instant(clock_.now() + duration));
  return received(next_in_batch(worker), was_rung);
}

}  // namespace heddle::runtime
