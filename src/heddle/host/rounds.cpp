#include "heddle/host/rounds.hpp"

#include <algorithm>
#include <utility>

namespace heddle::host {

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
    const TaskNumber task = rounds_.round_->tasks[index(here)];
    rounds_.known(task).status = Status::running;
    rounds_.slots_[worker] = {task, false, rounds_.now_};
    rounds_.called_.push_back(worker);
    rounds_.expect(worker);
    session_.started(here, worker);
  }
  void take_back(TaskId) const {}  // what a worker has is committed
  void prefetch(TaskId, WorkerId) const {}
  [[nodiscard]] static bool has_room_ahead(WorkerId) { return false; }

 private:
  [[nodiscard]] Foresight* foresight() const {
    Foresight* const ahead = rounds_.round_->foresight.get();
    if (ahead != nullptr) ahead->renew();
    return ahead;
  }

  Rounds& rounds_;
  Session& session_;
};

Rounds::Rounds(Platform platform, DurationSource durations, MakePolicy make_policy, Aborts aborts,
               MakeForesight make_foresight)
    : platform_(std::move(platform)),
      durations_(std::move(durations)),
      make_policy_(std::move(make_policy)),
      aborts_(aborts),
      make_foresight_(std::move(make_foresight)),
      slots_(platform_.worker_count()),
      away_(platform_.worker_count(), false),
      occupied_(platform_.worker_count(), false) {}

TypeId Rounds::add_type(std::string name) {
  types_.push_back(std::move(name));
  return make_id<TypeId>(types_.size() - 1);
}

DataId Rounds::add_datum(Datum datum) {
  return data_.push_back(std::move(datum));
}

TaskNumber Rounds::submit(Task task) {
  const auto number = static_cast<TaskNumber>(forgotten_ + known_.size());
  std::erase_if(task.after, [&](TaskNumber before) { return is_done(before); });
  for (const TaskNumber before : task.after) known(before).next.push_back(number);
  known_.push_back({std::move(task)});
  ++unfinished_;
  some_unknown_ = true;
  return number;
}

void Rounds::push(TaskNumber task) {
  Known& pushed = known(task);
  pushed.status = Status::ready;
  active_.insert(task);
  if (pushed.here == kNone<TaskId>) {
    some_unknown_ = true;
  } else {
    pushed_.push_back(pushed.here);
  }
}

std::optional<TaskNumber> Rounds::pop(WorkerId worker, Time now) {
  now_ = std::max(now_, now);
  Slot& slot = slots_[worker];
  if (!slot.task && !away_[worker]) decide();
  std::erase(called_, worker);
  if (!slot.task || slot.popped) return std::nullopt;
  slot.popped = true;
  slot.since = now_;
  return slot.task;
}

void Rounds::finished(WorkerId worker, Time now) {
  now_ = std::max(now_, now);
  Known& ended = known(*slots_[worker].task);
  active_.erase(*slots_[worker].task);
  slots_[worker] = {};
  ended.status = Status::done;
  --unfinished_;
  completions_.push_back({ended.here, worker});
  for (; !known_.empty() && known_.front().status == Status::done; ++forgotten_) known_.pop_front();
}

void Rounds::set_available(WorkerId worker, bool available) {
  away_[worker] = !available;
  Slot& slot = slots_[worker];
  if (available || !slot.task || slot.popped) return;
  known(*slot.task).status = Status::ready;
  slot = {};
  std::erase(called_, worker);
  returned_ = true;
}

void Rounds::decide() {
  if (round_ && !returned_) tell();
  if (!round_ || returned_ || round_->session.finished()) {
    if (!some_unknown_ && !returned_) return;
    begin(false);
  }
  for (bool only_ready = false; round_;) {
    Acts acts(*this);
    round_->session.ask(acts);
    if (some_unknown_ && some_idle()) {
      begin(false);
    } else if (some_busy() || round_->session.start_held(acts) || round_->session.ready_count() == 0) {
      return;
    } else if (only_ready) {
      // Only a worker that left may be able to run what is ready.
      if (std::ranges::find(away_, true) != away_.end()) return;
      round_->session.report_stuck();
    } else {
      only_ready = true;
      begin(true);
    }
  }
}

/// Tells the policy what has happened since it was asked last.
void Rounds::tell() {
  Session& session = round_->session;
  session.view().set_now(now_);
  std::ranges::sort(completions_, {}, &policy::Completion::worker);
  for (const policy::Completion& one : completions_) session.view().end(one.worker);
  tell_workers();
  if (!completions_.empty()) session.finished(completions_);
  completions_.clear();
  std::ranges::sort(pushed_);
  if (!pushed_.empty()) session.ready(pushed_);
  pushed_.clear();
}

void Rounds::begin(bool only_ready) {
  some_unknown_ = false;
  returned_ = false;
  pushed_.clear();
  completions_.clear();
  std::vector<TaskNumber> tasks = choose(only_ready);
  if (round_) before_ = std::move(round_);
  if (tasks.empty()) return;
  ++count_;
  Instance instance = instance_of(tasks);
  round_ = std::make_unique<Round>(std::move(instance), std::move(tasks), make_policy_, aborts_);
  if (make_foresight_) round_->foresight = make_foresight_(round_->instance, [this] { return present(); });
  Session& session = round_->session;
  if (before_) session.recall(before_->session.policy());
  before_.reset();
  session.view().set_now(now_);
  for (const WorkerId worker : slots_.ids()) expect(worker);
  session.start(round_->foresight.get());
  round_->started = true;
  for (const WorkerId worker : slots_.ids()) {
    if (!slots_[worker].task) continue;
    const TaskId here = known(*slots_[worker].task).here;
    session.view().set_committed(here, true);
    session.started(here, worker);
  }
  tell_workers();
  std::vector<TaskId> ready;
  for (const TaskNumber task : round_->tasks) {
    if (known(task).status == Status::ready) ready.push_back(known(task).here);
  }
  if (!ready.empty()) session.ready(ready);
}

/// The tasks of a round, which get their numbers in it: those that are active and, unless `only_ready`, all that wait
/// for none but tasks of the round.
std::vector<TaskNumber> Rounds::choose(bool only_ready) {
  if (round_) {
    for (const TaskNumber left : round_->tasks) {
      if (!is_done(left)) known(left).here = kNone<TaskId>;
    }
  }
  std::vector<TaskNumber> chosen(active_.begin(), active_.end());
  std::vector<TaskNumber> reached;
  for (std::size_t i = 0; i < chosen.size() && !only_ready; ++i) {
    for (const TaskNumber next : known(chosen[i]).next) {
      Known& one = known(next);
      if (one.status != Status::waiting) continue;
      if (one.reached++ == 0) reached.push_back(next);
      std::erase_if(one.task.after, [&](TaskNumber before) { return is_done(before); });
      if (one.reached == one.task.after.size()) chosen.push_back(next);
    }
  }
  for (const TaskNumber one : reached) known(one).reached = 0;
  std::ranges::sort(chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) known(chosen[i]).here = make_id<TaskId>(i);
  return chosen;
}

Instance Rounds::instance_of(const std::vector<TaskNumber>& tasks) {
  TaskGraph::Parts parts;
  parts.types = types_;
  parts.data = data_;
  parts.predecessor_begin.push_back(0);
  parts.access_begin.push_back(0);
  for (const TaskNumber number : tasks) {
    const Known& one = known(number);
    parts.names.push_back(one.task.name);
    parts.type.push_back(one.task.type);
    parts.priority.push_back(one.task.priority);
    if (one.status == Status::waiting) {
      std::vector<TaskId> after;
      for (const TaskNumber before : one.task.after) after.push_back(known(before).here);
      std::ranges::sort(after);
      after.erase(std::ranges::unique(after).begin(), after.end());
      parts.predecessors.insert(parts.predecessors.end(), after.begin(), after.end());
    }
    parts.predecessor_begin.push_back(static_cast<std::uint32_t>(parts.predecessors.size()));
    parts.accesses.insert(parts.accesses.end(), one.task.accesses.begin(), one.task.accesses.end());
    parts.access_begin.push_back(static_cast<std::uint32_t>(parts.accesses.size()));
  }
  TaskGraph graph = TaskGraph::assemble(std::move(parts));
  Costs costs(graph, platform_.class_count());
  for (const TypeId type : graph.types()) {
    for (const ClassId c : platform_.classes()) costs.set_actual(Costs::row(type), c, durations_(type, c));
  }
  return {"round " + std::to_string(count_), std::move(graph), platform_, std::move(costs)};
}

/// Tells the view what the worker has, and when it is expected to be free.
void Rounds::expect(WorkerId worker) {
  policy::HostView& view = round_->session.view();
  const Slot& slot = slots_[worker];
  if (!slot.task) return view.end(worker);
  const TaskId task = known(*slot.task).here;
  const Time estimate = view.estimate(task, platform_.class_of(worker));
  view.begin(worker, task, slot.popped ? std::max<Time>(slot.since + estimate - now_, 0) : estimate);
}

/// Which workers are there, and idle. Those that are occupied are hidden from the policy.
void Rounds::tell_workers() {
  Session& session = round_->session;
  for (const WorkerId worker : slots_.ids()) {
    if (slots_[worker].task) continue;
    if (session.view().is_available(worker) == away_[worker]) session.set_available(worker, !away_[worker]);
    if (session.view().running(worker) != kNone<TaskId>) continue;  // is held back
    session.view().mark_idle(worker, !away_[worker] && !occupied_[worker]);
  }
}

bool Rounds::some_idle() const {
  const auto is_idle = [&](WorkerId worker) { return round_->session.view().is_idle(worker); };
  return std::ranges::any_of(platform_.workers(), is_idle);
}

bool Rounds::some_busy() const {
  const auto is_busy = [&](WorkerId worker) { return slots_[worker].task || occupied_[worker]; };
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
    const Slot& slot = slots_[worker];
    if (!slot.task) continue;
    present.work[worker] = {.tasks = {known(*slot.task).here}, .committed = true};
    if (slot.popped) present.work[worker].since = slot.since;
  }
  for (const Session::Held& held : session.held()) {
    const Time estimate = session.view().estimate(held.task, platform_.class_of(held.worker));
    present.work[held.worker] = {.tasks = {held.task}, .since = session.view().expected_end(held.worker) - estimate};
  }
  return present;
}

}  // namespace heddle::host
