#include "heddle/search/insertion.hpp"

#include <algorithm>
#include <span>

namespace heddle::search {
namespace {

/// The first of 0, ..., count - 1 for which a property holds that holds for all after it; count when there is none.
template <class Property>
std::size_t first_with(std::size_t count, Property property) {
  std::size_t begin = 0;
  while (begin < count) {
    const std::size_t middle = begin + (count - begin) / 2;
    if (property(middle)) {
      count = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

}  // namespace

void InsertionSearch::choose(TaskId task) {
  task_ = task;
  own_known_ = false;
  earliest_start_ = 0;
  shortest_tail_ = 0;
  for (const TaskId other : graph_.predecessors(task)) earliest_start_ = std::max(earliest_start_, graph_.end(other));
  for (const TaskId other : graph_.successors(task)) shortest_tail_ = std::max(shortest_tail_, graph_.rest(other));
}

/// The ends of the tasks after it and the rests of those before it, were it not there; as far as they differ.
void InsertionSearch::compute_own_sequence() {
  const std::span<const TaskId> sequence = graph_.sequence(graph_.worker(task_));
  const std::size_t gap = graph_.position(task_);
  own_end_.clear();
  own_rest_.clear();
  for (const TaskId other : sequence) {
    if (other == task_) continue;
    own_end_.push_back(graph_.end(other));
    own_rest_.push_back(graph_.rest(other));
  }
  for (std::size_t i = gap; i < own_end_.size(); ++i) {
    const TaskId other = sequence[i + 1];
    Time start = i > 0 ? own_end_[i - 1] : 0;
    for (const TaskId p : graph_.predecessors(other)) start = std::max(start, graph_.end(p));
    if (start == graph_.start(other)) break;
    own_end_[i] = start + graph_.duration(other);
  }
  for (std::size_t i = gap; i-- > 0;) {
    const TaskId other = sequence[i];
    Time tail = i + 1 < own_rest_.size() ? own_rest_[i + 1] : 0;
    for (const TaskId s : graph_.successors(other)) tail = std::max(tail, graph_.rest(s));
    if (tail == graph_.tail(other)) break;
    own_rest_[i] = tail + graph_.duration(other);
  }
  own_known_ = true;
}

/// `end` and `rest` of the worker's other tasks, by position.
template <class End, class Rest>
std::optional<Insertion> InsertionSearch::best(WorkerId worker, std::size_t length, End end, Rest rest) const {
  const Instance& instance = graph_.instance();
  const Time duration = instance.costs.actual(task_, instance.platform.class_of(worker));
  const bool own = worker == graph_.worker(task_);
  const auto through = [&](std::size_t position) {
    const Time start = position > 0 ? std::max(earliest_start_, end(position - 1)) : earliest_start_;
    const Time tail = position < length ? std::max(shortest_tail_, rest(position)) : shortest_tail_;
    return start + duration + tail;
  };
  // Tasks that end after its earliest start do not come before it in any path, so it may stand before them; likewise
  // it may stand behind those that have more left than its tail.
  std::size_t first = first_with(length, [&](std::size_t i) { return end(i) > earliest_start_; });
  std::size_t last = first_with(length, [&](std::size_t i) { return rest(i) <= shortest_tail_; });
  if (first > last) std::swap(first, last);  // between them no task is in its way
  std::optional<Insertion> best;
  for (std::size_t position = first; position <= last; ++position) {
    if (own && position == graph_.position(task_)) continue;
    const Time longest = through(position);
    if (!best || longest < best->longest) best = {worker, position, longest};
    if (longest == earliest_start_ + duration + shortest_tail_) break;  // nothing is shorter
  }
  return best;
}

std::optional<Insertion> InsertionSearch::best(WorkerId worker) {
  const Instance& instance = graph_.instance();
  if (!instance.costs.can_run(task_, instance.platform.class_of(worker))) return std::nullopt;
  const std::span<const TaskId> sequence = graph_.sequence(worker);
  if (worker != graph_.worker(task_)) {
    return best(
        worker, sequence.size(), [&](std::size_t i) { return graph_.end(sequence[i]); },
        [&](std::size_t i) { return graph_.rest(sequence[i]); });
  }
  if (!own_known_) compute_own_sequence();
  return best(
      worker, own_end_.size(), [&](std::size_t i) { return own_end_[i]; }, [&](std::size_t i) { return own_rest_[i]; });
}

}  // namespace heddle::search
