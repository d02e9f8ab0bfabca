#include "heddle/model/task_graph.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle {
namespace {

constexpr std::size_t kMaxLetters = kMaxIds;
/// Groups of commuting tasks between groups of readers multiply: a small file must not fill the memory.
constexpr std::size_t kMaxEdges = 200'000'000;

void add_name(Names& names, std::string_view name) {
  if (names.letters() + name.size() > kMaxLetters) throw InputError("the names are longer than 4 GB together");
  names.add(name);
}

/// Turns the counts in begin[1..] into positions; the total.
std::size_t accumulate(std::vector<std::uint32_t>& begin) {
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  return begin.back();
}

/// The same edges seen from their other ends: for each task those in whose lists it is, ascending.
void mirror(const std::vector<std::uint32_t>& begin, const std::vector<TaskId>& lists,
            std::vector<std::uint32_t>& mirrored_begin, std::vector<TaskId>& mirrored) {
  mirrored_begin.assign(begin.size() + 1, 0);
  for (const TaskId task : lists) ++mirrored_begin[index(task) + 2];
  accumulate(mirrored_begin);
  mirrored.resize(lists.size());
  // While a list is filled, its begin is kept one place further on, where it becomes the next one's.
  for (std::size_t task = 0; task + 1 < begin.size(); ++task) {
    for (std::uint32_t i = begin[task]; i < begin[task + 1]; ++i) {
      mirrored[mirrored_begin[index(lists[i]) + 1]++] = make_id<TaskId>(task);
    }
  }
  mirrored_begin.pop_back();
}

}  // namespace

TaskGraph TaskGraph::assemble(Parts parts) {
  TaskGraph graph;
  for (const std::string& type : parts.types) add_name(graph.types_, type);
  for (const std::string& name : parts.names) add_name(graph.names_, name);
  graph.type_ = std::move(parts.type);
  graph.priority_ = std::move(parts.priority);
  graph.predecessor_begin_ = std::move(parts.predecessor_begin);
  graph.predecessors_ = std::move(parts.predecessors);
  mirror(graph.predecessor_begin_, graph.predecessors_, graph.successor_begin_, graph.successors_);
  graph.data_ = std::move(parts.data);
  graph.access_begin_ = std::move(parts.access_begin);
  graph.accesses_ = std::move(parts.accesses);
  graph.check_accesses();
  graph.order_ = std::move(parts.order);
  if (graph.order_.empty()) graph.order_.assign(graph.tasks().begin(), graph.tasks().end());
  return graph;
}

void TaskGraph::check_accesses() const {
  if (accesses_.empty()) return;
  for (const TaskId task : tasks()) {
    const std::span<const Access> all = accesses(task);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (index(all[i].data) >= data_count()) throw InternalError("a task accesses a datum that does not exist");
      const auto before = all.first(i);
      if (std::ranges::find(before, all[i].data, &Access::data) == before.end()) continue;
      throw InternalError("a task accesses datum number " + std::to_string(index(all[i].data)) + " twice");
    }
  }
}

TypeId TaskGraphBuilder::add_type(std::string_view name) {
  add_name(graph_.types_, name);
  return make_id<TypeId>(graph_.types_.size() - 1);
}

DataId TaskGraphBuilder::add_datum(Datum datum) {
  history_.push_back({});
  return graph_.data_.push_back(std::move(datum));
}

TaskId TaskGraphBuilder::add_task(std::string_view name, TypeId type, std::span<const Access> accesses,
                                  std::int64_t priority) {
  if (task_count() >= kMaxIds) throw InputError("there are more tasks than 32 bits can number");
  const TaskId task = make_id<TaskId>(task_count());
  if (!accesses.empty()) {
    if (graph_.access_begin_.empty()) graph_.access_begin_.assign(task_count() + 1, 0);
    const bool repeats = accesses.size() > 1;
    const std::vector<Access> unique = repeats ? merged(name, accesses) : std::vector<Access>{accesses[0]};
    for (const Access access : unique) {
      imply_edges(task, access);
      graph_.accesses_.push_back(access);
    }
  }
  if (!graph_.access_begin_.empty()) {
    if (graph_.accesses_.size() > kMaxIds) throw InputError("there are more data accesses than 32 bits can number");
    graph_.access_begin_.push_back(static_cast<std::uint32_t>(graph_.accesses_.size()));
  }
  if (priority != 0 && graph_.priority_.empty()) graph_.priority_.assign(task_count(), 0);
  if (priority != 0 || !graph_.priority_.empty()) graph_.priority_.push_back(priority);
  add_name(graph_.names_, name);
  graph_.type_.push_back(type);
  return task;
}

std::vector<Access> TaskGraphBuilder::merged(std::string_view task, std::span<const Access> accesses) const {
  std::vector<Access> unique;
  unique.reserve(accesses.size());
  for (const Access access : accesses) {
    const auto same = std::ranges::find(unique, access.data, &Access::data);
    if (same == unique.end()) {
      unique.push_back(access);
    } else if (!is_grouped(same->mode) && !is_grouped(access.mode)) {
      if (same->mode != access.mode) same->mode = AccessMode::read_write;
    } else {
      throw InputError("task '" + std::string(task) + "' accesses datum '" + graph_.data_[access.data].name +
                       "' twice; commute and reduce allow one access per task and datum");
    }
  }
  return unique;
}

void TaskGraphBuilder::imply_edges(TaskId task, Access access) {
  history_[access.data].add(access.mode, task, [&](std::span<const TaskId> tasks) {
    if (edges_.size() + tasks.size() > kMaxEdges) {
      throw InputError("the accesses of datum '" + graph_.data_[access.data].name +
                       "' imply more than 200 million dependencies");
    }
    for (const TaskId from : tasks) add_edge(from, task);
  });
}

TaskGraph TaskGraphBuilder::build() {
  link();
  sort_topologically();
  edges_.clear();
  history_.clear();
  return std::exchange(graph_, TaskGraph());
}

/// Two counting sorts, by target and then by source, leave each adjacency list sorted; duplicates are then neighbours.
void TaskGraphBuilder::link() {
  const std::size_t n = task_count();
  if (edges_.size() > kMaxIds) throw InputError("there are more dependencies than 32 bits can number");
  std::vector<std::uint32_t> begin(n + 1, 0);
  for (const Edge edge : edges_) ++begin[index(edge.from) + 1];
  accumulate(begin);
  std::vector<TaskId> targets(edges_.size());
  {
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (const Edge edge : edges_) targets[next[index(edge.from)]++] = edge.to;
  }
  edges_.clear();
  edges_.shrink_to_fit();

  std::size_t kept = 0;
  graph_.successor_begin_.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto first = targets.begin() + begin[i];
    const auto last = targets.begin() + begin[i + 1];
    std::sort(first, last);
    for (auto target = first; target != last; ++target) {
      if (target != first && *target == *(target - 1)) continue;
      targets[kept++] = *target;
    }
    graph_.successor_begin_[i + 1] = static_cast<std::uint32_t>(kept);
  }
  targets.resize(kept);
  graph_.successors_ = std::move(targets);
  mirror(graph_.successor_begin_, graph_.successors_, graph_.predecessor_begin_, graph_.predecessors_);
}

/// Kahn's algorithm; the order itself serves as the queue.
void TaskGraphBuilder::sort_topologically() {
  const std::size_t n = task_count();
  std::vector<std::uint32_t> waiting(n);
  std::vector<TaskId>& order = graph_.order_;
  order.clear();
  order.reserve(n);
  for (const TaskId task : graph_.tasks()) {
    waiting[index(task)] = static_cast<std::uint32_t>(graph_.predecessors(task).size());
    if (waiting[index(task)] == 0) order.push_back(task);
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const TaskId successor : graph_.successors(order[next])) {
      if (--waiting[index(successor)] == 0) order.push_back(successor);
    }
  }
  if (order.size() < n) throw InputError(describe_cycle(std::move(waiting)));
}

/// Walks backwards among the tasks that never became ready until one repeats.
std::string TaskGraphBuilder::describe_cycle(std::vector<std::uint32_t> waiting) const {
  const auto blocked = [&](TaskId task) { return waiting[index(task)] > 0; };
  TaskId task = *std::find_if(graph_.tasks().begin(), graph_.tasks().end(), blocked);
  std::vector<TaskId> walk;
  std::vector<bool> visited(task_count(), false);
  while (!visited[index(task)]) {
    visited[index(task)] = true;
    walk.push_back(task);
    task = *std::ranges::find_if(graph_.predecessors(task), blocked);
  }
  const auto start = std::ranges::find(walk, task);
  std::string text = "the dependencies form a cycle: '" + std::string(graph_.name(task)) + "'";
  constexpr std::ptrdiff_t kShown = 8;
  const std::ptrdiff_t length = walk.end() - start;
  if (length > kShown) text += " -> ... (" + std::to_string(length - kShown) + " more)";
  for (auto step = walk.end() - 1; step >= start; --step) {
    if (step - start < kShown) text += " -> '" + std::string(graph_.name(*step)) + "'";
  }
  return text;
}

}  // namespace heddle
