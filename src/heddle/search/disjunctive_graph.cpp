#include "heddle/search/disjunctive_graph.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::search {
namespace {

/// The completed ones by start; at the same instant those that take no time first, each after its predecessors.
std::vector<Attempt> completed_by_start(const TaskGraph& graph, const Schedule& schedule) {
  std::vector<Attempt> attempts;
  for (const Attempt& attempt : schedule.attempts) {
    if (attempt.outcome == Outcome::completed) attempts.push_back(attempt);
  }
  sort_by_start(graph, attempts);
  return attempts;
}

using Edge = std::pair<TaskId, TaskId>;

/// For each datum, the tasks that commute on it, one after the other as they ran.
void add_commute_edges(const TaskGraph& graph, const std::vector<Attempt>& attempts, std::vector<Edge>& edges) {
  Table<DataId, TaskId> last(graph.data_count(), kNone<TaskId>);
  for (const Attempt& attempt : attempts) {
    for (const Access& access : graph.accesses(attempt.task)) {
      TaskId& before = last[access.data];
      if (access.mode == AccessMode::commute && before != kNone<TaskId>) edges.emplace_back(before, attempt.task);
      // Between groups of commuting tasks lies an access of another mode, after which order is implied.
      before = access.mode == AccessMode::commute ? attempt.task : kNone<TaskId>;
    }
  }
}

}  // namespace

DisjunctiveGraph::DisjunctiveGraph(const Instance& instance, const Schedule& schedule) : instance_(&instance) {
  const std::vector<Attempt> attempts = completed_by_start(instance.graph, schedule);
  if (attempts.size() != instance.graph.task_count()) throw InternalError("a search cannot start from half a schedule");
  add_arcs(attempts);
  add_places(attempts);
  compute_times();
}

void DisjunctiveGraph::add_arcs(const std::vector<Attempt>& attempts) {
  const TaskGraph& graph = instance_->graph;
  std::vector<Edge> edges;
  edges.reserve(graph.edge_count());
  for (const TaskId task : graph.tasks()) {
    for (const TaskId next : graph.successors(task)) edges.emplace_back(task, next);
  }
  add_commute_edges(graph, attempts, edges);
  const auto fill = [&](Arcs& arcs, TaskId Edge::* from, TaskId Edge::* to) {
    std::ranges::stable_sort(edges, {}, from);
    auto edge = edges.begin();
    for (const TaskId task : graph.tasks()) {
      for (; edge != edges.end() && (*edge).*from == task; ++edge) arcs.tasks.push_back((*edge).*to);
      arcs.begin.push_back(static_cast<std::uint32_t>(arcs.tasks.size()));
    }
  };
  fill(successors_, &Edge::first, &Edge::second);
  fill(predecessors_, &Edge::second, &Edge::first);
  for (const TaskId task : graph.tasks()) {
    if (successors(task).empty()) exits_.push_back(task);
  }
}

void DisjunctiveGraph::add_places(const std::vector<Attempt>& attempts) {
  const std::size_t tasks = attempts.size();
  sequence_.resize(instance_->platform.worker_count());
  worker_.resize(tasks);
  position_.resize(tasks);
  duration_.resize(tasks);
  end_.resize(tasks);
  before_.assign(tasks, kNone<TaskId>);
  after_.assign(tasks, kNone<TaskId>);
  for (const Attempt& attempt : attempts) put(attempt.task, attempt.worker, sequence_[attempt.worker].size());
  stale_.resize(tasks);
  reached_.assign(tasks, 0);
}

/// Everything from nothing: by counting off predecessors.
void DisjunctiveGraph::compute_times() {
  const std::size_t tasks = worker_.size();
  rest_.assign(tasks, 0);
  place_.resize(tasks);
  Table<TaskId, Time> start(tasks, 0);
  Table<TaskId, std::size_t> waits_for(tasks);
  for (const TaskId task : waits_for.ids()) {
    waits_for[task] = predecessors(task).size() + (position_[task] > 0 ? 1 : 0);
    if (waits_for[task] == 0) order_.push_back(task);
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const TaskId task = order_[i];
    end_[task] = start[task] + duration_[task];
    const auto release = [&](TaskId next) {
      start[next] = std::max(start[next], end(task));
      if (--waits_for[next] == 0) order_.push_back(next);
    };
    for (const TaskId next : successors(task)) release(next);
    if (after(task) != kNone<TaskId>) release(after(task));
  }
  if (order_.size() != tasks) throw InternalError("a search cannot start from a schedule that goes in circles");
  // By start, what a move changes lies close together.
  std::ranges::stable_sort(order_, {}, [&](TaskId task) { return start[task]; });
  renumber(0, static_cast<std::uint32_t>(tasks));
  for (std::size_t i = tasks; i-- > 0;) rest_[order_[i]] = longest_rest(order_[i]);
  update_makespan();
}

Time DisjunctiveGraph::earliest_end(TaskId task) const {
  const TaskId previous = before_[task];
  Time start = previous == kNone<TaskId> ? 0 : end_[previous];
  for (const TaskId other : predecessors(task)) start = std::max(start, end_[other]);
  return start + duration_[task];
}

Time DisjunctiveGraph::longest_rest(TaskId task) const {
  const TaskId next = after_[task];
  Time tail = next == kNone<TaskId> ? 0 : rest_[next];
  for (const TaskId other : successors(task)) tail = std::max(tail, rest_[other]);
  return tail + duration_[task];
}

void DisjunctiveGraph::link(TaskId first, TaskId second) {
  if (first != kNone<TaskId>) after_[first] = second;
  if (second != kNone<TaskId>) before_[second] = first;
}

void DisjunctiveGraph::take_out(TaskId task) {
  std::vector<TaskId>& sequence = sequence_[worker_[task]];
  const std::size_t gap = position_[task];
  sequence.erase(sequence.begin() + static_cast<std::ptrdiff_t>(gap));
  for (std::size_t i = gap; i < sequence.size(); ++i) position_[sequence[i]] = static_cast<std::uint32_t>(i);
  link(before_[task], after_[task]);
}

void DisjunctiveGraph::put(TaskId task, WorkerId worker, std::size_t position) {
  std::vector<TaskId>& sequence = sequence_[worker];
  sequence.insert(sequence.begin() + static_cast<std::ptrdiff_t>(position), task);
  for (std::size_t i = position; i < sequence.size(); ++i) position_[sequence[i]] = static_cast<std::uint32_t>(i);
  link(position > 0 ? sequence[position - 1] : kNone<TaskId>, task);
  link(task, position + 1 < sequence.size() ? sequence[position + 1] : kNone<TaskId>);
  worker_[task] = worker;
  duration_[task] = instance_->costs.actual(task, instance_->platform.class_of(worker));
}

bool DisjunctiveGraph::move(TaskId task, WorkerId worker, std::size_t position) {
  const WorkerId old_worker = worker_[task];
  const std::size_t old_position = position_[task];
  const TaskId old_before = before(task);
  const TaskId old_after = after(task);
  take_out(task);
  put(task, worker, position);
  if (!repair_order(task)) {
    take_out(task);
    put(task, old_worker, old_position);
    return false;
  }
  std::uint32_t first = place_[task];
  std::uint32_t last = place_[task];
  const auto touch = [&](TaskId other) {
    if (other == kNone<TaskId>) return;
    first = std::min(first, place_[other]);
    last = std::max(last, place_[other]);
    stale_.insert(place_[other]);
  };
  touch(task);
  touch(old_after);
  touch(after(task));
  update_ends(first);
  touch(task);
  touch(old_before);
  touch(before(task));
  update_rests(last);
  update_makespan();
  return true;
}

/// Makes the order topological again by moving part of what lies between (Pearce and Kelly 2006, made simpler: what has
/// to move is gathered in a sweep over the affected region). False, and nothing is changed, where that closes a cycle.
bool DisjunctiveGraph::repair_order(TaskId moved) {
  const TaskId previous = before(moved);
  if (previous != kNone<TaskId> && place_[previous] > place_[moved]) return pull_behind(moved, previous);
  const TaskId next = after(moved);
  if (next != kNone<TaskId> && place_[next] < place_[moved]) return pull_before(moved, next);
  return true;
}

/// `moved` and what depends on it, as far as it lies before `first`, goes behind it.
bool DisjunctiveGraph::pull_behind(TaskId moved, TaskId first) {
  const std::uint32_t begin = place_[moved];
  const std::uint32_t last = place_[first];
  const auto reach = [&](TaskId task) {
    if (task != kNone<TaskId> && place_[task] <= last) reached_[task] = 1;
  };
  segment_.clear();
  std::vector<TaskId>& behind = segment_;
  reach(moved);
  std::uint32_t kept = begin;
  for (std::uint32_t i = begin; i <= last; ++i) {
    const TaskId task = order_[i];
    if (!reached_[task]) continue;
    for (const TaskId next : successors(task)) reach(next);
    reach(after(task));
    behind.push_back(task);
  }
  const bool cycle = reached_[first] != 0;
  if (!cycle) {
    for (std::uint32_t i = begin; i <= last; ++i) {
      if (!reached_[order_[i]]) order_[kept++] = order_[i];
    }
    std::ranges::copy(behind, order_.begin() + kept);
    renumber(begin, last + 1);
  }
  for (const TaskId task : behind) reached_[task] = 0;
  return !cycle;
}

/// `moved` and what it depends on, as far as it lies behind `last`, goes before it.
bool DisjunctiveGraph::pull_before(TaskId moved, TaskId last) {
  const std::uint32_t begin = place_[last];
  const std::uint32_t end = place_[moved];
  const auto reach = [&](TaskId task) {
    if (task != kNone<TaskId> && place_[task] >= begin) reached_[task] = 1;
  };
  segment_.clear();
  std::vector<TaskId>& front = segment_;  // the last comes first
  reach(moved);
  for (std::uint32_t i = end + 1; i-- > begin;) {
    const TaskId task = order_[i];
    if (!reached_[task]) continue;
    for (const TaskId previous : predecessors(task)) reach(previous);
    reach(before(task));
    front.push_back(task);
  }
  const bool cycle = reached_[last] != 0;
  if (!cycle) {
    std::uint32_t kept = end;
    for (std::uint32_t i = end + 1; i-- > begin;) {
      if (!reached_[order_[i]]) order_[kept--] = order_[i];
    }
    std::ranges::copy(front.rbegin(), front.rend(), order_.begin() + begin);
    renumber(begin, end + 1);
  }
  for (const TaskId task : front) reached_[task] = 0;
  return !cycle;
}

void DisjunctiveGraph::renumber(std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t i = first; i < last; ++i) place_[order_[i]] = i;
}

template <class Visit>
void DisjunctiveGraph::Stale::drain_from(std::uint32_t first, Visit visit) {
  for (std::size_t word = first / kBits; word < words_.size(); ++word) {
    while (words_[word] != 0) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(words_[word]));
      words_[word] &= words_[word] - 1;
      visit(static_cast<std::uint32_t>(word * kBits) + bit);
    }
  }
}

template <class Visit>
void DisjunctiveGraph::Stale::drain_back_from(std::uint32_t last, Visit visit) {
  for (std::size_t word = last / kBits + 1; word-- > 0;) {
    while (words_[word] != 0) {
      const auto bit = static_cast<std::uint32_t>(std::bit_width(words_[word])) - 1;
      words_[word] &= ~(std::uint64_t{1} << bit);
      visit(static_cast<std::uint32_t>(word * kBits) + bit);
    }
  }
}

void DisjunctiveGraph::update_ends(std::uint32_t first) {
  stale_.drain_from(first, [&](std::uint32_t place) {
    const TaskId task = order_[place];
    const Time earliest = earliest_end(task);
    if (earliest == end_[task]) return;
    end_[task] = earliest;
    for (const TaskId next : successors(task)) stale_.insert(place_[next]);
    if (after_[task] != kNone<TaskId>) stale_.insert(place_[after_[task]]);
  });
}

void DisjunctiveGraph::update_rests(std::uint32_t last) {
  stale_.drain_back_from(last, [&](std::uint32_t place) {
    const TaskId task = order_[place];
    const Time longest = longest_rest(task);
    if (longest == rest_[task]) return;
    rest_[task] = longest;
    for (const TaskId previous : predecessors(task)) stale_.insert(place_[previous]);
    if (before_[task] != kNone<TaskId>) stale_.insert(place_[before_[task]]);
  });
}

void DisjunctiveGraph::update_makespan() {
  makespan_ = 0;
  for (const TaskId task : exits_) makespan_ = std::max(makespan_, end(task));
}

Schedule DisjunctiveGraph::schedule() const {
  Schedule schedule;
  schedule.instance = instance_->name;
  // The topological order settles which of the tasks that end at one instant ended first.
  for (const TaskId task : order_) {
    schedule.attempts.push_back({task, worker_[task], start(task), end(task), Outcome::completed});
  }
  std::ranges::stable_sort(schedule.attempts, {}, &Attempt::end);
  return schedule;
}

}  // namespace heddle::search
