#include "heddle/starpu/scheduler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <utility>

#include "heddle/facts/recorder.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/starpu/summary.hpp"

namespace heddle::starpu {
namespace {

/// Whether workers sleep that have nothing to do, and have to be woken; otherwise they ask again and again.
#if defined(STARPU_NON_BLOCKING_DRIVERS) && !defined(STARPU_SIMGRID)
constexpr bool kWorkersSleep = false;
#else
constexpr bool kWorkersSleep = true;
#endif
/// How long idle workers leave what a worker released to that worker, which comes for its next task anyway.
constexpr int kTries = 100;
constexpr Time kReturn = 10 * kMicrosecond;

Time from_microseconds(double microseconds) {
  return static_cast<Time>(std::llround(microseconds * static_cast<double>(kMicrosecond)));
}

std::optional<AccessMode> access_mode(unsigned mode) {
  if ((mode & STARPU_REDUX) != 0) return AccessMode::reduce;
  if ((mode & STARPU_COMMUTE) != 0) return AccessMode::commute;
  if ((mode & STARPU_RW) == STARPU_RW) return AccessMode::read_write;
  if ((mode & STARPU_W) != 0) return AccessMode::write;
  if ((mode & STARPU_R) != 0) return AccessMode::read;
  return std::nullopt;  // scratch memory, or a hint only
}

host::Rounds::MakePolicy maker(const policy::Spec& spec, std::shared_ptr<facts::Log> log) {
  return [spec, log = std::move(log)](const Instance&) {
    return log != nullptr ? facts::make_watched(spec, 1, nullptr, log) : spec.make(1);
  };
}

std::shared_ptr<facts::Log> log_for(const Settings& settings, unsigned context, const policy::Spec& spec) {
  if (settings.facts.empty()) return nullptr;
  return std::make_shared<facts::Log>(facts_path(settings.facts, context), spec.text());
}

/// Only policies that abort need that anything is held back.
host::Aborts aborts(const policy::Spec& spec, const Settings& settings) {
  return spec.entry().needs(spec.options()).abort ? settings.aborts : host::Aborts::none;
}

}  // namespace

/// Holds a mutex. A worker that waits for it can be observed by others meanwhile.
class Scheduler::Lock {
 public:
  explicit Lock(starpu_pthread_mutex_t& mutex) : mutex_(&mutex) {
    // It is held for about a microsecond, which is less than going to sleep takes.
    for (int i = 0; i < kTries; ++i) {
      if (STARPU_PTHREAD_MUTEX_TRYLOCK(mutex_) == 0) return;
      __builtin_ia32_pause();
    }
    const bool relaxes = starpu_worker_get_id() >= 0 && starpu_worker_get_relax_state() == 0;
    if (relaxes) starpu_worker_relax_on();
    STARPU_PTHREAD_MUTEX_LOCK(mutex_);
    if (relaxes) starpu_worker_relax_off();
  }
  ~Lock() { STARPU_PTHREAD_MUTEX_UNLOCK(mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  starpu_pthread_mutex_t* mutex_;
};

Scheduler::Scheduler(unsigned context, Settings settings)
    : context_(context),
      settings_(std::move(settings)),
      machine_(read_machine(settings_.splits_cpus)),
      spec_(choose_policy(settings_, machine_.platform)),
      facts_(log_for(settings_, context, spec_)),
      origin_(starpu_timing_now()),
      core_(shown_to(spec_, machine_.platform), maker(spec_, facts_), aborts(spec_, settings_), machine_.asks_early,
            !settings_.record.empty() || settings_.summarizes,
            [this](DataId data, MemoryId memory) { return copy(data, memory); }),
      mine_(machine_.platform.worker_count()) {
  STARPU_PTHREAD_MUTEX_INIT(&submission_, nullptr);
  STARPU_PTHREAD_MUTEX_INIT(&mutex_, nullptr);
  workers_of_.resize(core_.platform().class_count());
  for (const WorkerId worker : machine_.platform.workers()) {
    workers_of_[machine_.platform.class_of(worker)].set(index(worker));
    // Workers come with the context (set_available).
    core_.set_available(worker, false);
  }
}

Scheduler::~Scheduler() {
  STARPU_PTHREAD_MUTEX_DESTROY(&mutex_);
  STARPU_PTHREAD_MUTEX_DESTROY(&submission_);
}

Time Scheduler::now() const {
  return from_microseconds(starpu_timing_now() - origin_);
}

std::optional<WorkerId> Scheduler::this_worker() const {
  const int number = starpu_worker_get_id();
  if (number < 0 || static_cast<std::size_t>(number) >= machine_.here.size()) return std::nullopt;
  return machine_.here[static_cast<std::size_t>(number)];
}

Scheduler::Workers Scheduler::eligible(starpu_task* task) const {
  Workers workers;
  for (const WorkerId worker : machine_.platform.workers()) {
    const auto number = static_cast<unsigned>(machine_.there[worker]);
    workers[index(worker)] = starpu_worker_can_execute_task_first_impl(number, task, nullptr) != 0;
  }
  return workers;
}

std::vector<WorkerId> Scheduler::listed(const Workers& workers) const {
  std::vector<WorkerId> listed;
  std::ranges::copy_if(machine_.platform.workers(), std::back_inserter(listed),
                       [&](WorkerId worker) { return workers[index(worker)]; });
  return listed;
}

/// Those of which one of the workers is.
Scheduler::Classes Scheduler::classes_of(const Workers& workers) const {
  Classes classes;
  for (const ClassId c : workers_of_.ids()) classes[index(c)] = (workers & workers_of_[c]).any();
  return classes;
}

void Scheduler::submit(starpu_task* task) {
  if (task->cl != nullptr) make_known(task);  // otherwise it runs nowhere
}

TaskNumber Scheduler::make_known(starpu_task* task) {
  const Lock submission(submission_);
  const Workers workers = eligible(task);
  const Classes classes = classes_of(workers);
  Workers all;
  for (const ClassId c : workers_of_.ids()) {
    if (classes[index(c)]) all |= workers_of_[c];
  }
  job_.is_internal = task->type == STARPU_TASK_TYPE_INTERNAL;
  job_.is_pinned = task->execute_on_a_specific_worker != 0;
  job_.type = type_of(task, classes, job_.is_internal);
  find_accesses(task, job_.accesses);
  job_.priority = task->priority;
  job_.only_on.clear();
  if (workers != all) job_.only_on = listed(workers);
  if (core_.records()) {
    const char* const name = starpu_task_get_name(task);
    job_.name = name == nullptr ? "" : name;
  }
  const Lock lock(mutex_);
  const TaskNumber number = core_.submit(job_);
  number_of_[task] = number;
  task_of_.push_back(task);
  return number;
}

/// The task may be freed, and its address used again.
void Scheduler::forget(const starpu_task* task, TaskNumber number) {
  number_of_.erase(task);
  task_of_[static_cast<std::size_t>(number)] = nullptr;
  std::size_t first = task_of_.begin_position();
  while (first < task_of_.end_position() && task_of_[first] == nullptr) ++first;
  task_of_.forget_before(first);
}

TypeId Scheduler::type_of(starpu_task* task, const Classes& classes, bool is_internal) {
  const bool has_model = task->cl->model != nullptr && !is_internal;
  const std::uint32_t layout = has_model ? starpu_task_data_footprint(task) : 0;
  const auto [found, is_new] = types_.try_emplace({task->cl, layout, classes});
  Type& type = found->second;
  if (is_new) {
    const char* const name = starpu_task_get_model_name(task);
    const char* const fallback = starpu_task_get_name(task);
    const std::string text = name != nullptr ? name : fallback != nullptr ? fallback : "task";
    Table<ClassId, bool> can_run;
    for (const ClassId c : workers_of_.ids()) can_run.push_back(classes[index(c)]);
    const Lock lock(mutex_);
    type.id = core_.add_type(text + "/" + std::to_string(types_.size()), can_run);
  }
  // The models learn, but asking them takes as long as many decisions: they are asked again when there are twice as
  // many.
  ++type.tasks;
  if (has_model && std::has_single_bit(type.tasks)) tell_models(task, type.id, classes);
  return type.id;
}

/// The mean over a class's workers, each with its best implementation.
void Scheduler::tell_models(starpu_task* task, TypeId type, const Classes& classes) {
  for (const ClassId c : workers_of_.ids()) {
    if (!classes[index(c)]) continue;
    double sum = 0;
    int known = 0;
    for (const WorkerId worker : core_.platform().workers(c)) {
      const int number = machine_.there[worker];
      unsigned implementations = 0;
      if (starpu_worker_can_execute_task_impl(static_cast<unsigned>(number), task, &implementations) == 0) continue;
      double best = std::numeric_limits<double>::infinity();
      for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
        if ((implementations >> i & 1) == 0) continue;
        const double length = starpu_task_expected_length(task, starpu_worker_get_perf_archtype(number, context_), i);
        if (length > 0) best = std::min(best, length);  // it is no number where there is no model yet
      }
      if (!std::isfinite(best)) continue;
      sum += best;
      ++known;
    }
    if (known == 0) continue;
    const Lock lock(mutex_);
    core_.estimates().tell(type, c, std::max<Time>(from_microseconds(sum / known), 1));
  }
}

/// Accesses on which StarPU builds no dependencies are left out.
void Scheduler::find_accesses(starpu_task* task, std::vector<Access>& found) {
  found.clear();
  if (task->sequential_consistency == 0) return;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    const std::optional<AccessMode> mode = access_mode(static_cast<unsigned>(STARPU_TASK_GET_MODE(task, i)));
    starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
    if (!mode || starpu_data_get_sequential_consistency_flag(handle) == 0) continue;
    if (task->handles_sequential_consistency != nullptr && task->handles_sequential_consistency[i] == 0) continue;
    const DataId data = datum_of(handle);
    const auto same = std::ranges::find(found, data, &Access::data);
    if (same == found.end()) {
      found.push_back({data, *mode});
    } else if (same->mode != *mode) {
      same->mode = AccessMode::read_write;
    }
  }
}

/// A handle whose size changes, or whose address is used again, is another datum.
DataId Scheduler::datum_of(starpu_data_handle_t handle) {
  const std::size_t bytes = starpu_data_get_size(handle);
  const auto [found, is_new] = data_.try_emplace(handle);
  Data& data = found->second;
  if (is_new || data.bytes != bytes) {
    const Lock lock(mutex_);
    data = {bytes, core_.add_datum(static_cast<std::int64_t>(bytes))};
    handles_.push_back(handle);
  }
  return data.id;
}

/// What StarPU says, which is a hint: it takes no lock.
policy::HostView::Copy Scheduler::copy(DataId data, MemoryId memory) const {
  int is_valid = 0;
  int is_requested = 0;
  starpu_data_query_status(handles_[data], static_cast<int>(machine_.nodes[memory]), nullptr, &is_valid, &is_requested);
  using enum policy::HostView::Copy;
  return is_valid != 0 ? valid : is_requested != 0 ? coming : none;
}

/// StarPU fetches only once for a task.
void Scheduler::prefetch() {
  for (const auto& [number, worker] : core_.take_prefetches()) {
    starpu_task* const task = task_of_[static_cast<std::size_t>(number)];
    if (task->prefetched == 0) starpu_prefetch_task_input_for(task, static_cast<unsigned>(machine_.there[worker]));
  }
}

void Scheduler::push(starpu_task* task) {
  const std::optional<WorkerId> by = this_worker();
  {
    std::optional<Lock> lock(mutex_);
    auto known = number_of_.find(task);
    if (known == number_of_.end()) {
      // StarPU repeats a task without submitting it again.
      lock.reset();
      make_known(task);
      lock.emplace(mutex_);
      known = number_of_.find(task);
    }
    core_.push(known->second, by, now());
    starpu_push_task_end(task);
  }
  if (!kWorkersSleep && by && mine_[*by].is_returning) return note_return(now());
  note_change();
  wake_one();
}

starpu_task* Scheduler::pop() {
  const std::optional<WorkerId> worker = this_worker();
  if (!worker) return nullptr;
  Mine& mine = mine_[*worker];
  const std::uint64_t version = version_.load(std::memory_order_acquire);
  if (!mine.is_returning && mine.seen == version && !is_overdue()) return nullptr;
  mine.is_returning = false;
  if (returning_.load(std::memory_order_relaxed) != kNever) returning_.store(kNever, std::memory_order_relaxed);
  starpu_task* task = nullptr;
  std::vector<WorkerId> called;
  {
    const Lock lock(mutex_);
    task = pop_locked(*worker);
    called = core_.take_called();
  }
  if (!called.empty()) note_change();
  for (const WorkerId other : called) wake(other);
  mine.seen = task == nullptr ? version : 0;
  return task;
}

/// Whether a worker that has ended a task has not come for the next one for long.
bool Scheduler::is_overdue() const {
  const Time since = returning_.load(std::memory_order_relaxed);
  return since != kNever && now() > since + kReturn;
}

starpu_task* Scheduler::pop_locked(WorkerId worker) {
  while (true) {
    const double since = settings_.summarizes ? starpu_timing_now() : 0;
    const std::optional<TaskNumber> number = core_.pop(worker, now());
    if (settings_.summarizes) deciding_ += from_microseconds(starpu_timing_now() - since);
    prefetch();
    if (!number) return nullptr;
    starpu_task* const task = task_of_[static_cast<std::size_t>(*number)];
    if (choose_implementation(task, worker)) {
      forget(task, *number);
      if (machine_.asks_early[worker]) watch(task, worker);
      return task;
    }
    core_.put_back(worker, listed(eligible(task)));
    note_change();
  }
}

/// The fastest that the worker can run; false: it can run none.
bool Scheduler::choose_implementation(starpu_task* task, WorkerId worker) const {
  const int number = machine_.there[worker];
  unsigned implementations = 0;
  if (starpu_worker_can_execute_task_impl(static_cast<unsigned>(number), task, &implementations) == 0) return false;
  unsigned chosen = 0;
  while ((implementations >> chosen & 1) == 0) ++chosen;
  if (implementations >> chosen != 1) {
    double best = std::numeric_limits<double>::infinity();
    for (unsigned i = chosen; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
      if ((implementations >> i & 1) == 0) continue;
      const double length = starpu_task_expected_length(task, starpu_worker_get_perf_archtype(number, context_), i);
      // One without a model is tried.
      if (!(length > 0) || length < best) chosen = i;
      if (!(length > 0)) break;
      best = std::min(best, length);
    }
  }
  starpu_task_set_implementation(task, chosen);
  return true;
}

void Scheduler::wake(WorkerId worker) const {
  if (kWorkersSleep) starpu_wake_worker_relax_light(machine_.there[worker]);
}

/// Any worker that asks lets the policy decide for all.
void Scheduler::wake_one() const {
  if (!kWorkersSleep) return;
  for (const WorkerId worker : machine_.platform.workers()) {
    if (worker != this_worker() && starpu_wake_worker_relax_light(machine_.there[worker]) != 0) return;
  }
}

void Scheduler::pre_exec(starpu_task* task) {
  const std::optional<WorkerId> worker = this_worker();
  if (!worker) return;
  if (task->execute_on_a_specific_worker == 0) return core_.began(*worker, now());
  const Lock lock(mutex_);
  const auto known = number_of_.find(task);
  if (known == number_of_.end()) return;
  const TaskNumber number = known->second;
  core_.began_pinned(number, *worker, now());
  forget(task, number);
}

void Scheduler::post_exec() {
  const std::optional<WorkerId> worker = this_worker();
  if (!worker) return;
  note_end(*worker);
}

/// StarPU does not tell when tasks that it made itself end. Other workers ask next when they have; one that asks early
/// tells in the callback of the task, which it runs between post_exec and its next pop.
void Scheduler::watch(starpu_task* task, WorkerId worker) {
  mine_[worker].callback = std::exchange(task->callback_func, [](void* scheduler) {
    static_cast<Scheduler*>(scheduler)->called_back(starpu_task_get_current());
  });
  mine_[worker].argument = std::exchange(task->callback_arg, this);
}

void Scheduler::called_back(starpu_task* task) {
  const WorkerId worker = this_worker().value();
  note_end(worker);
  task->callback_func = mine_[worker].callback;
  task->callback_arg = mine_[worker].argument;
  void (*const callback)(void*) = task->callback_func != nullptr ? task->callback_func : task->cl->callback_func;
  if (callback != nullptr) callback(task->callback_arg);
}

void Scheduler::note_end(WorkerId worker) {
  const Time now = this->now();
  core_.ended(worker, now);
  mine_[worker].is_returning = true;
  note_return(now);
}

/// Idle workers shall look after what the worker leaves behind, unless it comes soon.
void Scheduler::note_return(Time now) {
  Time never = kNever;
  if (returning_.load(std::memory_order_relaxed) == kNever) returning_.compare_exchange_strong(never, now);
}

void Scheduler::set_available(std::span<const int> workers, bool available) {
  const Lock lock(mutex_);
  for (const int number : workers) {
    if (static_cast<std::size_t>(number) >= machine_.here.size()) continue;  // several workers combined
    core_.set_available(machine_.here[static_cast<std::size_t>(number)], available);
  }
  note_change();
}

void Scheduler::report() {
  if (facts_) facts_->finish();
  if (!core_.records()) return;
  const Recorder::Record record = core_.record(spec_.text());
  if (!settings_.record.empty()) {
    io::write_file(instance_path(settings_.record, context_), io::write_instance(record.instance));
    io::write_file(schedule_path(settings_.record, context_), io::write_schedule(record.schedule, record.instance));
  }
  if (settings_.summarizes) std::fprintf(stderr, "heddle: %s\n", summary(record, deciding_).c_str());
}

}  // namespace heddle::starpu
