#include "heddle/starpu/scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

#include "heddle/facts/recorder.hpp"
#include "heddle/starpu/report.hpp"

namespace heddle::starpu {
namespace {

/// Whether workers sleep that have nothing to do, and have to be woken; otherwise they ask again and again.
#if defined(STARPU_NON_BLOCKING_DRIVERS) && !defined(STARPU_SIMGRID)
constexpr bool kWorkersSleep = false;
#else
constexpr bool kWorkersSleep = true;
#endif
/// How long idle workers leave what a worker released to that worker, which comes for its next task anyway.
constexpr Time kReturn = 10 * kMicrosecond;

host::Rounds::MakePolicy maker(const policy::Spec& spec, const std::optional<Plan>& plan,
                               std::shared_ptr<facts::Log> log) {
  return [spec, plan, log = std::move(log)](const Instance& instance) {
    const Schedule planned = plan ? (*plan)(instance) : Schedule();
    return log != nullptr ? facts::make_watched(spec, 1, &planned, log) : spec.make(1, &planned);
  };
}

std::optional<Plan> plan_of(const policy::Spec& spec, const Platform& platform) {
  if (!spec.needs().plan) return std::nullopt;
  return Plan(spec.options().text("file"), platform);
}

std::shared_ptr<facts::Log> log_for(const Settings& settings, unsigned context, const policy::Spec& spec) {
  if (settings.facts.empty()) return nullptr;
  return std::make_shared<facts::Log>(facts_path(settings.facts, context), spec.text());
}

/// Only policies that abort need that anything is held back.
host::Aborts aborts(const policy::Spec& spec, const Assignment& assignment, const Settings& settings) {
  return spec.needs(assignment.contexts()).abort ? settings.aborts : host::Aborts::none;
}

}  // namespace

Scheduler::Scheduler(unsigned context, Settings settings)
    : context_(context),
      settings_(std::move(settings)),
      machine_(read_machine(settings_.splits_cpus)),
      assignment_(settings_, context, machine_.platform),
      spec_(choose_policy(settings_, machine_.platform, assignment_.contexts())),
      shown_(shown_to(spec_, machine_.platform, assignment_.contexts())),
      plan_(plan_of(spec_, machine_.platform)),
      facts_(log_for(settings_, context, spec_)),
      copies_(watch_copies(settings_, machine_, clock_)),
      reader_(context_, machine_, shown_, wants_record(settings_) || plan_, *this),
      core_({.platform = shown_,
             .make_policy = maker(spec_, plan_, facts_),
             .aborts = aborts(spec_, assignment_, settings_),
             .asks_early = machine_.asks_early,
             .records = wants_record(settings_),
             .copies = [this](DataId data, MemoryId memory) { return copy(data, memory); },
             .contexts = assignment_.contexts(),
             .resize = choose_rule(settings_),
             .plan = plan_}),
      mine_(machine_.platform.worker_count()) {
  for (const WorkerId worker : machine_.platform.workers()) {
    // Workers come with the context (set_available).
    core_.set_available(worker, false);
  }
}

void Scheduler::submit(starpu_task* task) {
  if (runs_somewhere(task)) make_known(task);
}

TaskNumber Scheduler::make_known(starpu_task* task) {
  return reader_.read(task, [&](const Core::Job& job) {
    const Lock lock(mutex_);
    const TaskNumber number = core_.submit(job);
    number_of_[task] = number;
    task_of_.push_back(task);
    return number;
  });
}

TypeId Scheduler::add_type(const std::string& codelet, std::string name, const Table<ClassId, bool>& can_run) {
  const Lock lock(mutex_);
  return core_.add_type(std::move(name), can_run, assignment_.of(codelet, can_run));
}

DataId Scheduler::add_datum(starpu_data_handle_t handle, std::int64_t bytes) {
  const Lock lock(mutex_);
  handles_.push_back(handle);
  const DataId data = core_.add_datum(bytes);
  if (copies_) copies_->add(handle, data);
  return data;
}

bool Scheduler::is_gone(starpu_data_handle_t handle) const {
  return copies_ && !copies_->knows(handle);
}

void Scheduler::tell(TypeId type, ClassId c, Time duration) {
  const Lock lock(mutex_);
  core_.estimates().tell(type, c, duration);
}

/// The task may be freed, and its address used again.
void Scheduler::forget(const starpu_task* task, TaskNumber number) {
  number_of_.erase(task);
  task_of_[static_cast<std::size_t>(number)] = nullptr;
  std::size_t first = task_of_.begin_position();
  while (first < task_of_.end_position() && task_of_[first] == nullptr) ++first;
  task_of_.forget_before(first);
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
  if (copies_) copies_->look();
  const std::optional<WorkerId> by = machine_.this_worker();
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
    core_.push(known->second, by, clock_.now());
    starpu_push_task_end(task);
  }
  if (!kWorkersSleep && by && mine_[*by].is_returning) return note_return(clock_.now());
  note_change();
  wake_one();
}

starpu_task* Scheduler::pop() {
  if (copies_) copies_->look();
  const std::optional<WorkerId> worker = machine_.this_worker();
  if (!worker) return nullptr;
  Mine& mine = mine_[*worker];
  const std::uint64_t version = version_.load(std::memory_order_acquire);
  if (!mine.is_returning && mine.seen == version && !is_overdue()) {
    // It asks again at once, and must not keep its core from the thread that submits tasks or from another worker.
    if (!kWorkersSleep) std::this_thread::yield();
    return nullptr;
  }
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
  return since != kNever && clock_.now() > since + kReturn;
}

starpu_task* Scheduler::pop_locked(WorkerId worker) {
  while (true) {
    const double since = settings_.summarizes ? starpu_timing_now() : 0;
    const std::optional<TaskNumber> number = core_.pop(worker, clock_.now());
    if (settings_.summarizes) deciding_ += from_microseconds(starpu_timing_now() - since);
    prefetch();
    if (!number) return nullptr;
    starpu_task* const task = task_of_[static_cast<std::size_t>(*number)];
    if (choose_implementation(task, worker)) {
      forget(task, *number);
      note_popped(task, *number, worker);
      return task;
    }
    core_.put_back(worker, reader_.eligible_workers(task));
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

/// Any worker that asks lets the policy decide for all that have nothing; a device may want a task ahead.
void Scheduler::wake_one() const {
  if (!kWorkersSleep) return;
  for (const WorkerId worker : machine_.platform.workers()) {
    if (worker != machine_.this_worker() && machine_.asks_early[worker]) wake(worker);
  }
  for (const WorkerId worker : machine_.platform.workers()) {
    if (worker != machine_.this_worker() && starpu_wake_worker_relax_light(machine_.there[worker]) != 0) return;
  }
}

Scheduler::Popped* Scheduler::Mine::find(const starpu_task* task) {
  const auto found = std::ranges::find(popped, task, &Popped::task);
  return found == popped.end() ? nullptr : &*found;
}

void Scheduler::pre_exec(starpu_task* task) {
  if (copies_) copies_->find_arrived();
  const std::optional<WorkerId> worker = machine_.this_worker();
  if (!worker) return;
  if (task->execute_on_a_specific_worker == 0) {
    const Popped* const popped = mine_[*worker].find(task);
    if (popped != nullptr) core_.began(*worker, popped->number, clock_.now());
    return;
  }
  const Lock lock(mutex_);
  const auto known = number_of_.find(task);
  if (known == number_of_.end()) return;
  const TaskNumber number = known->second;
  core_.began_pinned(number, *worker, clock_.now());
  forget(task, number);
  note_popped(task, number, *worker);
}

void Scheduler::post_exec(starpu_task* task) {
  if (copies_) copies_->look();
  const std::optional<WorkerId> worker = machine_.this_worker();
  if (worker) note_end(*worker, task);
}

/// The worker has the task.
void Scheduler::note_popped(starpu_task* task, TaskNumber number, WorkerId worker) {
  std::vector<Popped>& popped = mine_[worker].popped;
  if (!machine_.asks_early[worker]) popped.clear();
  popped.push_back({task, number});
  if (machine_.asks_early[worker]) watch(task, popped.back());
}

/// StarPU does not tell the end of tasks that it submits itself (copies of data), and not which these are. Other
/// workers ask next when they have ended one; one that asks early tells in the callback of each task.
void Scheduler::watch(starpu_task* task, Popped& popped) {
  popped.callback = std::exchange(task->callback_func, [](void* scheduler) {
    static_cast<Scheduler*>(scheduler)->called_back(starpu_task_get_current());
  });
  popped.argument = std::exchange(task->callback_arg, this);
}

void Scheduler::called_back(starpu_task* task) {
  const WorkerId worker = machine_.this_worker().value();
  note_end(worker, task);
  Mine& mine = mine_[worker];
  const auto place = std::ranges::find(mine.popped, task, &Popped::task);
  const Popped popped = *place;
  mine.popped.erase(place);
  task->callback_func = popped.callback;
  task->callback_arg = popped.argument;
  void (*const callback)(void*) = task->callback_func != nullptr ? task->callback_func : task->cl->callback_func;
  if (callback != nullptr) callback(task->callback_arg);
}

void Scheduler::note_end(WorkerId worker, const starpu_task* task) {
  Mine& mine = mine_[worker];
  const Popped* const popped = mine.find(task);
  if (popped == nullptr) return;  // of another context
  const Time now = clock_.now();
  core_.ended(worker, popped->number, now);
  mine.is_returning = true;
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
  if (core_.unplanned() > 0) {
    std::fprintf(stderr, "heddle: HEDDLE_POLICY: the plan did not know %zu tasks, which ran where little was planned\n",
                 core_.unplanned());
  }
  for (const std::string& codelet : assignment_.unseen()) {
    std::fprintf(stderr, "heddle: HEDDLE_ASSIGN: no task had the codelet '%s'\n", codelet.c_str());
  }
  if (!core_.records()) return;
  std::vector<Copied> copies;
  if (copies_) copies = copies_->take();
  starpu::report(core_.record(spec_.text(), std::move(copies)), settings_, context_, deciding_);
}

}  // namespace heddle::starpu
