#include "heddle/bounds/area.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "heddle/bounds/certificate.hpp"
#include "heddle/bounds/chained_bound.hpp"
#include "heddle/bounds/dual_search.hpp"
#include "heddle/bounds/work_groups.hpp"
#include "heddle/bounds/work_program.hpp"
#include "heddle/model/error.hpp"

namespace heddle::bounds {
namespace {

std::vector<ClassId> working_classes(const Platform& platform) {
  std::vector<ClassId> classes;
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) > 0) classes.push_back(c);
  }
  return classes;
}

/// Tasks that may move from the first class to the second.
struct Movable {
  Time first = 0;   ///< duration of one of them there
  Time second = 0;  ///< and there
  std::int64_t tasks = 0;
};

/// Work that is shared out over two classes, all movable tasks being on the first so far.
struct TwoClasses {
  std::int64_t first_workers = 0;
  std::int64_t second_workers = 0;
  Wide first_work = 0;
  Wide second_work = 0;
  std::vector<Movable> movable;  ///< by decreasing acceleration factor

  /// Whether the first class is the longer one when it has `first` work and the other `second`.
  [[nodiscard]] bool first_longer(Wide first, Wide second) const {
    return first * second_workers > second * first_workers;
  }
  void add(Time first, Time second, std::int64_t tasks);
};

void TwoClasses::add(Time first, Time second, std::int64_t tasks) {
  if (second == kCannotRun) {
    first_work += Wide{first} * tasks;
  } else if (first == kCannotRun) {
    second_work += Wide{second} * tasks;
  } else if (first > 0 || second > 0) {  // without the others, which would equal every factor, the order is a total one
    first_work += Wide{first} * tasks;
    movable.push_back({first, second, tasks});
  }
}

TwoClasses split(const Instance& instance, ClassId first, ClassId second) {
  TwoClasses result;
  result.first_workers = instance.platform.worker_count(first);
  result.second_workers = instance.platform.worker_count(second);
  for (const WorkGroup& group : group_tasks(instance).groups) {
    const auto durations = instance.costs.actual_row(group.row);
    result.add(durations[index(first)], durations[index(second)], group.tasks);
  }
  std::ranges::sort(result.movable, [](const Movable& a, const Movable& b) {
    const Wide left = Wide{a.first} * b.second;
    const Wide right = Wide{b.first} * a.second;
    return left != right ? left > right : a.first < b.first;
  });
  return result;
}

/// Picoseconds of work on either class, and the time that takes.
struct Shared {
  Time value = 0;
  double first_work = 0;
  double second_work = 0;
  bool first_full = false;
  bool second_full = false;
};

Shared without_border(const TwoClasses& work) {
  const Wide first = work.first_work / work.first_workers;
  const Wide second = work.second_work / work.second_workers;
  Shared result{static_cast<Time>(std::max(first, second)), static_cast<double>(work.first_work),
                static_cast<double>(work.second_work)};
  result.first_full = work.first_longer(work.first_work, work.second_work);
  result.second_full = !result.first_full;
  return result;
}

/// Both classes end together at l = (A - x a) / m = (B + x b) / n, where x tasks of durations a and b move.
Shared with_border(const TwoClasses& work, const Movable& border) {
  const Wide numerator = work.first_work * border.second + work.second_work * border.first;
  const Wide denominator = Wide{work.first_workers} * border.second + Wide{work.second_workers} * border.first;
  const double length = static_cast<double>(numerator) / static_cast<double>(denominator);
  return {static_cast<Time>(numerator / denominator), length * static_cast<double>(work.first_workers),
          length * static_cast<double>(work.second_workers), true, true};
}

/// Moves tasks while that shortens the longer class, the first. Those that are shared out at the end; null: none are.
const Movable* move_to_border(TwoClasses& work) {
  for (const Movable& next : work.movable) {
    if (!work.first_longer(work.first_work, work.second_work)) break;
    const Wide first = work.first_work - Wide{next.first} * next.tasks;
    const Wide second = work.second_work + Wide{next.second} * next.tasks;
    if (!work.first_longer(first, second)) return &next;
    work.first_work = first;
    work.second_work = second;
  }
  return nullptr;
}

Shared share_out(TwoClasses work) {
  const Movable* border = move_to_border(work);
  return border != nullptr ? with_border(work, *border) : without_border(work);
}

/// Tasks on the border are worth the same on both classes; without any, only the longer class counts.
Table<ClassId, double> duals_of_two(const Instance& instance, ClassId first, ClassId second) {
  TwoClasses work = split(instance, first, second);
  const auto first_workers = static_cast<double>(work.first_workers);
  const auto second_workers = static_cast<double>(work.second_workers);
  Table<ClassId, double> duals(instance.platform.class_count(), 0.0);
  if (const Movable* border = move_to_border(work)) {
    const auto on_first = static_cast<double>(border->first);
    const auto on_second = static_cast<double>(border->second);
    duals[first] = on_second / (first_workers * on_second + second_workers * on_first);
    duals[second] = on_first / (first_workers * on_second + second_workers * on_first);
  } else if (work.first_longer(work.first_work, work.second_work)) {
    duals[first] = 1 / first_workers;
  } else {
    duals[second] = 1 / second_workers;
  }
  return duals;
}

Bound one_class(const Instance& instance, ClassId only) {
  Wide work = 0;
  for (const TaskId task : instance.graph.tasks()) work += instance.costs.actual(task, only);
  Bound bound;
  bound.value = static_cast<Time>(work / instance.platform.worker_count(only));
  bound.use.assign(instance.platform.class_count(), 0.0);
  bound.use[only] = static_cast<double>(work);
  bound.full_classes = {only};
  return bound;
}

}  // namespace

Bound area_closed_form(const Instance& instance) {
  const std::vector<ClassId> classes = working_classes(instance.platform);
  if (classes.size() > 2) throw InternalError("the area bound has no closed form for three classes or more");
  if (classes.size() == 1) return one_class(instance, classes[0]);
  const Shared shared = share_out(split(instance, classes[0], classes[1]));
  Bound bound;
  bound.value = shared.value;
  bound.use.assign(instance.platform.class_count(), 0.0);
  bound.use[classes[0]] = shared.first_work;
  bound.use[classes[1]] = shared.second_work;
  if (shared.first_full) bound.full_classes.push_back(classes[0]);
  if (shared.second_full) bound.full_classes.push_back(classes[1]);
  return bound;
}

Bound area_linear_program(const Instance& instance) {
  return chained_bound(instance, {});
}

Table<ClassId, std::vector<double>> area_shares(const Instance& instance) {
  constexpr double kGrain = 1e6;  // coarser than the solver's tolerance, so that equal shares come out equal
  const WorkGroups grouped = group_tasks(instance);
  WorkProgram program(instance);
  for (const WorkGroup& group : grouped.groups) program.add(group.row, group.tasks);
  program.program().minimise();
  Table<ClassId, std::vector<double>> shares(instance.platform.class_count(),
                                             std::vector<double>(instance.costs.row_count(), 0.0));
  for (const TaskId task : instance.graph.tasks()) {
    const std::uint32_t row = instance.costs.row(task);
    const std::uint32_t group = grouped.group_of_row[row];
    const auto tasks = static_cast<double>(grouped.groups[group].tasks);
    for (const ClassId c : shares.ids()) shares[c][row] = std::round(program.share(group, c) / tasks * kGrain) / kGrain;
  }
  return shares;
}

Table<ClassId, double> area_duals(const Instance& instance) {
  const Platform& platform = instance.platform;
  if (const std::vector<ClassId> classes = working_classes(platform); classes.size() == 2) {
    return duals_of_two(instance, classes[0], classes[1]);
  }
  const std::vector<WorkGroup> groups = group_tasks(instance).groups;
  const auto cheapest = [&](std::span<const double> duals, std::span<double> use) {
    for (const WorkGroup& group : groups) {
      const auto times = instance.costs.actual_row(group.row);
      std::optional<std::size_t> best;
      for (std::size_t c = 0; c < times.size(); ++c) {
        if (times[c] == kCannotRun) continue;
        const auto cost = [&](std::size_t on) { return duals[on] * static_cast<double>(times[on]); };
        if (!best || cost(c) < cost(*best)) best = c;
      }
      use[*best] += static_cast<double>(times[*best]) * static_cast<double>(group.tasks);
    }
  };
  std::vector<double> capacity;
  for (const ClassId c : platform.classes()) capacity.push_back(platform.worker_count(c));
  const std::vector<double> found = search_duals(capacity, cheapest).duals;
  double total = 0;
  for (const ClassId c : platform.classes()) total += found[index(c)] * capacity[index(c)];
  Table<ClassId, double> duals(platform.class_count());
  for (const ClassId c : platform.classes()) duals[c] = found[index(c)] / total;
  return duals;
}

Bound area_bound(const Instance& instance) {
  return working_classes(instance.platform).size() <= 2 ? area_closed_form(instance)
                                                        : quick_chained_bound(instance, {});
}

}  // namespace heddle::bounds
