#include "heddle/policy/resizing/membership.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace heddle::policy {
namespace {

/// What the task takes on the class that is fastest for it.
Time least_work(const Instance& instance, TaskId task) {
  return std::ranges::min(instance.costs.estimate_row(task));
}

std::vector<bool> classes_that_run(const Instance& instance, TaskId task) {
  std::vector<bool> classes;
  for (const ClassId c : instance.platform.classes()) classes.push_back(instance.costs.can_run(task, c));
  return classes;
}

}  // namespace

Membership::Membership(const Instance& instance, std::optional<ResizeRule> rule, Time now)
    : instance_(&instance),
      rule_(std::move(rule)),
      tasks_(instance.graph.task_count()),
      workers_(instance.platform.worker_count()),
      part_(instance.graph.task_count()),
      part_began_(now),
      now_(now) {
  if (rule_) part_ = std::max<std::size_t>(1, (part_ + rule_->milestones - 1) / rule_->milestones);
  for (const Context& context : instance.contexts.all) {
    contexts_.push_back({.workers = context.workers, .since = now});
    for (const WorkerId worker : context.workers) ++workers_[worker].contexts;
  }
  for (const ContextId context : instance.contexts.of) ++contexts_[context].left;
  if (rule_) sort_tasks();
}

/// What a rule is told of tasks is counted by kind, as there may be many tasks.
void Membership::sort_tasks() {
  std::map<std::tuple<ContextId, TypeId, std::vector<bool>>, std::vector<TaskId>> alike;
  for (const TaskId task : tasks_.ids()) {
    const ContextId context = instance_->contexts.of[task];
    alike[{context, instance_->graph.type(task), classes_that_run(*instance_, task)}].push_back(task);
    contexts_[context].work_left += least_work(*instance_, task);
  }
  for (const auto& [key, tasks] : alike) {
    Kind& kind = kinds_.emplace_back(Kind{std::get<0>(key), std::get<2>(key), tasks.size(), tasks.size(), {}});
    kind.estimates.assign(instance_->platform.class_count(), 0);
    for (const TaskId task : tasks) {
      tasks_[task].kind = static_cast<std::uint32_t>(kinds_.size() - 1);
      for (const ClassId c : kind.estimates.ids()) {
        if (kind.runs[index(c)]) kind.estimates[c] += instance_->costs.estimate(task, c);
      }
    }
  }
}

void Membership::recall(const Membership& before, Time now) {
  if (std::ranges::none_of(before.contexts_, [](const OfContext& context) { return context.left > 0; })) return;
  ended_ = before.ended_;
  is_done_ = before.is_done_;
  part_began_ = before.part_began_;
  for (const WorkerId worker : workers_.ids()) {
    const Worker& one = before.workers_[worker];
    workers_[worker].idle = one.idle;
    workers_[worker].free_since = one.tasks > 0 ? now : one.free_since;
  }
  for (const ContextId context : before.contexts_.ids()) {
    const OfContext& one = before.contexts_[context];
    contexts_[context].work_done = one.work_done;
    if (one.left > 0) contexts_[context].since = one.since;
  }
}

/// Counts what is told of a task.
void Membership::become(TaskId task, Progress progress, WorkerId worker) {
  Task& one = tasks_[task];
  const auto waits = [](Progress which) { return which == Progress::waiting || which == Progress::ready; };
  const Progress before = std::exchange(one.progress, progress);
  one.worker = worker;
  if (!rule_ || before == progress) return;
  OfContext& context = contexts_[instance_->contexts.of[task]];
  Kind& kind = kinds_[one.kind];
  if (before == Progress::ready) --context.ready;
  if (progress == Progress::ready) ++context.ready;
  if (progress == Progress::ended) {
    const Time work = least_work(*instance_, task);
    context.work_left -= work;
    context.work_done += work;
    --kind.left;
  }
  if (waits(before) == waits(progress)) return;
  waits(progress) ? ++kind.waiting : --kind.waiting;
  for (const ClassId c : kind.estimates.ids()) {
    if (!kind.runs[index(c)]) continue;
    const Time estimate = instance_->costs.estimate(task, c);
    kind.estimates[c] += waits(progress) ? estimate : -estimate;
  }
}

void Membership::ready(std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) become(task, Progress::ready);
}

void Membership::started(const View& view, TaskId task, WorkerId worker) {
  Worker& one = workers_[worker];
  if (one.tasks++ == 0) one.idle += view.now() - std::max(one.free_since, part_began_);
  become(task, Progress::given, worker);
  for (Leaving& leaving : leaving_) {
    const WorkerMove& move = moves_[leaving.move];
    if (move.worker == worker && move.from == instance_->contexts.of[task]) ++leaving.tasks;  // again
  }
}

void Membership::take_from(const View& view, TaskId task, WorkerId worker) {
  if (--workers_[worker].tasks == 0) workers_[worker].free_since = view.now();
  for (Leaving& leaving : leaving_) {
    const WorkerMove& move = moves_[leaving.move];
    if (move.worker == worker && move.from == instance_->contexts.of[task]) --leaving.tasks;
  }
}

void Membership::finished(const View& view, std::span<const Completion> completions) {
  for (const auto& [task, worker] : completions) {
    take_from(view, task, worker);
    become(task, Progress::ended);
    OfContext& context = contexts_[instance_->contexts.of[task]];
    ++ended_;
    if (--context.left == 0 && rule_ && view.now() - context.since >= rule_->pause) is_done_ = true;
  }
  settle(view.now());
}

void Membership::aborted(const View& view, TaskId task, WorkerId worker) {
  take_from(view, task, worker);
  become(task, Progress::waiting);
}

void Membership::refused(TaskId task) {
  if (tasks_[task].progress == Progress::waiting) become(task, Progress::ready);
}

std::vector<TaskId> Membership::own_tasks(const View& view, ContextId context) const {
  std::vector<TaskId> own;
  const std::vector<WorkerId>& workers = contexts_[context].workers;
  for (const TaskId task : tasks_.ids()) {
    const auto& [progress, worker, kind] = tasks_[task];
    if (instance_->contexts.of[task] != context || progress == Progress::ended) continue;
    const bool is_away =
        progress == Progress::given && (view.running(worker) != task || !std::ranges::binary_search(workers, worker));
    if (!is_away) own.push_back(task);
  }
  return own;
}

bool Membership::is_leaving(WorkerId worker) const {
  return std::ranges::any_of(leaving_, [&](const Leaving& one) { return moves_[one.move].worker == worker; });
}

/// Workers that have ended what they had are the other context's from now on.
void Membership::settle(Time now) {
  now_ = now;
  for (const Leaving& one : leaving_) moves_[one.move].at = now;
  std::erase_if(leaving_, [](const Leaving& one) { return one.tasks == 0; });
}

bool Membership::is_due() const {
  if (!rule_ || ended_ == 0) return false;
  const auto has_tasks = [](const OfContext& context) { return context.left > 0; };
  const bool has_part = ended_ >= part_ && now_ - part_began_ >= rule_->pause;
  return (has_part || is_done_) && std::ranges::any_of(contexts_, has_tasks);
}

std::vector<WorkerMove> Membership::moves() const {
  std::vector<WorkerMove> moves = moves_;
  std::ranges::stable_sort(moves, {}, &WorkerMove::at);
  return moves;
}

void Membership::begin_part(Time now) {
  ended_ = 0;
  is_done_ = false;
  part_began_ = now;
  for (Worker& worker : workers_) worker.idle = 0;
  for (OfContext& context : contexts_) {
    context.work_done = 0;
  }
}

ContextId Membership::only_context_of(WorkerId worker) const {
  if (workers_[worker].contexts != 1 || is_leaving(worker)) return kNone<ContextId>;
  const auto has = [&](const OfContext& one) { return std::ranges::binary_search(one.workers, worker); };
  return make_id<ContextId>(static_cast<std::size_t>(std::ranges::find_if(contexts_, has) - contexts_.begin()));
}

Situation Membership::look(const View& view) const {
  Situation now{.platform = view.platform(), .now = view.now(), .elapsed = view.now() - part_began_};
  for (const ContextId id : contexts_.ids()) {
    const OfContext& context = contexts_[id];
    now.contexts.push_back({.name = instance_->contexts.all[id].name,
                            .workers = context.workers,
                            .left = context.left,
                            .ready = context.ready,
                            .work_left = context.work_left,
                            .work_done = context.work_done});
  }
  for (const Kind& kind : kinds_) {
    ContextState& context = now.contexts[kind.context];
    const bool is_new = std::ranges::find(context.needs, kind.runs) == context.needs.end();
    if (kind.left > 0 && is_new) context.needs.push_back(kind.runs);
    if (kind.waiting == 0) continue;
    AlikeTasks& alike = context.waiting.emplace_back(kind.waiting);
    for (const ClassId c : kind.estimates.ids()) {
      const auto mean = static_cast<Time>(kind.estimates[c] / static_cast<std::int64_t>(kind.waiting));
      alike.mean.push_back(kind.runs[index(c)] ? mean : kCannotRun);
    }
  }
  for (const WorkerId worker : workers_.ids()) {
    const Worker& one = workers_[worker];
    const Time rest = one.tasks == 0 ? view.now() - std::max(one.free_since, part_began_) : 0;
    now.movable.push_back(only_context_of(worker));
    now.busy.push_back(view.expected_end(worker) - view.now());
    now.idle.push_back(one.idle + rest);
  }
  return now;
}

void Membership::move(const View& view, const Move& move) {
  std::erase(contexts_[move.from].workers, move.worker);
  std::vector<WorkerId>& workers = contexts_[move.to].workers;
  workers.insert(std::ranges::lower_bound(workers, move.worker), move.worker);
  const auto stays = [&](const Task& task) { return task.progress == Progress::given && task.worker == move.worker; };
  std::size_t tasks = 0;
  for (const TaskId task : tasks_.ids()) {
    if (stays(tasks_[task]) && instance_->contexts.of[task] == move.from) ++tasks;
  }
  moves_.push_back({view.now(), move.worker, move.from, move.to});
  if (tasks > 0) leaving_.push_back({moves_.size() - 1, tasks});
}

}  // namespace heddle::policy
