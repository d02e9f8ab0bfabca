#include "heddle/runtime/threads/engine.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::runtime {
namespace {

std::atomic<std::uint64_t> engines{0};  // made so far

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
      submission_([this](TaskType& type) { bind(type); }, makes_parts(), config.most_nested),
      workers_(make_workers()),
      scheduler_(config, platform_, clock_, submission_, progress_, workers_, links_, links_.history()) {
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
  if (is_recording()) {
    const Ref task = submission_.submit(kernel, accesses, values, options, context, false, this_recording.get()).task;
    return task_of(task, this_recording->number());
  }
  await_room();
  note_submission();
  const auto [task, first] = submission_.submit(kernel, accesses, values, options, context, this_engine == this);
  if (first) wake_for_pending();
  return task_of(task, 0);
}

/// kNone: the submission names none.
ContextId Engine::context_of(const TaskOptions& options) const {
  if (options.context.engine_ != nullptr && options.context.engine_ != this)
    throw InputError("a task is submitted to a context of another runtime");
  if (options.context.engine_ != nullptr) return options.context.id_;
  return this_context.engine_ == this ? this_context.id_ : kNone<ContextId>;
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
    const bool here = is_recording() && task.recording_ == this_recording->number();
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

bool Engine::is_recording() const {
  return recording_engine == this;
}

/// Throws InputError where the graph cannot be run.
void Engine::check(const Graph& graph) const {
  check_process();
  if (!graph.recording_) throw InputError("a graph that was moved from cannot be run");
  if (!graph.recording_->is_of(number_))
    throw InputError("a graph was recorded by another runtime than the one to run it");
  if (is_recording()) throw InputError("a recorded graph cannot be run while another one is recorded");
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
