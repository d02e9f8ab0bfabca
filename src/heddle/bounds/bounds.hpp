#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/time.hpp"

/// Lower bounds on the makespan: no schedule of an instance, whatever its policy, is shorter. All but `window` hold for
/// schedules that interrupt tasks and go on with them elsewhere, too; in Heddle none does: an aborted attempt's work is
/// lost. They hold for actual durations, free transfers, any number of classes, classes without workers and tasks that
/// some classes cannot run. Every value is recomputed exactly from a dual certificate and floored to the picosecond: it
/// is never above the truth, whatever the solver's tolerances.
namespace heddle::bounds {

/// From the quickest to the tightest; each is at least the ones before it, but that `area` and `critical_path` do not
/// compare.
enum class Kind : std::uint8_t {
  critical_path,  ///< the longest path, each task on its fastest class
  area,           ///< all work shared out over the workers, in fractions, as if there were no dependencies
  /// `area` with the longest path through all tasks of a type, for each type whose tasks lie on one path; the other
  /// tasks of such a path count with their fastest durations (Kumar 2017, section 2.3.1)
  mixed,
  iterative,  ///< `area` with every path of the graph (Kumar 2017, section 3.4)
  /// `iterative` with what tasks must do between an instant after the start and one before the end, for many such
  /// windows (docs/bounds.md); for schedules in which tasks run from start to end without interruption
  window,
};
inline constexpr std::size_t kKindCount = 5;
inline constexpr std::array<Kind, kKindCount> kAllKinds{Kind::critical_path, Kind::area, Kind::mixed, Kind::iterative,
                                                        Kind::window};

/// "critical-path", "area", "mixed", "iterative", "window".
[[nodiscard]] std::string_view to_string(Kind kind);
[[nodiscard]] std::optional<Kind> parse_kind(std::string_view name);

/// The workers of a class between `head` after the start of a schedule and `tail` before its end.
struct ClassWindow {
  Time head = 0;
  Time tail = 0;
  ClassId on{};

  bool operator==(const ClassWindow&) const = default;
};

struct Bound {
  Time value = 0;  ///< floored to the picosecond
  /// The value is the kind's (`iterative`: up to Options::tolerance). Otherwise time ran out, or the solver's precision
  /// did: a bound all the same, and no smaller than the area.
  bool exact = true;
  /// Not exact because time ran out, or Options::stop said so.
  bool out_of_time = false;
  /// Picoseconds of work per class in the bound's solution, as metrics.hpp's normalized_idle wants it.
  Table<ClassId, double> use;
  /// What keeps the bound from being smaller: classes that work all the time in its solution ...
  std::vector<ClassId> full_classes;
  /// ... and a path as long as the bound, in order; empty when only classes bind.
  std::vector<TaskId> path;
  /// `window`: windows that have no room left, from the one that matters most.
  std::vector<ClassWindow> windows;
};

struct Options {
  /// Wall-clock seconds for one call; without it the call ends when its bounds are exact. The only option under which
  /// values may differ between runs and machines.
  std::optional<double> seconds = std::nullopt;
  /// How far below its kind's value, relatively, an `iterative` bound may stay and count as exact; a picosecond comes
  /// on top.
  double tolerance = 1e-6;
  /// Asked often; when it says so, the call ends as if time had run out. Throws nothing.
  std::function<bool()> stop = nullptr;
  /// compute() tells each bound here as soon as it is known.
  std::function<void(Kind kind, const Bound& bound)> found = nullptr;
};

/// The longest path, each task on its fastest class. Time O(tasks + edges).
[[nodiscard]] Bound critical_path_bound(const Instance& instance);

/// The area bound: in closed form when at most two classes have workers, a linear program otherwise.
[[nodiscard]] Bound area_bound(const Instance& instance);

/// Nothing when no type with two tasks or more has all its tasks on one path; the area when time ran out before that
/// was known.
[[nodiscard]] std::optional<Bound> mixed_bound(const Instance& instance, const Options& options = {});

[[nodiscard]] Bound iterative_bound(const Instance& instance, const Options& options = {});

[[nodiscard]] Bound window_bound(const Instance& instance, const Options& options = {});
/// The same where a bound is known, such as the iterative one: at least that.
[[nodiscard]] Bound window_bound(const Instance& instance, const Options& options, Bound known);

/// Bounds of one instance, each kind that was asked for and is defined.
class Bounds {
 public:
  [[nodiscard]] const std::optional<Bound>& operator[](Kind kind) const {
    return by_kind_[static_cast<std::size_t>(kind)];
  }
  void set(Kind kind, Bound bound) { by_kind_[static_cast<std::size_t>(kind)] = std::move(bound); }

  /// The kind with the largest value, the quickest of equals; nothing when there is no bound at all.
  [[nodiscard]] std::optional<Kind> best_kind() const;
  /// The largest value; 0, which is always a bound, when there is none.
  [[nodiscard]] Time best() const;

 private:
  std::array<std::optional<Bound>, kKindCount> by_kind_;
};

/// Each value is rounded up to the next multiple of what divides all durations: without interruptions, every shortest
/// makespan is one (grid.hpp). Throws InternalError when the linear-programming library fails.
[[nodiscard]] Bounds compute(const Instance& instance, std::span<const Kind> kinds, const Options& options = {});

/// The instance on a machine with one more worker of a class, and free transfers: bounds do not know any others.
[[nodiscard]] Instance with_one_more(const Instance& instance, ClassId c);

/// Every kind that is quick for this instance, by a fixed rule: all, but `window` only up to so many tasks, fewer where
/// more than two classes have workers. All together mostly take at most a quarter of a second then.
[[nodiscard]] std::span<const Kind> default_kinds(const Instance& instance);
/// The kinds that a text names: "default" is default_kinds(), then "all", "none" and the kinds themselves. Throws
/// InputError.
[[nodiscard]] std::vector<Kind> parse_kinds(std::string_view text, const Instance& instance);
inline constexpr std::size_t kWindowTasks = 900;
inline constexpr std::size_t kWindowTasksOfManyClasses = 200;

/// Fractions in which classes share the tasks of an instance; those of a task add up to 1.
class Shares {
 public:
  Shares(std::size_t tasks, std::size_t classes) : classes_(classes), shares_(tasks * classes, 0.0) {}

  [[nodiscard]] double& operator()(TaskId task, ClassId c) { return shares_[index(task) * classes_ + index(c)]; }
  [[nodiscard]] double operator()(TaskId task, ClassId c) const { return shares_[index(task) * classes_ + index(c)]; }
  /// How long a task takes when each class does its share, one after the other, in picoseconds.
  [[nodiscard]] double duration(const Instance& instance, TaskId task) const;
  /// The same for all.
  [[nodiscard]] Table<TaskId, double> durations(const Instance& instance) const;

 private:
  std::size_t classes_;
  std::vector<double> shares_;
};

/// A solution of the iterative bound's linear program for the actual durations: no path through the tasks, as they are
/// shared, is longer than the bound, up to the relative tolerance (Options::tolerance), and no class has more work than
/// its workers can do in that time.
///
/// Optima are many. This is a vertex of the program over a part of the graph: tasks on the paths that had to be added
/// are shared out one by one, all others by groups of equal durations, inside which those on the longest paths take the
/// fastest classes. So few tasks are split between classes. Which vertex it is depends on the solver.
[[nodiscard]] Shares fractional_allocation(const Instance& instance, double tolerance = 1e-7);

}  // namespace heddle::bounds
