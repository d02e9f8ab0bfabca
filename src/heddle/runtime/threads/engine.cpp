#include "heddle/runtime/threads/engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/submission/socket_contexts.hpp"

namespace heddle::runtime {
namespace {

std::atomic<std::uint64_t> engines{0};  // made so far

/// What this thread records, and for which engine.
thread_local const Engine* recording_engine = nullptr;
thread_local std::shared_ptr<Recording> this_recording;
/// What this thread submits to.
thread_local SchedulingContext this_context;

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
      submission_([this](TaskType& type) { bind(type); }, makes_parts(), config.most_nested),
      workers_(make_workers()),
      scheduler_(config, platform_, clock_, submission_, progress_, workers_, links_, links_.history()) {
  start_threads(config.bind);
}

SchedulingContext Engine::add_context(const ContextRequest& request) {
  SchedulingContext added;
  added.engine_ = this;
  added.id_ = begin_context(request);
  if (added.id_ != kNone<ContextId>) return added;
  change_contexts([&](const JobContexts& now) {
    added.id_ = make_id<ContextId>(now.all().size());
    return now.with(platform_, request);
  });
  return added;
}

std::vector<SchedulingContext> Engine::add_socket_contexts(const std::string& policy) {
  check_process();
  {
    const Lock lock(mutex_);
    if (!contexts_.empty()) throw InputError("contexts by socket are the first of a runtime, and it has contexts");
  }
  const std::vector<std::optional<std::size_t>> of_devices = Cores::sockets_of_devices(pci_addresses());
  Table<WorkerId, Place> places;
  auto device = of_devices.begin();
  for (const WorkerId worker : platform_.workers()) {
    const bool is_device = classes_[index(platform_.class_of(worker))].is_device();
    places.push_back({is_device ? *device++ : sockets_[worker], is_device});
  }
  std::vector<SchedulingContext> contexts;
  for (const ContextRequest& request : socket_contexts(platform_, places, policy)) {
    contexts.push_back(add_context(request));
  }
  return contexts;
}

/// Of the devices, in the order of their workers.
std::vector<std::string> Engine::pci_addresses() const {
  std::vector<std::string> addresses;
  for (const DeviceChoice& one : chosen_) addresses.push_back(one.backend->devices()[one.number].pci_address);
  return addresses;
}

std::string Engine::context_name(ContextId context) const {
  const Lock lock(mutex_);
  return contexts_.name(context);
}

/// One more while each may still say which workers those before it get; kNone: none may any more.
ContextId Engine::begin_context(const ContextRequest& request) {
  check_process();
  const Lock lock(mutex_);
  if (submission_.has_begun() || requests_.size() != contexts_.all().size()) return kNone<ContextId>;
  std::vector<ContextRequest> requests = requests_;
  requests.push_back(request);
  const JobContexts contexts(platform_, requests);
  scheduler_.check_contexts(contexts);
  submission_.set_contexts(contexts);
  scheduler_.set_contexts(contexts);
  requests_ = std::move(requests);
  contexts_ = contexts;
  return make_id<ContextId>(requests_.size() - 1);
}

/// Makes others of the contexts; nothing changes when this, or what follows from it, makes no sense.
template <class Change>
void Engine::change_contexts(Change&& change) {
  check_process();
  {
    const Lock lock(mutex_);
    const JobContexts contexts = change(contexts_);
    scheduler_.check_contexts(contexts);
    submission_.change_contexts(contexts);
    change_state([&] {
      mutex_.assert_held();
      scheduler_.change_contexts(contexts);
    });
    contexts_ = contexts;
    requests_.clear();
  }
  wake_for_pending();
}

void Engine::add_workers(ContextId context, const std::string& workers) {
  change_contexts([&](const JobContexts& now) {
    return now.with_workers(platform_, context,
                            request_context("SchedulingContext::add", now.name(context), workers, ""));
  });
}

void Engine::remove_workers(ContextId context, const std::string& workers) {
  change_contexts([&](const JobContexts& now) {
    return now.without_workers(platform_, context,
                               request_context("SchedulingContext::remove", now.name(context), workers, ""));
  });
}

void Engine::close_context(ContextId context, const SchedulingContext& heir) {
  if (heir.engine_ != this) {
    throw InputError(heir.engine_ == nullptr ? "a context is closed without an heir for its workers"
                                             : "the heir of a context is of another runtime");
  }
  change_contexts([&](const JobContexts& now) { return now.closed(platform_, context, heir.id_); });
}

namespace {

Engine& engine_of(Engine* engine, const char* what) {
  if (engine == nullptr) throw InputError(std::string(what) + " is called on a context of no runtime");
  return *engine;
}

}  // namespace

std::string SchedulingContext::name() const {
  return engine_of(engine_, "name()").context_name(id_);
}

void SchedulingContext::add(const std::string& workers) const {
  engine_of(engine_, "add()").add_workers(id_, workers);
}

void SchedulingContext::remove(const std::string& workers) const {
  engine_of(engine_, "remove()").remove_workers(id_, workers);
}

void SchedulingContext::close(const SchedulingContext& heir) const {
  engine_of(engine_, "close()").close_context(id_, heir);
}

SchedulingContext Engine::enter(const SchedulingContext& context) {
  if (context.engine_ != nullptr && context.engine_ != this)
    throw InputError("tasks are submitted to a context of another runtime");
  return std::exchange(this_context, context);
}

/// kNone: the submission names none.
ContextId Engine::context_of(const TaskOptions& options) const {
  if (options.context.engine_ != nullptr && options.context.engine_ != this)
    throw InputError("a task is submitted to a context of another runtime");
  if (options.context.engine_ != nullptr) return options.context.id_;
  return this_context.engine_ == this ? this_context.id_ : kNone<ContextId>;
}

std::vector<std::unique_ptr<Worker>> Engine::make_workers() {
  std::vector<std::unique_ptr<Worker>> workers;
  const MemoryPlaces places(platform_);
  auto device = devices_.begin();
  for (const WorkerId id : platform_.workers()) {
    const ClassId c = platform_.class_of(id);
    Worker& worker = *workers.emplace_back(std::make_unique<Worker>(id, c, places.of(platform_.memory_of(id))));
    if (!classes_[index(c)].is_device()) continue;
    worker.driver = std::make_unique<Driver>(std::move(*device++), clock_, worker.bell);
  }
  return workers;
}

/// Finds the variants, by class. The devices of a class are alike.
void Engine::bind(TaskType& type) {
  type.variants.resize(platform_.class_count());
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const auto& driver = workers_[index(*platform_.workers(make_id<ClassId>(c)).begin())]->driver;
    std::vector<Variant> all;
    for (const Implementation& one : type.kernel->implementations) {
      if (one.processor != classes_[c].processor || !can_run(one, driver.get())) continue;
      const bool wraps = driver != nullptr && one.run;
      all.push_back({wraps ? &type.wrapped.emplace_back(inside_a_task(one)) : &one});
    }
    type.variants[c] = Variants(std::move(all));
  }
}

/// The same, for a thread that is not a worker's: devices have threads of their own.
Implementation Engine::inside_a_task(const Implementation& implementation) {
  Implementation marked = implementation;
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

Engine::~Engine() {
  {
    Lock lock(mutex_);
    await_all(lock, {});
  }
  if (blocks_ != released_) {
    std::fprintf(stderr, "heddle: a runtime is destroyed while data registered with it is not; destroy data first\n");
    std::terminate();
  }
  stop_threads();
  scheduler_.save_history();
  if (std::uncaught_exceptions() == exceptions_) scheduler_.finish_facts();
  links_.save();
}

/// Whether tasks that reduce into a datum may run at once: cores do so in private copies.
bool Engine::makes_parts() const {
  return platform_.worker_count() > 1 &&
         std::ranges::any_of(classes_, [](const WorkerClass& one) { return one.processor == Processor::cpu; });
}

/// Else it would wait for threads that there are not.
void Engine::check_process() const {
  if (is_of_this_process()) return;
  throw InputError("a runtime cannot be used after fork() by the child, which has none of its threads");
}

void Engine::set_reduction(Block& block, std::shared_ptr<const Reduction> reduction) {
  check_process();
  submission_.set_reduction(block, std::move(reduction));
}

// Takes no lock: the caller may hold one that policies take, such as that of Python's interpreter (python/session.hpp).
Block* Engine::add_block(const Shape& shape, const Piece& home, std::shared_ptr<const Reduction> sum) {
  check_process();
  if (home.address == nullptr && shape.bytes() > 0) throw InputError("data with elements has no address");
  if (shape.columns > 1 && home.leading < shape.rows)
    throw InputError("a matrix of " + std::to_string(shape.rows) + " rows has columns that begin " +
                     std::to_string(home.leading) + " elements after each other: they overlap");
  return std::make_unique<Block>(this, make_id<DataId>(blocks_++), shape, home, platform_.memories().size() - 1,
                                 std::move(sum))
      .release();  // Data owns it
}

void Engine::release(Block* block) {
  const std::unique_ptr<Block> owned(block);
  ++released_;
  if (submission_.combine(*block)) wake_for_pending();
  Submission::Users users = submission_.forget(*block);
  // Its destructor cannot refuse.
  if (this_engine == this && warn_ && !std::ranges::all_of(users.tasks, has_ended))
    warn_("a task releases data and waits for the tasks that use it: it may wait for ever");
  Lock lock(mutex_);
  for (const Ref& task : users.tasks) watch(task);
  for (const auto& recording : users.recordings) recording->watch(block);
  const Waiters::Want news = scheduler_.waiters().want_news();
  change_state([this] {
    mutex_.assert_held();
    scheduler_.empty_all_batches();
  });
  scheduler_.waiters().ended().wait(lock, [&] {
    mutex_.assert_held();
    std::erase_if(users.tasks, has_ended);
    // Who lets go of data in a callback must not wait for its own thread.
    if (broken_) return threads_ == 0 || this_engine == this;
    // The kernel of an aborted execution may still use the program's memory.
    return users.tasks.empty() && scheduler_.is_done_with(*block, users.run) && block->transfers == 0 &&
           block->home.pins == 0;
  });
  while (!broken_ && !block->poisoned_by && scheduler_.copies().is_away(*block)) {
    scheduler_.copies().fetch_home(*block);
    await(lock, {}, [&] { return block->transfers == 0; });
  }
  if (broken_) return;  // nothing runs any more, and an epoch may have been left half begun
  scheduler_.copies().bring_home(*block);
  scheduler_.forget(*block);
}

/// Under the lock: threads that wait are told when the task ends.
void Engine::watch(const Ref& task) {
  if (!has_ended(task)) task.node->watched = true;
}

/// What one device pins is pinned for all of its kind.
Pinned Engine::pin(std::span<std::byte> memory) const {
  check_process();
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
  check_process();
  check_ours(*kernel, accesses, options.after);
  const ContextId context = context_of(options);
  if (recording_engine == this) {
    const Ref task = submission_.submit(kernel, accesses, values, options, context, false, this_recording.get()).task;
    return task_of(task, this_recording->number());
  }
  await_room();
  note_submission();
  const auto [task, first] = submission_.submit(kernel, accesses, values, options, context, this_engine == this);
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
    if (task.engine_ != this) refuse("waits for a task of another runtime");
    const bool here = recording_engine == this && task.recording_ == this_recording->number();
    if (task.recording_ != 0 && !here) refuse("waits for a recorded task, which only its own recording knows");
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

/// Until fewer tasks wait than may.
void Engine::await_room() {
  if (submission_.submitted() - ended_seen_.load(std::memory_order_relaxed) < most_waiting_) return;
  ended_seen_.store(progress_.ended, std::memory_order_relaxed);
  if (progress_.unfinished() < most_waiting_) return;
  if (this_engine == this) return await_room_in_task();
  Lock lock(mutex_);
  const Waiters::Want room = scheduler_.waiters().want_room(room_to_resume());
  await(lock, {}, [&] { return progress_.unfinished() <= room_to_resume(); });
  if (broken_) std::rethrow_exception(broken_);
}

/// Not one by one: a thread that waited submits a good number before it waits again.
std::size_t Engine::room_to_resume() const {
  return std::min(most_waiting_ - most_waiting_ / 4, std::max<std::size_t>(most_waiting_, 1) - 1);
}

/// A task could wait for itself, or for what its own worker would run. So it waits only while other workers of its
/// contexts work, and not for long; then it may submit some more.
void Engine::await_room_in_task() {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  constexpr auto kPatience = 10ms;  // with others that have nothing to do: they may just be waking up
  constexpr auto kLongest = 1s;
  const std::uint64_t some = std::max<std::size_t>(most_waiting_ / 64, 1024);
  const bool is_room = progress_.unfinished() < most_waiting_ + some ||
                       submission_.submitted() < submits_until_.load(std::memory_order_relaxed);
  if (is_room || this_worker == kNone<WorkerId>) return;
  const auto submit_some = [&] { submits_until_.store(submission_.submitted() + some, std::memory_order_relaxed); };
  Lock lock(mutex_);
  if (!scheduler_.workers().has_partners(this_worker)) return submit_some();
  const Clock::time_point begin = Clock::now();
  Clock::time_point worked = begin;  // some other
  ++workers_[index(this_worker)]->waiting_for_room;
  const Waiters::Want room = scheduler_.waiters().want_room(room_to_resume());
  // What is pending is what the others shall run: it is taken up at once.
  progress_.look_again = 0;
  wake_for_pending();
  while (!broken_ && progress_.unfinished() > room_to_resume()) {
    scheduler_.waiters().ended().wait_for(lock, 1ms);
    const Clock::time_point now = Clock::now();
    const bool will_work = submission_.pending() > 0 && clock_.now() < progress_.look_again;
    if (will_work || scheduler_.workers().partners_work(this_worker)) worked = now;
    if (now - worked < kPatience && now - begin < kLongest) continue;
    submit_some();
    break;
  }
  --workers_[index(this_worker)]->waiting_for_room;
}

void Engine::begin_recording() {
  check_process();
  if (recording_engine != nullptr) throw InputError("a graph is being recorded already by this thread");
  this_recording = std::make_shared<Recording>(number_, ++recordings_);
  submission_.begin(this_recording);
  recording_engine = this;
}

Graph Engine::end_recording(const Assign& assign) {
  recording_engine = nullptr;
  const std::shared_ptr<Recording> recording = std::exchange(this_recording, nullptr);
  Submission::Tasks tasks;
  if (submission_.has_contexts()) {
    tasks = submission_.describe(*recording);
    if (assign) assign(tasks.graph, tasks.contexts);
  } else if (assign) {
    throw InputError("recorded tasks cannot be assigned to contexts: there are none");
  }
  submission_.finish(*recording, tasks.contexts.of);
  return Graph(recording);
}

/// Data that was recorded may be gone.
void Engine::abandon_recording() {
  recording_engine = nullptr;
  this_recording = nullptr;
}

/// Throws InputError where the graph cannot be run.
void Engine::check(const Graph& graph) const {
  check_process();
  if (!graph.recording_) throw InputError("a graph that was moved from cannot be run");
  if (!graph.recording_->is_of(number_))
    throw InputError("a graph was recorded by another runtime than the one to run it");
  if (recording_engine == this) throw InputError("a recorded graph cannot be run while another one is recorded");
}

std::pair<Instance, std::vector<std::string>> Engine::describe(const Graph& graph) {
  check(graph);
  const Lock lock(mutex_);
  // Its tasks have other numbers while they run.
  if (progress_.unfinished() > 0 || scheduler_.zombies() > 0)
    throw InputError("a recorded graph cannot be described while tasks run; wait for these first");
  return scheduler_.describe(*graph.recording_);
}

void Engine::run(const Graph& graph) {
  check(graph);
  if (graph.size() == 0) return;
  await_room();
  note_submission();
  if (submission_.submit(graph.recording_)) wake_for_pending();
}

void Engine::wake_for_pending() {
  ring_idle(workers_, [](const auto& worker) -> Bell& { return worker->bell; });
}

/// Returns when the condition holds, or nothing will end any more. Without the lock the watch is called; with it this
/// returns, or throws what the watch throws.
template <class Condition>
void Engine::await(Lock& lock, const Watch& watch, Condition&& condition) {
  constexpr std::chrono::milliseconds kOften(20);
  std::condition_variable_any& ended = scheduler_.waiters().ended();
  const auto is_met = [&] {
    mutex_.assert_held();
    return is_over() || condition();
  };
  if (!watch) return ended.wait(lock, is_met);
  while (!ended.wait_for(lock, kOften, is_met)) {
    mutex_.unlock();
    std::exception_ptr thrown;
    try {
      watch(unfinished());
    } catch (...) {
      thrown = std::current_exception();
    }
    mutex_.lock();
    if (thrown) std::rethrow_exception(thrown);
  }
}

/// Returns while nothing is left.
void Engine::await_all(Lock& lock, const Watch& watch) {
  Copies& copies = scheduler_.copies();
  const auto is_idle = [this] {
    mutex_.assert_held();
    return progress_.unfinished() == 0 && scheduler_.zombies() == 0 && scheduler_.deferred().under_way() == 0;
  };
  const auto await_idle = [&] {
    mutex_.assert_held();
    const Waiters::Want home = scheduler_.waiters().want_home();
    change_state([this] {
      mutex_.assert_held();
      scheduler_.send_final_home();
    });
    await(lock, watch, is_idle);
  };
  do {
    if (submission_.combine_all()) wake_for_pending();
    await_idle();
    if (broken_) return;
    copies.fetch_home();
    await(lock, {}, [&] { return copies.under_way() == 0; });
    if (broken_) return;
    // Meanwhile others may have submitted tasks, which may even have ended: then there is more to fetch.
  } while (submission_.reduces() || !is_idle() || copies.some_away());
  copies.bring_home();
}

/// A task that waits for others could wait for itself.
void Engine::check_outside() const {
  check_process();
  if (this_engine == this)
    throw InputError("a task waits for tasks of its own runtime; submit what comes after as a task");
}

void Engine::wait(const Watch& watch) {
  check_outside();
  if (recording_engine == this) throw InputError("what is recorded does not run yet; wait when the graph was run");
  Lock lock(mutex_);
  try {
    await_all(lock, watch);
  } catch (...) {
    scheduler_.cancel();
    wake_for_pending();
    await_all(lock, {});
    if (!broken_) static_cast<void>(scheduler_.take_failure());
    throw;
  }
  if (broken_) std::rethrow_exception(broken_);
  if (const std::exception_ptr failure = scheduler_.take_failure()) std::rethrow_exception(failure);
}

void Engine::wait(const Ref& task) {
  check_outside();
  Lock lock(mutex_);
  watch(task);
  const Waiters::Want news = scheduler_.waiters().want_news();
  change_state([this] {
    mutex_.assert_held();
    scheduler_.empty_all_batches();
  });
  await(lock, {}, [&] { return has_ended(task); });
  if (broken_) std::rethrow_exception(broken_);
  if (const std::exception_ptr failure = scheduler_.failure_of(task.sequence)) std::rethrow_exception(failure);
}

void Engine::cancel() {
  check_process();
  {
    const Lock lock(mutex_);
    scheduler_.cancel();
  }
  wake_for_pending();
}

Trace Engine::trace() const {
  check_process();
  const Lock lock(mutex_);
  return scheduler_.trace(first_submission_);
}

/// A policy that throws has lost count of what it knows: kernels that run end, nothing else begins, and all who wait
/// are told.
void Engine::break_down(std::exception_ptr why) {
  broken_ = std::move(why);
  stopping_ = true;
  for (const auto& worker : workers_) worker->bell.ring();
}

}  // namespace heddle::runtime
