#include "heddle/host/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "heddle/host/resizing.hpp"

namespace heddle::host {
namespace {

/// How much of the cost of a round each task that comes or ends pays for: the cost of one task in it.
constexpr std::size_t kPaid = 8;

/// Whether any worker does as well for any task.
bool are_alike(const Platform& platform) {
  const auto has_workers = [&](ClassId c) { return platform.worker_count(c) > 0; };
  return std::ranges::count_if(platform.classes(), has_workers) == 1 && platform.memories().size() == 1;
}

}  // namespace

/// What the session has it do.
class Rounds::Acts {
 public:
  explicit Acts(Rounds& rounds) : rounds_(rounds), session_(rounds.round_->session) {}

  [[nodiscard]] bool asks() const { return rounds_.some_idle(); }
  [[nodiscard]] const policy::Lookahead* lookahead() const { return foresight(); }
  [[nodiscard]] static bool refuses(const policy::Action&) { return false; }
  [[nodiscard]] std::optional<Time> abort_of(const policy::Policy& policy, TaskId here, WorkerId worker) const {
    const Foresight* const ahead = foresight();
    return ahead == nullptr ? std::nullopt : ahead->abort_of(policy, here, worker);
  }
  void give(TaskId here, WorkerId worker) {
    rounds_.give(rounds_.round_->tasks[index(here)], worker);
    const MemoryId memory = rounds_.platform_.memory_of(worker);
    Slot& slot = rounds_.slots_[worker];
    if (slot.tasks.size() == 1) slot.fetch = rounds_.expected_fetch(here, memory);
    rounds_.expect(worker);
    rounds_.fetch(here, memory);
    session_.started(here, worker);
  }
  void take_back(TaskId) const {}  // what a worker has is committed
  void prefetch(TaskId here, WorkerId worker) {
    rounds_.prefetches_.push_back({rounds_.round_->tasks[index(here)], worker});
    rounds_.fetch(here, rounds_.platform_.memory_of(worker));
  }
  [[nodiscard]] bool has_room_ahead(WorkerId worker) const { return rounds_.asks_ahead(worker); }

 private:
  [[nodiscard]] Foresight* foresight() const {
    Foresight* const ahead = rounds_.round_->foresight.get();
    if (ahead != nullptr) ahead->renew();
    return ahead;
  }

  Rounds& rounds_;
  Session& session_;
};

Rounds::Rounds(Config config)
    : platform_(std::move(config.platform)),
      ram_(platform_.find_memory("ram").value()),
      follows_plan_(config.follows_plan),
      may_serve_(are_alike(platform_) && config.contexts.empty() && !follows_plan_),
      durations_(std::move(config.durations)),
      make_policy_(std::move(config.make_policy)),
      aborts_(config.aborts),
      make_foresight_(std::move(config.make_foresight)),
      copies_(std::move(config.copies)),
      contexts_(std::move(config.contexts)),
      resizing_(config.resize && !contexts_.empty()
                    ? std::make_unique<Resizing>(*config.resize, platform_, contexts_, durations_)
                    : nullptr),
      fresh_of_(contexts_.size(), 0),
      slots_(platform_.worker_count()),
      away_(platform_.worker_count(), false),
      occupied_(platform_.worker_count(), false) {}

Rounds::Rounds(Rounds&&) noexcept = default;
Rounds::~Rounds() = default;

TypeId Rounds::add_type(std::string name, ContextId context) {
  types_.push_back(std::move(name));
  context_of_.push_back(context);
  if (resizing_) resizing_->add_type(context);
  return types_here_.push_back({});
}

DataId Rounds::add_datum(Datum datum) {
  data_here_.push_back({});
  return data_.push_back(std::move(datum));
}

TaskNumber Rounds::submit(const Task& task) {
  const TaskNumber number = next_number();
  Submitted made{.type = task.type,
                 .is_foreign = task.is_foreign,
                 .access_count = static_cast<std::uint32_t>(task.accesses.size()),
                 .access_begin = accesses_.end_position(),
                 .priority = task.priority};
  accesses_.append(task.accesses);
  for (const TaskNumber before : task.after) {
    if (is_done(before)) continue;
    link(known(before), number);
    ++made.unmet;
  }
  known_.push_back(made);
  if (follows_plan_) names_.push_back(task.name);
  if (resizing_ && !task.is_foreign) resizing_->submitted(task.type);
  ++unfinished_;
  unpaid_ -= std::min(unpaid_, kPaid);
  return number;
}

void Rounds::link(Submitted& from, TaskNumber to) {
  std::uint32_t made = unused_link_;
  if (made == kNoLink) {
    made = static_cast<std::uint32_t>(links_.size());
    links_.emplace_back();
  } else {
    unused_link_ = links_[made].next;
  }
  links_[made] = {to, std::exchange(from.links, made)};
}

bool Rounds::waits_for(TaskNumber task, TaskNumber before) const {
  if (known(task).unmet == 0) return false;
  bool waits = false;
  visit_successors(known(before), [&](TaskNumber next) { waits = waits || next == task; });
  return waits;
}

void Rounds::push(TaskNumber task) {
  known(task).status = Status::ready;
  if (resizing_) resizing_->ready(known(task).type);
  activate(task);
  if (known(task).here == kNone<TaskId>) {
    add_fresh(task);
  } else {
    pushed_.push_back(known(task).here);
  }
}

void Rounds::activate(TaskNumber task) {
  known(task).active = active_.size();
  active_.push_back(task);
}

void Rounds::deactivate(TaskNumber task) {
  const std::size_t place = known(task).active;
  active_[place] = active_.back();
  known(active_[place]).active = place;
  active_.pop_back();
}

std::optional<TaskNumber> Rounds::pop(WorkerId worker, Time now) {
  now_ = std::max(now_, now);
  Slot& slot = slots_[worker];
  slot.released.clear();
  if (slot.popped == slot.tasks.size() && !away_[worker]) {
    decide(worker);
    if (asks_ahead(worker)) {
      Acts acts(*this);
      round_->session.ask_ahead_for(worker, acts);
    }
  }
  std::erase(called_, worker);
  if (slot.popped == slot.tasks.size()) return std::nullopt;
  if (slot.popped == 0) slot.since = now_;
  return slot.tasks[slot.popped++];
}

/// Whether the worker may get the task after the one that it has popped.
bool Rounds::asks_ahead(WorkerId worker) const {
  const Slot& slot = slots_[worker];
  return slot.popped == 1 && slot.tasks.size() == 1 && has_known(worker) && !occupied_[worker] &&
         round_->session.ready_count() > 0 && round_->session.view().moves_data() &&
         platform_.memory_of(worker) != ram_;
}

void Rounds::finished(WorkerId worker, Time now) {
  now_ = std::max(now_, now);
  Slot& slot = slots_[worker];
  const TaskNumber task = slot.tasks.front();
  if (known(task).here != kNone<TaskId>) completions_.push_back({known(task).here, worker});
  if (resizing_) resizing_->ended(known(task).type, worker, now);
  slot.tasks.erase(slot.tasks.begin());
  --slot.popped;
  slot.since = now_;
  slot.fetch = 0;
  if (has_known(worker)) slot.fetch = expected_fetch(known(slot.tasks.front()).here, platform_.memory_of(worker));
  deactivate(task);
  done(task, slot.released);
}

void Rounds::finished(TaskNumber task) {
  std::vector<TaskNumber> released;
  done(task, released);
}

void Rounds::done(TaskNumber task, std::vector<TaskNumber>& released) {
  Submitted& ended = known(task);
  ended.status = Status::done;
  visit_successors(ended, [&](TaskNumber next) {
    if (--known(next).unmet == 0) released.push_back(next);
  });
  while (ended.links != kNoLink) {
    const std::uint32_t link = ended.links;
    ended.links = std::exchange(links_[link].next, std::exchange(unused_link_, link));
  }
  --unfinished_;
  unpaid_ -= std::min(unpaid_, kPaid);
  std::size_t first = known_.begin_position();
  while (first < known_.end_position() && known_[first].status == Status::done) ++first;
  known_.forget_before(first);
  if (follows_plan_) names_.forget_before(first);
  accesses_.forget_before(first < known_.end_position() ? known_[first].access_begin : accesses_.end_position());
}

void Rounds::disown(WorkerId worker) {
  Slot& slot = slots_[worker];
  const TaskNumber task = slot.tasks.back();
  Submitted& one = known(task);
  // The policy cannot know better than that it has ended.
  if (one.here != kNone<TaskId>) completions_.push_back({std::exchange(one.here, kNone<TaskId>), worker});
  if (resizing_) resizing_->disowned(one.type, worker, now_);
  slot.tasks.pop_back();
  --slot.popped;
  deactivate(task);
  one.status = Status::waiting;
  one.is_foreign = true;
}

void Rounds::set_occupied(WorkerId worker, bool occupied) {
  if (resizing_ && occupied != occupied_[worker]) resizing_->set_occupied(worker, occupied, now_);
  occupied_[worker] = occupied;
}

void Rounds::set_available(WorkerId worker, bool available) {
  if (resizing_ && away_[worker] == available) resizing_->workers_changed();
  away_[worker] = !available;
  Slot& slot = slots_[worker];
  if (available || slot.popped == slot.tasks.size()) return;
  const TaskNumber task = slot.tasks.back();
  Submitted& one = known(task);
  one.status = Status::ready;
  if (resizing_) resizing_->returned(one.type, worker, now_);
  if (one.here == kNone<TaskId>) {
    add_fresh(task);
  } else {
    is_outdated_ = true;
  }
  slot.tasks.pop_back();
  std::erase(called_, worker);
}

void Rounds::give(TaskNumber task, WorkerId worker) {
  known(task).status = Status::running;
  if (resizing_) resizing_->given(known(task).type, worker, now_);
  slots_[worker].tasks.push_back(task);
  called_.push_back(worker);
}

void Rounds::decide(WorkerId asking) {
  if (round_ && !is_outdated_) tell();
  if (round_ && !is_outdated_ && !coming_.empty()) find_arrived(asking);
  if (resizing_) resize();
  if (round_ && (is_outdated_ || round_->session.finished())) drop_round();
  for (bool only_ready = false;;) {
    if (round_) {
      Acts acts(*this);
      round_->session.ask(acts);
      if (!some_idle_for_fresh()) {
        if (some_busy() || round_->session.start_held(acts) || round_->session.ready_count() == 0) return;
        // Only a worker that left may be able to run what is ready.
        if (only_ready && std::ranges::find(away_, true) != away_.end()) return;
        if (only_ready) round_->session.report_stuck();
        only_ready = true;
        begin(true);
        continue;
      }
    }
    if (fresh_.empty() || serve_without_policy(asking)) return;
    begin(unpaid_ > 0);
  }
}

std::vector<WorkerMove> Rounds::moves() const {
  return resizing_ ? resizing_->moves() : std::vector<WorkerMove>();
}

/// Lets the rule move workers; then the policies start again.
void Rounds::resize() {
  if (!resizing_->is_due(now_)) return;
  Table<WorkerId, Time> busy;
  for (const WorkerId worker : slots_.ids()) busy.push_back(this->busy(worker));
  if (!resizing_->resize(now_, busy, away_)) return;
  contexts_ = resizing_->contexts();
  is_outdated_ = round_ != nullptr;
}

/// How long the worker is believed to take for what it has; 0: it has nothing.
Time Rounds::busy(WorkerId worker) const {
  const Slot& slot = slots_[worker];
  if (slot.tasks.empty()) return occupied_[worker] ? 1 : 0;
  Time all = slot.popped > 0 ? slot.since - now_ : 0;
  for (const TaskNumber task : slot.tasks) all += durations_(known(task).type, platform_.class_of(worker));
  return std::max<Time>(all, 1);
}

/// Where there is nothing to decide, gives workers what is ready, that one first. False: there is.
bool Rounds::serve_without_policy(WorkerId asking) {
  if (!may_serve_ || (round_ && (round_->session.ready_count() > 0 || !round_->session.held().empty()))) return false;
  const auto workers = platform_.workers();
  const auto is_free = [this](WorkerId worker) { return this->is_free(worker); };
  if (std::cmp_less(std::ranges::count_if(workers, is_free), fresh_.size())) return false;
  const auto serve = [&](WorkerId worker) {
    if (fresh_.empty() || !is_free(worker)) return;
    give(fresh_.back(), worker);
    fresh_.pop_back();
  };
  serve(asking);
  std::ranges::for_each(workers, serve);
  return true;
}

/// Tells the policy what has happened since it was asked last.
void Rounds::tell() {
  Session& session = round_->session;
  session.view().set_now(now_);
  std::ranges::sort(completions_, {}, &policy::Completion::worker);
  for (const policy::Completion& one : completions_) {
    leave(one.task, platform_.memory_of(one.worker));
    expect(one.worker);
  }
  for (const TaskId task : pushed_) find_copies(round_->tasks[index(task)]);
  tell_workers();
  if (!completions_.empty()) session.finished(completions_);
  completions_.clear();
  std::ranges::sort(pushed_);
  if (!pushed_.empty()) session.ready(pushed_);
  pushed_.clear();
}

/// What is ready of its tasks is known to no round.
void Rounds::drop_round() {
  for (const TaskNumber left : round_->tasks) {
    if (is_done(left)) continue;
    Submitted& one = known(left);
    // The tasks of a round may be foreign by now.
    if (one.here != kNone<TaskId> && one.status == Status::ready) add_fresh(left);
    one.here = kNone<TaskId>;
  }
  before_ = std::move(round_);
  coming_.clear();
  is_outdated_ = false;
  pushed_.clear();
  completions_.clear();
}

/// Some task is ready, or a worker has one.
void Rounds::begin(bool only_ready) {
  if (round_) drop_round();
  fresh_.clear();
  fresh_of_.assign(fresh_of_.size(), 0);
  ++count_;
  std::vector<TaskNumber> tasks = choose(only_ready);
  if (!only_ready) unpaid_ = tasks.size();
  Instance instance = instance_of(tasks);
  round_ = std::make_unique<Round>(std::move(instance), std::move(tasks), make_policy_, aborts_);
  if (make_foresight_) round_->foresight = make_foresight_(round_->instance, [this] { return present(); });
  Session& session = round_->session;
  if (before_) session.recall(before_->session.policy());
  before_.reset();
  session.view().set_now(now_);
  for (const TaskNumber task : round_->tasks) {
    if (known(task).status != Status::running) find_copies(task);
  }
  for (const WorkerId worker : slots_.ids()) {
    expect(worker);
    for (const TaskNumber task : slots_[worker].tasks) leave(known(task).here, platform_.memory_of(worker));
  }
  session.start(round_->foresight.get());
  round_->started = true;
  for (const WorkerId worker : slots_.ids()) {
    for (const TaskNumber task : slots_[worker].tasks) {
      session.view().set_committed(known(task).here, true);
      session.started(known(task).here, worker);
    }
  }
  tell_workers();
  std::vector<TaskId> ready;
  for (const TaskNumber task : round_->tasks) {
    if (known(task).status == Status::ready) ready.push_back(known(task).here);
  }
  if (!ready.empty()) session.ready(ready);
}

/// The tasks of a round, which get their numbers in it: those that are active and, unless `only_ready`, those that are
/// about to be, and all that wait for none but tasks of the round.
std::vector<TaskNumber> Rounds::choose(bool only_ready) {
  std::vector<TaskNumber> chosen(active_);
  for (const WorkerId worker : slots_.ids()) {
    for (const TaskNumber task : slots_[worker].released) {
      if (only_ready || is_done(task)) continue;
      if (known(task).status == Status::waiting && !known(task).is_foreign) chosen.push_back(task);
    }
  }
  std::vector<TaskNumber> reached;
  for (std::size_t i = 0; i < chosen.size() && !only_ready; ++i) {
    visit_successors(known(chosen[i]), [&](TaskNumber next) {
      Submitted& one = known(next);
      if (one.status != Status::waiting || one.is_foreign) return;
      if (one.reached++ == 0) reached.push_back(next);
      if (one.reached == one.unmet) chosen.push_back(next);
    });
  }
  for (const TaskNumber one : reached) known(one).reached = 0;
  std::ranges::sort(chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) known(chosen[i]).here = make_id<TaskId>(i);
  return chosen;
}

/// Has only the types and the data of its tasks.
Instance Rounds::instance_of(const std::vector<TaskNumber>& tasks) {
  TaskGraph::Parts parts;
  std::vector<TypeId> types;
  const auto type_here = [&](TypeId type) {
    Here<TypeId>& here = types_here_[type];
    if (here.round != count_) {
      here = {count_, make_id<TypeId>(types.size())};
      types.push_back(type);
      parts.types.push_back(types_[type]);
    }
    return here.id;
  };
  const auto datum_here = [&](DataId data) {
    Here<DataId>& here = data_here_[data];
    if (here.round != count_) here = {count_, parts.data.push_back(data_[data])};
    return here.id;
  };
  parts.type.reserve(tasks.size());
  parts.priority.reserve(tasks.size());
  parts.access_begin.reserve(tasks.size() + 1);
  parts.access_begin.push_back(0);
  std::vector<std::uint32_t>& begin = parts.predecessor_begin;
  begin.assign(tasks.size() + 1, 0);
  for (const TaskNumber number : tasks) {
    const Submitted& one = known(number);
    parts.type.push_back(type_here(one.type));
    parts.priority.push_back(one.priority);
    if (follows_plan_) parts.names.push_back(names_[static_cast<std::size_t>(number)]);
    for (const Access access : accesses_.slice(one.access_begin, one.access_begin + one.access_count)) {
      parts.accesses.push_back({datum_here(access.data), access.mode});
    }
    parts.access_begin.push_back(static_cast<std::uint32_t>(parts.accesses.size()));
    visit_waiting(one, [&](TaskId next) { ++begin[index(next) + 1]; });
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  parts.predecessors.resize(begin.back());
  std::vector<std::uint32_t> end(begin);
  for (const TaskNumber number : tasks) {
    const Submitted& one = known(number);
    visit_waiting(one, [&](TaskId next) { parts.predecessors[end[index(next)]++] = one.here; });
  }
  TaskGraph graph = TaskGraph::assemble(std::move(parts));
  Costs costs(graph, platform_.class_count(),
              [&](TypeId type, ClassId c) { return durations_(types[index(type)], c); });
  Contexts contexts{contexts_, {}};
  for (const TaskNumber number : tasks) {
    if (!contexts_.empty()) contexts.of.push_back(context_of_[known(number).type]);
  }
  return {"round " + std::to_string(count_), std::move(graph), platform_, std::move(costs), std::move(contexts)};
}

/// Tells the view what the worker has, and when it is expected to be free.
void Rounds::expect(WorkerId worker) {
  policy::HostView& view = round_->session.view();
  const Slot& slot = slots_[worker];
  if (!has_known(worker)) return view.end(worker);
  const ClassId c = platform_.class_of(worker);
  const TaskId first = known(slot.tasks.front()).here;
  const Time all = slot.fetch + view.estimate(first, c);
  view.begin(worker, first, slot.popped > 0 ? std::max<Time>(slot.since + all - now_, 0) : all);
  for (const TaskNumber task : std::span(slot.tasks).subspan(1)) {
    view.set_expected_end(worker, view.expected_end(worker) + view.estimate(known(task).here, c));
  }
}

/// Which workers are there, and idle. Those that are occupied are hidden from the policy.
void Rounds::tell_workers() {
  Session& session = round_->session;
  for (const WorkerId worker : slots_.ids()) {
    if (has_known(worker)) continue;
    if (session.view().is_available(worker) == away_[worker]) session.set_available(worker, !away_[worker]);
    if (session.view().running(worker) != kNone<TaskId>) continue;  // is held back
    session.view().mark_idle(worker, is_free(worker));
  }
}

bool Rounds::some_idle() const {
  const auto is_idle = [&](WorkerId worker) { return round_->session.view().is_idle(worker); };
  return std::ranges::any_of(platform_.workers(), is_idle);
}

void Rounds::add_fresh(TaskNumber task) {
  fresh_.push_back(task);
  if (!contexts_.empty()) ++fresh_of_[context_of_[known(task).type]];
}

/// Whether a worker is idle in the context of a task that is ready, and that the round does not know.
bool Rounds::some_idle_for_fresh() const {
  if (contexts_.empty()) return !fresh_.empty() && some_idle();
  const auto is_idle = [&](WorkerId worker) { return round_->session.view().is_idle(worker); };
  return std::ranges::any_of(contexts_.ids(), [&](ContextId context) {
    return fresh_of_[context] > 0 && std::ranges::any_of(contexts_[context].workers, is_idle);
  });
}

bool Rounds::some_busy() const {
  const auto is_busy = [&](WorkerId worker) { return !slots_[worker].tasks.empty() || occupied_[worker]; };
  return std::ranges::any_of(slots_.ids(), is_busy);
}

/// As the policy knows it: what is held back runs, and can be aborted.
Present Rounds::present() const {
  const Session& session = round_->session;
  Present present{.now = now_,
                  .started = round_->started,
                  .workers_return = round_->started && std::ranges::find(away_, true) != away_.end(),
                  .keeps_order = round_->started && session.policy().keeps_order(),
                  .aborts = aborts_ == Aborts::hold_back ? Aborts::allowed : aborts_,
                  .status = Table<TaskId, Status>(round_->tasks.size()),
                  .work = Table<WorkerId, Present::Work>(slots_.size())};
  for (std::size_t i = 0; i < round_->tasks.size(); ++i) {
    const TaskId here = make_id<TaskId>(i);
    present.status[here] = round_->started ? session.status(here) : known(round_->tasks[i]).status;
  }
  for (const WorkerId worker : slots_.ids()) {
    if (!has_known(worker)) continue;
    const Slot& slot = slots_[worker];
    Present::Work& work = present.work[worker];
    for (const TaskNumber task : slot.tasks) work.tasks.push_back(known(task).here);
    work.committed = work.tasks.size();
    if (slot.popped > 0 && slot.since + slot.fetch <= now_) work.since = slot.since + slot.fetch;
  }
  for (const Session::Held& held : session.held()) {
    const Time estimate = session.view().estimate(held.task, platform_.class_of(held.worker));
    present.work[held.worker] = {.tasks = {held.task}};
    const Time start = session.view().expected_end(held.worker) - estimate;
    if (start <= now_) present.work[held.worker].since = start;
  }
  if (session.view().moves_data()) {
    for (const DataId data : round_->instance.graph.data().ids()) {
      for (const MemoryId memory : platform_.memories().ids()) {
        using State = policy::HostView::Copy;
        const bool valid = session.view().has(data, memory);
        const State state = valid ? State::valid : session.view().holds(data, memory) ? State::coming : State::none;
        present.copies.push_back({.state = state, .since = now_});
      }
    }
  }
  return present;
}

}  // namespace heddle::host
