#include "heddle/host/resizing.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::host {

Resizing::Resizing(policy::ResizeRule rule, Platform platform, Table<ContextId, Context> contexts,
                   DurationSource durations)
    : rule_(std::move(rule)),
      platform_(std::move(platform)),
      home_(contexts),
      durations_(std::move(durations)),
      contexts_(std::move(contexts)),
      of_context_(contexts_.size()),
      workers_(platform_.worker_count()) {
  for (const WorkerId worker : workers_.ids()) {
    const auto has = [&](const Context& context) { return std::ranges::binary_search(context.workers, worker); };
    workers_[worker].is_shared = std::ranges::count_if(contexts_, has) > 1;
  }
}

void Resizing::add_type(ContextId context) {
  types_.push_back({.context = context});
}

bool Resizing::can_run(ContextId context, TypeId type) const {
  return std::ranges::any_of(contexts_[context].workers, [&](WorkerId worker) {
    return durations_(type, platform_.class_of(worker)) != kCannotRun;
  });
}

void Resizing::submitted(TypeId type) {
  OfType& kind = types_[type];
  ++kind.left;
  if (of_context_[kind.context].left++ == 0) of_context_[kind.context].since = now_;
  if (left_++ == 0 || !can_run(kind.context, type)) goes_home_ = true;
}

void Resizing::ready(TypeId type) {
  ++types_[type].ready;
}

/// From now on it has something.
void Resizing::occupy(Worker& worker, Time now) const {
  if (worker.tasks == 0 && !worker.occupied)
    worker.idle += std::max<Time>(now - std::max(worker.free_since, part_began_), 0);
}

void Resizing::given(TypeId type, WorkerId worker, Time now) {
  now_ = now;
  --types_[type].ready;
  ++types_[type].given;
  occupy(workers_[worker], now);
  ++workers_[worker].tasks;
}

void Resizing::take_from(WorkerId worker, Time now) {
  Worker& one = workers_[worker];
  if (--one.tasks == 0) one.free_since = now;
}

void Resizing::ended(TypeId type, WorkerId worker, Time now) {
  now_ = std::max(now_, now);
  OfType& kind = types_[type];
  --kind.left, --kind.given, ++kind.ended;
  --left_, ++ended_;
  OfContext& context = of_context_[kind.context];
  if (--context.left == 0 && now_ - context.since >= rule_.pause) is_done_ = true;
  take_from(worker, now);
  for (Leaving& one : leaving_) {
    if (moves_[one.move].worker != worker) continue;
    --one.tasks;
    moves_[one.move].at = std::max(moves_[one.move].at, now);
  }
  std::erase_if(leaving_, [](const Leaving& one) { return one.tasks == 0; });
}

void Resizing::returned(TypeId type, WorkerId worker, Time now) {
  ++types_[type].ready;
  --types_[type].given;
  take_from(worker, now);
  for (Leaving& one : leaving_) {
    if (moves_[one.move].worker == worker) one.tasks = std::min(one.tasks, workers_[worker].tasks);
  }
  std::erase_if(leaving_, [](const Leaving& one) { return one.tasks == 0; });
}

void Resizing::disowned(TypeId type, WorkerId worker, Time now) {
  returned(type, worker, now);
  OfType& kind = types_[type];
  --kind.ready, --kind.left;
  --of_context_[kind.context].left;
  --left_;
}

void Resizing::set_occupied(WorkerId worker, bool occupied, Time now) {
  Worker& one = workers_[worker];
  if (occupied) occupy(one, now);
  one.occupied = occupied;
  if (!occupied && one.tasks == 0) one.free_since = now;
}

bool Resizing::is_due(Time now) const {
  if (goes_home_) return true;
  if (left_ == 0) return false;
  const bool has_part = ended_ > 0 && ended_ * rule_.milestones >= ended_ + left_;
  return (is_done_ || has_part) && now - part_began_ >= rule_.pause;
}

bool Resizing::resize(Time now, const Table<WorkerId, Time>& busy, const Table<WorkerId, bool>& away) {
  now_ = now;
  if (std::exchange(goes_home_, false)) {
    begin_part(now);
    return go_home(now);
  }
  if (!is_due(now)) return false;
  policy::Situation situation = look(now, busy, away);
  const std::vector<policy::Move> wanted = rule_.moves(situation);
  begin_part(now);
  const std::size_t before = moves_.size();
  for (const policy::Move& one : wanted) {
    if (!situation.objection(one).empty()) continue;
    situation.make(one);
    move(now, one);
  }
  return moves_.size() > before;
}

void Resizing::begin_part(Time now) {
  part_began_ = now;
  ended_ = 0;
  is_done_ = false;
  for (OfType& kind : types_) kind.ended = 0;
  for (Worker& worker : workers_) worker.idle = 0;
}

/// Whether some worker was elsewhere.
bool Resizing::go_home(Time now) {
  const std::size_t before = moves_.size();
  for (const ContextId home : home_.ids()) {
    for (const WorkerId worker : home_[home].workers) {
      if (workers_[worker].is_shared) continue;
      const ContextId from = context_of(worker);
      if (from != home) move(now, {worker, from, home});
    }
  }
  return moves_.size() > before;
}

/// The first context that has the worker; kNone: none has.
ContextId Resizing::context_of(WorkerId worker) const {
  for (const ContextId context : contexts_.ids()) {
    if (std::ranges::binary_search(contexts_[context].workers, worker)) return context;
  }
  return kNone<ContextId>;
}

void Resizing::move(Time now, const policy::Move& move) {
  std::erase(contexts_[move.from].workers, move.worker);
  std::vector<WorkerId>& workers = contexts_[move.to].workers;
  workers.insert(std::ranges::lower_bound(workers, move.worker), move.worker);
  moves_.push_back({now, move.worker, move.from, move.to});
  if (workers_[move.worker].tasks > 0) leaving_.push_back({moves_.size() - 1, workers_[move.worker].tasks});
}

policy::Situation Resizing::look(Time now, const Table<WorkerId, Time>& busy, const Table<WorkerId, bool>& away) const {
  policy::Situation situation{.platform = platform_, .now = now, .busy = busy, .elapsed = now - part_began_};
  for (const Context& context : contexts_) {
    policy::ContextState& state = situation.contexts[situation.contexts.push_back({.name = context.name})];
    std::ranges::remove_copy_if(context.workers, std::back_inserter(state.workers),
                                [&](WorkerId worker) { return away[worker]; });
  }
  for (const TypeId type : types_.ids()) {
    const OfType& kind = types_[type];
    if (kind.left == 0 && kind.ended == 0) continue;
    policy::ContextState& context = situation.contexts[kind.context];
    Table<ClassId, Time> mean;
    std::vector<bool> runs;
    for (const ClassId c : platform_.classes()) {
      mean.push_back(durations_(type, c));
      runs.push_back(mean[c] != kCannotRun);
    }
    const TimeSum least = std::ranges::min(mean);
    context.work_left += least * static_cast<std::int64_t>(kind.left);
    context.work_done += least * static_cast<std::int64_t>(kind.ended);
    context.left += kind.left;
    context.ready += kind.ready;
    if (kind.left > 0 && std::ranges::find(context.needs, runs) == context.needs.end()) context.needs.push_back(runs);
    if (kind.left > kind.given) context.waiting.push_back({kind.left - kind.given, std::move(mean)});
  }
  for (const WorkerId worker : workers_.ids()) {
    const Worker& one = workers_[worker];
    const bool is_free = one.tasks == 0 && !one.occupied;
    const Time rest = is_free ? std::max<Time>(now - std::max(one.free_since, part_began_), 0) : 0;
    const auto leaves = [&](const Leaving& leaving) { return moves_[leaving.move].worker == worker; };
    const bool stays = one.is_shared || away[worker] || std::ranges::any_of(leaving_, leaves);
    situation.movable.push_back(stays ? kNone<ContextId> : context_of(worker));
    situation.idle.push_back(one.idle + rest);
  }
  return situation;
}

std::vector<WorkerMove> Resizing::moves() const {
  std::vector<WorkerMove> moves = moves_;
  std::ranges::stable_sort(moves, {}, &WorkerMove::at);
  return moves;
}

}  // namespace heddle::host
