#include "heddle/bounds/windows.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "heddle/bounds/heads_and_tails.hpp"

namespace heddle::bounds {
namespace {

/// Where windows may begin (or end): 0, the heads (or tails) of tasks, and what these are when the task is over, in
/// order.
std::vector<Time> thresholds(const Instance& instance, const Table<TaskId, Time>& limit) {
  std::vector<Time> values{0};
  for (const TaskId task : limit.ids()) {
    values.push_back(limit[task]);
    values.push_back(limit[task] + std::ranges::min(instance.costs.actual_row(task)));
  }
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  return values;
}

}  // namespace

Time least_inside(Time duration, Time head, Time tail, const ClassWindow& window, Time makespan) {
  const Time before = window.head - head;
  const Time after = window.tail - tail;
  const Time outside = std::max(before, after);
  Time inside = duration - std::max<Time>(outside, 0);
  if (before > 0 && after > 0) inside = std::min(inside, makespan - window.head - window.tail);
  return std::max<Time>(inside, 0);
}

Windows::Windows(const Instance& instance) : instance_(instance) {
  const HeadsAndTails limits = bounds::heads_and_tails(instance);
  const TaskGroups by_durations = group_by_durations(instance);
  std::vector<TaskId> tasks(instance.graph.tasks().begin(), instance.graph.tasks().end());
  const auto key = [&](TaskId task) { return std::tuple(by_durations.of[task], limits.head[task], limits.tail[task]); };
  std::ranges::sort(tasks, {}, [&](TaskId task) { return std::pair(key(task), task); });
  groups_.of.resize(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskId task = tasks[i];
    if (i == 0 || key(task) != key(tasks[i - 1])) {
      groups_.groups.push_back({instance.costs.row(task), 0, 0});
      head_.push_back(limits.head[task]);
      tail_.push_back(limits.tail[task]);
    }
    ++groups_.groups.back().tasks;
    groups_.of[task] = static_cast<std::uint32_t>(groups_.groups.size() - 1);
  }
  head_thresholds_ = thresholds(instance, limits.head);
  tail_thresholds_ = thresholds(instance, limits.tail);
}

std::vector<Time> Windows::amounts(const ClassWindow& window, Time makespan) const {
  std::vector<Time> amounts(groups_.groups.size(), 0);
  for (std::size_t g = 0; g < amounts.size(); ++g) {
    const Time duration = instance_.costs.actual_row(groups_.groups[g].row)[index(window.on)];
    if (duration != kCannotRun) amounts[g] = least_inside(duration, head_[g], tail_[g], window, makespan);
  }
  return amounts;
}

/// What a class takes of a group.
struct Windows::Part {
  double tasks;
  Time duration;
  Time head;
  Time tail;
};

std::vector<Windows::Part> Windows::parts(const std::vector<double>& shares, ClassId on) const {
  constexpr double kLittle = 1e-9;
  std::vector<Part> parts;
  const std::size_t classes = instance_.platform.class_count();
  for (std::size_t g = 0; g < groups_.groups.size(); ++g) {
    const double tasks = shares[g * classes + index(on)];
    if (tasks < kLittle) continue;
    parts.push_back({tasks, instance_.costs.actual_row(groups_.groups[g].row)[index(on)], head_[g], tail_[g]});
  }
  return parts;
}

/// A window by the ranks of its thresholds, and the makespan that it needs.
struct Windows::Found {
  std::size_t head = 0;
  std::size_t tail = 0;
  double needed = 0;
};

/// The search in one class.
class Windows::Search {
 public:
  Search(const Windows& windows, const std::vector<double>& shares, ClassId on, Time known)
      : windows_(windows),
        on_(on),
        workers_(windows.instance_.platform.worker_count(on)),
        known_(known),
        parts_(windows.parts(shares, on)) {}

  [[nodiscard]] ClassWindow window(const Found& found) const {
    return {windows_.head_thresholds_[found.head], windows_.tail_thresholds_[found.tail], on_};
  }

  /// For each head of a grid the fullest window.
  [[nodiscard]] std::vector<Found> on_grid() const {
    std::vector<Found> result;
    const std::size_t heads = windows_.head_thresholds_.size();
    const std::size_t tails = windows_.tail_thresholds_.size();
    for (std::size_t head = 0; head < heads; head += stride(heads)) {
      Found fullest;
      for (std::size_t tail = 0; tail < tails; tail += stride(tails)) fullest = fuller(fullest, head, tail);
      result.push_back(fullest);
    }
    return result;
  }

  /// Moves one border of the window at a time while that makes it fuller, in steps that get smaller.
  [[nodiscard]] Found climb(Found found) const {
    const std::size_t heads = windows_.head_thresholds_.size();
    const std::size_t tails = windows_.tail_thresholds_.size();
    for (std::size_t step = std::max(stride(heads), stride(tails)); step > 0; step /= 2) {
      const Found from = found;
      if (from.head >= step) found = fuller(found, from.head - step, from.tail);
      if (from.head + step < heads) found = fuller(found, from.head + step, from.tail);
      if (from.tail >= step) found = fuller(found, from.head, from.tail - step);
      if (from.tail + step < tails) found = fuller(found, from.head, from.tail + step);
      if (found.needed > from.needed) step *= 2;
    }
    return found;
  }

 private:
  static std::size_t stride(std::size_t thresholds) { return (thresholds + kGrid - 1) / kGrid; }

  [[nodiscard]] Found fuller(const Found& than, std::size_t head, std::size_t tail) const {
    const Found found{head, tail, needed(window({head, tail}))};
    return found.needed > than.needed ? found : than;
  }

  [[nodiscard]] double needed(const ClassWindow& window) const {
    if (known_ - window.head <= window.tail) return 0;
    double work = 0;
    for (const Part& part : parts_) {
      work += part.tasks * static_cast<double>(least_inside(part.duration, part.head, part.tail, window, known_));
    }
    return work / workers_ + static_cast<double>(window.head + window.tail);
  }

  const Windows& windows_;
  ClassId on_;
  double workers_;
  Time known_;
  std::vector<Part> parts_;
};

std::vector<ClassWindow> Windows::too_full(const std::vector<double>& shares, double limit, Time known,
                                           std::size_t count) const {
  std::vector<std::pair<double, ClassWindow>> all;
  for (const ClassId on : instance_.platform.classes()) {
    if (instance_.platform.worker_count(on) == 0) continue;
    const Search search(*this, shares, on, known);
    std::vector<Found> found = search.on_grid();
    std::ranges::stable_sort(found, std::ranges::greater(), &Found::needed);
    found.resize(std::min(found.size(), count));
    for (const Found& one : found) {
      const Found top = search.climb(one);
      if (top.needed > limit) all.emplace_back(top.needed, search.window(top));
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &std::pair<double, ClassWindow>::first);
  std::vector<ClassWindow> windows;
  for (const auto& [needed, window] : all) {
    if (windows.size() < count && std::ranges::find(windows, window) == windows.end()) windows.push_back(window);
  }
  return windows;
}

}  // namespace heddle::bounds
