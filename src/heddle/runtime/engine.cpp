#include "heddle/runtime/engine.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::runtime {
namespace {

std::atomic<std::uint64_t> engines{0};  // made so far

/// The engine one of whose tasks this thread executes, or whose worker it is.
thread_local const Engine* this_engine = nullptr;
/// What this thread records, and for which engine.
thread_local const Engine* recording_engine = nullptr;
thread_local std::shared_ptr<Recording> this_recording;

/// The history that the configuration asks for, if any.
std::optional<History> history_of(const Config& config, const Cores& cores) {
  const std::optional<std::string> path = config.history ? config.history : default_history_path();
  if (!path || path->empty()) return std::nullopt;
  return History(*path, cores.machine(), config.warn);
}

}  // namespace

Engine::Engine(const Config& config)
    : number_(++engines),
      classes_(parse_workers(config.workers, cores_.count(), config.backends)),
      chosen_(choose_devices(classes_, config.backends)),
      devices_(open_devices(chosen_)),
      links_(chosen_, devices_, history_of(config, cores_), config.warn),
      platform_(platform_of(classes_, links_.all())),
      most_waiting_(config.most_waiting),
      warn_(config.warn),
      submission_([this](const KernelInfo& kernel) { return variants_of(kernel); }, makes_parts()),
      workers_(make_workers()),
      scheduler_(config, platform_, clock_, submission_, workers_, ended_, links_, history_of(config, cores_)) {
  start_threads(config.bind);
}

std::vector<std::unique_ptr<Worker>> Engine::make_workers() {
  std::vector<std::unique_ptr<Worker>> workers;
  const MemoryPlaces places(platform_);
  auto device = devices_.begin();
  for (const WorkerId id : platform_.workers()) {
    const ClassId c = platform_.class_of(id);
    Worker& worker = *workers.emplace_back(std::make_unique<Worker>(id, c, places.of(platform_.memory_of(id))));
    if (!classes_[index(c)].is_device()) continue;
    worker.driver = std::make_unique<Driver>(std::move(*device++), clock_, worker.mailbox);
  }
  return workers;
}

/// By class. The devices of a class are alike.
std::vector<Variants> Engine::variants_of(const KernelInfo& kernel) {
  std::vector<Variants> found(platform_.class_count());
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const auto& driver = workers_[index(*platform_.workers(make_id<ClassId>(c)).begin())]->driver;
    std::vector<Variant> all;
    for (const Implementation& one : kernel.implementations) {
      if (one.processor != classes_[c].processor || !can_run(one, driver.get())) continue;
      all.push_back({driver == nullptr || !one.run ? &one : &inside_a_task(one)});
    }
    found[c] = Variants(std::move(all));
  }
  return found;
}

/// The same, for a thread that is not a worker's: devices have threads of their own.
const Implementation& Engine::inside_a_task(const Implementation& implementation) {
  Implementation& marked = on_devices_.emplace_back(implementation);
  marked.run = [this, run = implementation.run](const Job& job) {
    struct Inside {
      const Engine* before;
      ~Inside() { this_engine = before; }
    };
    const Inside inside{std::exchange(this_engine, this)};
    run(job);
  };
  return marked;
}

/// On a core, or by the driver of a device. Warns, once, of what is not there though it should be.
bool Engine::can_run(const Implementation& implementation, Driver* driver) {
  if (driver != nullptr && !driver->device().runs(implementation)) return false;
  const std::string why = implementation.missing ? implementation.missing() : "";
  if (!why.empty() && missing_.insert(why).second && warn_) warn_(why);
  return why.empty();
}

/// All that were started end, without having done anything, where one cannot be.
void Engine::start_threads(bool bind) {
  try {
    start_each_thread(bind);
  } catch (const std::system_error& error) {
    stop_threads();
    throw InputError("the threads of " + std::to_string(workers_.size()) +
                     " workers cannot be started: " + error.code().message());
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
  threads_ = workers_.size();
  std::size_t core = 0;
  for (const WorkerId id : platform_.workers()) {
    Worker& worker = *workers_[index(id)];
    if (worker.driver) {
      worker.team = std::make_unique<Team>(1, [](std::size_t) {});
      worker.thread = std::thread([this, id] { drive(id); });
      continue;
    }
    const std::size_t size = classes_[index(platform_.class_of(id))].cores;
    const auto enter = [this, bind, core](std::size_t member) {
      this_engine = this;
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

Engine::~Engine() {
  static_cast<void>(await_all({}));
  stop_threads();
  scheduler_.save_history();
  if (std::uncaught_exceptions() == exceptions_) scheduler_.finish_facts();
  links_.save();
}

void Engine::stop_threads() {
  stopping_ = true;
  for (const auto& worker : workers_) worker->mailbox.ring();
  for (const auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

/// Whether tasks that reduce into a datum may run at once: cores do so in private copies.
bool Engine::makes_parts() const {
  return platform_.worker_count() > 1 &&
         std::ranges::any_of(classes_, [](const WorkerClass& one) { return one.processor == Processor::cpu; });
}

Block* Engine::add_block(const Shape& shape, const Piece& home, std::shared_ptr<const Reduction> sum) {
  if (home.address == nullptr && shape.bytes() > 0) throw InputError("data with elements has no address");
  if (shape.columns > 1 && home.leading < shape.rows)
    throw InputError("a matrix of " + std::to_string(shape.rows) + " rows has columns that begin " +
                     std::to_string(home.leading) + " elements after each other: they overlap");
  return std::make_unique<Block>(*this, make_id<DataId>(blocks_++), shape, home, platform_.memories().size() - 1,
                                 std::move(sum))
      .release();  // Data owns it
}

void Engine::release(Block* block) {
  const std::unique_ptr<Block> owned(block);
  if (submission_.combine(*block)) wake_for_pending();
  Submission::Users users = submission_.forget(*block);
  std::unique_lock lock(mutex_);
  for (const Ref& task : users.tasks) watch(task);
  for (const auto& recording : users.recordings) recording->watch(block);
  change_state([this] { scheduler_.want_news(); });
  ended_.wait(lock, [&] {
    std::erase_if(users.tasks, has_ended);
    // Who lets go of data in a callback must not wait for its own thread.
    if (broken_) return threads_ == 0 || this_engine == this;
    // The kernel of an aborted attempt may still use the program's memory.
    return users.tasks.empty() && scheduler_.is_done_with(*block, users.run) && block->transfers == 0 &&
           block->home.pins == 0;
  });
  if (!broken_) {
    scheduler_.copies().fetch_home(*block);
    ended_.wait(lock, [&] { return is_over() || block->transfers == 0; });
  }
  scheduler_.want_news_no_more();
  if (broken_) return;  // nothing runs any more, and an epoch may have been left half begun
  scheduler_.copies().bring_home(*block);
  scheduler_.forget(*block);
}

/// Under the lock: whoever waits is told when the task ends.
void Engine::watch(const Ref& task) {
  if (!has_ended(task)) task.node->watched = true;
}

/// What one device pins is pinned for all of its kind.
Pinned Engine::pin(std::span<std::byte> memory) const {
  if (memory.empty()) return {};
  for (const auto& worker : workers_) {
    if (worker->driver == nullptr) continue;
    Device& device = worker->driver->device();
    if (device.pin(memory.data(), memory.size())) return {memory.data(), {&device}};
  }
  return {};
}

Task Engine::submit(const std::shared_ptr<const KernelInfo>& kernel, std::span<const BlockAccess> accesses,
                    std::span<const std::byte> values, TaskOptions& options) {
  check_ours(*kernel, accesses, options.after);
  if (recording_engine == this) {
    const Ref task = submission_.submit(kernel, accesses, values, options, this_recording.get()).task;
    return task_of(task, this_recording->number());
  }
  await_room();
  note_submission();
  const auto [task, first] = submission_.submit(kernel, accesses, values, options);
  if (first) wake_for_pending();
  return task_of(task, 0);
}

void Engine::check_ours(const KernelInfo& kernel, std::span<const BlockAccess> accesses,
                        std::span<const Task> after) const {
  const auto refuse = [&](const std::string& why) {
    throw InputError("a task of kernel '" + kernel.name + "' " + why);
  };
  for (const BlockAccess& access : accesses) {
    if (access.block == nullptr) refuse("is given data that is not registered");
    if (access.block->engine != this) refuse("is given data of another runtime");
  }
  for (const Task& task : after) {
    if (task.engine_ == nullptr) continue;
    if (task.engine_ != this) refuse("shall come after a task of another runtime");
    const bool here = recording_engine == this && task.recording_ == this_recording->number();
    if (task.recording_ != 0 && !here) refuse("shall come after a recorded task, which only its own recording knows");
  }
}

Task Engine::task_of(const Ref& ref, std::uint64_t recording) {
  Task task;
  task.engine_ = this;
  task.node_ = ref.node;
  task.sequence_ = ref.sequence;
  task.recording_ = recording;
  return task;
}

/// Traces count time from the first submission on.
void Engine::note_submission() {
  if (first_submission_.load(std::memory_order_relaxed) != kMaxTime) return;
  Time none = kMaxTime;
  first_submission_.compare_exchange_strong(none, clock_.now());
}

/// Until fewer tasks wait than may; not for a task, which could wait for itself.
void Engine::await_room() {
  if (submission_.submitted() - ended_seen_.load(std::memory_order_relaxed) < most_waiting_) return;
  ended_seen_.store(scheduler_.ended_count(), std::memory_order_relaxed);
  if (scheduler_.unfinished() < most_waiting_ || this_engine == this) return;
  std::unique_lock lock(mutex_);
  // Not one by one: whoever waited submits a good number before it waits again.
  const std::size_t resume = std::min(most_waiting_ - most_waiting_ / 4, std::max<std::size_t>(most_waiting_, 1) - 1);
  scheduler_.want_room(resume);
  ended_.wait(lock, [&] { return is_over() || scheduler_.unfinished() <= resume; });
  scheduler_.want_room_no_more();
  if (broken_) std::rethrow_exception(broken_);
}

void Engine::begin_recording() {
  if (recording_engine != nullptr) throw InputError("a graph is being recorded already by this thread");
  this_recording = std::make_shared<Recording>(number_, ++recordings_);
  submission_.begin(this_recording);
  recording_engine = this;
}

Graph Engine::end_recording() {
  recording_engine = nullptr;
  submission_.finish(*this_recording);
  return Graph(std::move(this_recording));
}

/// Data that was recorded may be gone.
void Engine::abandon_recording() {
  recording_engine = nullptr;
  this_recording = nullptr;
}

void Engine::run(const Graph& graph) {
  if (!graph.recording_) throw InputError("a graph that was moved from cannot be run");
  if (!graph.recording_->is_of(number_))
    throw InputError("a graph was recorded by another runtime than the one to run it");
  if (recording_engine == this) throw InputError("a recorded graph cannot be run while another one is recorded");
  if (graph.size() == 0) return;
  await_room();
  note_submission();
  if (submission_.submit(graph.recording_)) wake_for_pending();
}

/// Somebody idle looks at what is pending; those who are busy will when they have done what they do.
void Engine::wake_for_pending() {
  for (const auto& worker : workers_) {
    if (!worker->mailbox.waits()) continue;
    worker->mailbox.ring();
    return;
  }
}

/// Without the lock the watch is called.
template <class Condition>
void Engine::await(std::unique_lock<Mutex>& lock, const Watch& watch, Condition&& condition) {
  constexpr std::chrono::milliseconds kOften(20);
  if (!watch) return ended_.wait(lock, condition);
  while (!ended_.wait_for(lock, kOften, condition)) {
    lock.unlock();
    watch(unfinished());
    lock.lock();
  }
}

/// A worker that had nothing to do has a task: it may have been the one to look at what is pending.
void Engine::pass_on_pending() {
  if (submission_.pending() == 0 || !scheduler_.may_take_up()) return;
  // Somebody may wait for an overrun, which comes later.
  const bool may_be_late = scheduler_.overrun_at() != kMaxTime;
  const auto will_look = [](const auto& worker) { return worker->mailbox.waits() && worker->mailbox.has_deadline(); };
  if (may_be_late || std::ranges::none_of(workers_, will_look)) wake_for_pending();
}

/// Returns with the lock, while nothing is left.
std::unique_lock<Mutex> Engine::await_all(const Watch& watch) {
  std::unique_lock lock(mutex_);
  Copies& copies = scheduler_.copies();
  const auto is_idle = [this] {
    return scheduler_.unfinished() == 0 && scheduler_.stragglers() == 0 && scheduler_.calls_under_way() == 0;
  };
  do {
    if (submission_.combine_all()) wake_for_pending();
    await(lock, watch, [&] { return is_over() || is_idle(); });
    if (broken_) return lock;
    copies.fetch_home();
    ended_.wait(lock, [&] { return is_over() || copies.under_way() == 0; });
    if (broken_) return lock;
    // Meanwhile others may have submitted tasks, which may even have ended: then there is more to fetch.
  } while (submission_.reduces() || !is_idle() || copies.some_away());
  copies.bring_home();
  return lock;
}

/// A task that waits for others could wait for itself.
void Engine::check_outside() const {
  if (this_engine == this)
    throw InputError("a task waits for tasks of its own runtime; submit what comes after as a task");
}

void Engine::wait(const Watch& watch) {
  check_outside();
  if (recording_engine == this) throw InputError("what is recorded does not run yet; wait when the graph was run");
  std::unique_lock<Mutex> lock;
  try {
    lock = await_all(watch);
  } catch (...) {
    cancel();
    lock = await_all({});
    if (!broken_) static_cast<void>(scheduler_.take_failure());
    throw;
  }
  if (broken_) std::rethrow_exception(broken_);
  if (const std::exception_ptr failure = scheduler_.take_failure()) std::rethrow_exception(failure);
}

void Engine::wait(const Ref& task) {
  check_outside();
  std::unique_lock lock(mutex_);
  watch(task);
  change_state([this] { scheduler_.want_news(); });
  ended_.wait(lock, [&] { return is_over() || has_ended(task); });
  scheduler_.want_news_no_more();
  if (broken_) std::rethrow_exception(broken_);
  if (const std::exception_ptr failure = scheduler_.failure_of(task.sequence)) std::rethrow_exception(failure);
}

void Engine::cancel() {
  {
    const std::lock_guard lock(mutex_);
    scheduler_.cancel();
  }
  wake_for_pending();
}

Trace Engine::trace() const {
  const std::lock_guard lock(mutex_);
  return scheduler_.trace(first_submission_);
}

void Engine::serve(WorkerId id) {
  this_engine = this;
  Worker& self = *workers_[index(id)];
  Time rest_for = 0;
  while (!stopping_) {
    Attempt* attempt = rest_for > 0 ? rest(self, rest_for) : next_attempt(self);
    rest_for = 0;
    if (attempt == nullptr) {
      update([&](Time) { scheduler_.look_around(id); });
      if (self.next != nullptr) pass_on_pending();
      continue;
    }
    const Time began = attempt->started;
    do {
      attempt->execute(*self.team);
      attempt->ended = self.last_ended = std::max(clock_.now(), attempt->started);
      // What failed concerns others at once.
      attempt = attempt->failure ? nullptr : next_in_hand(self);
    } while (attempt != nullptr);
    update([&](Time waited) { rest_for = scheduler_.attempts_ended(id, began, self.last_ended, waited); });
  }
  leave();
}

/// As serve(), for a device: what it is asked for ends later.
void Engine::drive(WorkerId id) {
  this_engine = this;
  Worker& self = *workers_[index(id)];
  while (!stopping_) {
    static_cast<void>(next_attempt(self));
    pass_on_pending();  // it may compile kernels now
    const std::vector<Driver::Ended> ended = self.driver->work(*self.team);
    update([&](Time) {
      for (const Driver::Ended& one : ended) {
        if (one.transfer != nullptr) {
          scheduler_.transfer_ended(id, one);
        } else {
          one.attempt->started = one.began;
          one.attempt->ended = one.ended;
          one.attempt->failure = one.failure;
          scheduler_.attempt_ended(*one.attempt);
        }
      }
      if (ended.empty()) scheduler_.look_around(id);
    });
  }
  self.driver->finish();
  leave();
}

/// A worker's thread ends.
void Engine::leave() {
  const std::lock_guard lock(mutex_);
  --threads_;
  ended_.notify_all();
}

/// A policy that throws has lost count of what it knows: kernels that run end, nothing else begins, and all who wait
/// are told.
void Engine::break_down(std::exception_ptr why) {
  broken_ = std::move(why);
  stopping_ = true;
  for (const auto& worker : workers_) worker->mailbox.ring();
}

/// The next of several attempts that the worker was given at once; null when there is none.
Attempt* Engine::next_in_hand(Worker& worker) {
  Attempt* attempt = worker.hand.begin();
  if (attempt != nullptr) attempt->started = std::max(attempt->started, worker.last_ended);
  return attempt;
}

/// When a worker that has nothing to do looks around even though nobody wakes it.
std::optional<RunClock::Clock::time_point> Engine::look_around_at(const Worker& worker) const {
  using Instant = RunClock::Clock::time_point;
  if (stopping_) return Instant::min();
  const bool pending = submission_.pending() > 0;
  if (!scheduler_.some_left() && (pending || submission_.recording_is_next())) return Instant::min();
  const bool due = (scheduler_.is_outdated() && scheduler_.some_left()) || (pending && scheduler_.may_take_up());
  const Time at =
      std::min(due ? std::max(scheduler_.look_again(), worker.looks_again) : kMaxTime, scheduler_.overrun_at());
  return at != kMaxTime ? std::optional(clock_.instant(at)) : std::nullopt;
}

/// What the policy took to decide, and the worker to wake up, is not the task's.
void Engine::begin_now(Attempt& attempt) const {
  attempt.started = std::max(attempt.started, clock_.now());  // not before it was given: clocks differ by some ns
}

/// What the worker is given next, once there is something; null when it shall look around.
inline Attempt* Engine::next_attempt(Worker& worker) {
  Attempt* attempt = std::exchange(worker.next, nullptr);
  if (attempt == nullptr) attempt = next_in_hand(worker);
  if (attempt == nullptr) return await_attempt(worker);
  begin_now(*attempt);
  return attempt;
}

/// The same for a worker that has nothing.
Attempt* Engine::await_attempt(Worker& worker) {
  return received(worker, worker.mailbox.take([&] { return look_around_at(worker); }));
}

/// What was in the worker's mailbox, if anything.
Attempt* Engine::received(const Worker& worker, Attempt* attempt) {
  if (attempt == nullptr) return nullptr;
  if (worker.mailbox.was_rung()) wake_for_pending();
  pass_on_pending();
  begin_now(*attempt);
  return attempt;
}

/// What a worker that rests is given nevertheless; null when it shall look around.
Attempt* Engine::rest(Worker& worker, Time duration) {
  return received(worker, worker.mailbox.doze(clock_.instant(clock_.now() + duration)));
}

/// Under the lock: does what may tell the policy something.
template <class Change>
void Engine::change_state(Change&& change) {
  if (broken_) return;
  try {
    change();
  } catch (...) {
    break_down(std::current_exception());
  }
}

/// Changes the state under the lock: change(how long that was waited for). Afterwards asks the kernels of aborted
/// attempts to stop, and does what is the program's, which may call back.
template <class Change>
void Engine::update(Change&& change) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  Time waited = 0;
  if (!lock) {
    const Time since = clock_.now();
    lock.lock();
    waited = clock_.now() - since;
  }
  change_state([&] { change(waited); });
  if (!scheduler_.has_afterwards()) return;
  Scheduler::Afterwards afterwards = scheduler_.take_afterwards();
  lock.unlock();
  if (afterwards.wakes) wake_for_pending();
  for (std::stop_source& stop : afterwards.stops) stop.request_stop();
  const std::size_t parts = afterwards.program_parts();
  if (parts == 0) return;
  for (const auto& call : afterwards.calls) call();
  afterwards = {};
  lock.lock();
  scheduler_.calls_returned(parts);
}

}  // namespace heddle::runtime
