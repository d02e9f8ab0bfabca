#include "heddle/search/annealing.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle::search {

Annealing::Annealing(const Instance& instance, const Schedule& start, std::uint64_t seed, std::uint64_t stream)
    : graph_(instance, start), insertions_(graph_), random_(seed, stream), best_makespan_(graph_.makespan()) {
  for (const WorkerId worker : instance.platform.workers()) workers_.push_back(worker);
}

double Annealing::mean_duration() const {
  double sum = 0;
  for (const TaskId task : graph_.instance().graph.tasks()) sum += static_cast<double>(graph_.duration(task));
  return sum / static_cast<double>(std::max<std::size_t>(graph_.instance().graph.task_count(), 1));
}

Schedule Annealing::best() const {
  return is_best_ ? graph_.schedule() : best_;
}

std::uint64_t Annealing::run(std::uint64_t moves, double first, double last, const std::function<bool()>& stop) {
  constexpr std::uint64_t kBetweenLooks = 256;
  if (graph_.makespan() == 0) return moves;  // there is no critical task
  const double ratio = deterministic_log(last / first) / static_cast<double>(std::max<std::uint64_t>(moves, 1));
  double temperature = first;
  for (std::uint64_t i = 0; i < moves; ++i) {
    if (i % kBetweenLooks == 0) {
      if (stop()) return i;
      temperature = first * deterministic_exp(ratio * static_cast<double>(i));
    }
    const double excess = -deterministic_log(1 - random_.uniform()) * temperature;
    try_move(graph_.makespan() + static_cast<Time>(excess));
  }
  return moves;
}

void Annealing::try_move(Time limit) {
  const TaskId task = draw_task();
  const Insertion* insertion = draw_insertion(task, limit);
  if (insertion == nullptr) return;
  if (is_best_ && insertion->longest > best_makespan_) {
    best_ = graph_.schedule();
    is_best_ = false;
  }
  graph_.move(task, insertion->worker, insertion->position);
  if (graph_.makespan() >= best_makespan_) return;
  best_makespan_ = graph_.makespan();
  is_best_ = true;
}

/// Mostly a critical one; now and then any, or what has slack would stay forever where it is in the way.
TaskId Annealing::draw_task() {
  constexpr double kAny = 0.1;
  if (random_.uniform() < kAny) return make_id<TaskId>(random_.below(graph_.instance().graph.task_count()));
  return draw_critical_task();
}

/// One of a critical path, which goes back from a last end to time 0, turning at random where it could go two ways.
TaskId Annealing::draw_critical_task() {
  TaskId found = kNone<TaskId>;
  std::uint64_t candidates = 0;
  const auto consider = [&](TaskId task, Time end) {
    if (task != kNone<TaskId> && graph_.end(task) == end && random_.below(++candidates) == 0) found = task;
  };
  for (const TaskId task : graph_.exits()) consider(task, graph_.makespan());
  path_.clear();
  while (found != kNone<TaskId>) {
    const TaskId task = found;
    path_.push_back(task);
    if (graph_.start(task) == 0) break;
    found = kNone<TaskId>;
    candidates = 0;
    for (const TaskId p : graph_.predecessors(task)) consider(p, graph_.start(task));
    consider(graph_.before(task), graph_.start(task));
  }
  return path_[random_.below(path_.size())];
}

/// The best of the first few places, in random order of workers, through which no path is longer than the limit.
const Insertion* Annealing::draw_insertion(TaskId task, Time limit) {
  constexpr int kCandidates = 3;
  int candidates = 0;
  insertions_.choose(task);
  for (std::size_t i = 0; i < workers_.size() && candidates < kCandidates; ++i) {
    std::swap(workers_[i], workers_[i + random_.below(workers_.size() - i)]);
    const std::optional<Insertion> place = insertions_.best(workers_[i]);
    if (!place || place->longest > limit) continue;
    if (candidates == 0 || place->longest < chosen_.longest) chosen_ = *place;
    ++candidates;
  }
  return candidates > 0 ? &chosen_ : nullptr;
}

}  // namespace heddle::search
