#include "heddle/policy/resizing/membership.hpp"

#include <algorithm>
#include <map>
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

/// Sums of estimates of tasks that are alike.
struct Sum {
  std::size_t tasks = 0;
  Table<ClassId, TimeSum> estimates;
};

}  // namespace

Membership::Membership(const Instance& instance, std::optional<ResizeRule> rule)
    : instance_(&instance),
      rule_(std::move(rule)),
      tasks_(instance.graph.task_count()),
      workers_(instance.platform.worker_count()),
      part_(instance.graph.task_count()) {
  if (rule_) part_ = std::max<std::size_t>(1, (part_ + rule_->milestones - 1) / rule_->milestones);
  for (const Context& context : instance.contexts.all) {
    contexts_.push_back({.workers = context.workers});
    for (const WorkerId worker : context.workers) ++workers_[worker].contexts;
  }
  for (const ContextId context : instance.contexts.of) ++contexts_[context].left;
}

void Membership::ready(std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) tasks_[task].progress = Progress::ready;
}

void Membership::started(const View& view, TaskId task, WorkerId worker) {
  Worker& one = workers_[worker];
  if (one.tasks++ == 0) one.idle += view.now() - std::max(one.free_since, part_began_);
  tasks_[task] = {Progress::given, worker};
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
    tasks_[task] = {Progress::ended};
    OfContext& context = contexts_[instance_->contexts.of[task]];
    context.work_done += least_work(*instance_, task);
    ++ended_;
    is_done_ = --context.left == 0 || is_done_;
  }
  settle(view.now());
}

void Membership::aborted(const View& view, TaskId task, WorkerId worker) {
  take_from(view, task, worker);
  tasks_[task] = {Progress::waiting};
}

void Membership::refused(TaskId task) {
  if (tasks_[task].progress == Progress::waiting) tasks_[task].progress = Progress::ready;
}

std::vector<TaskId> Membership::own_tasks(const View& view, ContextId context) const {
  std::vector<TaskId> own;
  const std::vector<WorkerId>& workers = contexts_[context].workers;
  for (const TaskId task : tasks_.ids()) {
    const auto& [progress, worker] = tasks_[task];
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
  for (const Leaving& one : leaving_) moves_[one.move].at = now;
  std::erase_if(leaving_, [](const Leaving& one) { return one.tasks == 0; });
}

bool Membership::is_due() const {
  if (!rule_ || ended_ == 0) return false;
  const auto has_tasks = [](const OfContext& context) { return context.left > 0; };
  return (ended_ >= part_ || is_done_) && std::ranges::any_of(contexts_, has_tasks);
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
  Situation now{.view = view, .elapsed = view.now() - part_began_};
  const std::size_t classes = instance_->platform.class_count();
  Table<ContextId, std::map<std::pair<TypeId, std::vector<bool>>, Sum>> alike(contexts_.size());
  for (const OfContext& context : contexts_) {
    now.contexts.push_back({.workers = context.workers, .left = context.left, .work_done = context.work_done});
  }
  for (const TaskId task : tasks_.ids()) {
    const Progress progress = tasks_[task].progress;
    if (progress == Progress::ended) continue;
    const ContextId id = instance_->contexts.of[task];
    ContextState& context = now.contexts[id];
    std::vector<bool> runs = classes_that_run(*instance_, task);
    if (std::ranges::find(context.needs, runs) == context.needs.end()) context.needs.push_back(runs);
    context.work_left += least_work(*instance_, task);
    if (progress == Progress::ready) ++context.ready;
    if (progress == Progress::given) continue;
    Sum& sum = alike[id][{instance_->graph.type(task), std::move(runs)}];
    if (sum.tasks++ == 0) sum.estimates.assign(classes, 0);
    for (const ClassId c : sum.estimates.ids()) {
      if (instance_->costs.can_run(task, c)) sum.estimates[c] += instance_->costs.estimate(task, c);
    }
  }
  for (const ContextId id : alike.ids()) {
    for (const auto& [kind, sum] : alike[id]) {
      AlikeTasks& tasks = now.contexts[id].waiting.emplace_back(sum.tasks);
      for (const ClassId c : sum.estimates.ids()) {
        const auto mean = static_cast<Time>(sum.estimates[c] / static_cast<std::int64_t>(sum.tasks));
        tasks.mean.push_back(kind.second[index(c)] ? mean : kCannotRun);
      }
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
